// What is said of the verbs that act on containers which have a name, beside what life_options.h knows.
#include <algorithm>

#include "cmd/life_options.h"
#include "cmd/manual_parts.h"

namespace ctr::cmd {

namespace {

struct More {
    const char* verb;
    const char* summary;
    Operands operands;
    std::vector<Section> sections;
    std::vector<Example> examples;
    const char* see_also;
};

constexpr Operands one{"<container>", ""};
constexpr Operands many{"<container>", "<container>"};

// In the order in which they are listed.
const std::vector<More>& more() {
    static const std::vector<More> table = {
        {"exec",
         "run another command in a running container",
         {"<container>", "<command>"},
         {},
         {{"the container's processes, seen from inside", "ctr exec web ps -ef"},
          {"a shell with a terminal of its own", "ctr exec -it web bash"},
          {"as another user, elsewhere, with another variable",
           "ctr exec -u 1000 -w /tmp -e LANG=C web -- sh -c 'id; pwd'"}},
         "run list ps"},
        {"list",
         "list the containers that have a name",
         {},
         {{"Columns",
           "",
           {{"STATUS", "creating, created, running, paused, or stopped (with the exit status, or killed)"},
            {"PID", "the host's number of its first process"},
            {"PIDNS", "how its processes are numbered (ctr run --pidns)"},
            {"CREATED", "when, in universal time"}}}},
         {{"all of them", "ctr list"},
          {"the names of those that run",
           "ctr list --json | jq -r '.[] | select(.status == \"running\").id'"}},
         "run inspect ps"},
        {"inspect",
         "print what is known of a container",
         many,
         {},
         {{"its state", "ctr inspect web"}, {"its cgroups", "ctr inspect web | jq .cgroups"}},
         "list ps"},
        {"logs",
         "print what a detached container has written",
         one,
         {},
         {{"what there is, and what comes", "ctr logs -f web"},
          {"only its errors", "ctr logs web >/dev/null"}},
         "run list"},
        {"pid",
         "print the host's number of a container's process",
         one,
         {},
         {{"of its first process", "ctr pid web"},
          {"of its process 7, to be looked at from outside", "cat /proc/$(ctr pid web 7)/status"}},
         "ps list"},
        {"kill",
         "send a signal to a container",
         many,
         {{"Signals and process 1",
           "As in the kernel's pid namespaces, a container's first process gets a signal that it has no "
           "handler "
           "for only from outside, and under --pidns=kernel only KILL and STOP even so. With ctr run --init "
           "the "
           "command isn't process 1.\n\n"
           "KILL also ends a container whose monitor doesn't answer, because somebody has stopped it.",
           {}}},
         {{"end it at once", "ctr kill web"},
          {"have it read its configuration again", "ctr kill -s HUP web"}},
         "stop wait"},
        {"stop",
         "ask a container to end, and make it",
         many,
         {{"When it doesn't end",
           "A command that is process 1 under --pidns=kernel and has no handler for the signal never gets it "
           "(the kernel keeps it away), so it runs until -t is over and is killed then. A handler, or ctr "
           "run "
           "--init, which passes the signal on, spares the wait.",
           {}}},
         {{"in ten seconds at most", "ctr stop web"},
          {"two of them, in a minute at most", "ctr stop -t 60 web db"}},
         "kill wait rm"},
        {"wait",
         "wait for a container to end",
         many,
         {},
         {{"its exit status, once it has ended", "ctr wait web"}},
         "stop kill"},
        {"pause",
         "stop all processes of a container where they are",
         many,
         {},
         {{"nothing of it runs until it is resumed", "ctr pause web; ctr resume web"}},
         "resume list"},
        {"resume", "let a paused container go on", many, {}, {{"go on", "ctr resume web"}}, "pause list"},
        {"stats",
         "show what containers use",
         many,
         {},
         {{"all that run, again and again", "ctr stats"},
          {"one, once, for a program", "ctr stats --no-stream --json web"}},
         "ps update list"},
        {"update",
         "change the limits of a running container; 0, -1 or max lifts one",
         many,
         {},
         {{"half a processor, at most 256 MiB", "ctr update --cpus 0.5 -m 256m web"},
          {"what is written to a device", "ctr update --device-write-bps /srv:5mb web"},
          {"no limits any more", "ctr update -m 0 --device-write-bps /srv:0 web"}},
         "run stats inspect"},
        {"rm",
         "remove what is left of a container that has ended",
         many,
         {},
         {{"its state and its log", "ctr rm web"}, {"also if it still runs", "ctr rm -f web"}},
         "stop list"},
    };
    return table;
}

Manual joined(const LifeVerb& verb, const More& more) {
    return {verb.name,     more.summary,  verb.arguments, verb.help,   more.operands,
            &verb.options, more.sections, more.examples,  verb.status, more.see_also};
}

}  // namespace

std::vector<Manual> manuals_of_life() {
    std::vector<Manual> manuals;
    manuals.reserve(life_verbs().size());
    for (const More& one : more()) manuals.push_back(joined(life_verb(one.verb), one));
    for (const LifeVerb& verb : life_verbs())
        if (std::ranges::none_of(more(), [&](const More& one) { return verb.name == std::string(one.verb); }))
            manuals.push_back(joined(verb, {verb.name, "", {}, {}, {}, ""}));
    return manuals;
}

}  // namespace ctr::cmd
