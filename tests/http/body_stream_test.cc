#include "http/body_stream.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ssxrver/coro/task.h"
#include "ssxrver/sys/file.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http {
namespace {

class BodyStreamTest : public testing::Test {
 protected:
  struct Ended final : Continuation {
    Ended() : Continuation([](Continuation&) noexcept {}) {}
  };
  static Task<> read_all(BodyStream& stream, std::vector<std::string>& pieces, bool& failed) {
    while (true) {
      const auto piece = co_await BodyStream::ReadAwaiter(stream);
      if (!piece) failed = true;
      if (!piece || piece->empty()) co_return;
      pieces.emplace_back(*piece);
    }
  }
  void start() {
    task = read_all(stream, pieces, failed);
    done = task.start(ended);
  }

  BodyStream stream;
  std::vector<std::string> pieces;
  bool failed = false;
  Ended ended;
  Task<> task;
  bool done = false;
};

TEST_F(BodyStreamTest, GivesAWholeTextAtOnce) {
  stream.open_whole("all of it", -1, 9);
  start();
  EXPECT_TRUE(done);
  EXPECT_EQ(pieces, std::vector<std::string>{"all of it"});
}

TEST_F(BodyStreamTest, GivesNothingOfAnEmptyBody) {
  stream.open_whole("", -1, 0);
  start();
  EXPECT_TRUE(done);
  EXPECT_TRUE(pieces.empty());
}

TEST_F(BodyStreamTest, GivesAFileInPieces) {
  const auto file = *sys::open_temporary("/tmp");
  const std::string content(BodyStream::kPieceMax + 10, 'x');
  ASSERT_EQ(*sys::write(file.get(), as_bytes(content)), content.size());
  stream.open_whole("", file.get(), content.size());
  start();
  EXPECT_TRUE(done);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].size(), BodyStream::kPieceMax);
  EXPECT_EQ(pieces[0] + pieces[1], content);
}

TEST_F(BodyStreamTest, SaysThatAFileCannotBeRead) {
  const auto file = *sys::open_temporary("/tmp");
  stream.open_whole("", file.get(), 10);  // it is empty
  start();
  EXPECT_TRUE(done);
  EXPECT_TRUE(failed);
}

TEST_F(BodyStreamTest, WaitsForWhatArrives) {
  int wanted = 0;
  stream.open_arriving([&wanted] { ++wanted; });
  EXPECT_TRUE(stream.is_arriving());
  stream.put("before ");
  stream.put("anybody reads");
  start();
  EXPECT_FALSE(done);
  EXPECT_TRUE(stream.is_wanted());
  EXPECT_EQ(wanted, 1);
  stream.put("later");
  stream.wake();
  EXPECT_EQ(wanted, 2);
  stream.wake();  // there is nothing to tell
  EXPECT_TRUE(stream.is_wanted());
  stream.put("the end");
  stream.end();
  stream.wake();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(pieces, (std::vector<std::string>{"before anybody reads", "later", "the end"}));
}

TEST_F(BodyStreamTest, HasRoomUpToItsBound) {
  stream.open_arriving(nullptr);
  stream.put(std::string(BodyStream::kPendingMax - 1, 'x'));
  EXPECT_TRUE(stream.has_room());
  stream.put("x");
  EXPECT_FALSE(stream.has_room());
}

TEST_F(BodyStreamTest, ForgetsAReaderThatIsCancelled) {
  stream.open_arriving(nullptr);
  start();
  EXPECT_TRUE(stream.is_wanted());
  task.reset();
  EXPECT_FALSE(stream.is_wanted());
  stream.put("nobody hears this");
  stream.wake();
  stream.clear();
  EXPECT_TRUE(stream.has_room());
}

}  // namespace
}  // namespace ssx::http
