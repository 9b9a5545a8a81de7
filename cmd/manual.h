// What is to be said of each verb, as data. --help (help.h), the man pages (man_page.h) and the completion of
// command lines (completion.h) all follow from it and from the tables of options.
#pragma once

#include <string_view>
#include <vector>

#include "cmd/option_table.h"

namespace ctr::cmd {

struct Term {
    const char* name;
    const char* text;
};

struct Section {
    const char* title;
    const char* text;  // paragraphs, before the terms
    std::vector<Term> terms;
};

struct Example {
    const char* what;
    const char* line;  // several, with "\n" between them, if they belong together
};

// What the words that are no options can be: as Option::candidates, and "<command>" for a command line of
// its own. first: the first of them; others: all that follow.
struct Operands {
    const char* first = "";
    const char* others = "";
};

struct Manual {
    const char* verb;         // "": of ctr itself
    const char* summary;      // one line
    const char* arguments;    // behind the options in the synopsis
    const char* description;  // paragraphs, with "\n\n" between them
    Operands operands;
    const std::vector<Option>* options;
    std::vector<Section> sections;
    std::vector<Example> examples;
    const char* status;    // the exit status, in words
    const char* see_also;  // other verbs, with blanks between them
};

// Of all verbs, in the order in which they are listed.
const std::vector<Manual>& manuals();

const Manual& overview();  // of ctr itself

const Manual* manual_of(std::string_view verb);  // null: there is no such verb

// Of what is in several verbs' surroundings: which files they use, which variables they heed.
struct Surrounding {
    Term term;
    const char* option;  // of those verbs that have this option; "": of all
};
const std::vector<Surrounding>& files();
const std::vector<Surrounding>& variables();

}  // namespace ctr::cmd
