#include "runtime/spec.h"

#include <gtest/gtest.h>

namespace ctr {
namespace {

Spec good() {
    Spec spec;
    spec.command = {"true"};
    return spec;
}

void expect_refused(const Spec& spec, const std::string& words) {
    const Status status = validate(spec);
    ASSERT_FALSE(status) << words;
    EXPECT_NE(status.error().message().find(words), std::string::npos) << status.error().message();
    EXPECT_EQ(status.error().exit_code, 125);
}

TEST(Spec, ACommandIsEnough) {
    EXPECT_TRUE(validate(good()));
}

TEST(Spec, WithoutACommandIsRefused) {
    expect_refused(Spec{}, "there is none");
    Spec spec = good();
    spec.command = {""};
    expect_refused(spec, "empty");
}

TEST(Spec, NulBytesAreRefusedWhereTheyWouldCutTextShort) {
    const std::string nul("a\0b", 3);
    Spec spec = good();
    spec.command.push_back(nul);
    expect_refused(spec, "NUL");
    spec = good();
    spec.rootfs = "/" + nul;
    expect_refused(spec, "NUL");
    spec = good();
    spec.workdir = "/" + nul;
    expect_refused(spec, "NUL");
    spec = good();
    spec.env = {{"A", nul}};
    expect_refused(spec, "\"A\"");
}

TEST(Spec, ARelativeWorkdirIsQuotedAndRefused) {
    Spec spec = good();
    spec.workdir = "tmp/x";
    expect_refused(spec, "\"tmp/x\" is not absolute");
    spec.workdir = "/tmp/x";
    EXPECT_TRUE(validate(spec));
}

TEST(Spec, HostNamesAreWhatTheKernelAndDnsTake) {
    Spec spec = good();
    for (const char* name : {"box", "a-1.example.org", "under_score"}) {
        spec.hostname = name;
        EXPECT_TRUE(validate(spec)) << name;
    }
    for (const char* name : {"a b", "a/b", "a\n"}) {
        spec.hostname = name;
        expect_refused(spec, "is no host name");
    }
    spec.hostname = std::string(64, 'x');
    EXPECT_TRUE(validate(spec));
    spec.hostname += 'x';
    expect_refused(spec, "65 characters");
}

TEST(Spec, VariablesNeedAName) {
    Spec spec = good();
    spec.env = {{"", "x"}};
    expect_refused(spec, "no name of a variable");
    spec.env = {{"A=B", "x"}};
    expect_refused(spec, "\"A=B\"");
    spec.env = {{"A", "=b=c"}};
    EXPECT_TRUE(validate(spec));
}

TEST(Spec, TheKernelsNoIdIsNoUser) {
    Spec spec = good();
    spec.user = User{UINT32_MAX, 0};
    expect_refused(spec, "4294967295");
    spec.user = User{0, UINT32_MAX};
    expect_refused(spec, "4294967295");
    spec.user = User{UINT32_MAX - 1, 0};
    EXPECT_TRUE(validate(spec));
}

}  // namespace
}  // namespace ctr
