#include "tests/support/image.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ctr::test {

namespace {

std::string file_of(const void* address) {
    Dl_info info = {};
    if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code error;
    return std::filesystem::canonical(info.dli_fname, error).string();
}

}  // namespace

ImageBytes read_image(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    ImageBytes bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

void write_image(const std::string& file, std::span<const std::byte> bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.close();
    chmod(file.c_str(), 0755);
}

ImageBytes passthrough_guest() {
    return read_image(CTR_PASSTHROUGH);
}

std::string c_library() {
    return file_of(dlsym(RTLD_DEFAULT, "getppid"));
}

std::string interpreter() {
    return file_of(reinterpret_cast<const void*>(getauxval(AT_BASE)));
}

}  // namespace ctr::test
