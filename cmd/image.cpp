// ctr image: what the instrumenter finds in a program or library.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>

#include "cmd/image_format.h"
#include "cmd/image_options.h"
#include "cmd/messages.h"
#include "cmd/option_table.h"
#include "cmd/print_help.h"
#include "cmd/verbs.h"
#include "runtime/base/fd.h"

namespace ctr::cmd {

namespace {

Result<std::vector<std::byte>> read_file(const std::string& name) {
    const std::string step = "read " + name;
    const Fd fd(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return fail_call(step, "open");
    struct stat found = {};
    if (fstat(fd.get(), &found) != 0) return fail_call(step, "fstat");
    if (!S_ISREG(found.st_mode)) return fail_input(step, "it is no file");
    std::vector<std::byte> bytes(static_cast<size_t>(found.st_size));
    size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t got = read(fd.get(), bytes.data() + filled, bytes.size() - filled);
        if (got < 0) return fail_call(step, "read");
        if (got == 0) break;
        filled += static_cast<size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace

int image_verb(const std::vector<std::string>& arguments) {
    const auto options = parse_image(arguments);
    if (!options)
        return Messages("image", guess_log_options(arguments, image_options())).refuse(options.error());
    if (options->help) return print_help("image");
    const Messages messages("image", options->log);
    const auto bytes = read_file(options->file);
    if (!bytes) return messages.fail(bytes.error());
    auto findings = pidns::image::examine(*bytes);
    if (!findings) return messages.fail(std::move(findings).error().within(options->file));
    std::cout << (options->json ? as_json(*findings) : as_text(*findings)) << std::flush;
    if (std::cout) return 0;
    return messages.fail(fail_input("print what was found", "standard output takes no more").error());
}

}  // namespace ctr::cmd
