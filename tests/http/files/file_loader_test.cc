#include "http/files/file_loader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http {
namespace {

using sim::Call;

constexpr std::int64_t kThen = 784111777;

class Loader : public testing::Test {
 protected:
  Loader() { options.root = directory.path(); }
  void write(const std::string& name, std::string_view text, std::int64_t modified = kThen) {
    const std::string path = directory.write(name, text);
    const utimbuf times{modified, modified};
    EXPECT_EQ(::utime(path.c_str(), &times), 0);
  }
  FileLoader& loader() {
    if (!loader_) loader_.emplace(*FileLoader::create(options));
    return *loader_;
  }
  LocalRef<CachedFile> load(const std::string& name) {
    return *loader().load(name, name, *loader().root().open_file(name), TimePoint());
  }
  bool is_current(const LocalRef<CachedFile>& file, const std::string& name) {
    return loader().is_current(*file, name, loader().root().open_file(name)->facts);
  }

  ssx::test::TempDir directory;
  StaticOptions options;

 private:
  std::optional<FileLoader> loader_;
};

TEST_F(Loader, NeedsARootAndKnownWords) {
  options.precompressed = {"br", "gz", "zst"};
  EXPECT_TRUE(FileLoader::create(options));
  options.precompressed = {"gzip"};
  EXPECT_FALSE(FileLoader::create(options));
  options.precompressed = {};
  options.cache_control = {{"*", "no-cache\r\nX: y"}};
  EXPECT_FALSE(FileLoader::create(options));
  options.cache_control = {};
  options.mime = {{"x", "text/x\r\nX: y"}};
  EXPECT_FALSE(FileLoader::create(options));
  options.mime = {};
  EXPECT_TRUE(FileLoader::create(options));
  options.root = directory.file("nowhere");
  EXPECT_FALSE(FileLoader::create(options));
}

TEST_F(Loader, WritesTheFieldsOfAFile) {
  options.cache_control = {{"*.css", "max-age=60"}};
  write("a.css", "p{}");
  const auto file = load("a.css");
  EXPECT_EQ(file->path, "a.css");
  EXPECT_EQ(file->content, "p{}");
  EXPECT_EQ(file->modified, kThen);
  const std::string validators =
      "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: " + file->etag +
      "\r\nCache-Control: max-age=60\r\n";
  EXPECT_EQ(file->validators(), validators);
  EXPECT_EQ(file->other_fields(), "Accept-Ranges: bytes\r\n" + validators);
  EXPECT_EQ(file->content_fields(), "Content-Type: text/css; charset=utf-8\r\n");
  EXPECT_EQ(file->fields, std::string(file->content_fields()).append(file->other_fields()));
}

TEST_F(Loader, LeavesOutWhatIsSwitchedOff) {
  options.etag = false;
  options.range = false;
  write("a.css", "p{}");
  EXPECT_EQ(load("a.css")->fields, "Content-Type: text/css; charset=utf-8\r\n");
}

TEST_F(Loader, FindsSiblingsInTheOrderOfTheOption) {
  options.precompressed = {"zst", "br", "gz"};
  write("a.css", "plain");
  write("a.css.gz", "gzipped");
  write("a.css.br", "brotli");
  write("a.css.zst", "zstd");
  const auto file = load("a.css");
  ASSERT_EQ(file->encoded.size(), 3u);
  EXPECT_EQ(file->encoded[0].content, "zstd");
  EXPECT_EQ(file->encoded[1].content, "brotli");
  EXPECT_EQ(file->encoded[2].content, "gzipped");
  EXPECT_EQ(file->encoded[2].content_fields(),
            "Content-Type: text/css; charset=utf-8\r\nContent-Encoding: gzip\r\n");
  EXPECT_EQ(file->memory(), 5u + 4 + 6 + 7);
  std::set<std::string> etags = {file->etag};
  for (const auto& form : file->encoded) etags.insert(form.etag);
  EXPECT_EQ(etags.size(), 4u);
  EXPECT_NE(file->validators().find("Vary: Accept-Encoding\r\n"), std::string_view::npos);
  for (const auto& form : file->encoded)
    EXPECT_NE(form.validators().find("Vary: Accept-Encoding\r\n"), std::string_view::npos);
}

TEST_F(Loader, SaysVaryOfWhatIsCompressedOnTheWay) {
  options.compressed_types = {"text/*"};
  options.compressed_min = 4;
  write("a.css", "1234");
  write("short.css", "123");
  write("a.png", "1234");
  constexpr std::string_view kVary = "Vary: Accept-Encoding\r\n";
  EXPECT_NE(load("a.css")->validators().find(kVary), std::string_view::npos);
  EXPECT_EQ(load("short.css")->fields.find(kVary), std::string::npos);
  EXPECT_EQ(load("a.png")->fields.find(kVary), std::string::npos);
}

TEST_F(Loader, GivesDistinctTagsToSiblingsThatAreAlike) {
  write("a", "same");
  write("a.gz", "same");
  write("a.br", "same");
  const auto file = load("a");
  ASSERT_EQ(file->encoded.size(), 2u);
  EXPECT_NE(file->etag, file->encoded[0].etag);
  EXPECT_NE(file->encoded[0].etag, file->encoded[1].etag);
}

TEST_F(Loader, TakesNoSiblingThatIsOlder) {
  write("a", "plain");
  write("a.gz", "stale", kThen - 1);
  EXPECT_TRUE(load("a")->encoded.empty());
  EXPECT_EQ(load("a")->fields.find("Vary"), std::string::npos);
  write("a.gz", "fresh", kThen);
  EXPECT_EQ(load("a")->encoded.size(), 1u);
  write("a.gz", "newer", kThen + 1);
  EXPECT_EQ(load("a")->encoded.size(), 1u);
}

TEST_F(Loader, TakesNoSiblingThatIsNoFile) {
  write("a", "plain");
  std::filesystem::create_directory(directory.file("a.gz"));
  ASSERT_EQ(::mkfifo(directory.file("a.br").c_str(), 0600), 0);
  EXPECT_TRUE(load("a")->encoded.empty());
}

TEST_F(Loader, LooksForNoSiblingOfASibling) {
  write("a.gz", "gzipped");
  write("a.gz.gz", "twice");
  loader();
  const sim::CallWatch watch;
  EXPECT_TRUE(load("a.gz")->encoded.empty());
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 1u);
}

TEST_F(Loader, GoesOnWithoutASiblingThatCannotBeRead) {
  write("a", "plain");
  write("a.br", "brotli");
  write("a.gz", "gzipped");
  loader();
  const auto open_before = ssx::test::open_files();
  for (const Call call : {Call::kOpenBeneath, Call::kFstat, Call::kPread}) {
    sim::FaultPlan plan;
    plan.pass(call, 1).fail(call, EIO);
    const auto file = load("a");
    EXPECT_EQ(file->content, "plain");
    ASSERT_EQ(file->encoded.size(), 1u) << sim::name(call);
    EXPECT_EQ(file->encoded[0].content, "gzipped");
  }
  EXPECT_EQ(ssx::test::open_files(), open_before);
}

TEST_F(Loader, KeepsLargeFormsOpen) {
  options.open_file_cache.small_file_max = 6;
  write("a", "plain text");
  write("a.gz", "small");
  const auto open_before = (loader(), ssx::test::open_files());
  const auto file = load("a");
  EXPECT_FALSE(file->is_in_memory());
  EXPECT_TRUE(file->encoded.at(0).is_in_memory());
  EXPECT_EQ(ssx::test::open_files(), open_before + 1);
}

TEST_F(Loader, KeepsOpenWhatIsInMemoryAndLeavesBySendfile) {
  options.sendfile_min = 6;
  write("a", "123456");
  write("a.br", "12345");
  write("a.gz", "1234567");
  for (const bool by_sendfile : {true, false}) {
    options.sendfile = by_sendfile;
    auto loader = *FileLoader::create(options);
    const auto open_before = ssx::test::open_files();
    const auto file = *loader.load("a", "a", *loader.root().open_file("a"), TimePoint());
    EXPECT_EQ(file->content, "123456");
    EXPECT_EQ(static_cast<bool>(file->fd), by_sendfile);
    EXPECT_FALSE(file->encoded.at(0).fd);
    EXPECT_EQ(static_cast<bool>(file->encoded.at(1).fd), by_sendfile);
    EXPECT_EQ(ssx::test::open_files() - open_before, by_sendfile ? 2u : 0u);
    EXPECT_TRUE(file->is_in_memory());
    EXPECT_EQ(file->memory(), 18u);
  }
}

TEST_F(Loader, TakesNothingOfAnEmptyFile) {
  options.sendfile_min = 1;
  write("a", "");
  EXPECT_TRUE(load("a")->is_in_memory());
  EXPECT_FALSE(load("a")->fd);
}

TEST_F(Loader, ReadsNoMoreThanTheCacheCanKeep) {
  options.open_file_cache.memory_max = 10;
  write("a", "123456");
  write("a.br", "12345");
  write("a.gz", "1234");
  const auto file = load("a");
  EXPECT_EQ(file->memory(), 10u);
  EXPECT_FALSE(file->encoded.at(0).is_in_memory());
  EXPECT_TRUE(file->encoded.at(1).is_in_memory());
}

TEST_F(Loader, NoticesEveryChange) {
  write("a", "plain");
  write("a.gz", "gzipped");
  const auto file = load("a");
  EXPECT_TRUE(is_current(file, "a"));
  write("a.br", "brotli");
  EXPECT_FALSE(is_current(file, "a"));
  std::filesystem::remove(directory.file("a.br"));
  EXPECT_TRUE(is_current(file, "a"));
  write("a.gz", "gzipped", kThen + 1);
  EXPECT_FALSE(is_current(file, "a"));
  const auto again = load("a");
  EXPECT_TRUE(is_current(again, "a"));
  std::filesystem::remove(directory.file("a.gz"));
  EXPECT_FALSE(is_current(again, "a"));
  const auto alone = load("a");
  write("a", "other", kThen + 5);
  EXPECT_FALSE(is_current(alone, "a"));
}

}  // namespace
}  // namespace ssx::http
