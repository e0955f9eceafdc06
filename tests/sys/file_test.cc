#include "ssxrver/sys/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "tests/support/open_files.h"
#include "tests/support/peer.h"
#include "tests/support/temp_dir.h"
#include "tests/sys/fails_with.h"
#include "tests/sys/refuse_call.h"

namespace ssx::sys {
namespace {

using test::TempDir;

std::string read_all(int fd) {
  std::array<std::byte, 100> bytes;
  return std::string(as_text(std::span(bytes).first(pread(fd, bytes, 0).value_or(0))));
}

TEST(File, OpensReadsAndWrites) {
  const TempDir directory;
  const std::string path = directory.file("a");
  auto file = open(path.c_str(), O_RDWR | O_CREAT, 0600).value();
  EXPECT_EQ(write(file.get(), as_bytes("hello")).value(), 5U);
  EXPECT_EQ(pwrite(file.get(), as_bytes("J"), 0).value(), 1U);
  EXPECT_EQ(read_all(file.get()), "Jello");
  std::array<std::byte, 8> bytes;
  EXPECT_EQ(read(file.get(), bytes).value(), 0U);  // the file ends where write has stopped
  EXPECT_EQ(pread(file.get(), bytes, 3).value(), 2U);
}

TEST(File, EveryDescriptorClosesOnExec) {
  const TempDir directory;
  const auto folder = open(directory.path().c_str(), O_RDONLY | O_DIRECTORY).value();
  directory.write("a", "");
  const std::array fds{open(directory.file("a").c_str(), O_RDONLY).value(),
                       open_at(folder.get(), "a", O_RDONLY).value(),
                       open_temporary(directory.path().c_str()).value(),
                       duplicate(folder.get()).value()};
  EXPECT_EQ(::fcntl(folder.get(), F_GETFD), FD_CLOEXEC);
  for (const auto& fd : fds) EXPECT_EQ(::fcntl(fd.get(), F_GETFD), FD_CLOEXEC);
}

TEST(File, PathsThatAreNotThere) {
  const TempDir directory;
  const std::string none = directory.file("none");
  const char* const path = none.c_str();
  EXPECT_TRUE(fails_with(open(path, O_RDONLY), ENOENT, "open"));
  EXPECT_TRUE(fails_with(open_at(AT_FDCWD, path, O_RDONLY), ENOENT, "open_at"));
  EXPECT_TRUE(fails_with(stat(path), ENOENT, "stat"));
  EXPECT_TRUE(fails_with(rename(path, path), ENOENT, "rename"));
  EXPECT_TRUE(fails_with(unlink(path), ENOENT, "unlink"));
  EXPECT_TRUE(fails_with(chmod(path, 0600), ENOENT, "chmod"));
  EXPECT_TRUE(fails_with(chdir(path), ENOENT, "chdir"));
  EXPECT_TRUE(fails_with(realpath(path), ENOENT, "realpath"));
  EXPECT_TRUE(fails_with(list_directory(path), ENOENT, "list_directory"));
  EXPECT_TRUE(fails_with(open_temporary(path), ENOENT, "open_temporary"));
  EXPECT_TRUE(fails_with(mkdir(directory.path().c_str(), 0700), EEXIST, "mkdir"));
}

TEST(File, DescriptorsThatAreNotOpen) {
  std::array<std::byte, 1> byte{};
  EXPECT_TRUE(fails_with(close(kNotOpen), EBADF, "close"));
  EXPECT_TRUE(fails_with(read(kNotOpen, byte), EBADF, "read"));
  EXPECT_TRUE(fails_with(pread(kNotOpen, byte, 0), EBADF, "pread"));
  EXPECT_TRUE(fails_with(write(kNotOpen, byte), EBADF, "write"));
  EXPECT_TRUE(fails_with(pwrite(kNotOpen, byte, 0), EBADF, "pwrite"));
  EXPECT_TRUE(fails_with(fstat(kNotOpen), EBADF, "fstat"));
  EXPECT_TRUE(fails_with(fsync(kNotOpen), EBADF, "fsync"));
  EXPECT_TRUE(fails_with(ftruncate(kNotOpen, 0), EBADF, "ftruncate"));
  EXPECT_TRUE(fails_with(lock_exclusive(kNotOpen), EBADF, "lock_exclusive"));
  EXPECT_TRUE(fails_with(duplicate(kNotOpen), EBADF, "duplicate"));
  EXPECT_TRUE(fails_with(set_non_blocking(kNotOpen), EBADF, "set_non_blocking"));
  EXPECT_TRUE(fails_with(set_close_on_exec(kNotOpen), EBADF, "set_close_on_exec"));
}

TEST(File, CloseFreesTheDescriptor) {
  const std::size_t before = test::open_files();
  EXPECT_TRUE(close(open("/dev/null", O_RDONLY).value().release()));
  EXPECT_EQ(test::open_files(), before);
}

TEST(File, AFullDiskIsAnErrno) {
  auto full = open("/dev/full", O_WRONLY).value();
  EXPECT_TRUE(fails_with(write(full.get(), as_bytes("x")), ENOSPC, "write"));
}

TEST(File, OffsetsBeyondFourGigabytesAreKept) {
  const TempDir directory;
  auto file = open_temporary(directory.path().c_str()).value();
  const std::uint64_t far = (std::uint64_t{5} << 30) + 1;
  ASSERT_TRUE(ftruncate(file.get(), far));  // a hole: no block is used
  EXPECT_EQ(fstat(file.get()).value().st_size, static_cast<off_t>(far));
  ASSERT_TRUE(pwrite(file.get(), as_bytes("x"), far - 1));
  std::array<std::byte, 4> bytes;
  EXPECT_EQ(pread(file.get(), bytes, far - 1).value(), 1U);
  EXPECT_EQ(bytes[0], std::byte{'x'});
}

TEST(File, NamesMoveAppearAndVanish) {
  const TempDir directory;
  const std::string folder = directory.file("sub");
  ASSERT_TRUE(mkdir(folder.c_str(), 0700));
  EXPECT_EQ(stat(folder.c_str()).value().st_mode & 0777U, 0700U);
  ASSERT_TRUE(chmod(folder.c_str(), 0750));
  EXPECT_EQ(stat(folder.c_str()).value().st_mode & 0777U, 0750U);
  directory.write("sub/.hidden", "1");
  directory.write("sub/b", "22");
  ASSERT_TRUE(rename((folder + "/b").c_str(), (folder + "/c").c_str()));
  auto names = list_directory(folder.c_str()).value();
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{".hidden", "c"}));
  EXPECT_EQ(stat((folder + "/c").c_str()).value().st_size, 2);
  ASSERT_TRUE(unlink((folder + "/c").c_str()));
  ASSERT_TRUE(unlink((folder + "/.hidden").c_str()));
  EXPECT_TRUE(list_directory(folder.c_str()).value().empty());
}

TEST(File, AnOpenDirectoryListsAsManyNamesAsAreWanted) {
  const TempDir directory;
  for (const char* name : {"a", "b", ".c"}) directory.write(name, "x");
  const auto names = [&directory](std::size_t count_max) {
    auto opened = open(directory.path().c_str(), O_RDONLY | O_DIRECTORY).value();
    return list_open_directory(std::move(opened), count_max).value();
  };
  for (const std::size_t count : {0, 1, 2, 3}) EXPECT_EQ(names(count).size(), count);
  auto all = names(4);
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::string>{".c", "a", "b"}));
  auto file = open(directory.file("a").c_str(), O_RDONLY).value();
  EXPECT_TRUE(fails_with(list_open_directory(std::move(file), 1), ENOTDIR, "list_open_directory"));
}

TEST(File, StatAtLooksAtALinkItself) {
  const TempDir directory;
  directory.write("a", "four");
  std::filesystem::create_symlink("a", directory.file("link"));
  const auto opened = open(directory.path().c_str(), O_RDONLY | O_DIRECTORY).value();
  EXPECT_EQ(stat_at(opened.get(), "a").value().st_size, 4);
  EXPECT_TRUE(S_ISREG(stat_at(opened.get(), "a").value().st_mode));
  EXPECT_TRUE(S_ISLNK(stat_at(opened.get(), "link").value().st_mode));
  EXPECT_TRUE(fails_with(stat_at(opened.get(), "nothing"), ENOENT, "stat_at"));
}

TEST(File, AFileIsNoDirectoryToList) {
  const TempDir directory;
  directory.write("a", "");
  EXPECT_TRUE(fails_with(list_directory(directory.file("a").c_str()), ENOTDIR, "list_directory"));
}

TEST(File, WorkingDirectoryAndRealPathAgree) {
  const TempDir directory;
  const std::string before = getcwd().value();
  const std::string path = realpath(directory.path().c_str()).value();
  std::filesystem::create_symlink(path, directory.file("link"));
  EXPECT_EQ(realpath(directory.file("link/../.").c_str()).value(),
            std::filesystem::path(path).parent_path().string());
  ASSERT_TRUE(chdir(directory.file("link").c_str()));
  EXPECT_EQ(getcwd().value(), path);
  ASSERT_TRUE(chdir(before.c_str()));
}

class OpenBeneath : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_.write("root/a", "inside");
    directory_.write("outside", "secret");
    std::filesystem::create_symlink("a", directory_.file("root/inner"));
    std::filesystem::create_symlink("../outside", directory_.file("root/outer"));
    std::filesystem::create_symlink("/etc/hostname", directory_.file("root/absolute"));
    root_ = open(directory_.file("root").c_str(), O_PATH | O_DIRECTORY).value();
  }
  [[nodiscard]] bool kernel_has_it() {
    const auto probe = open_beneath(root_.get(), "a", O_RDONLY, false);
    return probe || !probe.error().is_errno(ENOSYS);
  }
  Result<UniqueFd> reach(const char* path, bool no_symlinks = false) {
    return open_beneath(root_.get(), path, O_RDONLY, no_symlinks);
  }
  TempDir directory_;
  UniqueFd root_;
};

TEST_F(OpenBeneath, OpensWhatLiesInside) {
  SSX_NEEDS_SYSTEM(kernel_has_it(), "openat2");
  auto file = reach("a");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(read_all(file->get()), "inside");
  EXPECT_EQ(::fcntl(file->get(), F_GETFD), FD_CLOEXEC);
  EXPECT_TRUE(reach("inner"));
  EXPECT_TRUE(fails_with(reach("b"), ENOENT, "open_beneath"));
}

TEST_F(OpenBeneath, CannotBeLedOutside) {
  SSX_NEEDS_SYSTEM(kernel_has_it(), "openat2");
  for (const char* path : {"../outside", "/etc/hostname", "outer", "absolute", "./../root/a"}) {
    EXPECT_TRUE(fails_with(reach(path), EXDEV, "open_beneath")) << path;
  }
}

TEST_F(OpenBeneath, RefusesSymbolicLinksWhenAsked) {
  SSX_NEEDS_SYSTEM(kernel_has_it(), "openat2");
  EXPECT_TRUE(reach("a", true));
  EXPECT_TRUE(fails_with(reach("inner", true), ELOOP, "open_beneath"));
}

TEST(File, ATemporaryFileHasNoNameAndIsPrivate) {
  const TempDir directory;
  auto file = open_temporary(directory.path().c_str()).value();
  EXPECT_TRUE(list_directory(directory.path().c_str()).value().empty());
  const auto facts = fstat(file.get()).value();
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(facts.st_nlink, 0U);
  EXPECT_TRUE(write(file.get(), as_bytes("x")));
}

TEST(File, ATemporaryFileWorksWhereTheFileSystemKnowsNoAnonymousOnes) {
  const TempDir directory;
  const int answer = in_child([&directory] {
    if (!refuse_call(SYS_openat, __O_TMPFILE, EOPNOTSUPP)) return kNoFilters;
    const auto file = open_temporary(directory.path().c_str());
    if (!file || !write(file->get(), as_bytes("x"))) return 1;
    const auto facts = fstat(file->get()).value();
    if ((facts.st_mode & 0777U) != 0600U || facts.st_nlink != 0) return 2;
    return ::fcntl(file->get(), F_GETFD) == FD_CLOEXEC ? 7 : 3;
  });
  SSX_NEEDS_SYSTEM(answer != kNoFilters, "seccomp filters");
  EXPECT_EQ(answer, 7);
  EXPECT_TRUE(list_directory(directory.path().c_str()).value().empty());
}

TEST(File, ATemporaryFileThatCannotBeMadeInEitherWayLeavesNothingOpen) {
  const std::size_t before = test::open_files();
  EXPECT_FALSE(open_temporary("/proc/self"));  // no O_TMPFILE there, and no new names
  EXPECT_EQ(test::open_files(), before);
}

TEST(File, AKernelWithoutOpenat2SaysSo) {
  const int answer = in_child([] {
    if (!refuse_call(SYS_openat2, 0, ENOSYS)) return kNoFilters;
    return fails_with(open_beneath(AT_FDCWD, "a", O_RDONLY, true), ENOSYS, "open_beneath") ? 7 : 1;
  });
  SSX_NEEDS_SYSTEM(answer != kNoFilters, "seccomp filters");
  EXPECT_EQ(answer, 7);
}

TEST(File, ALockExcludesAnotherOpenOfTheFile) {
  const TempDir directory;
  const std::string path = directory.write("lock", "");
  auto first = open(path.c_str(), O_RDWR).value();
  auto second = open(path.c_str(), O_RDWR).value();
  ASSERT_TRUE(lock_exclusive(first.get()));
  EXPECT_TRUE(lock_exclusive(first.get()));
  EXPECT_TRUE(fails_with(lock_exclusive(second.get()), EWOULDBLOCK, "lock_exclusive"));
  first.reset();
  EXPECT_TRUE(lock_exclusive(second.get()));
}

TEST(File, ADuplicateNeverBecomesStandardInput) {
  const int answer = in_child([] {
    const auto file = open("/dev/null", O_RDONLY);
    for (const int stdio : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stdio);
    return duplicate(file->get()).value().get();
  });
  EXPECT_GT(answer, STDERR_FILENO);
}

TEST(File, AnInheritedDescriptorGetsItsFlags) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  ASSERT_TRUE(set_non_blocking(reader.get()));
  ASSERT_TRUE(set_close_on_exec(reader.get()));
  EXPECT_EQ(::fcntl(reader.get(), F_GETFD), FD_CLOEXEC);
  std::array<std::byte, 1> byte;
  EXPECT_TRUE(fails_with(read(reader.get(), byte), EAGAIN, "read"));
  EXPECT_TRUE(fsync(open("/dev/null", O_RDONLY).value().get()).error().is_errno(EINVAL));
}

TEST(File, FsyncOfAFileSucceeds) {
  const TempDir directory;
  EXPECT_TRUE(fsync(open_temporary(directory.path().c_str()).value().get()));
}

}  // namespace
}  // namespace ssx::sys
