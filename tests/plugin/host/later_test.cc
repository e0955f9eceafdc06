// Handlers that answer later, and all the ways in which nobody waits for them any more.
#include <gmock/gmock.h>

#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::plugins {
namespace {

using test::FakePlugin;
using test::RawClient;
using test::str;
using test::text;
using testing::Contains;

/// What a coroutine of a plugin would be: something on the heap that answers or is cancelled.
struct Work {
  ssxrver_exchange* exchange = nullptr;
  const ssxrver_request* request = nullptr;
  ssxrver_wait* wait = nullptr;
  ssxrver_text piece{};
  std::string body;

  ~Work() {
    if (wait != nullptr) FakePlugin::current()->loops().cancel(wait);
  }
  static void cancel(void* state) {
    delete static_cast<Work*>(state);
    ++FakePlugin::current()->cancelled;
  }
  static void answer(void* state, std::int32_t status) {
    const std::unique_ptr<Work> work(static_cast<Work*>(state));
    work->wait = nullptr;
    FakePlugin::current()->answer(work->exchange, "later " + std::to_string(status));
  }
};

class PluginLater : public test::PluginTest {
 protected:
  using Begin = std::function<std::int32_t(Work&)>;

  /// "/fake" begins something that answers, or is cancelled.
  void handle(Begin begin, std::uint32_t flags = 0, std::int64_t timeout_ns = 0) {
    plugin.on_create = [this, begin = std::move(begin), flags, timeout_ns](ssxrver_error*) {
      ssxrver_route_settings settings{};
      settings.size = sizeof(settings);
      settings.handler_timeout_ns = timeout_ns;
      const auto start = [this, begin](const auto* request, auto* exchange, auto* started) {
        auto work = std::make_unique<Work>();
        work->exchange = exchange;
        work->request = request;
        const std::int32_t status = begin(*work);
        if (status == SSXRVER_PENDING) *started = {&Work::cancel, work.release()};
        ++plugin.begun;
        return status;
      };
      return plugin.route("", "", start, flags | SSXRVER_HANDLER_LATER, &settings);
    };
    serve();
  }
  std::int32_t nap(Work& work, std::int64_t time_ns) {
    return plugin.nap(time_ns, {&Work::answer, &work}, &work.wait);
  }
  static constexpr std::int64_t kHour = 3'600'000'000'000;
};

TEST_F(PluginLater, AnswersFromATimer) {
  handle([this](Work& work) { return nap(work, 1'000'000); });
  EXPECT_EQ(ask("/fake").body, "later 0");
  EXPECT_TRUE(wait_until([this] { return held() == 0; }));
  EXPECT_EQ(plugin.cancelled, 0);
  EXPECT_EQ(instance->counters().pending(), 0);
}

TEST_F(PluginLater, AnswersAtOnceIfItLikes) {
  handle([this](Work& work) {
    plugin.answer(work.exchange, "at once");
    return SSXRVER_OK;
  });
  EXPECT_EQ(ask("/fake").body, "at once");
}

TEST_F(PluginLater, AnswersManyOnOneConnection) {
  handle([this](Work& work) { return nap(work, 0); });
  RawClient client = connect();
  for (int i = 0; i < 20; ++i) client.send(request("GET", "/fake"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.read_response().body, "later 0");
}

TEST_F(PluginLater, IsCancelledOnceWhenTheClientGoes) {
  handle([this](Work& work) { return nap(work, kHour); });
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  EXPECT_EQ(instance->leases().to_string(), "1 route, 1 request, 1 wait");
  EXPECT_EQ(instance->counters().pending(), 1);
  client.reset();
  EXPECT_TRUE(wait_until([this] { return plugin.cancelled == 1; }));
  EXPECT_TRUE(wait_until([this] { return held() == 0; }));
  EXPECT_EQ(count(&Counters::cancelled), 1U);
}

TEST_F(PluginLater, IsCancelledOnceWhenItsTimeIsUp) {
  handle([this](Work& work) { return nap(work, kHour); }, 0, 20'000'000);
  EXPECT_EQ(ask("/fake").status, 503);
  EXPECT_TRUE(wait_until([this] { return plugin.cancelled == 1 && held() == 0; }));
}

TEST_F(PluginLater, IsCancelledOnceWhenTheServerEnds) {
  handle([this](Work& work) { return nap(work, kHour); });
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  end();
  EXPECT_EQ(plugin.cancelled, 1);
  EXPECT_EQ(plugin.released, 1);
}

TEST_F(PluginLater, ThatNeverAnswersAndHasNoCancelHarmsNobody) {
  plugin.on_create = [this](ssxrver_error*) {
    const auto forget = [](const auto*, auto*, auto*) { return std::int32_t{SSXRVER_PENDING}; };
    return plugin.route("", "", forget, SSXRVER_HANDLER_LATER);
  };
  serve();
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return held() == 1; }));
  client.reset();
  EXPECT_TRUE(wait_until([this] { return held() == 0; }));
}

TEST_F(PluginLater, WithoutAnAnswerIsA500) {
  ssx::test::CapturedLog log;
  handle([](Work&) { return SSXRVER_OK; });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains("plugin fake: /fake: it gave no answer"));
}

TEST_F(PluginLater, ThatFailsIsA500) {
  handle([](Work&) { return SSXRVER_LIMIT; });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_EQ(count(&Counters::failures), 1U);
}

TEST_F(PluginLater, FailsLater) {
  ssx::test::CapturedLog log;
  handle([this](Work& work) {
    const auto fail = [](void* state, std::int32_t) {
      const std::unique_ptr<Work> mine(static_cast<Work*>(state));
      mine->wait = nullptr;
      FakePlugin::current()->http().fail(mine->exchange, text("out of luck"));
    };
    return plugin.nap(0, {fail, &work}, &work.wait);
  });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains("plugin fake: /fake: out of luck"));
}

TEST_F(PluginLater, ThatAnswersTwiceHasAnsweredOnce) {
  handle([this](Work& work) {
    const auto twice = [](void* state, std::int32_t) {
      const std::unique_ptr<Work> mine(static_cast<Work*>(state));
      mine->wait = nullptr;
      FakePlugin::current()->answer(mine->exchange, "first");
      FakePlugin::current()->answer(mine->exchange, "second");
    };
    return plugin.nap(0, {twice, &work}, &work.wait);
  });
  EXPECT_EQ(ask("/fake").body, "first");
  EXPECT_EQ(count(&Counters::misuses), 1U);
}

TEST_F(PluginLater, AnswersOnItsOwnThreadAlone) {
  ssx::test::CapturedLog log;
  handle([this](Work& work) {
    std::thread other([this, &work] { plugin.answer(work.exchange, "from elsewhere"); });
    other.join();
    return nap(work, 0);
  });
  EXPECT_EQ(ask("/fake").body, "later 0");
  EXPECT_THAT(log.lines(), Contains("plugin fake: /fake: it answered on another thread"));
}

TEST_F(PluginLater, SeesTheRequestUntilItHasAnswered) {
  handle([this](Work& work) {
    const auto show = [](void* state, std::int32_t) {
      const std::unique_ptr<Work> mine(static_cast<Work*>(state));
      mine->wait = nullptr;
      const ssxrver_http& http = FakePlugin::current()->http();
      FakePlugin::current()->answer(mine->exchange, "was it?");
      EXPECT_EQ(str(http.target(mine->request)), "/fake?still=there");
    };
    return plugin.nap(0, {show, &work}, &work.wait);
  });
  EXPECT_EQ(ask("/fake?still=there").body, "was it?");
}

// ---- bodies that come in pieces

class PluginPieces : public PluginLater {
 protected:
  /// Reads all of the body, then says what it was.
  static std::int32_t read(Work& work) {
    const ssxrver_http& http = FakePlugin::current()->http();
    while (true) {
      const std::int32_t status =
          http.read(work.request, &work.piece, {&PluginPieces::go_on, &work}, &work.wait);
      if (status == SSXRVER_PENDING) return status;
      if (status != SSXRVER_OK) return finish(work, status);
      work.body += str(work.piece);
    }
  }
  static std::int32_t finish(Work& work, std::int32_t status) {
    FakePlugin::current()->answer(work.exchange, work.body + "|" + std::to_string(status));
    return SSXRVER_OK;
  }
  static void go_on(void* state, std::int32_t status) {
    std::unique_ptr<Work> work(static_cast<Work*>(state));
    work->wait = nullptr;
    if (status == SSXRVER_OK) {
      work->body += str(work->piece);
      status = read(*work);
      if (status == SSXRVER_PENDING) (void)work.release();
      return;
    }
    (void)finish(*work, status);
  }
};

TEST_F(PluginPieces, ComeAsTheyAreSent) {
  handle(&PluginPieces::read, SSXRVER_HANDLER_PIECES);
  RawClient client = connect();
  client.send(request("POST", "/fake", "Content-Length: 6\r\n", "ab"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  client.send("cd");
  client.send("ef");
  EXPECT_EQ(client.read_response().body, "abcdef|2");
  client.send(request("POST", "/fake", "Content-Length: 0\r\n"));
  EXPECT_EQ(client.read_response().body, "|2");
}

TEST_F(PluginPieces, AreReadOfABodyThatIsThereToo) {
  handle(&PluginPieces::read);
  RawClient client = connect();
  client.send(request("POST", "/fake", "Content-Length: 4\r\n", "abcd"));
  EXPECT_EQ(client.read_response().body, "abcd|2");
}

TEST_F(PluginPieces, AreCancelledWithTheirRequest) {
  handle(&PluginPieces::read, SSXRVER_HANDLER_PIECES);
  RawClient client = connect();
  client.send(request("POST", "/fake", "Content-Length: 6\r\n", "ab"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  client.reset();
  EXPECT_TRUE(wait_until([this] { return plugin.cancelled == 1 && held() == 0; }));
}

TEST_F(PluginPieces, ThatAreNotTakenBackAreDropped) {
  plugin.on_create = [this](ssxrver_error*) {
    const auto begin = [this](const auto* request, auto*, auto*) {
      static ssxrver_text piece{};
      const ssxrver_waiter waiter{[](void*, std::int32_t) { ADD_FAILURE(); }, nullptr};
      EXPECT_EQ(plugin.http().read(request, &piece, waiter, nullptr), SSXRVER_PENDING);
      EXPECT_EQ(plugin.http().read(request, &piece, waiter, nullptr), SSXRVER_INVALID)
          << "one at a time";
      ++plugin.begun;
      return SSXRVER_PENDING;
    };
    return plugin.route("", "", begin, SSXRVER_HANDLER_LATER | SSXRVER_HANDLER_PIECES);
  };
  serve();
  RawClient client = connect();
  client.send(request("POST", "/fake", "Content-Length: 6\r\n"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  client.reset();
  EXPECT_TRUE(wait_until([this] { return held() == 0; }));
}

TEST_F(PluginPieces, AreNoWholeBody) {
  handle(
      [this](Work& work) {
        ssxrver_text whole{};
        EXPECT_EQ(plugin.http().body(work.request, &whole), SSXRVER_UNSUPPORTED);
        return finish(work, 0);
      },
      SSXRVER_HANDLER_PIECES);
  RawClient client = connect();
  client.send(request("POST", "/fake", "Content-Length: 6\r\n"));
  EXPECT_EQ(client.read_response().body, "|0");
}

TEST_F(PluginPieces, ComeFromAFileWhenTheBodyIsLong) {
  app->options().http.body_spool_threshold = 16;
  handle([this](Work& work) {
    ssxrver_text whole{};
    EXPECT_EQ(plugin.http().body(work.request, &whole), SSXRVER_LIMIT);
    return read(work);
  });
  RawClient client = connect();
  client.send(request("POST", "/fake", "Content-Length: 40\r\n", std::string(40, 'f')));
  EXPECT_EQ(client.read_response().body, std::string(40, 'f') + "|2");
}

}  // namespace
}  // namespace ssx::plugins
