// Which system calls are found in small pieces of code, which of them are patched, and why others aren't.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "pidns/image/instrument.h"
#include "tests/support/tiny_elf.h"

namespace ctr::test {
namespace {

using namespace pidns::image;
using Code = TinyElf::Code;

constexpr uint8_t ret = 0xc3, nop = 0x90;

Code operator+(Code left, const Code& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

Code load(uint32_t number) {  // mov $number, %eax
    Code code{0xb8};
    for (unsigned i = 0; i < 4; ++i) code.push_back(static_cast<uint8_t>(number >> 8 * i));
    return code;
}

const Code system_call{0x0f, 0x05};
const Code plain = load(SYS_getpid) + system_call + Code{ret};
constexpr uint64_t plain_call = TinyElf::code + 5;

Findings found_in(const TinyElf& elf) {
    const auto findings = examine(elf.bytes());
    EXPECT_TRUE(findings) << findings.error().message();
    return findings ? *findings : Findings{};
}

Site only_site(const TinyElf& elf) {
    const Findings findings = found_in(elf);
    EXPECT_EQ(findings.sites.size(), 1u);
    return findings.sites.empty() ? Site{} : findings.sites.front();
}

// ---- Numbers

struct Loading {
    const char* what;
    Code code;  // before the system call
    long number;
};

class ImageNumber : public testing::TestWithParam<Loading> {};

TEST_P(ImageNumber, IsFollowed) {
    const Loading& loading = GetParam();
    const Findings findings = found_in(TinyElf(loading.code + system_call + Code{ret}));
    if (loading.number == SYS_futex) {
        EXPECT_TRUE(findings.sites.empty()) << loading.what;
        EXPECT_EQ(findings.others, 1u) << loading.what;
        return;
    }
    ASSERT_EQ(findings.sites.size(), 1u) << loading.what;
    EXPECT_EQ(findings.sites.front().number, loading.number) << loading.what;
}

INSTANTIATE_TEST_SUITE_P(
    All, ImageNumber,
    testing::Values(
        Loading{"loaded", load(SYS_kill), SYS_kill},
        Loading{"a call without numbers", load(SYS_futex), SYS_futex},
        Loading{"into the whole register", Code{0x48, 0xc7, 0xc0, SYS_kill, 0, 0, 0}, SYS_kill},
        Loading{"zero", Code{0x31, 0xc0, nop, nop, nop}, SYS_read},
        Loading{"its lowest byte", Code{0x31, 0xc0, 0xb0, SYS_kill, nop}, SYS_kill},
        Loading{"its lowest byte alone", Code{0xb0, SYS_kill, nop, nop, nop}, dynamic_number},
        Loading{"its second byte", Code{0x31, 0xc0, 0xb4, SYS_kill, nop}, dynamic_number},
        Loading{"from memory", Code{0x8b, 0x07, nop, nop, nop}, dynamic_number},
        Loading{"an argument", Code{0x89, 0xf8, nop, nop, nop}, dynamic_number},
        Loading{"through a register", Code{0x41, 0xb8, SYS_kill, 0, 0, 0, 0x44, 0x89, 0xc0, nop}, SYS_kill},
        Loading{"before something else", load(SYS_kill) + Code{0x31, 0xf6, 0x48, 0x89, 0xe7}, SYS_kill},
        Loading{"before a call", load(SYS_kill) + Code{0xff, 0xd2, nop, nop, nop}, dynamic_number},
        // xor %ecx,%ecx; test; je +5; mov futex; jmp over: both ways load the same
        Loading{"twice the same",
                Code{0x85, 0xff, 0x74, 0x07} + load(SYS_kill) + Code{0xeb, 0x05} + load(SYS_kill), SYS_kill},
        Loading{"twice, not the same",
                Code{0x85, 0xff, 0x74, 0x07} + load(SYS_kill) + Code{0xeb, 0x05} + load(SYS_getpid),
                dynamic_number},
        // 1: dec %edi; jne 1b
        Loading{"before a loop", load(SYS_kill) + Code{0xff, 0xcf, 0x75, 0xfc, nop, nop, nop}, SYS_kill}),
    [](const auto& test) { return "n" + std::to_string(test.index); });

// ---- Windows

TEST(ImageSite, IsPatched) {
    const Site site = only_site(TinyElf(plain));
    EXPECT_EQ(site.address, plain_call);
    EXPECT_EQ(site.number, SYS_getpid);
    EXPECT_EQ(site.entry, Entry::generic);
    EXPECT_EQ(site.state, State::patched) << site.why;
}

TEST(ImageSite, ForksComeBackNearVforksDont) {
    for (const auto& [number, entry] : {std::pair{SYS_fork, Entry::create},
                                        {SYS_clone, Entry::create},
                                        {SYS_clone3, Entry::create},
                                        {SYS_vfork, Entry::generic}})
        EXPECT_EQ(only_site(TinyElf(load(static_cast<uint32_t>(number)) + system_call + Code{ret})).entry,
                  entry)
            << number;
}

// Each begins with or goes around `mov $getpid, %eax; syscall`.
TEST(ImageSite, WithAJumpToTheCallTakesWhatFollows) {
    const Code jump{0xeb, 0x05};                                // over the load
    const Code after{0x48, 0x3d, 0x00, 0xf0, 0xff, 0xff, ret};  // cmp $-4096, %rax
    EXPECT_EQ(only_site(TinyElf(jump + load(SYS_getpid) + system_call + after)).state, State::patched);
    EXPECT_EQ(only_site(TinyElf(jump + load(SYS_getpid) + system_call + Code{ret})).state, State::left);
    const Code uses_flags_in_r11{0x4c, 0x89, 0x1f, nop, nop, ret};  // mov %r11, (%rdi)
    EXPECT_EQ(only_site(TinyElf(jump + load(SYS_getpid) + system_call + uses_flags_in_r11)).state,
              State::left);
}

TEST(ImageSite, WithTooLittleAroundItIsLeft) {
    for (const Code& code : {Code{0x58, 0x0f, 0x05, 0x50, ret},         // pop %rax; syscall; push %rax
                             Code{0xff, 0xd2, 0x0f, 0x05, 0xff, 0xd2},  // call *%rdx; syscall; call *%rdx
                             Code{0x0f, 0x05, ret}}) {
        const Site site = only_site(TinyElf(code));
        EXPECT_EQ(site.state, State::left);
        EXPECT_STRNE(site.why, "");
    }
}

// What lies between `test`, two bytes, and the call may be jumped to in many ways.
const Code windowed = Code{0x8b, 0x07, 0x85, 0xff, 0x31, 0xf6} + system_call + Code{ret};  // mov; test; xor
constexpr uint64_t inside = TinyElf::code + 4;

void expect_left(const TinyElf& elf, const char* way) {
    const Site site = only_site(elf);
    EXPECT_EQ(site.state, State::left) << way;
    EXPECT_NE(std::string(site.why).find("jump"), std::string::npos) << way << ": " << site.why;
}

TEST(ImageSite, ThatIsJumpedIntoIsLeft) {
    EXPECT_EQ(only_site(TinyElf(windowed)).state, State::patched);
    expect_left(TinyElf(windowed).with_symbol(inside), "a function's symbol");
    expect_left(TinyElf(windowed).with_symbol(inside, STT_NOTYPE), "another symbol");
    expect_left(TinyElf(windowed).with_relocation(inside), "a relocation");
    expect_left(TinyElf(windowed + Code{0xeb, 0xf9}), "a short jump");
    expect_left(TinyElf(windowed + Code{0x0f, 0x84, 0xf5, 0xff, 0xff, 0xff}), "a long conditional jump");
    expect_left(TinyElf(windowed + Code{0x48, 0x8d, 0x05, 0xf4, 0xff, 0xff, 0xff, ret}),
                "its address is taken");
}

TEST(ImageSite, ThatATableLeadsIntoIsLeft) {
    // lea data(%rip), %rax
    const Code refers = windowed + Code{0x48, 0x8d, 0x05, 0xf0, 0x0f, 0, 0, ret};
    const auto relative = [](uint64_t target) {
        return static_cast<int32_t>(static_cast<int64_t>(target - TinyElf::data));
    };
    EXPECT_EQ(only_site(TinyElf(refers).with_words({relative(TinyElf::code), 1, relative(inside)})).state,
              State::patched);
    expect_left(TinyElf(refers).with_words({relative(TinyElf::code), relative(inside), 1}),
                "a table's second");
    // Nothing but its value shows that a word is an address.
    const auto absolute = static_cast<int32_t>(inside);
    EXPECT_EQ(only_site(TinyElf(windowed).with_words({1, absolute, 0})).state, State::patched);
    expect_left(TinyElf(windowed, true).with_words({1, absolute, 0}),
                "a word in an image that isn't relocated");
    // mov $inside, %edi
    expect_left(TinyElf(windowed + Code{0xbf, 0x04, 0x10, 0, 0, ret}, true), "a number in such an image");
}

TEST(ImageSite, AmongDataIsLeft) {
    const Code nonsense{0x06, 0x06};
    EXPECT_EQ(only_site(TinyElf(plain + nonsense)).state, State::left);
    // An entry behind the nonsense begins anew.
    EXPECT_EQ(only_site(TinyElf(nonsense + plain).with_symbol(TinyElf::code + nonsense.size())).state,
              State::patched);
    // An entry in the middle of an instruction: nobody knows which of the two is wrong.
    const Code prefixed = Code{0x48, 0xc7, 0xc0, SYS_getpid, 0, 0, 0} + system_call + Code{ret};
    EXPECT_EQ(only_site(TinyElf(prefixed)).state, State::patched);
    EXPECT_EQ(only_site(TinyElf(prefixed).with_symbol(TinyElf::code + 1)).state, State::left);
}

TEST(ImageSite, TooNearToAnotherIsLeft) {
    const Findings findings =
        found_in(TinyElf(load(SYS_getpid) + system_call + system_call + Code{nop, nop, nop, ret}));
    ASSERT_EQ(findings.sites.size(), 2u);
    EXPECT_EQ(findings.sites[0].state, State::patched);
    EXPECT_EQ(findings.sites[1].state, State::patched);  // it takes what follows
    const Findings tight = found_in(TinyElf(Code{0x0f, 0x05, 0x31, 0xff, nop, 0x0f, 0x05, ret}));
    ASSERT_EQ(tight.sites.size(), 2u);
    EXPECT_EQ(tight.sites[0].state, State::patched);
    EXPECT_EQ(tight.sites[1].state, State::left);
}

// The functions of C libraries whose signal handlers compare addresses stay as they are; their callers don't.
TEST(ImageSite, OfACancellableFunctionIsReachedThroughItsCallers) {
    const Code arguments{0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd7, 0x48, 0x89,
                         0xce, 0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca, 0x4c, 0x8b, 0x44, 0x24,
                         0x08, 0x4c, 0x8b, 0x4c, 0x24, 0x10, 0x4c, 0x89, 0x5c, 0x24, 0x08};
    const Code musl{0x8b, 0x07, 0x85, 0xc0, 0x75, 0x24},
        glibc{0x8b, 0x07, 0xf6, 0x07, 0x08, 0x0f, 0x85, 0x24, 0, 0, 0};
    const Code call{0xe8, 0x01, 0, 0, 0, ret}, far_jump{0xe9, 0x01, 0, 0, 0, ret},
        conditional{0x74, 0x01, ret};
    for (const Code& looks : {musl, glibc}) {
        const Code function = looks + arguments + system_call + Code{ret};
        for (const Code& caller : {call, far_jump}) {
            const TinyElf elf = TinyElf(caller + function).with_note(1);
            const Site site = only_site(elf);
            EXPECT_EQ(site.state, State::patched) << site.why;
            EXPECT_EQ(site.entry, Entry::cancellable);
            const ImageBytes original = elf.bytes();
            const auto made = instrument(original, passthrough_guest());
            ASSERT_TRUE(made);
            EXPECT_EQ(made->bytes[TinyElf::code], std::byte{caller.front()});
            EXPECT_NE(made->bytes[TinyElf::code + 1], original[TinyElf::code + 1]);
            for (size_t i = caller.size(); i < caller.size() + function.size(); ++i)
                EXPECT_EQ(made->bytes[TinyElf::code + i], original[TinyElf::code + i]) << i;
        }
        EXPECT_EQ(only_site(TinyElf(conditional + function)).state, State::left);
        EXPECT_EQ(only_site(TinyElf(function)).state, State::left);
    }
}

TEST(ImageSite, OfGoIsServedWhereThereIsRoomUnlessItMakesAChild) {
    const auto site = [](int number) {
        return only_site(TinyElf(load(static_cast<uint32_t>(number)) + system_call + Code{ret})
                             .with_section(".gopclntab"));
    };
    for (const int number : {SYS_openat, SYS_getpid, SYS_rt_sigaction}) {
        EXPECT_EQ(site(number).entry, Entry::prepare);
        EXPECT_EQ(site(number).state, State::patched);
    }
    for (const int number : {SYS_clone, SYS_fork, SYS_vfork})
        EXPECT_EQ(site(number).state, State::left) << number;
}

}  // namespace
}  // namespace ctr::test
