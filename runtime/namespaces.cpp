#include "runtime/namespaces.h"

namespace ctr::namespaces {

std::string names(uint64_t flags) {
    std::string text;
    for (const Kind& kind : kinds)
        if ((flags & kind.flag) != 0) text += (text.empty() ? "" : " ") + std::string(kind.name);
    return text;
}

uint64_t flag_of(std::string_view name) {
    for (const Kind& kind : kinds)
        if (name == kind.name || name == kind.file) return kind.flag;
    return 0;
}

}  // namespace ctr::namespaces
