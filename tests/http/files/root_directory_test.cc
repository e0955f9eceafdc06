#include "http/files/root_directory.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http {
namespace {

namespace fs = std::filesystem;
using sim::Call;

/// A folder with everything in it that may lie in a folder, and a secret beside it.
class Root : public testing::Test {
 protected:
  Root() {
    outside.write("secret.txt", "secret");
    inside("file.txt", "file");
    inside("folder/inner.txt", "inner");
    const auto link = [this](const char* to, const char* name) {
      fs::create_symlink(to, root_path() + "/" + name);
    };
    link("file.txt", "link_inside");
    link("folder", "link_folder");
    link("../folder/inner.txt", "folder/link_around");
    link("../secret.txt", "link_outside");
    link("..", "link_up");
    link("/", "link_root");
    link("/proc/self/environ", "link_proc");
    link("nowhere", "link_dangling");
    link("link_loop", "link_loop");
    fs::create_symlink(outside.file("secret.txt"), root_path() + "/link_absolute");
    EXPECT_EQ(::mkfifo((root_path() + "/fifo").c_str(), 0600), 0);
  }
  std::string root_path() const { return outside.file("root"); }
  void inside(const std::string& name, std::string_view text) {
    outside.write("root/" + name, text);
  }

  /// The text of the file, "folder", or the name of the error.
  std::string open(const std::string& path, bool follow = false) {
    auto root = RootDirectory::open(root_path(), follow);
    EXPECT_TRUE(root);
    auto opened = root->open_file(path);
    if (!opened) return ::strerrorname_np(opened.error().code().value());
    if ((opened->facts.st_mode & S_IFMT) == S_IFDIR) return "folder";
    std::string text(100, '\0');
    const auto count = sys::pread(opened->fd.get(), std::as_writable_bytes(std::span(text)), 0);
    EXPECT_TRUE(count);
    text.resize(count.value_or(0));
    return text;
  }

  ssx::test::TempDir outside;
};

TEST_F(Root, OpensFilesAndFolders) {
  EXPECT_EQ(open("file.txt"), "file");
  EXPECT_EQ(open("folder/inner.txt"), "inner");
  EXPECT_EQ(open("folder"), "folder");
  EXPECT_EQ(open("folder/"), "folder");
  EXPECT_EQ(open(""), "folder");
  EXPECT_EQ(open("nothing"), "ENOENT");
  EXPECT_EQ(open("file.txt/x"), "ENOTDIR");
}

TEST_F(Root, NeedsAFolder) {
  EXPECT_FALSE(RootDirectory::open(outside.file("secret.txt"), false));
  EXPECT_FALSE(RootDirectory::open(outside.file("nothing"), false));
}

TEST_F(Root, FollowsNoLinkUnlessAsked) {
  for (const char* link : {"link_inside", "link_folder", "link_folder/inner.txt", "link_outside",
                           "link_absolute", "link_up", "link_up/secret.txt", "link_root/etc/passwd",
                           "link_proc", "link_dangling", "link_loop", "folder/link_around"}) {
    EXPECT_EQ(open(link), "ELOOP") << link;
  }
}

TEST_F(Root, FollowsLinksThatStayInsideWhenAsked) {
  EXPECT_EQ(open("link_inside", true), "file");
  EXPECT_EQ(open("link_folder", true), "folder");
  EXPECT_EQ(open("link_folder/inner.txt", true), "inner");
  EXPECT_EQ(open("folder/link_around", true), "inner");
  EXPECT_EQ(open("link_dangling", true), "ENOENT");
  EXPECT_EQ(open("link_loop", true), "ELOOP");
}

TEST_F(Root, NeverFollowsALinkOutside) {
  for (const char* link :
       {"link_outside", "link_absolute", "link_up", "link_up/secret.txt", "link_root",
        "link_root/etc/passwd", "link_proc", "folder/../link_outside"}) {
    EXPECT_EQ(open(link, true), "EXDEV") << link;
  }
}

TEST_F(Root, NeverLeavesByDots) {
  for (const bool follow : {false, true}) {
    for (const char* path : {"..", "../secret.txt", "folder/../../secret.txt", "../root/file.txt",
                             "/etc/passwd", "/"}) {
      EXPECT_EQ(open(path, follow), "EXDEV") << path;
    }
  }
}

TEST_F(Root, ServesOnlyFilesAndFolders) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = root_path() + "/socket";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(open("socket"), "ENXIO");
  ::close(listener);
  EXPECT_EQ(open("fifo"), "ENOENT");  // and nobody waits for a writer
}

TEST_F(Root, OpensNoDevice) {
  auto root = RootDirectory::open("/dev", false);
  ASSERT_TRUE(root);
  const auto opened = root->open_file("null");
  ASSERT_FALSE(opened);
  EXPECT_TRUE(opened.error().is_errno(ENOENT));
}

TEST_F(Root, LeaksNothingWhenItRefuses) {
  const auto root = *RootDirectory::open(root_path(), false);
  const auto before = ssx::test::open_files();
  for (const char* path : {"fifo", "link_outside", "nothing", "..", "file.txt/x"}) {
    EXPECT_FALSE(root.open_file(path)) << path;
  }
  EXPECT_EQ(ssx::test::open_files(), before);
}

TEST_F(Root, StaysWithTheFolderThatWasOpened) {
  const auto root = *RootDirectory::open(root_path(), false);
  fs::rename(root_path(), outside.file("moved"));
  fs::create_directory(root_path());
  inside("file.txt", "another");
  const auto opened = root.open_file("file.txt");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->facts.st_size, 4);
}

TEST_F(Root, GivesUpOnARaceThatGoesOn) {
  sim::FaultPlan plan;
  plan.fail(Call::kOpenBeneath, EAGAIN, 7);
  EXPECT_EQ(open("file.txt"), "file");
  plan.fail(Call::kOpenBeneath, EAGAIN, 8);
  EXPECT_EQ(open("file.txt"), "EAGAIN");
}

/// The same on a kernel without openat2, and in a sandbox that knows no such call.
class RootWithoutOpenat2 : public Root, public testing::WithParamInterface<int> {
 protected:
  RootWithoutOpenat2() { plan.fail(Call::kOpenBeneath, GetParam(), sim::kForever); }
  sim::FaultPlan plan;
};

TEST_P(RootWithoutOpenat2, OpensFilesAndFolders) {
  EXPECT_EQ(open("file.txt"), "file");
  EXPECT_EQ(open("folder/inner.txt"), "inner");
  EXPECT_EQ(open("folder"), "folder");
  EXPECT_EQ(open("folder/"), "folder");
  EXPECT_EQ(open(""), "folder");
  EXPECT_EQ(open("nothing"), "ENOENT");
  EXPECT_EQ(open("nothing/x"), "ENOENT");
  EXPECT_EQ(open("file.txt/x"), "ENOTDIR");
  EXPECT_EQ(open("fifo"), "ENOENT");
}

TEST_P(RootWithoutOpenat2, FollowsNoLinkWhateverWasAsked) {
  for (const bool follow : {false, true}) {
    for (const char* link : {"link_inside", "link_folder", "link_outside", "link_absolute",
                             "link_up", "link_root", "link_proc", "link_loop"}) {
      EXPECT_EQ(open(link, follow), "ELOOP") << link;
    }
    for (const char* link :
         {"link_folder/inner.txt", "link_up/secret.txt", "link_root/etc/passwd"}) {
      EXPECT_EQ(open(link, follow), "ENOTDIR") << link;
    }
  }
}

TEST_P(RootWithoutOpenat2, NeverLeavesByDots) {
  for (const char* path : {"..", "../secret.txt", "folder/../../secret.txt", "../root/file.txt",
                           "/etc/passwd", "/", "folder//inner.txt", "folder/.."}) {
    EXPECT_EQ(open(path), "EXDEV") << path;
  }
}

TEST_P(RootWithoutOpenat2, LeaksNothing) {
  const auto root = *RootDirectory::open(root_path(), false);
  const auto before = ssx::test::open_files();
  for (const char* path : {"folder/inner.txt", "folder/nothing", "link_up/x", "a/b/c", "fifo"}) {
    (void)root.open_file(path);
  }
  EXPECT_EQ(ssx::test::open_files(), before);
}

INSTANTIATE_TEST_SUITE_P(Kernels, RootWithoutOpenat2, testing::Values(ENOSYS, EPERM));

}  // namespace
}  // namespace ssx::http
