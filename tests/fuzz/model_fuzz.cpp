// The numbering models against hostile memory, as a target for libFuzzer:
//
//     cmake -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DCTR_SANITIZE=address,undefined && ninja -C
//     build/fuzz model_fuzz build/fuzz/tests/fuzz/model_fuzz -max_len=4096
#include <cstring>

#include "tests/fuzz/hostile_model.h"

namespace ctr::pidns {
namespace {

template <class M>
void replay(const uint8_t* data, std::size_t size) {
    const GuardedMemory memory(M::bytes(hostile_limits));
    M model(memory.get(), hostile_limits);
    const auto next = [&] {
        uint32_t value = 0;
        const std::size_t count = size < sizeof value ? size : sizeof value;
        std::memcpy(&value, data, count);
        data += count;
        size -= count;
        return value;
    };
    HostileHistory history(model, memory, next);
    while (size > 0) {
        history.operate();
        if (next() % 4 == 0) history.scribble();
    }
    history.collect();
}

}  // namespace
}  // namespace ctr::pidns

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    switch (data[0] % 3) {
        case 0: ctr::pidns::replay<ctr::pidns::FlatNumbering>(data + 1, size - 1); break;
        case 1: ctr::pidns::replay<ctr::pidns::HashNumbering>(data + 1, size - 1); break;
        default: ctr::pidns::replay<ctr::pidns::ListNumbering>(data + 1, size - 1); break;
    }
    return 0;
}
