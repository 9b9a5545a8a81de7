#include "pidns/image/decoder.h"

#include <dlfcn.h>

#include <string>

namespace ctr::pidns::image {

namespace {

// The structures differ from one minor version to the next, and so does the library's name.
std::string library_name() {
    return "libZydis.so." + std::to_string(ZYDIS_VERSION_MAJOR(ZYDIS_VERSION)) + "." +
           std::to_string(ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

Result<Decoder> Decoder::load() {
    const auto fail = [](std::string why) {
        return fail_call("load the decoder of instructions", "dlopen", 0, std::move(why),
                         "install Debian's package libzydis4.0, or the version that ctr was built with");
    };
    Decoder decoder;
    decoder.library_ = dlopen(library_name().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (decoder.library_ == nullptr) return fail(dlerror());
    decltype(&ZydisDecoderInit) init = nullptr;
    if (!find(decoder.library_, "ZydisDecoderInit", init) ||
        !find(decoder.library_, "ZydisDecoderDecodeInstruction", decoder.decode_) ||
        !find(decoder.library_, "ZydisDecoderDecodeFull", decoder.decode_full_))
        return fail(library_name() + " lacks a function");
    if (ZYAN_FAILED(init(&decoder.state_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return fail(library_name() + " doesn't know 64-bit code");
    return decoder;
}

Decoder::Decoder(Decoder&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)),
      decode_(other.decode_),
      decode_full_(other.decode_full_),
      state_(other.state_) {}

Decoder::~Decoder() {
    if (library_ != nullptr) dlclose(library_);
}

bool Decoder::decode(Bytes bytes, ZydisDecodedInstruction& instruction) const {
    return ZYAN_SUCCESS(decode_(&state_, nullptr, bytes.data(), bytes.size(), &instruction));
}

std::optional<Decoded> Decoder::decode_full(Bytes bytes) const {
    Decoded decoded;
    if (!ZYAN_SUCCESS(
            decode_full_(&state_, bytes.data(), bytes.size(), &decoded.instruction, decoded.operands)))
        return std::nullopt;
    return decoded;
}

}  // namespace ctr::pidns::image
