// How a process of the container sees the host's numbers in a text of /proc.
#pragma once

#include "pidns/monitor/numbers.h"
#include "pidns/monitor/translate.h"
#include "pidns/surface/contents.h"

namespace ctr::pidns {

class ReaderView final : public View {
  public:
    // Both outlive the view.
    ReaderView(const Numbers& numbers, const Translator& translator, NamespaceId space, bool may_inspect)
        : numbers_(numbers), translator_(translator), space_(space), may_inspect_(may_inspect) {}

    int process(int host) const override { return translator_.outward(host, space_); }
    int thread(int host) const override { return translator_.thread_outward(host, space_); }
    size_t numbers(int host, int member, int* to, size_t capacity) const override;
    int limit() const override { return numbers_.limit(); }
    int last() const override { return raw(numbers_.last_number(space_)); }
    bool may_inspect() const override { return may_inspect_; }

  private:
    const Numbers& numbers_;
    const Translator& translator_;
    NamespaceId space_;
    bool may_inspect_;
};

}  // namespace ctr::pidns
