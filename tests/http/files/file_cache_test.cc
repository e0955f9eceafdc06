#include "http/files/file_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::http {
namespace {

using std::chrono::milliseconds;

LocalRef<CachedFile> file(std::string path, std::size_t size = 10) {
  LocalRef<CachedFile> made(new CachedFile);
  made->path = std::move(path);
  made->content = std::string(size, 'x');
  made->identity.size = size;
  return made;
}

class Cache : public testing::Test {
 protected:
  FileCache& make() { return cache.emplace(options); }
  OpenFileCacheOptions options{.max = 3, .memory_max = 100};
  std::optional<FileCache> cache;
};

TEST_F(Cache, FindsWhatWasPutIn) {
  FileCache& files = make();
  EXPECT_EQ(files.find("a"), nullptr);
  files.insert(file("a"));
  ASSERT_NE(files.find("a"), nullptr);
  EXPECT_EQ(files.find("a")->path, "a");
  EXPECT_EQ(files.find("A"), nullptr);
  EXPECT_EQ(files.counters().hits.value(), 2u);
  EXPECT_EQ(files.counters().misses.value(), 2u);
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files.memory(), 10u);
}

TEST_F(Cache, HoldsNothingForFreshThatCameShort) {
  options.ttl = std::chrono::hours(1);
  const FileCache& files = make();
  // A machine that has just been started, too.
  for (const TimePoint now : {TimePoint(), TimePoint(std::chrono::hours(24 * 365 * 100))}) {
    const auto cut = file("a");
    cut->checked = now;
    EXPECT_TRUE(files.is_fresh(*cut, now));
    cut->file_came_short();
    EXPECT_FALSE(files.is_fresh(*cut, now));
  }
}

TEST_F(Cache, HoldsAsManyEntriesAsItMay) {
  FileCache& files = make();
  for (const char* path : {"a", "b", "c"}) files.insert(file(path));
  EXPECT_EQ(files.counters().evicted.value(), 0u);
  files.insert(file("d"));
  EXPECT_EQ(files.size(), 3u);
  EXPECT_EQ(files.find("a"), nullptr);
  EXPECT_EQ(files.counters().evicted.value(), 1u);
}

TEST_F(Cache, HoldsAsMuchContentAsItMay) {
  for (const std::size_t size : {39, 40, 41}) {
    FileCache& files = make();
    files.insert(file("a", 60));
    files.insert(file("b", size));
    EXPECT_EQ(files.find("a") == nullptr, size > 40) << size;
    EXPECT_LE(files.memory(), 100u);
  }
}

TEST_F(Cache, DoesNotTakeAFileThatWouldFillItBeyondItsBound) {
  for (const std::size_t size : {99, 100, 101}) {
    FileCache& files = make();
    files.insert(file("small"));
    files.insert(file("large", size));
    EXPECT_EQ(files.find("large") != nullptr, size <= 100) << size;
    EXPECT_EQ(files.find("small") != nullptr, size > 100) << "others go only when it helps";
  }
}

TEST_F(Cache, LetsGoOfWhatWasUsedLongestAgo) {
  FileCache& files = make();
  for (const char* path : {"a", "b", "c"}) files.insert(file(path));
  EXPECT_NE(files.find("a"), nullptr);
  EXPECT_NE(files.find("b"), nullptr);
  files.insert(file("d"));
  EXPECT_EQ(files.find("c"), nullptr);
  EXPECT_NE(files.find("a"), nullptr);
}

TEST_F(Cache, KeepsNothingWhenItIsOff) {
  options.max = 0;
  FileCache& files = make();
  files.insert(file("a", 0));
  EXPECT_EQ(files.size(), 0u);
  EXPECT_EQ(files.memory(), 0u);
}

TEST_F(Cache, PutsANewStateInPlaceOfTheOld) {
  FileCache& files = make();
  files.insert(file("a", 30));
  files.insert(file("a", 50));
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files.memory(), 50u);
  EXPECT_EQ(files.find("a")->size(), 50u);
}

TEST_F(Cache, ForgetsWhatItIsToldToForget) {
  FileCache& files = make();
  files.insert(file("a"));
  files.erase("b");
  files.erase("a");
  files.erase("a");
  EXPECT_EQ(files.size(), 0u);
  EXPECT_EQ(files.memory(), 0u);
}

TEST_F(Cache, LeavesAnEntryToWhoeverStillSendsIt) {
  FileCache& files = make();
  files.insert(file("a"));
  const LocalRef<CachedFile> held(files.find("a"));
  files.erase("a");
  EXPECT_EQ(held->content, std::string(10, 'x'));
  cache.reset();
  EXPECT_EQ(held->path, "a");
}

TEST_F(Cache, IsFreshForItsTimeAndNoLonger) {
  options.ttl = milliseconds(5000);
  FileCache& files = make();
  const auto entry = file("a");
  entry->checked = TimePoint(std::chrono::seconds(100));
  EXPECT_TRUE(files.is_fresh(*entry, entry->checked));
  EXPECT_TRUE(files.is_fresh(*entry, entry->checked + milliseconds(4999)));
  EXPECT_FALSE(files.is_fresh(*entry, entry->checked + milliseconds(5000)));
  options.ttl = milliseconds(0);
  EXPECT_FALSE(make().is_fresh(*entry, entry->checked));
}

TEST_F(Cache, TellsStatesOfAFileApart) {
  const FileIdentity one{1, 2, 3, 4, 5};
  EXPECT_EQ(one, (FileIdentity{1, 2, 3, 4, 5}));
  EXPECT_NE(one, (FileIdentity{9, 2, 3, 4, 5}));
  EXPECT_NE(one, (FileIdentity{1, 9, 3, 4, 5}));
  EXPECT_NE(one, (FileIdentity{1, 2, 9, 4, 5}));
  EXPECT_NE(one, (FileIdentity{1, 2, 3, 9, 5}));
  EXPECT_NE(one, (FileIdentity{1, 2, 3, 4, 9}));
}

}  // namespace
}  // namespace ssx::http
