// The log of a detached container: whole lines, a bounded size, and a reader that keeps up.
#include "runtime/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/process.h"

namespace ctr {
namespace {

class LogFile : public testing::Test {
  protected:
    Fd open_directory() const {
        return Fd(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    std::string file(const char* name) const { return scratch_.path() + "/" + name; }

    test::ScratchDirectory scratch_;
    Fd directory_ = open_directory();
};

TEST_F(LogFile, KeepsWholeLinesOfEachStreamApart) {
    auto log = Log::create(directory_);
    ASSERT_TRUE(log) << log.error().message();
    log->write(Log::out, "on");
    log->write(Log::err, "bad\n");
    log->write(Log::out, "e\ntwo\nrest");
    LogReader reader(directory_);
    std::string seen;
    while (const auto line = reader.next()) seen += line->stream + ":" + line->text;
    EXPECT_EQ(seen, "stderr:bad\nstdout:one\nstdout:two\n");
    log->flush();
    const auto rest = reader.next();
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->text, "rest");
    EXPECT_FALSE(reader.next());
}

TEST_F(LogFile, KeepsBytesThatAreNoText) {
    const std::string bytes = "a\xff\x80 \xc3\xa4\xc3\n";
    auto log = Log::create(directory_);
    ASSERT_TRUE(log) << log.error().message();
    log->write(Log::out, bytes);
    log->write(Log::out, "plain\n");
    LogReader reader(directory_);
    EXPECT_EQ(reader.next()->text, bytes);
    EXPECT_EQ(reader.next()->text, "plain\n");
    EXPECT_NE(to_json(LogLine{"", "stdout", bytes}).find("\"log\":\"a\uFFFD"), std::string::npos);
    EXPECT_EQ(to_json(LogLine{"", "stdout", "\xc3\xa4"}).find("bytes"), std::string::npos);
}

TEST_F(LogFile, BreaksLinesThatDoNotEnd) {
    auto log = Log::create(directory_);
    ASSERT_TRUE(log);
    const std::string text(2 * log_line + 10, 'x');
    log->write(Log::out, text + "\n");
    LogReader reader(directory_);
    std::string whole;
    size_t pieces = 0;
    while (const auto line = reader.next()) {
        EXPECT_LE(line->text.size(), log_line);
        whole += line->text;
        ++pieces;
    }
    EXPECT_EQ(pieces, 3U);
    EXPECT_EQ(whole, text + "\n");
}

TEST_F(LogFile, IsBoundedAndReadAcrossItsFiles) {
    constexpr size_t size = 4096;
    auto log = Log::create(directory_, size);
    ASSERT_TRUE(log);
    LogReader reader(directory_);
    int next = 0;
    for (int i = 0; i < 1000; ++i) {
        log->write(Log::out, std::to_string(i) + "\n");
        if (i % 10 != 0) continue;
        while (const auto line = reader.next()) EXPECT_EQ(line->text, std::to_string(next++) + "\n");
    }
    while (const auto line = reader.next()) EXPECT_EQ(line->text, std::to_string(next++) + "\n");
    EXPECT_EQ(next, 1000) << "one that reads on misses nothing";
    EXPECT_LE(std::filesystem::file_size(file("log")), size);
    EXPECT_LE(std::filesystem::file_size(file("log.1")), size);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 2);

    LogReader late(directory_);
    const auto first = late.next();
    ASSERT_TRUE(first);
    EXPECT_GT(std::stoi(first->text), 0) << "the oldest are gone";
}

TEST_F(LogFile, WhatIsNotOursIsPassedOver) {
    const Fd out(open(file("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    std::string text = "garbage\n{}\n[1]\n{\"time\":1,\"stream\":\"stdout\",\"log\":\"x\"}\n";
    text += to_json({"t", "stdout", "good\n"}) + std::string(200'000, 'z') + "\n" + "{\"time\":\"torn";
    ASSERT_EQ(write(out.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    LogReader reader(directory_);
    const auto line = reader.next();
    ASSERT_TRUE(line);
    EXPECT_EQ(line->text, "good\n");
    EXPECT_FALSE(reader.next());
}

TEST_F(LogFile, AFileThatWouldBlockIsNotWaitedFor) {
    ASSERT_EQ(mkfifo(file("log").c_str(), 0600), 0);
    EXPECT_FALSE(LogReader(directory_).next());
}

}  // namespace
}  // namespace ctr
