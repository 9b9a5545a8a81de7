// The translation of /proc's texts, as a target for libFuzzer; see model_fuzz.cpp for how to build it. The
// first byte says which file it is. It needs no corpus.
#include "tests/fuzz/contents_properties.h"
#include "tests/fuzz/contents_samples.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(uint8_t* data, std::size_t size, std::size_t limit,
                                               unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(uint8_t* data, std::size_t size, std::size_t limit);

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace ctr::pidns;
    constexpr auto contents = static_cast<uint8_t>(Content::pid_list_v2) + 1;
    if (size == 0) return 0;
    const std::string text(data + 1, data + size);
    check_translation(static_cast<Content>(data[0] % contents), text);
    return 0;
}

// Starts again from a real text now and then: mutations alone rarely find the form of one.
std::size_t LLVMFuzzerCustomMutator(uint8_t* data, std::size_t size, std::size_t limit, unsigned seed) {
    using namespace ctr::pidns;
    constexpr unsigned restart_every = 16;
    if (seed % restart_every == 0) {
        const auto& sample = samples::all[seed / restart_every % std::size(samples::all)];
        if (sample.text.size() < limit) {
            data[0] = static_cast<uint8_t>(sample.content);
            sample.text.copy(reinterpret_cast<char*>(data + 1), sample.text.size());
            size = sample.text.size() + 1;
        }
    }
    return LLVMFuzzerMutate(data, size, limit);
}
