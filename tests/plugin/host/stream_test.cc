// Bodies that a plugin writes while they are being sent.
#include <gmock/gmock.h>

#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::plugins {
namespace {

using test::FakePlugin;
using test::RawClient;
using test::text;
using testing::Contains;

class PluginStream : public test::PluginTest {
 protected:
  struct Stream {
    std::function<std::int32_t(Stream&)> begin;
    ssxrver_writer* writer = nullptr;
    ssxrver_wait* wait = nullptr;
    std::string piece;  ///< stays until it is queued
    int left = 0;

    std::int32_t write(std::string_view bytes, void (*done)(void*, std::int32_t) = nullptr) {
      return FakePlugin::current()->http().write(writer, text(bytes), {done, this}, &wait);
    }
    void finish(std::int32_t status) const {
      FakePlugin::current()->http().stream_end(writer, status);
    }
  };

  void stream(std::function<std::int32_t(Stream&)> begin,
              std::uint64_t length = SSXRVER_LENGTH_UNKNOWN) {
    plugin.on_create = [this, begin = std::move(begin), length](ssxrver_error*) {
      return plugin.route("", "", [this, begin, length](const auto*, auto* exchange, auto*) {
        auto made = std::make_unique<Stream>();
        made->begin = begin;
        ssxrver_response response{};
        response.size = sizeof(response);
        response.status = 200;
        response.body_kind = SSXRVER_BODY_STREAM;
        response.stream_length = length;
        response.owner = made.release();
        response.release = [](void* owner) {
          delete static_cast<Stream*>(owner);
          ++FakePlugin::current()->released;
        };
        response.begin = [](void* owner, ssxrver_writer* writer, ssxrver_operation* started) {
          auto& it = *static_cast<Stream*>(owner);
          it.writer = writer;
          *started = {&PluginStream::cancel, owner};
          ++FakePlugin::current()->begun;
          return it.begin(it);
        };
        plugin.http().answer(exchange, &response);
        return SSXRVER_OK;
      });
    };
    serve();
  }
  static void cancel(void* state) {
    auto& it = *static_cast<Stream*>(state);
    if (it.wait != nullptr) FakePlugin::current()->loops().cancel(it.wait);
    ++FakePlugin::current()->cancelled;
  }
  /// Many pieces, one behind the other.
  static std::int32_t go_on(Stream& it) {
    while (it.left > 0) {
      --it.left;
      const std::int32_t status = it.write(it.piece, [](void* context, std::int32_t ended) {
        auto& waited = *static_cast<Stream*>(context);
        waited.wait = nullptr;
        if (ended != SSXRVER_OK) return waited.finish(ended);
        if (go_on(waited) != SSXRVER_PENDING) waited.finish(SSXRVER_OK);
      });
      if (status != SSXRVER_OK) return status;
    }
    return SSXRVER_OK;
  }
};

TEST_F(PluginStream, IsWrittenAtOnce) {
  stream([](Stream& it) {
    EXPECT_EQ(it.write("one "), SSXRVER_OK);
    EXPECT_EQ(it.write("two"), SSXRVER_OK);
    EXPECT_EQ(FakePlugin::current()->http().trailer(it.writer, text("X-Sum"), text("7")),
              SSXRVER_OK);
    EXPECT_EQ(FakePlugin::current()->http().trailer(it.writer, text("X Sum"), text("7")),
              SSXRVER_INVALID);
    return SSXRVER_OK;
  });
  const auto answer = ask("/fake");
  EXPECT_EQ(answer.body, "one two");
  ASSERT_EQ(answer.trailers.size(), 1U);
  EXPECT_EQ(answer.trailers[0].second, "7");
  EXPECT_TRUE(wait_until([this] { return plugin.released == 1; }));
  EXPECT_EQ(plugin.cancelled, 0);
}

TEST_F(PluginStream, HasItsLength) {
  stream(
      [](Stream& it) {
        EXPECT_EQ(it.write("12345"), SSXRVER_OK);
        EXPECT_EQ(it.write("6"), SSXRVER_LIMIT) << "beyond what was promised";
        EXPECT_EQ(FakePlugin::current()->http().trailer(it.writer, text("X"), text("7")),
                  SSXRVER_UNSUPPORTED);
        return SSXRVER_OK;
      },
      5);
  const auto answer = ask("/fake");
  EXPECT_EQ(answer.body, "12345");
  EXPECT_EQ(answer.field("Content-Length"), "5");
}

TEST_F(PluginStream, WaitsForTheReader) {
  stream([](Stream& it) {
    it.piece.assign(100'000, 's');
    it.left = 200;
    return go_on(it);
  });
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return instance->leases().count(LeaseKind::kWaits) == 1; }));
  EXPECT_EQ(client.read_response().body.size(), 20'000'000U);
  EXPECT_TRUE(wait_until([this] { return plugin.released == 1 && held() == 0; }));
  EXPECT_EQ(plugin.cancelled, 0);
}

TEST_F(PluginStream, IsCancelledOnceWhenTheReaderGoes) {
  stream([](Stream& it) {
    it.piece.assign(100'000, 's');
    it.left = 1000;
    return go_on(it);
  });
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return instance->leases().count(LeaseKind::kWaits) == 1; }));
  client.reset();
  EXPECT_TRUE(wait_until([this] { return plugin.released == 1 && held() == 0; }));
  EXPECT_LE(plugin.cancelled, 1) << "or a write has told it before";
}

TEST_F(PluginStream, IsCancelledOnceWhenTheServerEnds) {
  stream([](Stream&) { return SSXRVER_PENDING; });
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  end();
  EXPECT_EQ(plugin.cancelled, 1);
}

TEST_F(PluginStream, ThatFailsIsCut) {
  ssx::test::CapturedLog log;
  stream([](Stream& it) {
    EXPECT_EQ(it.write("half of it"), SSXRVER_OK);
    return SSXRVER_ERROR;
  });
  RawClient client = connect();
  client.send(request("GET", "/fake"));
  EXPECT_EQ(client.read_response().status, 0) << "no whole answer";
  EXPECT_TRUE(wait_until([this] { return plugin.released == 1; }));
  EXPECT_THAT(log.lines(), Contains("plugin fake: /fake: its body ended with an error"));
  EXPECT_EQ(count(&Counters::failures), 1U);
}

TEST_F(PluginStream, IsReleasedWhereNobodyWantsABody) {
  stream([](Stream&) {
    ADD_FAILURE();
    return SSXRVER_OK;
  });
  RawClient client = connect();
  client.send(request("HEAD", "/fake"));
  EXPECT_THAT(client.read_until("\r\n\r\n"), testing::StartsWith("HTTP/1.1 200 "));
  EXPECT_TRUE(wait_until([this] { return plugin.released == 1; }));
}

TEST_F(PluginStream, ThatEndsInsideOfItsBeginHasEnded) {
  stream([](Stream& it) {
    EXPECT_EQ(it.write("all"), SSXRVER_OK);
    it.finish(SSXRVER_OK);
    it.finish(SSXRVER_OK);
    return SSXRVER_PENDING;
  });
  EXPECT_EQ(ask("/fake").body, "all");
  EXPECT_TRUE(wait_until([this] { return plugin.released == 1; }));
  EXPECT_EQ(plugin.cancelled, 0);
}

TEST_F(PluginStream, IsWrittenOnItsLoopAlone) {
  ssx::test::CapturedLog log;
  stream([](Stream& it) {
    std::thread other([&it] {
      EXPECT_EQ(it.write("x"), SSXRVER_WRONG_THREAD);
      EXPECT_EQ(FakePlugin::current()->http().trailer(it.writer, {}, {}), SSXRVER_WRONG_THREAD);
      it.finish(SSXRVER_OK);
    });
    other.join();
    EXPECT_EQ(it.write("y"), SSXRVER_OK);
    return SSXRVER_OK;
  });
  EXPECT_EQ(ask("/fake").body, "y");
  EXPECT_THAT(log.lines(), Contains("plugin fake: /fake: its body ended on another thread"));
}

}  // namespace
}  // namespace ssx::plugins
