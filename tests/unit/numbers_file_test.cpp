// The file with a container's numbers: what its writer wrote is what a reader sees, and nothing that anybody
// writes into it does a reader harm.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "pidns/monitor/numbers.h"
#include "pidns/monitor/numbers_view.h"
#include "runtime/base/fd.h"

namespace ctr::pidns {
namespace {

constexpr Limits small{.numbers = 64, .host_numbers = 256, .entries = 64, .namespaces = 8};

FileHeader header_of(Model model, const Limits& limits = small) {
    return {FileHeader::current_magic, FileHeader::current_version, model, limits, HostPid(1)};
}

// A sealed memfd of that size which begins with the header.
Fd make_file(const FileHeader& header, std::size_t bytes, int seals = F_SEAL_SHRINK | F_SEAL_GROW) {
    Fd file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(pwrite(file.get(), &header, sizeof header, 0), static_cast<ssize_t>(sizeof header));
    EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
    EXPECT_EQ(fcntl(file.get(), F_ADD_SEALS, seals), 0);
    return file;
}

Fd make_file(const FileHeader& header) {
    return make_file(header, file_bytes(header.model, header.limits));
}

std::string refusal(const Fd& file) {
    const auto view = NumbersView::open(file.get());
    return view ? "" : view.error().message();
}

// A descriptor that can only read, as an outsider gets it.
Fd reopened(const Fd& file) {
    return Fd(open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC));
}

class NumbersFile : public testing::TestWithParam<Model> {};

INSTANTIATE_TEST_SUITE_P(Models, NumbersFile, testing::Values(Model::flat, Model::hash, Model::list),
                         [](const auto& model) {
                             return std::string(model.param == Model::flat   ? "flat"
                                                : model.param == Model::hash ? "hash"
                                                                             : "list");
                         });

using Virt = std::vector<VirtPid>;

TEST_P(NumbersFile, AReaderSeesWhatTheWriterWrote) {
    auto numbers = Numbers::create(GetParam(), 1000);
    ASSERT_TRUE(numbers) << numbers.error().message();
    // Numbers that a host seldom gives.
    constexpr HostPid init{4'000'001};
    constexpr HostPid child{4'000'002};
    constexpr HostPid nested{4'000'003};
    constexpr HostPid below{4'000'004};
    numbers->register_init(init);
    numbers->register_child(numbers->reserve(NamespaceId::root, init), child, init, NamespaceId::root);
    const NamespaceId inner = numbers->create_namespace(NamespaceId::root, init);
    numbers->register_child(numbers->reserve(inner, init), nested, init, inner);
    numbers->register_child(numbers->reserve(inner, nested), below, nested, inner);

    const Fd reader = reopened(numbers->file());
    const auto view = NumbersView::open(reader.get());
    ASSERT_TRUE(view) << view.error().message();
    EXPECT_EQ(view->model(), GetParam());
    EXPECT_EQ(view->limits().numbers, 1000u);
    EXPECT_EQ(view->init(), init);
    EXPECT_EQ(view->numbers_of(init), Virt{VirtPid(1)});
    EXPECT_EQ(view->numbers_of(child), Virt{VirtPid(2)});
    EXPECT_EQ(view->numbers_of(nested), (Virt{VirtPid(3), VirtPid(1)}));
    const VirtPid seen_above = GetParam() == Model::flat ? VirtPid::none : VirtPid(4);
    EXPECT_EQ(view->numbers_of(below), (Virt{seen_above, VirtPid(2)}));
    EXPECT_EQ(view->numbers_of(HostPid(1)), Virt());
    EXPECT_EQ(view->namespace_of(below), inner);
    EXPECT_EQ(view->parent_of(inner), NamespaceId::root);
    std::vector<HostPid> all;
    view->each_process([&](HostPid host) { all.push_back(host); });
    EXPECT_EQ(all, (std::vector<HostPid>{init, child, nested, below}));
}

TEST_P(NumbersFile, ItsSizeIsSealedAndMostOfItIsNotThere) {
    auto numbers = Numbers::create(GetParam(), 32768);
    ASSERT_TRUE(numbers) << numbers.error().message();
    numbers->register_init(HostPid(getpid()));
    struct stat status {};
    ASSERT_EQ(fstat(numbers->file().get(), &status), 0);
    EXPECT_LE(status.st_blocks * 512, 64 << 10);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
    EXPECT_NE(fcntl(numbers->file().get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(ftruncate(numbers->file().get(), status.st_size - 1), 0);
    EXPECT_NE(ftruncate(numbers->file().get(), status.st_size + 1), 0);
}

TEST_P(NumbersFile, ItOutlivesItsWriter) {
    Fd reader;
    {
        auto numbers = Numbers::create(GetParam(), 1000);
        ASSERT_TRUE(numbers);
        numbers->register_init(HostPid(getpid()));
        reader = reopened(numbers->file());
    }
    const auto view = NumbersView::open(reader.get());
    ASSERT_TRUE(view) << view.error().message();
    EXPECT_EQ(view->numbers_of(HostPid(getpid())), Virt{VirtPid::init});
}

TEST_P(NumbersFile, AWrongHeaderIsRefused) {
    const FileHeader right = header_of(GetParam());
    EXPECT_EQ(refusal(make_file(right)), "");
    const auto with = [&](const std::function<void(FileHeader&)>& change) {
        FileHeader header = right;
        change(header);
        return refusal(make_file(header, file_bytes(right.model, right.limits)));
    };
    EXPECT_NE(with([](auto& h) { h.magic[7] = 0; }).find("isn't one of ctr"), std::string::npos);
    EXPECT_NE(with([](auto& h) { ++h.version; }).find("has format 4, this ctr knows format 3"),
              std::string::npos);
    for (const uint32_t model : {0u, 4u, ~0u})
        EXPECT_NE(with([&](auto& h) { h.model = Model(model); }).find("no such model"), std::string::npos);
    constexpr uint32_t Limits::*all[] = {&Limits::numbers, &Limits::host_numbers, &Limits::entries,
                                         &Limits::namespaces};
    for (const auto member : all)
        for (const uint32_t value : {0u, 1u, (1u << 24) + 1, 1u << 31, ~0u})
            EXPECT_NE(with([&](auto& h) { h.limits.*member = value; }).find("out of range"),
                      std::string::npos);
    for (const auto member : {&Limits::host_numbers, &Limits::entries, &Limits::namespaces})
        EXPECT_NE(with([&](auto& h) { h.limits.*member *= 2; }).find("size"), std::string::npos);
}

TEST_P(NumbersFile, AnotherSizeIsRefused) {
    const FileHeader header = header_of(GetParam());
    const std::size_t right = file_bytes(header.model, header.limits);
    for (const std::size_t size : {right - 1, right + 1, file_header_bytes, sizeof header, right * 2})
        EXPECT_NE(refusal(make_file(header, size)), "") << size;
    EXPECT_NE(refusal(make_file(header, sizeof header - 1)), "");
    EXPECT_NE(refusal(make_file(header, 0)), "");
}

TEST_P(NumbersFile, WhatCouldBecomeShorterIsRefused) {
    const FileHeader header = header_of(GetParam());
    EXPECT_NE(refusal(make_file(header, file_bytes(header.model, header.limits), F_SEAL_GROW)), "");
    EXPECT_NE(refusal(Fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC))), "");
    EXPECT_NE(refusal(Fd(open("/dev/zero", O_RDONLY | O_CLOEXEC))), "");
    EXPECT_NE(refusal(Fd()), "");
}

TEST_P(NumbersFile, RandomHeadersAreRefused) {
    std::mt19937 random(11);
    const Fd file = make_file(header_of(GetParam()));
    for (int i = 0; i < 10'000; ++i) {
        std::array<uint32_t, sizeof(FileHeader) / 4> words{};
        for (uint32_t& word : words) word = static_cast<uint32_t>(random());
        ASSERT_EQ(pwrite(file.get(), words.data(), sizeof words, 0), static_cast<ssize_t>(sizeof words));
        ASSERT_NE(refusal(file), "");
    }
}

// Behind a right header anything may stand; the answers stay within the limits.
TEST_P(NumbersFile, RandomContentsDoNoHarm) {
    std::mt19937_64 random(12);
    const FileHeader header = header_of(GetParam());
    const Fd file = make_file(header);
    const std::size_t begin = model_offset(header.limits);
    const std::size_t words = (file_bytes(header.model, header.limits) - begin) / 8;
    for (int round = 0; round < 50; ++round) {
        std::vector<uint64_t> contents(words);
        // Small values are the more dangerous ones: they pass for ids.
        for (uint64_t& word : contents)
            word = random() & (round % 2 == 0 ? ~uint64_t{0} : 0x0000'003F'0000'003Fu);
        ASSERT_EQ(pwrite(file.get(), contents.data(), words * 8, static_cast<off_t>(begin)),
                  static_cast<ssize_t>(words * 8));
        const auto view = NumbersView::open(reopened(file).get());
        ASSERT_TRUE(view) << view.error().message();
        unsigned count = 0;
        view->each_process([&](HostPid host) {
            ++count;
            EXPECT_GT(raw(host), 0);
            EXPECT_LT(raw(host), 256);
        });
        EXPECT_LT(count, small.entries);
        for (int host = -1; host < 300; ++host) {
            const auto numbers = view->numbers_of(HostPid(host));
            EXPECT_LE(numbers.size(), max_level);
            for (const VirtPid number : numbers) {
                EXPECT_GE(raw(number), 0);
                EXPECT_LT(raw(number), 64);
            }
        }
    }
}

}  // namespace
}  // namespace ctr::pidns
