// Topics, prepared messages, files, and what other threads do to a socket.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

class Topics : public WebSocketTest {
 protected:
  explicit Topics(const ServiceOptions& of_all = {}) : WebSocketTest(of_all) {}
  /// "+room" subscribes, "-room" leaves, "room:text" publishes.
  void serve(Options limits = {}, std::string_view path = "/rooms") {
    Handlers<> handlers = echo.handlers(std::move(limits));
    handlers.on_message = [this](auto& socket, const Message& message) {
      const std::string_view said = message.payload;
      if (said.starts_with('+')) {
        subscribed.push_back(socket.subscribe(said.substr(1)));
      } else if (said.starts_with('-')) {
        socket.unsubscribe(said.substr(1));
      } else {
        const std::size_t colon = said.find(':');
        socket.publish(said.substr(0, colon), said.substr(colon + 1));
      }
    };
    handlers.on_close = [](auto& socket, CloseCode, std::string_view) {
      socket.publish("room", "somebody has left");
    };
    route(path, std::move(handlers));
  }
  std::vector<bool> subscribed;
  Echo echo;
};

TEST_F(Topics, ReachAllOthersWhoHaveSubscribed) {
  serve();
  Peer a = open("/rooms"), b = open("/rooms"), c = open("/rooms");
  tell(a, text("+room"));
  tell(b, text("+room"));
  tell(a, text("room:hello"));
  EXPECT_EQ(heard(a), "");
  EXPECT_EQ(heard(b), "text hello|");
  EXPECT_EQ(heard(c), "");
  tell(c, text("room:from outside"));
  EXPECT_EQ(heard(a), "text from outside|");
  EXPECT_EQ(heard(b), "text from outside|");
  tell(b, text("-room"));
  tell(c, text("room:again"));
  EXPECT_EQ(heard(b), "");
  EXPECT_EQ(counts().published.value(), 3U);
  EXPECT_EQ(counts().delivered.value(), 4U);
}

TEST_F(Topics, HearOfWhoLeaves) {
  serve();
  Peer a = open("/rooms"), b = open("/rooms");
  tell(a, text("+room"));
  tell(b, text("+room") + closing(1000));
  EXPECT_EQ(heard(a), "text somebody has left|");
  tell(a, text("room:hello"));
  EXPECT_EQ(counts().delivered.value(), 1U) << "b to a, and a to nobody else";
}

TEST_F(Topics, ReachAllFromAnyThread) {
  serve();
  Peer a = open("/rooms"), b = open("/rooms");
  tell(a, text("+room"));
  tell(b, text("+room"));
  std::thread([this] {
    websockets.publish("room", "hello");
    websockets.publish("nobody is there", "hello");
  }).join();
  EXPECT_EQ(heard(a), "text hello|");
  EXPECT_EQ(heard(b), "text hello|");
}

TEST_F(Topics, AreBoundedForEachSocket) {
  serve({.subscriptions_max = 2});
  Peer peer = open("/rooms");
  tell(peer, text("+1") + text("+2") + text("+1"));
  EXPECT_EQ(subscribed, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(counts().subscriptions_max_hit.value(), 0U);
  tell(peer, text("+3"));
  EXPECT_FALSE(subscribed.back());
  EXPECT_EQ(counts().subscriptions_max_hit.value(), 1U);
  tell(peer, text("-1") + text("+3"));
  EXPECT_TRUE(subscribed.back());
}

TEST_F(Topics, AreCompressedOnceForThoseWhoForget) {
  Options limits;
  limits.deflate = {.mode = DeflateMode::kBoth, .min_size = 10};
  serve(limits);
  limits.deflate.server_context_takeover = true;
  serve(limits, "/takeover");
  serve({}, "/plain");
  const std::string offer = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
  Peer a = open("/rooms", offer), b = open("/rooms", offer), keeper = open("/takeover", offer),
       plain = open("/plain");
  for (Peer* peer : {&a, &b, &keeper, &plain}) tell(*peer, text("+room"));
  const std::string words(1000, 'w');
  websockets.publish("room", words);
  const std::string coded = hear(a);
  EXPECT_LT(coded.size(), 100U);
  EXPECT_TRUE(show(coded).starts_with("text(compressed)"));
  EXPECT_EQ(hear(b), coded);
  EXPECT_TRUE(heard(keeper).starts_with("text(compressed)"));
  EXPECT_EQ(heard(plain), "text " + words + "|");
  // Where it is of no use, nobody compresses.
  websockets.publish("room", "short");
  for (Peer* peer : {&a, &b, &keeper, &plain}) EXPECT_EQ(heard(*peer), "text short|");
}

// Their windows differ, so what they are sent does; neither may spoil what waits for the other.
TEST_F(Topics, AreCompressedOnceForEachWindow) {
  Options limits;
  limits.deflate = {.mode = DeflateMode::kBoth, .min_size = 10};
  serve(limits);
  const std::string offer = "Sec-WebSocket-Extensions: permessage-deflate";
  std::vector<Peer> peers;
  for (const char* window :
       {"", "; server_max_window_bits=10", "", "; server_max_window_bits=10"}) {
    peers.push_back(open("/rooms", offer + window + "\r\n"));
    tell(peers.back(), text("+room"));
  }
  std::string words;
  for (int i = 0; i < 500; ++i) words += fmt::format("{} ", i * 7919 % 1000);
  websockets.publish("room", words);
  idle();
  std::vector<std::string> heard_by;
  for (Peer& peer : peers) heard_by.push_back(hear(peer));
  EXPECT_TRUE(show(heard_by[0]).starts_with("text(compressed)"));
  EXPECT_EQ(heard_by[0], heard_by[2]);
  EXPECT_EQ(heard_by[1], heard_by[3]);
}

// Who is closed by what is published may publish that he has left: all get that behind it.
TEST_F(Topics, AreTheSameForAllWhateverIsPublishedMeanwhile) {
  const auto publish_end = [](auto& socket, CloseCode, std::string_view) {
    socket.publish("room", "left");
  };
  const auto join = [](auto& socket) { EXPECT_TRUE(socket.subscribe("room")); };
  Handlers<> large = echo.handlers();
  large.on_open = join;
  Handlers<> small = echo.handlers({.backpressure = {.high = 40, .low = 20, .max = 40}});
  small.on_open = join;
  small.on_close = publish_end;
  route("/large", std::move(large));
  route("/small", std::move(small));
  Peer first = open("/large");
  std::vector<Peer> deaf;
  for (int i = 0; i < 200; ++i) deaf.push_back(open("/small"));
  Peer last = open("/large");
  const std::string news(100, 'n');
  websockets.publish("room", news);
  const std::string told = heard(first);
  EXPECT_EQ(told, heard(last));
  EXPECT_TRUE(told.starts_with("text " + news + "|text left|text left|"));
  EXPECT_EQ(told.size(), 106U + 200 * std::string_view("text left|").size());
  EXPECT_EQ(failed(Errc::kSendQueueFull), 200U);
}

TEST_F(Topics, LetAHandlerCloseOthersMeanwhile) {
  std::vector<WebSocketBase*> sockets;
  Handlers<> handlers = echo.handlers({.backpressure = {.high = 10, .low = 5}});
  handlers.on_open = [&sockets](auto& socket) {
    sockets.push_back(&socket);
    EXPECT_TRUE(socket.subscribe("room"));
  };
  handlers.on_backpressure = [&sockets](auto& socket) {
    for (WebSocketBase* other : sockets) {
      if (other != &socket) other->reset();
    }
  };
  route("/all", std::move(handlers));
  Peer a = open("/all"), b = open("/all"), c = open("/all");
  websockets.publish("room", "longer than ten bytes");
  EXPECT_EQ(heard(a), "text longer than ten bytes|");
  EXPECT_TRUE(is_gone(b));
  EXPECT_TRUE(is_gone(c));
}

// ---- one message, one file

TEST_F(Topics, OfOneMessageForManySockets) {
  const auto news = PreparedMessage::text("news");
  Handlers<> handlers = echo.handlers();
  handlers.on_message = [&news](auto& socket, const Message&) { socket.send(news); };
  route("/news", std::move(handlers));
  Peer a = open("/news"), b = open("/news");
  EXPECT_EQ(say(a, text("x")), "text news|");
  EXPECT_EQ(say(b, text("x")), "text news|");
  EXPECT_EQ(websockets.worker(0).share(news).get(), websockets.worker(0).share(news).get());
}

struct KeptFile : LocalShared {
  explicit KeptFile(std::FILE* its_file) : file(its_file) {}
  ~KeptFile() override { std::fclose(file); }
  std::FILE* file;
};

TEST_F(Topics, OfAFileAsOneMessage) {
  std::FILE* const file = std::tmpfile();
  const std::string content = "what the file has";
  std::fputs(content.c_str(), file);
  std::fflush(file);
  LocalRef<LocalShared> kept(new KeptFile(file));
  Sent whole{}, after{};
  Handlers<> handlers = echo.handlers({.backpressure = {.high = 64, .low = 16, .max = 128}});
  handlers.on_message = [&](auto& socket, const Message&) {
    whole = socket.send_file({fileno(file), 0, content.size(), kept});
    socket.send_file({fileno(file), 5, 8, kept});
    socket.send_file({fileno(file), 0, 0, kept});
    after = socket.send("after");
  };
  route("/file", std::move(handlers));
  Peer peer = open("/file");
  EXPECT_EQ(say(peer, text("x")), "binary what the file has|binary the file|binary |text after|");
  EXPECT_EQ(whole, Sent::kOk);
}

// ---- other threads

// What is sent from outside a read may be taken at once: its end of backpressure is told as well.
TEST_F(Topics, AndTheEndOfBackpressureThatNoReadHasCaused) {
  std::string events;
  std::optional<WebSocketHandle> handle;
  Handlers<> handlers = echo.handlers({.backpressure = {.high = 1000, .low = 100}});
  handlers.on_open = [&handle](auto& socket) { handle = socket.handle(); };
  handlers.on_backpressure = [&events](auto&) { events += "high "; };
  handlers.on_drain = [&events](auto&) { events += "low "; };
  route("/handle", std::move(handlers));
  Peer peer = open("/handle");
  handle->send(std::string(2000, 'x'));
  (void)hear(peer);
  EXPECT_EQ(events, "high low ");
}

TEST_F(Topics, AndHandlesForOtherThreads) {
  std::optional<WebSocketHandle> handle;
  Handlers<> handlers = echo.handlers();
  handlers.on_open = [&handle](auto& socket) { handle = socket.handle(); };
  route("/handle", std::move(handlers));
  Peer peer = open("/handle");
  std::thread([&handle] {
    EXPECT_TRUE(handle->send("text"));
    EXPECT_TRUE(handle->send_binary("binary"));
    EXPECT_TRUE(handle->send(PreparedMessage::text("prepared")));
    EXPECT_TRUE(handle->post([](WebSocketBase& socket) { socket.ping("ping"); }));
    EXPECT_TRUE(handle->close(CloseCode::kNormal, "bye"));
    EXPECT_TRUE(handle->send("too late"));
  }).join();
  EXPECT_EQ(heard(peer), "text text|binary binary|text prepared|ping ping|close 1000 bye|");
  EXPECT_EQ(counts().posted_late.value(), 1U);
  tell(peer, closing(1000));
  EXPECT_TRUE(is_gone(peer));
  EXPECT_TRUE(handle->send("much too late"));
  idle();
  EXPECT_EQ(table->counters().stale_ids.value(), 1U);
}

// A worker that is behind is not buried: what waits for it is bounded, and taken back as it comes.
class Behind : public Topics {
 protected:
  static constexpr std::size_t kMax = 1000;
  Behind() : Topics(ServiceOptions{.unsent_max = kMax}) {}

  ByteBudget& posted() { return *websockets.worker(0).posted; }
};

TEST_F(Behind, HearsOfNoMoreThanItMayHaveWaiting) {
  serve();
  Peer peer = open("/rooms");
  tell(peer, text("+room"));
  const std::string load(kMax / 2 - WorkerState::kPostedEach - 4, 'x');
  std::thread([&] {
    for (int i = 0; i < 3; ++i) websockets.publish("room", load);
  }).join();
  EXPECT_EQ(posted().used(), kMax);
  EXPECT_EQ(heard(peer), "text " + load + "|text " + load + "|");
  EXPECT_EQ(posted().refused(), 1U);
  EXPECT_EQ(posted().used(), 0U);
  websockets.publish("room", "again");
  EXPECT_EQ(heard(peer), "text again|");
}

TEST_F(Behind, TellsItsHandles) {
  std::optional<WebSocketHandle> handle;
  Handlers<> handlers = echo.handlers();
  handlers.on_open = [&handle](auto& socket) { handle = socket.handle(); };
  route("/handle", std::move(handlers));
  Peer peer = open("/handle");
  const std::string load(kMax - WorkerState::kPostedEach, 'x');
  std::thread([&] {
    EXPECT_FALSE(handle->send(load + "x"));
    EXPECT_TRUE(handle->send(load));
    EXPECT_FALSE(handle->send_binary(""));
    EXPECT_FALSE(handle->send(PreparedMessage::text("")));
    EXPECT_FALSE(handle->post([](WebSocketBase&) {}));
    EXPECT_TRUE(handle->close());
  }).join();
  EXPECT_EQ(heard(peer), "text " + load + "|close 1000 |");
  EXPECT_EQ(posted().refused(), 4U);
  EXPECT_EQ(posted().used(), 0U);
}

TEST_F(Topics, AndHandlesWhoseFunctionsThrow) {
  std::optional<WebSocketHandle> handle;
  Handlers<> handlers = echo.handlers();
  handlers.on_open = [&handle](auto& socket) { handle = socket.handle(); };
  route("/handle", std::move(handlers));
  Peer peer = open("/handle");
  handle->post([](WebSocketBase&) { throw std::runtime_error("broken"); });
  EXPECT_TRUE(heard(peer).starts_with("close 1011"));
}

}  // namespace
}  // namespace ssx::websocket::test
