// What the fuzz target checks, for a fixed set of random texts: real ones with random changes.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/fuzz/contents_properties.h"
#include "tests/fuzz/contents_samples.h"

namespace ctr::pidns {
namespace {

class Mutator {
  public:
    std::string mutate(std::string text) {
        for (size_t changes = 1 + below(4); changes > 0; --changes) change(text);
        return text;
    }

    const samples::Sample& any_sample() { return samples::all[below(std::size(samples::all))]; }

  private:
    size_t below(size_t limit) { return random_() % limit; }

    void change(std::string& text) {
        static constexpr std::string_view words[] = {"\n",         " ",
                                                     "\t",         ")",
                                                     " (",         "-",
                                                     "-1",         "0",
                                                     "2147483647", "2147483648",
                                                     "\nPid:\t",   "NSpid:\t4942\t1\n",
                                                     "-> ",        ", #threads: ",
                                                     "/tid.",      std::string_view("\0", 1)};
        const size_t at = below(text.size() + 1);
        const size_t count = below(text.size() - at + 1);
        switch (below(6)) {
            case 0: text.insert(at, words[below(std::size(words))]); break;
            case 1: text.erase(at, below(8)); break;
            case 2: text.insert(at, text.substr(at, count)); break;
            case 3: text.resize(at); break;
            case 4: text.insert(at, std::string(any_sample().text)); break;
            default:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
        }
    }

    std::mt19937 random_{4711};
};

TEST(ContentsHostile, RandomTextsDoNoHarm) {
    Mutator mutator;
    constexpr int rounds = 100'000;
    for (int round = 0; round < rounds; ++round) {
        const samples::Sample& sample = mutator.any_sample();
        check_translation(sample.content, mutator.mutate(std::string(sample.text)));
    }
}

TEST(ContentsHostile, RealTextsKeepThePromises) {
    for (const auto& [content, text] : samples::all) {
        check_translation(content, text);
        EXPECT_TRUE(translate_within(content, text, IdentityView(), room_for(text.size()))) << text;
    }
}

}  // namespace
}  // namespace ctr::pidns
