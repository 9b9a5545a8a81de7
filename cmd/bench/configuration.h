// Under what a command is measured, as a value and as a text. Pure.
//
//   [NAME=]KIND[@DEPTH][,+NS|,-NS]...[ OPTION...]
//
//   host                            outside of any container
//   host,+uts,+ipc                  outside, with namespaces of the kernel: what each of them costs
//   flat, multi, multi:list, kernel ctr run --pidns=KIND (multi:list with --pid-lookup=list)
//   unnumbered                      ctr run --pidns=host: a container with the host's numbers
//   flat@8                          eight containers, one in the other
//   flat,-uts,+net                  without, or with, one of the namespaces that are ctr run's to choose
//   limited=flat -m 512m --device-write-bps /srv:1gb    any options of ctr run; NAME is what reports call it
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.h"

namespace ctr::bench {

using Words = std::vector<std::string>;

struct Configuration {
    std::string name = {};      // unique among those of a run
    std::string kind = "host";  // a word of kinds()
    unsigned depth = 1;         // containers around the command; 1 for host as well
    Words namespaces = {};      // "+uts", "-ipc": what differs from its usual ones, by a word of namespaces()
    Words options = {};         // of ctr run, for the outermost container

    bool native() const { return kind == "host"; }  // no container
};

std::vector<std::string> kinds();

// A kind of namespace that a configuration can be with or without.
struct Namespace {
    const char* name;
    int flag;          // of unshare(2); 0: not outside
    const char* with;  // the option of ctr run; null: it isn't ctr run's to choose
    const char* without;
};
const std::vector<Namespace>& namespaces();

inline constexpr unsigned most_depth = 31;  // of --pidns=multi and the kernel

// Strict and whole, as all values of options: what isn't understood is an error that quotes it.
Result<Configuration> parse_configuration(const std::string& text);

// As given to --config: what parse_configuration() makes the same of.
std::string to_text(const Configuration& configuration);

// What is measured if nobody says what: host, flat, multi, kernel.
std::vector<Configuration> usual_configurations();

// The command line that runs COMMAND under it; CTR: the path of ctr, on the host and inside. Containers die
// with their parent. For host: COMMAND itself. ROOT: the caller is, and leaves what makes namespaces inside
// the right to; others' containers make user namespaces.
Words command_line(const Configuration& configuration, const std::string& ctr, const Words& command,
                   bool root = true);

// Whether the container has a root file system of its own, where nothing of the host is found by its path.
bool has_own_root(const Configuration& configuration);

// As a shell splits a line without expanding anything: blanks part words, quotes and backslashes join them.
Result<Words> split_words(const std::string& text);
std::string join_words(const Words& words);  // quoted where need be

}  // namespace ctr::bench
