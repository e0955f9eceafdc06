// The interface "ssxrver.websocket".
#include <gmock/gmock.h>

#include <array>

#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/websocket/frames.h"

namespace ssx::plugins {
namespace {

using test::FakePlugin;
using test::RawClient;
using test::str;
using test::text;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using websocket::test::binary;
using websocket::test::closing;
using websocket::test::fragments;
using websocket::test::show;

std::string frame_of(std::string_view payload) { return websocket::test::text(payload); }

/// The data of a socket.
struct Mine {
  ssxrver_wait* wait = nullptr;
  ssxrver_socket* socket = nullptr;
};

class PluginWebSocket : public test::PluginTest {
 protected:
  using OnMessage = std::function<std::int32_t(ssxrver_socket*, Mine&, const ssxrver_message&,
                                               ssxrver_operation*)>;

  static PluginWebSocket& test_of(void* state) { return *static_cast<PluginWebSocket*>(state); }
  static Mine& mine(void* data) { return *static_cast<Mine*>(data); }

  PluginWebSocket() {
    handler.size = sizeof(handler);
    handler.state = this;
    handler.upgrade = [](void* state, const ssxrver_request* request, ssxrver_exchange* exchange,
                         ssxrver_upgrade* upgrade) {
      return test_of(state).on_upgrade(request, exchange, upgrade);
    };
    handler.open = [](void* state, ssxrver_socket* socket, void* data) {
      mine(data).socket = socket;
      test_of(state).plugin.note("open");
      if (test_of(state).on_open) test_of(state).on_open(socket);
    };
    handler.message = [](void* state, ssxrver_socket* socket, void* data,
                         const ssxrver_message* message, ssxrver_operation* started) {
      return test_of(state).on_message(socket, mine(data), *message, started);
    };
    handler.ping = [](void* state, ssxrver_socket*, void*, ssxrver_text payload) {
      test_of(state).plugin.note("ping " + str(payload));
    };
    handler.pong = [](void* state, ssxrver_socket*, void*, ssxrver_text payload) {
      test_of(state).plugin.note("pong " + str(payload));
    };
    handler.error = [](void* state, ssxrver_socket*, void*, ssxrver_text sentence) {
      test_of(state).plugin.note("error " + str(sentence));
    };
    handler.backpressure = [](void* state, ssxrver_socket*, void*) {
      test_of(state).plugin.note("backpressure");
    };
    handler.drain = [](void* state, ssxrver_socket*, void*) {
      test_of(state).plugin.note("drain");
    };
    handler.close = [](void* state, ssxrver_socket*, void*, std::uint16_t code,
                       ssxrver_text reason) {
      test_of(state).plugin.note("close " + std::to_string(code) + " " + str(reason));
    };
    handler.release_data = [](void* state, void* data) {
      const std::unique_ptr<Mine> gone(&mine(data));
      if (gone->wait != nullptr) test_of(state).plugin.loops().cancel(gone->wait);
      ++test_of(state).freed;
    };
    handler.release = [](void* state) { ++test_of(state).plugin.released; };
    on_upgrade = [this](auto, auto, ssxrver_upgrade* upgrade) { return accept(upgrade); };
    on_message = [this](ssxrver_socket* socket, Mine&, const ssxrver_message& message, auto) {
      websocket().send(socket, message.opcode, message.payload);
      return SSXRVER_OK;
    };
    plugin.on_create = [this](ssxrver_error* error) {
      return websocket().route(plugin.context(), text("/live"), &handler, {}, error);
    };
  }
  ~PluginWebSocket() override { end(); }

  std::int32_t accept(ssxrver_upgrade* upgrade) {
    websocket().accept(upgrade, std::make_unique<Mine>().release());
    return SSXRVER_OK;
  }
  [[nodiscard]] const ssxrver_websocket& websocket() const { return plugin.websocket(); }

  RawClient open(std::string_view lines = "") {
    RawClient client = connect();
    client.send(request("GET", "/fake/live", handshake(lines)));
    answer = client.read_response();
    return client;
  }
  static std::string handshake(std::string_view lines) {
    return "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           std::string(lines);
  }
  static void cancel(void* state) { ++static_cast<PluginWebSocket*>(state)->plugin.cancelled; }
  [[nodiscard]] bool has_note(const std::string& wanted) {
    return wait_until([this, &wanted] {
      const auto all = plugin.notes();
      return std::find(all.begin(), all.end(), wanted) != all.end();
    });
  }

  ssxrver_socket_handler handler{};
  std::function<std::int32_t(const ssxrver_request*, ssxrver_exchange*, ssxrver_upgrade*)>
      on_upgrade;
  std::function<void(ssxrver_socket*)> on_open;
  OnMessage on_message;
  std::atomic<int> freed = 0;
  test::RawResponse answer;
};

TEST_F(PluginWebSocket, LivesItsLife) {
  serve();
  RawClient client = open();
  EXPECT_EQ(answer.status, 101);
  client.send(frame_of("hello"));
  EXPECT_EQ(show(client.read(7)), "text hello|");
  client.send(binary("\x01\x02"));
  EXPECT_EQ(client.read(4), "\x82\x02\x01\x02");
  client.send(websocket::test::ping("p"));
  EXPECT_EQ(show(client.read(3)), "pong p|");
  client.send(closing(1000, "bye"));
  EXPECT_EQ(show(client.read_to_end()), "close 1000 |");
  EXPECT_TRUE(wait_until([this] { return freed == 1 && held() == 0; }));
  auto notes = plugin.notes();
  std::erase_if(notes, [](const std::string& note) {
    return note == "create" || note == "start" || note.starts_with("enter");
  });
  EXPECT_THAT(notes, ElementsAre("open", "ping p", "close 1000 bye"));
  EXPECT_EQ(count(&Counters::sockets), 1U);
  EXPECT_EQ(count(&Counters::messages), 2U);
  end();
  EXPECT_EQ(plugin.released, 1);
}

TEST_F(PluginWebSocket, SaysFieldsOfIts101) {
  on_upgrade = [this](const ssxrver_request* request, auto, ssxrver_upgrade* upgrade) {
    EXPECT_EQ(str(plugin.http().path(request)), "/fake/live");
    websocket().set_field(upgrade, text("X-Room"), text("7"));
    return accept(upgrade);
  };
  serve();
  const RawClient client = open();
  EXPECT_EQ(answer.field("X-Room"), "7");
}

TEST_F(PluginWebSocket, RefusesWithAnAnswer) {
  on_upgrade = [this](auto, ssxrver_exchange* exchange, auto) {
    ssxrver_response response{};
    response.size = sizeof(response);
    response.status = 403;
    plugin.http().answer(exchange, &response);
    return SSXRVER_END;
  };
  serve();
  const RawClient client = open();
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(freed, 0);
}

TEST_F(PluginWebSocket, ThatGoesWrongAtTheHandshakeIsA500) {
  const std::vector<std::function<std::int32_t(ssxrver_exchange*, ssxrver_upgrade*)>> wrong = {
      [](auto, auto) { return SSXRVER_OK; },
      [](auto, auto) { return SSXRVER_END; },
      [](auto, auto) { return SSXRVER_ERROR; },
      [](auto, auto) -> std::int32_t { throw 1; },
      [this](auto exchange, auto) {
        plugin.http().fail(exchange, text("no"));
        return SSXRVER_ERROR;
      },
      [this](auto, auto upgrade) {
        accept(upgrade);
        return SSXRVER_ERROR;
      },
      [this](auto exchange, auto upgrade) {
        plugin.answer(exchange, "both");
        return accept(upgrade);
      },
  };
  std::atomic<std::size_t> next = 0;
  on_upgrade = [&wrong, &next](auto, auto exchange, auto upgrade) {
    return wrong[next](exchange, upgrade);
  };
  serve();
  for (; next < wrong.size(); ++next) {
    const RawClient client = open();
    EXPECT_EQ(answer.status, 500) << next;
  }
  EXPECT_EQ(freed, 2) << "what was accepted is released";
  EXPECT_EQ(held(), 0U);
}

TEST_F(PluginWebSocket, ReleasesTheDataOfASocketThatIsCutOff) {
  serve();
  RawClient client = open();
  ASSERT_TRUE(has_note("open"));
  EXPECT_EQ(instance->leases().to_string(), "1 route, 1 socket");
  client.reset();
  EXPECT_TRUE(wait_until([this] { return freed == 1 && held() == 0; }));
  EXPECT_THAT(plugin.notes(), Contains("close 1006 "));
}

TEST_F(PluginWebSocket, GoesAwayWithTheServer) {
  serve();
  RawClient client = open();
  ASSERT_TRUE(has_note("open"));
  end();
  EXPECT_EQ(freed, 1);
}

TEST_F(PluginWebSocket, KnowsItsSocket) {
  on_message = [this](ssxrver_socket* socket, auto&, auto&, auto) {
    std::array<char, 64> room{};
    const std::string peer(room.data(), websocket().peer(socket, room.data(), room.size()));
    EXPECT_TRUE(peer.starts_with("127.0.0.1:")) << peer;
    EXPECT_EQ(websocket().peer(socket, nullptr, 0), 0U);
    EXPECT_EQ(websocket().is_open(socket), 1);
    EXPECT_EQ(websocket().unsent_bytes(socket), 0U);
    EXPECT_EQ(str(websocket().subprotocol(socket)), "");
    EXPECT_LT(websocket().worker(socket), 2U);
    EXPECT_EQ(websocket().ping(socket, text("are you there")), SSXRVER_SENT_OK);
    websocket().close(socket, 3001, text("enough"));
    EXPECT_EQ(websocket().is_open(socket), 0);
    EXPECT_EQ(websocket().send(socket, SSXRVER_OP_TEXT, text("x")), SSXRVER_SENT_CLOSED);
    return SSXRVER_OK;
  };
  serve();
  RawClient client = open();
  client.send(frame_of("go"));
  EXPECT_EQ(show(client.read(15 + 10)), "ping are you there|close 3001 enough|");
}

TEST_F(PluginWebSocket, ResetsASocket) {
  on_message = [this](ssxrver_socket* socket, auto&, auto&, auto) {
    websocket().reset(socket);
    return SSXRVER_OK;
  };
  serve();
  RawClient client = open();
  client.send(frame_of("go"));
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(wait_until([this] { return freed == 1; }));
}

TEST_F(PluginWebSocket, ThatFailsEndsWith1011) {
  ssx::test::CapturedLog log;
  on_message = [this](ssxrver_socket* socket, auto&, const ssxrver_message& message,
                      auto) -> std::int32_t {
    if (str(message.payload) == "throw") throw 1;
    websocket().message_end(socket, SSXRVER_ERROR, text("no such room"));
    return SSXRVER_ERROR;
  };
  serve();
  RawClient client = open();
  client.send(frame_of("x"));
  EXPECT_EQ(show(client.read(4)), "close 1011 |");
  EXPECT_THAT(log.lines(), Contains("plugin fake: /fake/live: no such room"));
  EXPECT_EQ(count(&Counters::failures), 1U) << "told twice, and once is enough";
  RawClient other = open();
  other.send(frame_of("throw"));
  EXPECT_EQ(show(other.read(4)), "close 1011 |");
}

TEST_F(PluginWebSocket, ThatIsLaterWithoutHavingSaidSoEndsWith1011) {
  on_message = [this](auto, auto&, auto&, ssxrver_operation* started) {
    *started = {&PluginWebSocket::cancel, this};
    return SSXRVER_PENDING;
  };
  serve();
  RawClient client = open();
  client.send(frame_of("x"));
  EXPECT_EQ(show(client.read(4)), "close 1011 |");
  EXPECT_EQ(plugin.cancelled, 1);
}

TEST_F(PluginWebSocket, TakesOneMessageAfterTheOtherWhenItIsLater) {
  handler.flags = SSXRVER_SOCKET_LATER;
  on_message = [this](ssxrver_socket*, Mine& data, const ssxrver_message& message,
                      ssxrver_operation* started) {
    plugin.note("begins " + str(message.payload));
    *started = {&PluginWebSocket::cancel, this};
    const ssxrver_waiter waiter{[](void* context, std::int32_t) {
                                  Mine& waited = mine(context);
                                  auto& it = *FakePlugin::current();
                                  waited.wait = nullptr;
                                  it.note("ends");
                                  it.websocket().send(waited.socket, SSXRVER_OP_TEXT, text("done"));
                                  it.websocket().message_end(waited.socket, SSXRVER_OK, {});
                                },
                                &data};
    return plugin.nap(1'000'000, waiter, &data.wait);
  };
  serve();
  RawClient client = open();
  client.send(frame_of("a") + frame_of("b"));
  EXPECT_EQ(show(client.read(12)), "text done|text done|");
  auto notes = plugin.notes();
  notes.erase(notes.begin(), std::find(notes.begin(), notes.end(), "open"));
  EXPECT_THAT(notes, ElementsAre("open", "begins a", "ends", "begins b", "ends"));
  EXPECT_EQ(plugin.cancelled, 0);
}

TEST_F(PluginWebSocket, CancelsAMessageOnceWhenTheClientGoes) {
  handler.flags = SSXRVER_SOCKET_LATER;
  on_message = [this](auto, auto&, auto&, ssxrver_operation* started) {
    *started = {&PluginWebSocket::cancel, this};
    ++plugin.begun;
    return SSXRVER_PENDING;
  };
  serve();
  RawClient client = open();
  client.send(frame_of("a"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  client.reset();
  EXPECT_TRUE(wait_until([this] { return plugin.cancelled == 1 && freed == 1; }));
}

TEST_F(PluginWebSocket, EndsAMessageInsideOfItsBeginning) {
  handler.flags = SSXRVER_SOCKET_LATER;
  on_message = [this](ssxrver_socket* socket, auto&, auto&, auto) {
    websocket().message_end(socket, SSXRVER_ERROR, {});
    return SSXRVER_PENDING;
  };
  serve();
  RawClient client = open();
  client.send(frame_of("a"));
  EXPECT_EQ(show(client.read(4)), "close 1011 |");
}

TEST_F(PluginWebSocket, TakesPieces) {
  handler.flags = SSXRVER_SOCKET_PIECES;
  on_message = [this](auto, auto&, const ssxrver_message& piece, auto) {
    plugin.note(str(piece.payload) + (piece.begins != 0 ? " begins" : "") +
                (piece.ends != 0 ? " ends" : ""));
    return SSXRVER_OK;
  };
  serve();
  RawClient client = open();
  client.send(fragments({"one", "two", "three"}));
  EXPECT_TRUE(has_note("three ends"));
  EXPECT_THAT(plugin.notes(), Contains("one begins"));
  EXPECT_THAT(plugin.notes(), Contains("two"));
}

TEST_F(PluginWebSocket, SubscribesAndPublishes) {
  on_message = [this](ssxrver_socket* socket, auto&, const ssxrver_message& message, auto) {
    const std::string said = str(message.payload);
    if (said == "in") {
      EXPECT_EQ(websocket().subscribe(socket, text("news")), 1);
    }
    if (said == "out") {
      EXPECT_EQ(websocket().unsubscribe(socket, text("news")), 1);
    }
    const std::string is = websocket().is_subscribed(socket, text("news")) != 0 ? "yes" : "no";
    websocket().send(socket, SSXRVER_OP_TEXT, text(is));
    if (said == "others")
      websocket().publish_others(socket, text("news"), SSXRVER_OP_TEXT, text("hi"));
    return SSXRVER_OK;
  };
  serve();
  RawClient one = open();
  RawClient two = open();
  one.send(frame_of("in"));
  two.send(frame_of("in"));
  EXPECT_EQ(show(one.read(5)), "text yes|");
  EXPECT_EQ(show(two.read(5)), "text yes|");
  one.send(frame_of("others"));
  EXPECT_EQ(show(two.read(4)), "text hi|");
  EXPECT_EQ(show(one.read(5)), "text yes|");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int j = 0; j < 10; ++j)
        websocket().publish(plugin.context(), text("news"), SSXRVER_OP_TEXT, text("!"));
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(one.read(120).size(), 120U);
  EXPECT_EQ(two.read(120).size(), 120U);
  one.send(frame_of("out"));
  EXPECT_EQ(show(one.read(4)), "text no|");
}

class PluginSocketIds : public PluginWebSocket {
 protected:
  PluginSocketIds() {
    on_open = [this](ssxrver_socket* socket) { ids.set_value(websocket().id(socket)); };
  }
  std::promise<ssxrver_socket_id> ids;
};

TEST_F(PluginSocketIds, NameASocketOnEveryThread) {
  serve();
  RawClient client = open();
  const ssxrver_socket_id id = ids.get_future().get();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, id] {
      for (int j = 0; j < 10; ++j)
        EXPECT_EQ(websocket().send_to(plugin.context(), id, SSXRVER_OP_TEXT, text("x")),
                  SSXRVER_OK);
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(client.read(120).size(), 120U);
  EXPECT_EQ(websocket().close_by_id(plugin.context(), id, 1001, text("home")), SSXRVER_OK);
  EXPECT_EQ(show(client.read(8)), "close 1001 home|");
  client.send(closing(1001));
  EXPECT_TRUE(wait_until([this] { return freed == 1; }));
  EXPECT_EQ(websocket().send_to(plugin.context(), id, SSXRVER_OP_TEXT, text("late")), SSXRVER_OK);
  EXPECT_TRUE(wait_until([this] { return count(&Counters::ids_stale) == 1 && held() == 0; }));
}

TEST_F(PluginSocketIds, ThatWereMadeUpNameNothing) {
  serve();
  RawClient client = connect();  // one of http, in the same table
  client.send(request("GET", "/fake/none"));
  EXPECT_EQ(client.read_response().status, 404);
  const auto send = [this](std::uint64_t high, std::uint64_t low) {
    return websocket().send_to(plugin.context(), {high, low}, SSXRVER_OP_TEXT, text("x"));
  };
  EXPECT_EQ(send(2, 0), SSXRVER_INVALID);
  EXPECT_EQ(send(UINT64_MAX, 0), SSXRVER_INVALID);
  EXPECT_EQ(send(std::uint64_t{1} << 32, 0), SSXRVER_INVALID);
  for (std::uint64_t worker = 0; worker < 2; ++worker)
    EXPECT_EQ(send(worker, 0), SSXRVER_OK) << "its first slot";
  EXPECT_EQ(send(0, UINT64_MAX), SSXRVER_OK);
  EXPECT_TRUE(wait_until([this] { return count(&Counters::ids_stale) == 3; }));
  EXPECT_EQ(client.read_available(), "");
}

TEST_F(PluginSocketIds, AreBoundedByWhatWaits) {
  app->options().websockets.unsent_max = 4096;
  serve();
  const RawClient client = open();
  const ssxrver_socket_id id = ids.get_future().get();
  const std::string large(4096, 'x');
  EXPECT_EQ(websocket().send_to(plugin.context(), id, SSXRVER_OP_TEXT, text(large)), SSXRVER_LIMIT);
  EXPECT_EQ(held(), 1U) << "the socket alone";
}

TEST_F(PluginWebSocket, RefusesRoutesThatAreNone) {
  std::array<char, 256> room{};
  ssxrver_error error{0, room.size(), 0, room.data()};
  plugin.on_create = [this, &error](ssxrver_error*) {
    const auto add = [this, &error](std::string_view pattern, std::string_view options) {
      return websocket().route(plugin.context(), text(pattern), &handler, text(options), &error);
    };
    EXPECT_EQ(add("/{", ""), SSXRVER_INVALID);
    EXPECT_EQ(add("/a", "{}"), SSXRVER_INVALID);
    EXPECT_EQ(str({error.text, error.size}),
              "WebSocket \"/fake/a\": this server reads no options of a route");
    handler.upgrade = nullptr;
    EXPECT_EQ(add("/a", ""), SSXRVER_INVALID);
    EXPECT_EQ(websocket().route(plugin.context(), text("/a"), nullptr, {}, &error),
              SSXRVER_INVALID);
    return SSXRVER_OK;
  };
  EXPECT_TRUE(make());
  EXPECT_EQ(plugin.released, 3);
}

}  // namespace
}  // namespace ssx::plugins
