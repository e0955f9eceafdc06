// A handler that never comes back ends the whole process, so that its supervisor starts it again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "ssxrver/log/logger.h"
#include "ssxrver/net/awaitables.h"
#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using http::Request;
using http::Response;
using testing::AllOf;
using testing::ContainsRegex;

/// Until a signal comes.
[[noreturn]] void hang() {
  for (;;) ::pause();
}

class StallKill : public test::AppTest {
 protected:
  StallKill() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  void offer_hanging_routes(std::chrono::milliseconds kill) {
    ::alarm(60);  // were it not ended, this would end it in another way
    app->options().server.loop.stall_kill = kill;
    app->listen(0)
        .get("/hang/{for}", [](const Request&) -> Response { hang(); })
        .get("/turns", [](const Request&) { return "quick"; })
        .route({http::Method::kGet}, "/hang-later", [](const Request&) -> Task<Response> {
          co_await net::sleep_for(1ms);
          hang();
        });
  }
  void send(std::string_view target) {
    const std::uint16_t port = start();
    EXPECT_EQ(ask(port, "/turns").status, 200);
    test::RawClient client = test::RawClient::tcp(port);
    client.send(get(target));
    hang();
  }
};

using StallKillDeathTest = StallKill;

TEST_F(StallKillDeathTest, EndsAProcessWithAHandlerThatHangs) {
  EXPECT_EXIT(
      {
        offer_hanging_routes(200ms);
        send("/hang/ever");
      },
      testing::KilledBySignal(SIGABRT), "FATAL.*worker-[01] hangs in GET /hang/\\{for\\}: ");
}

TEST_F(StallKillDeathTest, NamesTheRouteOfACoroutineToo) {
  EXPECT_EXIT(
      {
        offer_hanging_routes(200ms);
        send("/hang-later");
      },
      testing::KilledBySignal(SIGABRT), "FATAL.*worker-[01] hangs in GET /hang-later: ");
}

TEST_F(StallKillDeathTest, WatchesTheMainLoopToo) {
  EXPECT_EXIT(
      {
        offer_hanging_routes(200ms);
        start();
        app->loop().post([] { hang(); });
        hang();
      },
      testing::KilledBySignal(SIGABRT), "FATAL.*the main loop hangs in ");
}

TEST_F(StallKillDeathTest, IsOffUnlessAskedFor) {
  EXPECT_EXIT(
      {
        app->listen(0).get("/slow", [](const Request&) {
          ::poll(nullptr, 0, 700);
          return "late";
        });
        std::_Exit(ask(start(), "/slow").status == 200 ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(StallKillDeathTest, EndsAServerThatCannotStopBecauseOfIt) {
  EXPECT_EXIT(
      {
        offer_hanging_routes(300ms);
        static std::atomic<bool> hangs{false};
        app->get("/begin", [](const Request&) -> Response {
          hangs = true;
          hangs.notify_one();
          hang();
        });
        test::RawClient client = test::RawClient::tcp(start());
        client.send(get("/begin"));
        hangs.wait(false);
        end();
        std::_Exit(0);
      },
      testing::KilledBySignal(SIGABRT), "");
}

// With a log of its own: the line is in the file, and so is what the thread was that crashed.
TEST_F(StallKillDeathTest, LeavesItsLastLineInTheLog) {
  constexpr const char* kUnique = "SSX_STALL_KILL_TEST";
  ::setenv(kUnique, std::to_string(::getpid()).c_str(), 0);  // the child finds it set
  const auto folder =
      std::filesystem::temp_directory_path() / (std::string("ssx-stall-kill-") + ::getenv(kUnique));
  EXPECT_EXIT(
      {
        log::LogOptions options;
        options.async = true;
        options.path = folder.string();
        options.pattern = "%v";
        options.flush = 3600s;
        const auto logger = log::Logger::install(options);
        offer_hanging_routes(200ms);
        send("/hang/ever");
      },
      testing::KilledBySignal(SIGABRT), "");
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  std::filesystem::remove_all(folder);
  const auto at = all.find("SIGABRT for its thread ");
  ASSERT_NE(at, std::string::npos) << all;
  const int thread =
      std::atoi(all.c_str() + at + std::string_view("SIGABRT for its thread ").size());
  EXPECT_THAT(all, AllOf(ContainsRegex("worker-[01] hangs in GET /hang/"),
                         testing::HasSubstr("SIGABRT in thread " + std::to_string(thread) + ",")));
}

TEST_F(StallKill, IsRefusedWhereItComesBeforeItsWarning) {
  for (const auto kill : {99ms, 100ms, 101ms}) {
    App made;
    made.listen(0).options().server.loop = {.stall_warn = 100ms, .stall_kill = kill};
    const auto bound = made.bind();
    EXPECT_EQ(bound.has_value(), kill > 100ms);
    if (!bound) {
      EXPECT_THAT(bound.error().text(), testing::HasSubstr("loop.stall_kill"));
    }
  }
}

}  // namespace
}  // namespace ssx
