// ctr update: other limits for containers that run.
#include "runtime/update.h"

#include <iostream>

#include "cmd/life.h"
#include "cmd/limit_values.h"
#include "cmd/messages.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

int update_verb(const std::vector<std::string>& arguments) {
    return for_each_name("update", arguments,
                         [](const LifeCall& call, const Registry& registry, const Entry& entry) -> Status {
                             cgroup::Limits limits;
                             if (auto taken = take_limits(call.given, limits); !taken) return taken;
                             if (limits == cgroup::Limits{})
                                 return fail_input("read the options", "no limit is among them",
                                                   "-m, --cpus, --pids-limit ...");
                             const auto warnings = update_limits(registry, entry, limits);
                             if (!warnings) return std::unexpected(warnings.error());
                             const Messages messages("update", call.log, entry.name());
                             for (const std::string& warning : *warnings)
                                 messages.notice({Notice::Kind::warning, warning});
                             std::cout << entry.name() << '\n' << std::flush;
                             return {};
                         });
}

}  // namespace ctr::cmd
