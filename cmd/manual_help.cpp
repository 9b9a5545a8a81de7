// What is said of the verbs that help with the others.
#include "cmd/manual_parts.h"

namespace ctr::cmd {

std::vector<Manual> manuals_of_help() {
    return {
        {"completion",
         "print what makes a shell complete ctr's words",
         "bash|zsh|fish",
         "Prints a script for the shell. With it the tab key completes verbs, options, their values, names "
         "of containers and files, and the command that is to be run inside.",
         {"bash zsh fish", ""},
         &plain_options(),
         {},
         {{"in this bash", "source <(ctr completion bash)"},
          {"in every zsh",
           "ctr completion zsh > ~/.zfunc/_ctr    # with fpath=(~/.zfunc $fpath) in ~/.zshrc"},
          {"in every fish", "ctr completion fish > ~/.config/fish/completions/ctr.fish"}},
         usual_status,
         "help"},
        {"help",
         "print the help of a verb, or its man page",
         "[VERB]",
         "Prints what the verb's --help prints; without a verb what ctr --help prints.",
         {"<verb>", ""},
         &help_options(),
         {},
         {{"of ctr run", "ctr help run"},
          {"the man page, where none is installed", "ctr help --man run | man -l -"}},
         usual_status,
         "completion"},
        {"version",
         "print the version",
         "",
         "Prints the version.",
         {},
         &plain_options(),
         {},
         {{"as ctr --version", "ctr version"}},
         usual_status,
         ""}};
}

}  // namespace ctr::cmd
