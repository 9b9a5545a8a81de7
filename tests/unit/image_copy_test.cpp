// What an instrumented copy consists of: the original, a segment more, and nothing else.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "pidns/guest/header.h"
#include "pidns/image/elf.h"
#include "pidns/image/instrument.h"
#include "tests/support/tiny_elf.h"

namespace ctr::test {
namespace {

using namespace pidns::image;
using pidns::GuestHeader;

const TinyElf::Code plain{0xb8, SYS_getpid, 0, 0, 0, 0x0f, 0x05, 0xc3};

ImageBytes made_of(const ImageBytes& image) {
    auto made = instrument(image, passthrough_guest());
    EXPECT_TRUE(made) << made.error().message();
    return made ? made->bytes : ImageBytes{};
}

std::vector<Elf64_Phdr> loads(const ImageBytes& image) {
    const auto elf = Elf::parse(image);
    EXPECT_TRUE(elf) << elf.error().message();
    return elf ? elf->loads() : std::vector<Elf64_Phdr>{};
}

void expect_refused(const Result<Instrumented>& made, const char* words) {
    ASSERT_FALSE(made) << words;
    EXPECT_NE(made.error().message().find(words), std::string::npos) << made.error().message();
}

// ---- Segments

TEST(ImageCopy, WhatIsReadOnlyBecomesOneSegment) {
    const auto segments =
        loads(made_of(TinyElf(plain).with_data({1}).with_relocation(TinyElf::code).bytes()));
    ASSERT_EQ(segments.size(), 3u);  // of two and one that is written to, and the guest
    EXPECT_EQ(segments[0].p_filesz, TinyElf::data + 1);
    EXPECT_EQ(segments[0].p_flags, uint32_t{PF_R | PF_X});
    EXPECT_EQ(segments[2].p_flags, uint32_t{PF_R | PF_X});
    EXPECT_EQ(segments[2].p_vaddr % 4096, 0u);
    EXPECT_GT(segments[2].p_vaddr, segments[1].p_vaddr + segments[1].p_memsz);
}

TEST(ImageCopy, WithoutAnythingToMergeANoteMakesRoom) {
    expect_refused(instrument(TinyElf(plain).bytes(), passthrough_guest()), "room");
    const ImageBytes copy = made_of(TinyElf(plain).with_note(1).with_note(NT_GNU_BUILD_ID).bytes());
    EXPECT_EQ(loads(copy).size(), 2u);
    const auto elf = Elf::parse(copy);
    ASSERT_TRUE(elf && elf->segment(PT_NOTE));
    EXPECT_EQ(elf->read<Elf64_Nhdr>(elf->segment(PT_NOTE)->p_vaddr)->n_type, uint32_t{NT_GNU_BUILD_ID});
}

TEST(ImageCopy, WithNothingToPatchThereIsNone) {
    const auto made = instrument(TinyElf({0xc3}).bytes(), passthrough_guest());
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->bytes.empty());
}

TEST(ImageCopy, OfACopyIsRefused) {
    const ImageBytes copy = made_of(TinyElf(plain).with_note(1).bytes());
    expect_refused(instrument(copy, passthrough_guest()), "already");
}

TEST(ImageCopy, OfAProgramThatCarriesAnArchiveIsRefused) {
    ImageBytes image = TinyElf(plain).with_note(1).bytes();
    image.resize(image.size() + 100);
    EXPECT_FALSE(made_of(image).empty());  // zeros are padding
    image.back() = std::byte{1};
    expect_refused(instrument(image, passthrough_guest()), "behind the end");
}

TEST(ImageCopy, ABrokenGuestIsRefused) {
    const ImageBytes image = TinyElf(plain).with_note(1).bytes();
    const ImageBytes guest = passthrough_guest();
    expect_refused(instrument(image, {}), "no header");
    expect_refused(instrument(image, std::span(guest).first(guest.size() - 1)), "size");
    for (size_t offset = 0; offset < offsetof(GuestHeader, unwind_cfa); offset += sizeof(uint32_t)) {
        ImageBytes broken = guest;
        std::memset(broken.data() + offset, 0xff, sizeof(uint32_t));
        EXPECT_FALSE(instrument(image, broken)) << offset;
    }
}

// ---- The C library of this system

class ImageCopyOfLibc : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        original_ = read_image(c_library());
        auto made = instrument(original_, passthrough_guest());
        ASSERT_TRUE(made) << made.error().message();
        made_ = std::move(*made);
    }

    static inline ImageBytes original_;
    static inline Instrumented made_;
};

TEST_F(ImageCopyOfLibc, IsPatchedThroughout) {
    size_t patched = 0;
    std::set<long> numbers;
    for (const Site& site : made_.sites) {
        patched += site.state == State::patched;
        numbers.insert(site.number);
    }
    EXPECT_GE(patched, made_.sites.size() * 9 / 10);
    for (const long number : {SYS_getpid, SYS_clone, SYS_wait4, SYS_kill, SYS_execve, SYS_openat, SYS_tgkill})
        EXPECT_TRUE(numbers.contains(number)) << number;
    EXPECT_FALSE(numbers.contains(SYS_futex));
    EXPECT_GT(made_.others, 100u);
}

TEST_F(ImageCopyOfLibc, DiffersOnlyInHeadersWindowsAndFiller) {
    const auto elf = Elf::parse(original_);
    ASSERT_TRUE(elf);
    const uint64_t headers = elf->header().e_phoff + elf->header().e_phnum * sizeof(Elf64_Phdr);
    size_t differing = 0;
    for (uint64_t i = headers; i < original_.size(); ++i) differing += made_.bytes[i] != original_[i];
    EXPECT_GT(differing, made_.sites.size());
    EXPECT_LT(differing, made_.sites.size() * 16);
    EXPECT_EQ(std::memcmp(made_.bytes.data(), original_.data(), sizeof(Elf64_Ehdr)), 0);
}

TEST_F(ImageCopyOfLibc, HasAMappingLessAndKeepsTheRestOfItsHeaders) {
    const auto before = Elf::parse(original_), after = Elf::parse(made_.bytes);
    ASSERT_TRUE(before && after);
    EXPECT_LT(after->loads().size(), before->loads().size());
    EXPECT_EQ(made_.mappings,
              static_cast<int>(after->loads().size()) - static_cast<int>(before->loads().size()));
    std::map<uint32_t, std::pair<int, int>> counts;
    for (const auto& segment : before->segments()) ++counts[segment.p_type].first;
    for (const auto& segment : after->segments()) ++counts[segment.p_type].second;
    for (const auto& [type, count] : counts)
        if (type != PT_LOAD && type != PT_NULL) {
            EXPECT_EQ(count.first, count.second) << type;
        }
}

TEST_F(ImageCopyOfLibc, CarriesTheGuestWithItsRestorer) {
    const auto elf = Elf::parse(made_.bytes);
    ASSERT_TRUE(elf);
    const auto header = elf->read<GuestHeader>(made_.guest);
    ASSERT_TRUE(header);
    EXPECT_EQ(std::memcmp(header->magic, pidns::guest_magic, sizeof header->magic), 0);
    ASSERT_NE(header->restorer, 0);
    const Bytes restorer = elf->at(made_.guest + static_cast<uint64_t>(int64_t{header->restorer}));
    const uint8_t wanted[] = {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05};
    ASSERT_GE(restorer.size(), sizeof wanted);
    EXPECT_EQ(std::memcmp(restorer.data(), wanted, sizeof wanted), 0);
}

int32_t distance_at(const Elf& elf, Address address) {
    return elf.read<int32_t>(address).value_or(0);
}

// The kernel maps pages of a file around a fault, those from the beginning of a segment surely together.
TEST_F(ImageCopyOfLibc, ThunksAndGuestAreOneFault) {
    const auto elf = Elf::parse(made_.bytes);
    ASSERT_TRUE(elf);
    const Address begin = elf->loads().back().p_vaddr;
    constexpr uint64_t page = 4096;
    ASSERT_GT(made_.guest, begin);
    EXPECT_LT(made_.guest, begin + 4 * page);
    for (const Site& site : made_.sites) {
        const Address jump = site.address - 5;
        if (site.state != State::patched || elf->read<uint8_t>(jump) != 0xe9) continue;
        const Address thunk = site.address + static_cast<uint64_t>(int64_t{distance_at(*elf, jump + 1)});
        EXPECT_TRUE(begin <= thunk && thunk < made_.guest) << std::hex << site.address;
    }
}

TEST_F(ImageCopyOfLibc, IsNotInstrumentedAgain) {
    expect_refused(instrument(made_.bytes, passthrough_guest()), "instrumented already");
}

// From the jump in the place of a site to its thunk, and from there to what r11 gets.
TEST_F(ImageCopyOfLibc, ForksChildrenComeBackNearTheSite) {
    const auto elf = Elf::parse(made_.bytes);
    ASSERT_TRUE(elf);
    size_t forks = 0;
    for (const Site& site : made_.sites) {
        if (site.entry != Entry::create) continue;
        ++forks;
        const Address jump = site.address - 5;  // `mov $number, %eax`
        ASSERT_EQ(elf->read<uint8_t>(jump), 0xe9) << std::hex << site.address;
        const Address thunk = jump + 5 + static_cast<uint64_t>(int64_t{distance_at(*elf, jump + 1)});
        ASSERT_EQ(elf->read<uint16_t>(thunk), 0x8d4c) << std::hex << thunk;  // lea to r11
        const Address near = thunk + 7 + static_cast<uint64_t>(int64_t{distance_at(*elf, thunk + 3)});
        EXPECT_EQ(near / 0x10000, site.address / 0x10000) << std::hex << near;
        EXPECT_EQ(elf->read<uint16_t>(near), 0x050f) << std::hex << near;  // syscall
    }
    EXPECT_GE(forks, 3u);
}

// As an unwinder does: the table is sorted, and each entry's description begins where the table says.
TEST_F(ImageCopyOfLibc, HasATableForUnwinders) {
    const auto elf = Elf::parse(made_.bytes);
    ASSERT_TRUE(elf);
    EXPECT_TRUE(made_.unwinds);
    const auto* segment = elf->segment(PT_GNU_EH_FRAME);
    ASSERT_NE(segment, nullptr);
    const Address table = segment->p_vaddr;
    EXPECT_EQ(elf->read<uint32_t>(table), 0x3b031b01u);
    const uint32_t count = elf->read<uint32_t>(table + 8).value_or(0);
    const auto header = elf->read<GuestHeader>(made_.guest);
    bool guest_found = false;
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t begin = distance_at(*elf, table + 12 + 8 * i);
        const Address entry = table + static_cast<uint64_t>(int64_t{distance_at(*elf, table + 16 + 8 * i)});
        EXPECT_GT(begin, last);
        last = begin;
        const Address described = entry + 8 + static_cast<uint64_t>(int64_t{distance_at(*elf, entry + 8)});
        ASSERT_EQ(described, table + static_cast<uint64_t>(begin)) << i;
        if (described != made_.guest + header->unwind_begin) continue;
        guest_found = true;
        EXPECT_EQ(elf->read<uint32_t>(entry + 12), header->unwind_end - header->unwind_begin);
    }
    EXPECT_TRUE(guest_found);
}

// As a debugger does: one entry after the other, from the section's beginning to its end mark.
TEST_F(ImageCopyOfLibc, HasASectionForDebuggers) {
    const auto before = Elf::parse(original_), after = Elf::parse(made_.bytes);
    ASSERT_TRUE(before && after);
    const auto beginnings = [](const Elf& elf) {
        std::set<Address> found;
        const auto* section = elf.section(".eh_frame");
        if (section == nullptr) return found;
        for (Address at = section->sh_addr;;) {
            const uint32_t size = elf.read<uint32_t>(at).value_or(0);
            if (size == 0) return found;
            if (elf.read<uint32_t>(at + 4) != 0u)
                found.insert(at + 8 + static_cast<uint64_t>(int64_t{distance_at(elf, at + 8)}));
            at += 4 + size;
        }
    };
    std::set<Address> expected = beginnings(*before);
    const std::set<Address> found = beginnings(*after);
    EXPECT_GT(expected.size(), 1000u);
    EXPECT_TRUE(std::ranges::includes(found, expected));
    EXPECT_TRUE(found.contains(made_.guest + after->read<GuestHeader>(made_.guest)->unwind_begin));
    EXPECT_GT(found.size(), expected.size() + made_.sites.size());
}

}  // namespace
}  // namespace ctr::test
