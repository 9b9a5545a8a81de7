// Images that are broken, or made to break the instrumenter.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/fuzz/image_properties.h"
#include "tests/fuzz/image_samples.h"

namespace ctr::test {
namespace {

using pidns::image::check_instrument;
using pidns::image::examine;

class Mutator {
  public:
    ImageBytes mutate(ImageBytes image, size_t within) {
        for (size_t changes = 1 + below(4); changes > 0; --changes) change(image, within);
        return image;
    }
    size_t below(size_t limit) { return random_() % limit; }

  private:
    // Numbers that sizes and offsets go wrong with.
    uint64_t number() {
        constexpr uint64_t edges[] = {0,      1,          2,          8,          0x38,  0x1000,
                                      0xffff, 0x7fffffff, 0xffffffff, 1ULL << 47, ~0ULL, ~0ULL - 7};
        return below(2) == 0 ? edges[below(std::size(edges))] : random_();
    }
    void change(ImageBytes& image, size_t within) {
        const size_t sizes[] = {1, 2, 4, 8};
        const size_t size = sizes[below(std::size(sizes))];
        const uint64_t value = number();
        const size_t at = below(std::min(within, image.size()));
        if (below(16) == 0) image.resize(at + 1);
        std::memcpy(image.data() + at, &value, std::min(size, image.size() - at));
    }

    std::mt19937_64 random_{4711};
};

TEST(ImageHostile, SamplesAreInstrumented) {
    for (const ImageBytes& sample : image_samples())
        EXPECT_TRUE(check_instrument(sample, passthrough_guest()));
}

TEST(ImageHostile, RandomChangesDoNoHarm) {
    const ImageBytes guest = passthrough_guest();
    const auto samples = image_samples();
    Mutator mutator;
    int made = 0;
    constexpr int rounds = 3000;
    for (int round = 0; round < rounds; ++round) {
        const ImageBytes& sample = samples[mutator.below(samples.size())];
        // Most of a small image is padding: headers and code make all the difference.
        constexpr size_t header = 0x300;
        made += check_instrument(mutator.mutate(sample, round % 2 == 0 ? header : sample.size()), guest);
    }
    EXPECT_GT(made, rounds / 20);
}

// Its tables are real: relocations, symbols, and what unwinders read.
TEST(ImageHostile, RandomChangesOfARealImageDoNoHarm) {
    const ImageBytes guest = passthrough_guest();
    const ImageBytes image = read_image(interpreter());
    ASSERT_TRUE(check_instrument(image, guest));
    Mutator mutator;
    for (int round = 0; round < 60; ++round) {
        constexpr size_t headers = 0x1000;
        check_instrument(mutator.mutate(image, round % 2 == 0 ? headers : image.size()), guest);
    }
}

TEST(ImageHostile, EveryBeginningOfAnImageIsRefusedOrTaken) {
    const ImageBytes guest = passthrough_guest();
    const ImageBytes image = image_samples().front();
    for (size_t size = 0; size < image.size(); size += size < 0x200 ? 1 : 97)
        check_instrument(std::span(image).first(size), guest);
}

TEST(ImageHostile, WhatIsNoImageIsRefusedWithAReason) {
    const auto why = [](const ImageBytes& image) {
        const auto findings = examine(image);
        return findings ? std::string() : findings.error().why;
    };
    EXPECT_EQ(why({}), "it is no ELF file");
    ImageBytes image = image_samples().front();
    const auto with_byte = [&](size_t at, uint8_t value) {
        ImageBytes changed = image;
        changed[at] = std::byte{value};
        return why(changed);
    };
    EXPECT_EQ(with_byte(EI_CLASS, ELFCLASS32), "it isn't for x86-64");
    EXPECT_EQ(with_byte(offsetof(Elf64_Ehdr, e_machine), EM_AARCH64 & 0xff), "it isn't for x86-64");
    EXPECT_EQ(with_byte(offsetof(Elf64_Ehdr, e_type), ET_CORE),
              "it is neither an executable nor a shared object");
    EXPECT_EQ(with_byte(offsetof(Elf64_Ehdr, e_phoff) + 7, 0xff),
              "its program headers lie outside of the file");
    constexpr size_t first = sizeof(Elf64_Ehdr);
    EXPECT_EQ(with_byte(first + offsetof(Elf64_Phdr, p_offset) + 7, 0xff),
              "a segment lies outside of the file");
    EXPECT_EQ(with_byte(first + offsetof(Elf64_Phdr, p_vaddr) + 7, 0xff),
              "a segment lies outside of the address space");
    EXPECT_EQ(with_byte(first + offsetof(Elf64_Phdr, p_vaddr) + 1, 0x40),
              "its segments aren't in order, or overlap");
}

// Each entry of a table is one of many others too.
TEST(ImageHostile, TablesThatOverlapEndTheirReading) {
    constexpr uint32_t tables = 120, step = 28;
    TinyElf::Code code;
    for (uint32_t i = 0; i < tables; ++i) {  // lea data + step * i(%rip), %rax
        const auto distance =
            static_cast<uint32_t>(TinyElf::data + step * i - (TinyElf::code + code.size() + 7));
        code.insert(code.end(),
                    {0x48, 0x8d, 0x05, static_cast<uint8_t>(distance), static_cast<uint8_t>(distance >> 8),
                     static_cast<uint8_t>(distance >> 16), static_cast<uint8_t>(distance >> 24)});
    }
    code.resize(TinyElf::data - TinyElf::code - 1, 0x90);
    code.push_back(0xc3);
    const auto why = [&](size_t size) {
        const std::vector<int32_t> table(
            size, static_cast<int32_t>(TinyElf::code) - static_cast<int32_t>(TinyElf::data));
        const auto findings = examine(TinyElf(code).with_words(table).bytes());
        return findings ? std::string() : findings.error().why;
    };
    EXPECT_EQ(why(1000), "");
    EXPECT_EQ(why(1'000'000), "there is no end of them");
}

}  // namespace
}  // namespace ctr::test
