#include "http/worker_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http/service.h"
#include "tests/net/loop_fixture.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

class WorkerStateTest : public net::LoopTest {
 protected:
  std::string date() {
    OutQueue out;
    Response response(Status::kOk);
    state.update_time(*loop);
    state.writer.write(out, response, {});
    std::array<ByteView, 1> parts;
    EXPECT_EQ(out.gather(parts), 1u);
    const std::string said(as_text(parts[0]));
    return said.substr(said.find("Date: ") + 6, 29);
  }

  Service service{Router(), {}, 2};
  WorkerState& state = service.worker(1);
};

TEST_F(WorkerStateTest, KnowsItsNumber) {
  EXPECT_EQ(state.index, 1u);
  EXPECT_EQ(&state.service, &service);
}

TEST_F(WorkerStateTest, HasRoomForTheLongestPath) {
  EXPECT_EQ(state.path_scratch.size(), service.options().parser.target_max);
}

TEST_F(WorkerStateTest, TellsTheTimeOncePerSecond) {
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:37 GMT");
  clock.set_wall(WallTime(std::chrono::seconds(784111777) + 400ms));
  advance(500ms);
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:37 GMT");
  advance(499ms);
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:37 GMT");
  advance(1ms);
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:38 GMT");
  advance(600ms);  // the next second begins with the civil one
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:39 GMT");
}

TEST_F(WorkerStateTest, FollowsAClockThatIsSetBack) {
  EXPECT_EQ(date(), "Sun, 06 Nov 1994 08:49:37 GMT");
  clock.set_wall(WallTime(std::chrono::seconds(0)));
  advance(1s);
  EXPECT_EQ(date(), "Thu, 01 Jan 1970 00:00:01 GMT");
}

TEST_F(WorkerStateTest, LendsTheExchangeThatWasReadInto) {
  Exchange* const read_into = &state.exchange();
  const auto lent = state.take_exchange();
  EXPECT_EQ(lent.get(), read_into);
  EXPECT_NE(&state.exchange(), read_into);
}

TEST_F(WorkerStateTest, UsesExchangesAgain) {
  auto first = state.take_exchange();
  const Exchange* const address = first.get();
  first->set_path("of an earlier request");
  state.give_back(std::move(first));
  auto second = state.take_exchange();
  EXPECT_EQ(&state.exchange(), address);
  EXPECT_EQ(state.exchange().path(), "");
  EXPECT_NE(second.get(), address);
}

TEST_F(WorkerStateTest, KeepsAFewSpareExchangesAndNotAll) {
  std::vector<std::unique_ptr<Exchange>> lent;
  for (std::size_t i = 0; i < WorkerState::kSpareMax + 1; ++i)
    lent.push_back(state.take_exchange());
  std::vector<const Exchange*> addresses;
  for (auto& exchange : lent) {
    addresses.push_back(exchange.get());
    state.give_back(std::move(exchange));
  }
  lent[WorkerState::kSpareMax] = state.take_exchange();  // was read into
  for (std::size_t i = WorkerState::kSpareMax; i-- > 0;) {
    lent[i] = state.take_exchange();
    EXPECT_EQ(lent[i].get(), addresses[i]);
  }
}

}  // namespace
}  // namespace ssx::http
