#include "cmd/help.h"

#include <algorithm>
#include <sstream>

namespace ctr::cmd {

namespace {

constexpr size_t help_column = 32;
constexpr size_t last_column = 100;
constexpr size_t indent = 2;

// Breaks TEXT at blanks; lines after the first begin at COLUMN. BEGUN is what its first line has already.
void append_wrapped(const std::string& text, size_t column, std::string begun, std::ostream& out) {
    std::string line = std::move(begun);
    bool fresh = true;
    std::istringstream words(text);
    for (std::string word; words >> word; fresh = false) {
        if (!fresh && line.size() + 1 + word.size() > last_column) {
            out << line << '\n';
            line.assign(column, ' ');
            fresh = true;
        }
        line += (fresh ? "" : " ") + word;
    }
    out << line << '\n';
}

void append_paragraphs(const std::string& text, std::ostream& out) {
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find("\n\n", begin), text.size());
        append_wrapped(text.substr(begin, end - begin), 0, "", out);
        begin = end + 2;
        if (begin < text.size()) out << '\n';
    }
}

// LEFT in its own column, or on a line of its own if it is too long for that.
void append_row(std::string left, size_t column, const std::string& text, std::ostream& out) {
    if (left.size() + 1 >= column) {
        out << left << '\n';
        left.clear();
    }
    left.resize(column, ' ');
    append_wrapped(text, column, std::move(left), out);
}

void append_options(const std::vector<Option>& table, std::ostream& out) {
    const char* group = "";
    for (const Option& option : table) {
        if (std::string(group) != option.group) out << '\n' << (group = option.group) << ":\n";
        append_row(std::string(*option.letter == 0 ? "      " : "  ") + spelling(option), help_column,
                   option.help, out);
    }
}

void append_section(const Section& section, std::ostream& out) {
    size_t width = 0;
    for (const Term& term : section.terms) width = std::max(width, std::string(term.name).size());
    out << '\n' << section.title << ":\n";
    append_paragraphs(section.text, out);
    for (const Term& term : section.terms)
        append_row(std::string(indent, ' ') + term.name, indent + width + 2, term.text, out);
}

void append_examples(const std::vector<Example>& examples, std::ostream& out) {
    out << "\nExamples:\n";
    for (const Example& example : examples) {
        out << "  # " << example.what << '\n';
        std::istringstream lines(example.line);
        for (std::string line; std::getline(lines, line);) out << "  " << line << '\n';
    }
}

void append_status(const Manual& manual, std::ostream& out) {
    out << '\n';
    append_wrapped(std::string("Exit status: ") + manual.status, 0, "", out);
}

}  // namespace

std::string spelling(const Option& option) {
    std::string text = *option.letter == 0 ? "" : std::string("-") + option.letter + ", ";
    text += std::string("--") + option.name;
    if (option.takes == Takes::value) text += std::string(" ") + option.value;
    if (option.takes == Takes::optional) text += *option.value == 0 ? "[=DIR]" : "[=true|false]";
    return text;
}

std::string synopsis(const Manual& manual) {
    std::string text = "ctr";
    for (const std::string& part :
         {std::string(manual.verb), std::string("[options]"), std::string(manual.arguments)})
        if (!part.empty()) text += ' ' + part;
    return text;
}

std::string help_text(const Manual& manual) {
    std::ostringstream out;
    append_paragraphs(manual.description, out);
    out << "\nUsage: " << synopsis(manual) << '\n';
    append_options(*manual.options, out);
    for (const Section& section : manual.sections) append_section(section, out);
    append_examples(manual.examples, out);
    append_status(manual, out);
    return out.str();
}

std::string overview_text() {
    const Manual& manual = overview();
    std::ostringstream out;
    append_paragraphs(manual.description, out);
    out << "\nUsage: ctr VERB [options] ...\n\nVerbs (all of each: ctr VERB --help, or man ctr-VERB):\n";
    size_t width = 0;
    for (const Manual& verb : manuals()) width = std::max(width, std::string(verb.verb).size());
    for (const Manual& verb : manuals())
        append_row(std::string(indent, ' ') + verb.verb, indent + width + 2, verb.summary, out);
    append_options(*manual.options, out);
    append_row("      --version", help_column, "print the version", out);
    append_examples(manual.examples, out);
    append_status(manual, out);
    return out.str();
}

}  // namespace ctr::cmd
