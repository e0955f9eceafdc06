#include "ssxrver/base/out_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace ssx {
namespace {

struct Keep : LocalShared {
  explicit Keep(int& count) : alive(count) { ++alive; }
  ~Keep() override { --alive; }
  int& alive;
};

FileSlice file_slice(std::uint64_t offset, std::uint64_t size, LocalRef<LocalShared> keep = {}) {
  FileSlice slice;
  slice.fd = 9;
  slice.offset = offset;
  slice.size = size;
  slice.keep = std::move(keep);
  return slice;
}

/// The memory in front of the first file, as gather() shows it with `parts` entries.
std::string front(const OutQueue& queue, std::size_t parts = 64) {
  std::vector<ByteView> views(parts);
  const std::size_t count = queue.gather(views);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += as_text(views[i]);
  return text;
}

std::size_t front_parts(const OutQueue& queue) {
  std::array<ByteView, 64> views;
  return queue.gather(views);
}

TEST(OutQueue, KeepsTheOrderOfEveryKind) {
  OutQueue queue;
  queue.append_copy(as_bytes("own "));
  queue.append_static(as_bytes("static "));
  queue.append_copy(as_bytes("more"));
  queue.append_file(file_slice(5, 10));
  queue.append_copy(as_bytes("tail"));
  EXPECT_EQ(queue.memory_bytes(), 19U);
  EXPECT_EQ(queue.file_bytes(), 10U);
  EXPECT_EQ(front(queue), "own static more");
  EXPECT_EQ(queue.front_file(), nullptr);
  queue.consume(15);
  EXPECT_EQ(front_parts(queue), 0U);
  ASSERT_NE(queue.front_file(), nullptr);
  EXPECT_EQ(queue.front_file()->offset, 5U);
  queue.consume(4);
  EXPECT_EQ(queue.front_file()->offset, 9U);
  EXPECT_EQ(queue.front_file()->size, 6U);
  EXPECT_EQ(queue.file_bytes(), 6U);
  queue.consume(6);
  EXPECT_EQ(front(queue), "tail");
  queue.consume(4);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.memory_bytes(), 0U);
  EXPECT_EQ(queue.file_bytes(), 0U);
}

TEST(OutQueue, NothingIsNotASlice) {
  OutQueue queue;
  queue.append_copy({});
  queue.append_static({});
  queue.append_file(file_slice(0, 0));
  queue.commit(0);
  EXPECT_TRUE(queue.empty());
  queue.consume(0);
  EXPECT_EQ(front_parts(queue), 0U);
}

TEST(OutQueue, SmallWritesBecomeOneSlice) {
  OutQueue queue;
  for (int i = 0; i < 100; ++i) queue.append_copy(as_bytes("0123456789"));
  EXPECT_EQ(front_parts(queue), 1U);
  EXPECT_EQ(queue.memory_bytes(), 1000U);
  EXPECT_EQ(front(queue).size(), 1000U);
}

TEST(OutQueue, ReserveGivesRoomThatCommitTakesInParts) {
  OutQueue queue;
  MutableBytes room = queue.reserve(100);
  ASSERT_GE(room.size(), 100U);
  std::memcpy(room.data(), "hello", 5);
  queue.commit(5);
  room = queue.reserve(1);
  std::memcpy(room.data(), "!", 1);
  queue.commit(1);
  EXPECT_EQ(front(queue), "hello!");
  EXPECT_EQ(front_parts(queue), 1U);
  (void)queue.reserve(50);  // taken back by not committing
  EXPECT_EQ(queue.memory_bytes(), 6U);
}

TEST(OutQueue, AWriteLargerThanABlockIsOneSlice) {
  OutQueue queue;
  const std::string large(3 * OutQueue::kBlockBytes, 'x');
  queue.append_copy(as_bytes("small"));
  queue.append_copy(as_bytes(large));
  EXPECT_EQ(front(queue), "small" + large);
  EXPECT_EQ(front_parts(queue), 2U);
}

TEST(OutQueue, GatherStopsAtItsRoom) {
  OutQueue queue;
  for (const char* text : {"a", "b", "c"}) queue.append_static(as_bytes(text));
  EXPECT_EQ(front(queue, 2), "ab");
  EXPECT_EQ(front(queue, 0), "");
  queue.consume(2);
  EXPECT_EQ(front(queue, 2), "c");
}

TEST(OutQueue, ConsumesAnyNumberOfBytesAcrossSlices) {
  const std::string whole = "alphabetagamma";
  for (std::size_t first = 0; first <= whole.size(); ++first) {
    OutQueue queue;
    queue.append_copy(as_bytes("alpha"));
    queue.append_static(as_bytes("beta"));
    queue.append_copy(as_bytes("gamma"));
    queue.consume(first);
    EXPECT_EQ(front(queue), whole.substr(first));
    EXPECT_EQ(queue.memory_bytes(), whole.size() - first);
    EXPECT_EQ(queue.empty(), first == whole.size());
    queue.append_copy(as_bytes("!"));
    EXPECT_EQ(front(queue), whole.substr(first) + "!");
  }
}

TEST(OutQueue, LetsGoOfWhatItKeepsAsSoonAsItIsSent) {
  int alive = 0;
  OutQueue queue;
  queue.append_kept(as_bytes("shared"), LocalRef<LocalShared>(new Keep(alive)));
  queue.append_file(file_slice(0, 3, LocalRef<LocalShared>(new Keep(alive))));
  queue.append_copy(as_bytes("rest"));
  EXPECT_EQ(alive, 2);
  queue.consume(5);
  EXPECT_EQ(alive, 2);
  queue.consume(1);
  EXPECT_EQ(alive, 1);
  queue.consume(3);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(front(queue), "rest");
}

TEST(OutQueue, ClearLetsGoOfEverything) {
  int alive = 0;
  OutQueue queue;
  queue.append_kept(as_bytes("shared"), LocalRef<LocalShared>(new Keep(alive)));
  queue.append_file(file_slice(0, 3, LocalRef<LocalShared>(new Keep(alive))));
  queue.clear();
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.memory_bytes() + queue.file_bytes(), 0U);
  queue.append_copy(as_bytes("new"));
  EXPECT_EQ(front(queue), "new");
}

TEST(OutQueue, MovesToAnotherOneBehindWhatIsThere) {
  int alive = 0;
  OutQueue from;
  from.append_copy(as_bytes("sent and own "));
  from.append_kept(as_bytes("kept "), LocalRef<LocalShared>(new Keep(alive)));
  from.append_file(file_slice(2, 7));
  from.append_copy(as_bytes("end"));
  from.consume(5);
  OutQueue to;
  to.append_copy(as_bytes("first "));
  from.move_to(to);
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(from.memory_bytes() + from.file_bytes(), 0U);
  EXPECT_EQ(front(to), "first and own kept ");
  EXPECT_EQ(to.memory_bytes(), 22U);
  EXPECT_EQ(to.file_bytes(), 7U);
  EXPECT_EQ(alive, 1);
  to.consume(19);
  EXPECT_EQ(alive, 0);
  to.consume(7);
  EXPECT_EQ(front(to), "end");
}

TEST(OutQueue, ShowsLentBytesWhereTheyAreAndCopiesThemWhenItMoves) {
  std::string lent = "lent ";
  OutQueue from;
  from.append_copy(as_bytes("own "));
  from.append_lent(as_bytes(lent));
  from.append_lent({});
  from.append_copy(as_bytes("own"));
  EXPECT_EQ(from.memory_bytes(), 12U);
  std::array<ByteView, 4> views;
  ASSERT_EQ(from.gather(views), 3U);
  EXPECT_EQ(static_cast<const void*>(views[1].data()), lent.data());
  from.consume(6);
  OutQueue to;
  from.move_to(to);
  lent = "gone ";
  EXPECT_EQ(front(to), "nt own");
  EXPECT_EQ(front_parts(to), 1U);
}

// A producer that always stays ahead: the memory must not follow everything that was ever sent.
TEST(OutQueue, AStreamThatNeverRunsDryGivesItsBlocksBack) {
  OutQueue queue;
  const std::string chunk(3000, 'x');
  std::size_t most_blocks = 0;
  queue.append_copy(as_bytes(chunk));
  for (int i = 0; i < 20'000; ++i) {
    queue.append_copy(as_bytes(chunk));
    queue.append_static(as_bytes("--"));
    queue.consume(chunk.size() + (i == 0 ? 0 : 2));
    most_blocks = std::max(most_blocks, queue.block_count_for_test());
    ASSERT_FALSE(queue.empty());
  }
  EXPECT_LE(most_blocks, 3U);
  EXPECT_LE(queue.slice_slots_for_test(), 512U);
}

TEST(OutQueue, BlocksGoEvenWhenFilesStandBetweenThem) {
  OutQueue queue;
  const std::string chunk(OutQueue::kBlockBytes, 'x');
  queue.append_file(file_slice(0, 1));
  for (int i = 0; i < 1000; ++i) {
    queue.append_copy(as_bytes(chunk));
    queue.append_file(file_slice(0, 1));
    queue.consume(1);
    queue.consume(chunk.size());
    ASSERT_LE(queue.block_count_for_test(), 2U);
  }
}

TEST(OutQueue, KeepsTheLastBlockWhichWasLargeEnough) {
  OutQueue queue;
  const std::string longer(OutQueue::kBlockBytes + 1, 'x');
  queue.append_copy(as_bytes("short"));
  queue.append_copy(as_bytes(longer));
  EXPECT_EQ(queue.block_count_for_test(), 2U);
  for (int i = 0; i < 3; ++i) {
    queue.consume(queue.memory_bytes());
    queue.append_copy(as_bytes(longer));
    EXPECT_EQ(queue.block_count_for_test(), 1U);
  }
}

TEST(OutQueue, ALargeBlockIsNotKeptForReuse) {
  OutQueue queue;
  queue.append_copy(as_bytes(std::string(OutQueue::kKeptBytesMax + 1, 'x')));
  queue.consume(queue.memory_bytes());
  EXPECT_EQ(queue.block_count_for_test(), 0U);
  queue.append_copy(as_bytes("small"));
  queue.consume(5);
  EXPECT_EQ(queue.block_count_for_test(), 1U);
  for (int i = 0; i < 5000; ++i) queue.append_static(as_bytes("x"));
  queue.clear();
  EXPECT_EQ(queue.slice_slots_for_test(), 0U);
}

TEST(OutQueue, OneThatShrinksKeepsRoomForAFewSlicesOnly) {
  OutQueue queue;
  queue.append_copy(as_bytes("copied"));
  queue.consume(6);
  const std::size_t slots = queue.slice_slots_for_test();
  queue.shrink();
  EXPECT_EQ(queue.block_count_for_test(), 0U);
  EXPECT_EQ(queue.slice_slots_for_test(), slots);
  for (int i = 0; i < 100; ++i) queue.append_static(as_bytes("x"));
  queue.clear();
  queue.shrink();
  EXPECT_EQ(queue.slice_slots_for_test(), 0U);
  queue.append_copy(as_bytes("copied"));
  EXPECT_EQ(queue.memory_bytes(), 6U);
}

TEST(OutQueue, BehavesLikeAStringUnderRandomWork) {
  std::mt19937 random(11);
  static const std::string kStatic(5000, 's');
  OutQueue queue;
  std::string model;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t size = 1 + random() % 5000;
    const auto kind = random() % 4;
    if (kind == 0) {
      const std::string bytes(size, static_cast<char>('a' + step % 26));
      queue.append_copy(as_bytes(bytes));
      model += bytes;
    } else if (kind == 1) {
      const auto bytes = as_bytes(kStatic).first(size);
      step % 2 == 0 ? queue.append_static(bytes) : queue.append_lent(bytes);
      model += kStatic.substr(0, size);
    } else {
      std::array<ByteView, 4> views;
      std::string shown;
      const std::size_t count = queue.gather(views);
      for (std::size_t i = 0; i < count; ++i) shown += as_text(views[i]);
      ASSERT_EQ(shown, model.substr(0, shown.size())) << step;
      const std::size_t taken = std::min(size, shown.size());
      queue.consume(taken);
      model.erase(0, taken);
    }
    ASSERT_EQ(queue.memory_bytes(), model.size());
    ASSERT_EQ(queue.empty(), model.empty());
  }
}

}  // namespace
}  // namespace ssx
