// x86-64 instructions, decoded by Zydis. Its library is loaded when the first image is instrumented, not when
// ctr starts: an image is instrumented once in its life.
#pragma once

#include <Zydis/Zydis.h>

#include <optional>
#include <span>

#include "pidns/image/elf.h"

namespace ctr::pidns::image {

struct Decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    std::span<const ZydisDecodedOperand> all() const { return {operands, instruction.operand_count}; }
};

class Decoder {
  public:
    static Result<Decoder> load();
    Decoder(Decoder&& other) noexcept;
    Decoder& operator=(Decoder&&) = delete;
    ~Decoder();

    // The instruction at the beginning of the bytes, without its operands. False: there is none.
    bool decode(Bytes bytes, ZydisDecodedInstruction& instruction) const;
    // With them.
    std::optional<Decoded> decode_full(Bytes bytes) const;

  private:
    Decoder() = default;

    void* library_ = nullptr;
    decltype(&ZydisDecoderDecodeInstruction) decode_ = nullptr;
    decltype(&ZydisDecoderDecodeFull) decode_full_ = nullptr;
    ZydisDecoder state_ = {};
};

}  // namespace ctr::pidns::image
