#include "cmd/man_page.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

#include "cmd/help.h"

namespace ctr::cmd {

namespace {

// Hyphens that are meant as such, no escapes, and no line that begins as a request does.
std::string roff(const std::string& text) {
    std::string escaped;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (c == '.' || c == '\'')) escaped += "\\&";
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else if (c == '\'')
            escaped += "\\(aq";
        else if (c == '`')
            escaped += "\\(ga";
        else if (c == '^')
            escaped += "\\(ha";
        else if (c == '~')
            escaped += "\\(ti";
        else
            escaped += c;
    }
    return escaped;
}

std::string sentence(std::string text) {
    if (!text.ends_with('.')) text += '.';
    return text;
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

void append_paragraphs(const std::string& text, std::ostream& out) {
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find("\n\n", begin), text.size());
        if (begin > 0) out << ".PP\n";
        out << roff(text.substr(begin, end - begin)) << '\n';
        begin = end + 2;
    }
}

void append_terms(const std::vector<Term>& terms, std::ostream& out) {
    for (const Term& term : terms)
        out << ".TP\n.B " << roff(term.name) << '\n' << roff(sentence(term.text)) << '\n';
}

void append_options(const std::vector<Option>& table, std::ostream& out) {
    out << ".SH OPTIONS\n";
    const char* group = "";
    for (const Option& option : table) {
        // A table with one group only has nothing to part.
        if (std::strcmp(group, option.group) != 0 && std::strcmp(option.group, "Options") != 0)
            out << ".SS " << roff(option.group) << '\n';
        group = option.group;
        out << ".TP\n.B " << roff(spelling(option)) << '\n' << roff(sentence(option.help)) << '\n';
    }
}

void append_surroundings(const char* title, const std::vector<Surrounding>& table, const Manual& manual,
                         std::ostream& out) {
    std::vector<Term> terms;
    for (const Surrounding& one : table)
        if (*manual.verb == 0 || by_name(*manual.options, one.option) != nullptr) terms.push_back(one.term);
    if (terms.empty()) return;
    out << ".SH " << title << '\n';
    append_terms(terms, out);
}

void append_examples(const std::vector<Example>& examples, std::ostream& out) {
    out << ".SH EXAMPLES\n";
    for (const Example& example : examples)
        out << (&example == &examples.front() ? "" : ".PP\n") << roff(example.what) << ":\n.PP\n.RS 4\n.nf\n"
            << roff(example.line) << "\n.fi\n.RE\n";
}

std::vector<std::string> neighbours(const Manual& manual) {
    std::vector<std::string> pages;
    if (*manual.verb == 0) {
        for (const Manual& verb : manuals()) pages.push_back(std::string("ctr-") + verb.verb);
    } else {
        pages.emplace_back("ctr");
        std::istringstream verbs(manual.see_also);
        for (std::string verb; verbs >> verb;) pages.push_back("ctr-" + verb);
    }
    std::ranges::sort(pages);
    return pages;
}

void append_see_also(const Manual& manual, std::ostream& out) {
    out << ".SH SEE ALSO\n";
    const auto pages = neighbours(manual);
    for (const std::string& page : pages)
        out << ".BR " << roff(page) << " (1)" << (page == pages.back() ? "" : ",") << '\n';
}

}  // namespace

std::string man_page_name(const Manual& manual) {
    return (*manual.verb == 0 ? std::string("ctr") : std::string("ctr-") + manual.verb) + ".1";
}

std::string man_page(const Manual& manual, const std::string& version) {
    std::ostringstream out;
    std::string name = man_page_name(manual);
    name.resize(name.size() - 2);
    out << ".\\\" Generated from the tables of ctr: see cmd/manual.h.\n.TH " << roff(upper(name))
        << " 1 \"\" \"ctr " << version << "\" \"ctr\"\n";
    out << ".SH NAME\n" << roff(name) << " \\- " << roff(manual.summary) << '\n';
    out << ".SH SYNOPSIS\n.B " << roff(synopsis(manual)) << '\n';
    out << ".SH DESCRIPTION\n";
    append_paragraphs(manual.description, out);
    if (*manual.verb == 0) {
        out << ".SH VERBS\n";
        for (const Manual& verb : manuals())
            out << ".TP\n.BR ctr\\-" << roff(verb.verb) << " (1)\n" << roff(sentence(verb.summary)) << '\n';
    }
    append_options(*manual.options, out);
    for (const Section& section : manual.sections) {
        out << ".SH " << roff(upper(section.title)) << '\n';
        append_paragraphs(section.text, out);
        append_terms(section.terms, out);
    }
    out << ".SH EXIT STATUS\n" << roff(sentence(manual.status)) << '\n';
    append_examples(manual.examples, out);
    append_surroundings("FILES", files(), manual, out);
    append_surroundings("ENVIRONMENT", variables(), manual, out);
    append_see_also(manual, out);
    return out.str();
}

}  // namespace ctr::cmd
