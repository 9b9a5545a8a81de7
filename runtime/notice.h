// Something a person may want to know about a container, though nothing failed.
#pragma once

#include <functional>
#include <string>

namespace ctr {

struct Notice {
    enum class Kind {
        detail,       // for those who look for a reason: "no fast path: ..."
        information,  // how something asked for was carried out: "/srv is on vda (254:0): writes: 5MiB/s"
        warning       // what works, but not as one may expect
    };
    Kind kind = Kind::information;
    std::string text;
};

using Notify = std::function<void(const Notice&)>;

}  // namespace ctr
