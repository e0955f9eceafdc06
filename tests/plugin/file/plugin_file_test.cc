#include "ssxrver/plugin/file/plugin_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ssxrver/base/digest.h"
#include "ssxrver/plugin/toolchain.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PluginFileTest : public ::testing::Test {
 protected:
  /// A copy that is nobody's but ours, whatever the build tree's rights are.
  std::string put(const std::string& name, const std::string& as = "") {
    const auto from = std::filesystem::path(SSX_BAD_PLUGINS) / (name + ".so");
    const std::string to = folder_.file((as.empty() ? name : as) + ".so");
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(::chmod(to.c_str(), 0644), 0);
    return to;
  }
  static PluginFile::Checks checks() {
    return {.needs = {{"ssxrver.http"}, SSXRVER_TOOLCHAIN}, .search_path = {}, .sha256 = ""};
  }
  static auto open(const std::string& path) { return PluginFile::open(path, checks()); }
  /// What is said of it behind its path.
  std::string why(const std::string& name) {
    const std::string path = put(name);
    const auto opened = open(path);
    if (opened) return "opened";
    const std::string head = "\"" + path + "\" ";
    EXPECT_THAT(opened.error(), ::testing::StartsWith(head));
    return opened.error().substr(head.size());
  }

  test::TempDir folder_;
};

TEST_F(PluginFileTest, SaysWhatThePluginIs) {
  const std::string path = put("sample");
  const auto opened = open(path);
  ASSERT_TRUE(opened) << opened.error();
  const PluginFile& file = **opened;
  EXPECT_EQ(file.path(), path);
  EXPECT_EQ(file.description().name(), "sample");
  EXPECT_EQ(file.description().version(), "1.2.3");
  EXPECT_EQ(file.description().summary(), "does nothing");
  ASSERT_TRUE(file.schema());
  EXPECT_THAT(file.schema()->check(json::parse(R"({"times": 1})")->root), IsEmpty());
  EXPECT_THAT(file.schema()->check(json::parse(R"({"times": "x"})")->root), SizeIs(1));
  void* instance = &instance;
  EXPECT_EQ(file.description().entry().create(nullptr, &instance, nullptr), SSXRVER_OK);
  EXPECT_EQ(instance, nullptr);
}

TEST_F(PluginFileTest, IsFoundInTheSearchPath) {
  auto checked = checks();
  checked.search_path = {folder_.file("none"), folder_.path()};
  put("sample");
  EXPECT_TRUE(PluginFile::open("sample.so", checked));
  EXPECT_EQ(
      PluginFile::open("other.so", checked).error(),
      "there is no \"other.so\" in \"" + folder_.file("none") + "\" or \"" + folder_.path() + "\"");
}

TEST_F(PluginFileTest, MayBeNewerThanTheHost) { EXPECT_EQ(why("newer_minor"), "opened"); }

TEST_F(PluginFileTest, IsRefusedWithASentence) {
  EXPECT_EQ(why("wrong_magic"),
            "gives a description that begins with 0x0000000000001234, wanted 0x0031584e52565853");
  EXPECT_EQ(why("wrong_major"), "is for version 2.0 of the border, wanted 1.x");
  EXPECT_EQ(why("null_desc"), "gives no description (status 0)");
  EXPECT_EQ(why("refuses"), "refuses version 1.0 of the border (status -7); it is for 1.0");
  EXPECT_EQ(why("refuses_silently"),
            "is not for version 1.0 of the border, and does not say for which");
  EXPECT_THAT(why("lying_size"), HasSubstr("gives a description of 24 bytes, wanted"));
  EXPECT_EQ(why("missing_interface"),
            "(\"sample\") needs the interface \"ssxrver.moon\", and this program has "
            "\"ssxrver.http\"");
  EXPECT_THAT(why("same_toolchain"), HasSubstr("was made with \"made by hand\" and asks for"));
  EXPECT_THAT(why("broken_schema"),
              HasSubstr("(\"sample\") has a config_schema that is no JSON: line 1, column 2: "));
  EXPECT_EQ(why("unknown_keyword"),
            "(\"sample\") has a config_schema that cannot be used: /format: the keyword \"format\" "
            "is not supported");
  EXPECT_EQ(why("no_symbol"), "is no plugin: it does not export ssxrver_plugin_query");
  EXPECT_EQ(why("missing_symbol"), "cannot be loaded: undefined symbol: no_such_function_anywhere");
}

TEST_F(PluginFileTest, MayThrowWhenItIsAsked) {
  EXPECT_EQ(why("throws"), "throws out of ssxrver_plugin_query(): the moon is in the wrong house");
  EXPECT_EQ(why("throws_number"), "throws out of ssxrver_plugin_query()");
}

TEST_F(PluginFileTest, IsALibraryAndWhole) {
  const std::string path = folder_.write("text.so", "a text that somebody gave another name\n");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_THAT(open(path).error(), HasSubstr("is no shared library: it does not begin so"));
  const std::string cut = put("sample", "cut");
  std::filesystem::resize_file(cut, 5000);
  EXPECT_THAT(open(cut).error(), HasSubstr("is cut off: it has 5000 bytes, and says"));
  std::filesystem::resize_file(cut, 0);
  EXPECT_THAT(open(cut).error(), HasSubstr("is no shared library"));
}

TEST_F(PluginFileTest, IsNotTooLarge) {
  const std::string path = put("sample", "large");
  std::filesystem::resize_file(path, PluginFile::kSizeMax + 1);
  EXPECT_THAT(open(path).error(), HasSubstr("has more than 256 MiB"));
}

TEST_F(PluginFileTest, HasTheBytesThatAreWanted) {
  const std::string path = put("sample");
  const std::string sum = open(path).value()->sha256();
  EXPECT_THAT(sum, SizeIs(64));
  auto checked = checks();
  checked.sha256 = sum;
  EXPECT_TRUE(PluginFile::open(path, checked));
  std::ranges::transform(sum, checked.sha256.begin(), [](char c) {
    return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  EXPECT_TRUE(PluginFile::open(path, checked));
  checked.sha256 = std::string(64, '0');
  EXPECT_EQ(PluginFile::open(path, checked).error(),
            "\"" + path + "\" has the SHA-256 " + sum + ", wanted " + checked.sha256);
}

TEST_F(PluginFileTest, IsACopyOfItsOwnEachTime) {
  const std::string path = put("sample");
  auto first = open(path);
  auto second = open(path);
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)->description().entry().create, (*second)->description().entry().create);
  // What is written over the file reaches nobody who has opened it.
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "gone";
  EXPECT_EQ((*first)->description().version(), "1.2.3");
  void* instance = nullptr;
  EXPECT_EQ((*second)->description().entry().create(nullptr, &instance, nullptr), SSXRVER_OK);
  EXPECT_THAT(open(path).error(), HasSubstr("is no shared library"));
}

TEST_F(PluginFileTest, IsGoneFromMemoryWhenItIsClosed) {
  const std::string path = put("sample");
  const std::size_t open_before = test::open_files();
  for (int i = 0; i < 50; ++i) {
    const auto opened = open(path);
    ASSERT_TRUE(opened) << opened.error();
    EXPECT_TRUE((*opened)->close());
    EXPECT_TRUE((*opened)->close());
  }
  EXPECT_EQ(test::open_files(), open_before);
}

TEST_F(PluginFileTest, StaysInMemoryUnlessItSaysThatItMayGo) {
  const auto opened = open(put("keeps"));
  ASSERT_TRUE(opened) << opened.error();
  const auto create = (*opened)->description().entry().create;
  EXPECT_FALSE((*opened)->close());
  void* instance = &instance;
  EXPECT_EQ(create(nullptr, &instance, nullptr), SSXRVER_OK) << "its code is there";
  EXPECT_EQ(instance, nullptr);
}

TEST_F(PluginFileTest, HasAHashBeforeItIsLoaded) {
  const std::string path = put("sample");
  EXPECT_EQ(PluginFile::read_sha256(path, checks()).value(), open(path).value()->sha256());
  EXPECT_THAT(PluginFile::read_sha256(put("ends_all"), checks()).value(), SizeIs(64))
      << "nothing of it has run";
  EXPECT_THAT(PluginFile::read_sha256(folder_.file("none.so"), checks()).error(),
              HasSubstr("none.so"));
  const std::string large = put("sample", "large");
  std::filesystem::resize_file(large, PluginFile::kSizeMax + 1);
  EXPECT_THAT(PluginFile::read_sha256(large, checks()).error(), HasSubstr("cannot be read"));
}

TEST_F(PluginFileTest, HasTheStampOfTheFileThatWasRead) {
  const std::string path = put("sample");
  const auto stamp_now = [&path] {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return FileStamp::of(status);
  };
  const auto opened = open(path);
  EXPECT_EQ((*opened)->stamp(), stamp_now());
  std::filesystem::rename(put("newer_minor"), path);
  EXPECT_NE((*opened)->stamp(), stamp_now());
}

TEST_F(PluginFileTest, SaysWhenItStaysInMemory) {
  const std::string path = put("stays");
  const auto opened = open(path);
  ASSERT_TRUE(opened) << opened.error();
  const auto create = (*opened)->description().entry().create;
  EXPECT_FALSE((*opened)->close());
  void* instance = nullptr;
  EXPECT_EQ(create(nullptr, &instance, nullptr), SSXRVER_OK);
  // The next one is not taken for the one that stays.
  const auto next = open(put("sample"));
  ASSERT_TRUE(next) << next.error();
  EXPECT_NE((*next)->description().entry().create, create);
  EXPECT_TRUE((*next)->close());
}

// Why it is said in the header: nothing of ours runs before this one is dead.
TEST_F(PluginFileTest, CannotOutliveAConstructorThatEndsTheProcess) {
  const std::string path = put("ends_all");
  EXPECT_DEATH({ (void)open(path); }, "");
}

TEST_F(PluginFileTest, WaitsForPagesThatAreBusyAndNotForEver) {
  const std::string path = put("sample");
  for (const int busy : {4, 5}) {
    sim::FaultPlan plan;
    plan.fail(sim::Call::kSealMemoryFile, EBUSY, static_cast<std::uint64_t>(busy));
    const auto opened = open(path);
    EXPECT_EQ(opened.has_value(), busy == 4);
    if (!opened) EXPECT_THAT(opened.error(), HasSubstr("cannot be copied: seal_memory_file: "));
  }
  sim::FaultPlan plan;
  plan.fail(sim::Call::kSealMemoryFile, ENOMEM);  // which does not pass
  EXPECT_FALSE(open(path));
}

TEST_F(PluginFileTest, MeetsEveryFailureOfTheSystem) {
  const std::string path = put("sample");
  EXPECT_GE(sim::fail_at_nth([&](const sim::FaultPlan& plan) {
              const auto opened = open(path);
              // What an error of close() tells of is no matter for a file that was read, and a busy
              // page is asked for again.
              const std::string_view failed = plan.latest_fault();
              const bool is_harmless = failed == "close" || failed == "seal_memory_file";
              EXPECT_EQ(opened.has_value(), plan.faults() == 0 || is_harmless);
              if (!opened) {
                EXPECT_THAT(opened.error(), HasSubstr(folder_.path()));
              }
            }),
            8U);
}

}  // namespace
}  // namespace ssx
