// The instrumenter, as a target for libFuzzer; see model_fuzz.cpp for how to build it. It needs no corpus,
// but the system's ld.so is a good one.
#include "tests/fuzz/image_properties.h"
#include "tests/fuzz/image_samples.h"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(uint8_t* data, std::size_t size, std::size_t limit,
                                               unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(uint8_t* data, std::size_t size, std::size_t limit);

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    static const ctr::test::ImageBytes guest = ctr::test::passthrough_guest();
    ctr::pidns::image::check_instrument({reinterpret_cast<const std::byte*>(data), size}, guest);
    return 0;
}

// Starts again from a whole image now and then: mutations alone never make one.
std::size_t LLVMFuzzerCustomMutator(uint8_t* data, std::size_t size, std::size_t limit, unsigned seed) {
    constexpr unsigned restart_every = 16;
    static const auto samples = ctr::test::image_samples();
    if (seed % restart_every == 0) {
        const auto& sample = samples[seed / restart_every % samples.size()];
        if (sample.size() < limit) {
            std::memcpy(data, sample.data(), sample.size());
            size = sample.size();
        }
    }
    return LLVMFuzzerMutate(data, size, limit);
}
