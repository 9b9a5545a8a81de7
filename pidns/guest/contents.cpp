// Texts of /proc with numbers in them, as the monitor gives them to a program (monitor/proc_files.h): the
// host's file is read, and a file in memory with the translation opened in its place.
//
// What the program itself may not see of a process the kernel has left out already.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <span>

#include "pidns/guest/kernel.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/proc.h"
#include "pidns/guest/proc_name.h"
#include "pidns/surface/contents_stat.h"
#include "pidns/surface/contents_status.h"
#include "pidns/surface/memory_name.h"

namespace ctr::pidns::guest {

namespace {

// As a View (surface/contents.h), of a process in the reader's own namespace: its lists have one number.
class Reader {
  public:
    explicit Reader(const Self& self) : self_(self) {}

    int process(int host) const { return self_.outward(host); }

    // Who isn't known as a process may be a thread, which takes more to find out.
    int thread(int host) const {
        const int number = process(host);
        if (number == 0) is_doubtful_ = true;
        return number;
    }

    size_t numbers(int host, int, int* to, size_t) const {
        *to = process(host);
        return 1;
    }

    bool may_inspect() const { return true; }

    bool is_doubtful() const { return is_doubtful_; }

  private:
    const Self& self_;
    mutable bool is_doubtful_ = false;
};

// More is the monitor's.
constexpr size_t room = 2048;

class Text {
  public:
    // Of a text of the kernel's, which makes it whole for the first read.
    bool read(int64_t file) {
        size_ = marked(SYS_read, static_cast<uint64_t>(file), reinterpret_cast<uint64_t>(text_), room);
        return size_ > 0 && size_ < static_cast<int64_t>(room);
    }

    bool translate(const Self& self, Content content, std::string_view text) {
        const Reader reader(self);
        Output out({text_, room});
        const bool is_done = content == Content::stat     ? put_stat(text, reader, out)
                             : content == Content::status ? put_status(text, reader, out)
                                                          : false;
        size_ = static_cast<int64_t>(out.size());
        return is_done && out.fits() && !reader.is_doubtful();
    }

    bool write_to(int64_t file) const {
        return marked(SYS_write, static_cast<uint64_t>(file), reinterpret_cast<uint64_t>(text_),
                      static_cast<uint64_t>(size_)) == size_;
    }

    std::string_view text() const { return {text_, static_cast<size_t>(size_)}; }

  private:
    char text_[room];
    int64_t size_ = 0;
};

// Else the kernel would end the program for it (SIGXFSZ); the monitor writes by itself.
bool may_write_files() {
    struct rlimit size;
    return marked(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, reinterpret_cast<uint64_t>(&size)) == 0 &&
           size.rlim_cur >= room;
}

void close(int64_t file) {
    marked(SYS_close, static_cast<uint64_t>(file));
}

uint32_t birth_of(const Self& self, HostPid process) {
    return self.mapping.with([&](const auto& model) { return model.birth_of(model.entry_of(process)); });
}

int64_t make_memory_file(uint32_t birth, std::string_view place) {
    char name[128] = {};
    Output out({name, sizeof name - 1});
    out.put(memory_name_prefix.view());
    out.put(EntryBirth(birth).text());
    out.put(':');
    out.put(place);
    return marked(SYS_memfd_create, reinterpret_cast<uint64_t>(name), MFD_CLOEXEC);
}

// That description can be read only, and stands at its beginning.
int64_t reopen(int64_t file, uint64_t flags) {
    const DescriptorPath path(static_cast<int>(file));
    return marked(SYS_open, reinterpret_cast<uint64_t>(path.text()), O_RDONLY | (flags & O_CLOEXEC));
}

}  // namespace

bool replace_by_translation(Frame& frame, const Self& self, HostPid process, Content content,
                            std::string_view place, uint64_t flags) {
    Text original, shown;
    if (!original.read(frame.result) || !shown.translate(self, content, original.text())) return false;
    if (!may_write_files()) return false;
    const int64_t file = make_memory_file(birth_of(self, process), place);
    if (file < 0) return false;
    const bool is_written = shown.write_to(file);
    if (is_written) {
        // Its number is the lowest again.
        close(frame.result);
        frame.result = reopen(file, flags);
    }
    close(file);
    return is_written && frame.result >= 0;
}

}  // namespace ctr::pidns::guest
