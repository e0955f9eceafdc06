// The object websocket and the same keys on a route: what is read, and what does not go together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/server_config.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using websocket::BackpressurePolicy;
using websocket::DeflateMode;

ServerConfig load(const std::string& text) {
  auto config = ServerConfig::parse(text);
  EXPECT_TRUE(config) << config.error().text();
  return config ? *std::move(config) : ServerConfig();
}

std::vector<std::string> problems(const std::string& websocket) {
  const auto config = ServerConfig::parse("{\"websocket\":\n" + websocket + "}", {}, "t");
  return config ? std::vector<std::string>() : config.error().sentences();
}

std::vector<std::string> route_problems(const std::string& keys) {
  const auto config = ServerConfig::parse(
      R"({"http": {"routes": [{"match": "/w", "handler": "websocket:echo")" + keys + "}]}}");
  return config ? std::vector<std::string>() : config.error().sentences();
}

/// Every key, none at its default.
constexpr const char* kAll = R"("enabled": "off", "max_message_size": "2M",
  "max_frame_size": "1k", "max_fragments": 7, "max_empty_fragments": 8, "assembly_timeout": "9s",
  "control_rate": "10/m burst 11", "send_stall_timeout": "12s", "send_fragment_size": "13k",
  "parse_mode": "stream", "utf8_check": "off", "reply_ping": "off",
  "ignore_pong": "off", "handshake_timeout": "14s",
  "ping_interval": "15s", "pong_timeout": "16s", "idle_timeout": "17s", "max_lifetime": "18s",
  "close_timeout": "20s", "read_timeout": "21s",
  "subprotocols": ["chat.v2", "chat"], "allowed_origins": ["page", "https://app.example"],
  "max_subscriptions": 22,
  "backpressure": {"high": 25, "low": 24, "max": 26, "policy": "drop_oldest"GLOBAL},
  "deflate": {"mode": "both", "server_context_takeover": "on", "client_context_takeover": "on",
              "server_max_window_bits": 9, "client_max_window_bits": 10, "level": 1,
              "mem_level": 2, "min_size": 3, "max_ratio": 4BUDGET},
  "delay_write": {"enabled": "on", "max_messages": 5, "max_delay": "6ms", "init_buffer": "7k"})";

std::string all_keys(const char* global, const char* budget) {
  std::string text = kAll;
  text.replace(text.find("GLOBAL"), 6, global);
  text.replace(text.find("BUDGET"), 6, budget);
  return text;
}

WebSocketRouteOptions all_options() {
  WebSocketRouteOptions all;
  all.enabled = false;
  all.parse_mode = WebSocketRouteOptions::ParseMode::kStream;
  websocket::Options& limits = all.limits;
  limits.message_max = 2 << 20;
  limits.frame_max = 1 << 10;
  limits.fragments_max = 7;
  limits.empty_fragments_max = 8;
  limits.assembly_timeout = 9s;
  limits.control_rate = {10, 60s, 11};
  limits.send_stall_timeout = 12s;
  limits.send_fragment_size = 13 << 10;
  limits.utf8_check = limits.reply_ping = limits.ignore_pong = false;
  limits.ping_interval = 15s;
  limits.pong_timeout = 16s;
  limits.idle_timeout = 17s;
  limits.max_lifetime = 18s;
  limits.handshake_timeout = 14s;
  limits.close_timeout = 20s;
  limits.read_timeout = 21s;
  limits.subprotocols = {"chat.v2", "chat"};
  limits.allowed_origins = {"page", "https://app.example"};
  limits.subscriptions_max = 22;
  limits.backpressure = {25, 24, 26, BackpressurePolicy::kDropOldest};
  limits.deflate = {DeflateMode::kBoth, true, true, 9, 10, 1, 2, 3, 4};
  limits.delay_write = {true, 5, 6ms, 7 << 10};
  return all;
}

TEST(WebSocketTables, BindEveryKey) {
  const auto keys = all_keys(R"(, "global_max": "1M")", R"(, "memory_budget": "2M")");
  const ServerConfig config = load("{\"websocket\": {" + keys + "}}");
  EXPECT_EQ(config.websocket, all_options());
  EXPECT_EQ(config.websockets.unsent_max, 1u << 20);
  EXPECT_EQ(config.websockets.deflate_memory, 2u << 20);
  EXPECT_EQ(load(config.to_json()), config);
}

TEST(WebSocketTables, BindEveryKeyOfARoute) {
  const ServerConfig config =
      load(R"({"http": {"routes": [{"match": "/w", "handler": "websocket:echo", )" +
           all_keys("", "") + "}]}}");
  EXPECT_EQ(config.routes.at(0).websocket, all_options());
  EXPECT_EQ(config.websocket, WebSocketRouteOptions());
  EXPECT_EQ(load(config.to_json()), config);
}

TEST(WebSocketTables, AreTheDefaultsOfTheOptions) {
  EXPECT_EQ(load("{}").websocket, WebSocketRouteOptions());
  EXPECT_EQ(load(R"({"websocket": {}})").websockets, websocket::ServiceOptions());
}

TEST(WebSocketTables, GiveRoutesWhatTheyLeaveOutWhereverTheyStand) {
  const ServerConfig config = load(R"({
    "http": {"routes": [{"match": "/w", "handler": "websocket:sink", "max_fragments": 5,
                         "deflate": {"level": 9}}]},
    "websocket": {"max_fragments": 6, "max_empty_fragments": 7,
                  "deflate": {"mode": "both", "level": 2}}})");
  const websocket::Options& limits = config.routes.at(0).websocket.limits;
  EXPECT_EQ(limits.fragments_max, 5u);
  EXPECT_EQ(limits.empty_fragments_max, 7u);
  EXPECT_EQ(limits.deflate.mode, DeflateMode::kBoth);
  EXPECT_EQ(limits.deflate.level, 9);
  EXPECT_EQ(config.websocket.limits.deflate.level, 2);
}

TEST(WebSocketTables, HaveFramesAsLongAsMessagesUnlessTheySay) {
  EXPECT_EQ(load(R"({"websocket": {"max_message_size": "64M"}})").websocket.limits.frame_max,
            64u << 20);
  EXPECT_EQ(load(R"({"websocket": {"max_message_size": "1k"}})").websocket.limits.frame_max, 1024u);
  EXPECT_THAT(problems(R"({"max_frame_size": 1048577})"),
              ElementsAre("t:2:20: /websocket/max_frame_size: expected at most "
                          "\"max_message_size\", which is 1M, found 1048577"));
  EXPECT_THAT(problems(R"({"max_message_size": 5, "max_frame_size": 5})"), IsEmpty());
  EXPECT_THAT(problems(R"({"max_message_size": 5, "max_frame_size": 6})"),
              ElementsAre(HasSubstr("which is 5, found 6")));
  EXPECT_THAT(route_problems(R"(, "max_frame_size": "2M")"),
              ElementsAre(HasSubstr("/http/routes/0/max_frame_size: expected at most")));
}

TEST(WebSocketTables, HaveMarksThatGiveWayToThoseThatAreThere) {
  const auto marks = [](const std::string& keys) {
    const auto limits =
        load(R"({"websocket": {"backpressure": {)" + keys + "}}}").websocket.limits.backpressure;
    return std::vector<std::size_t>{limits.low, limits.high, limits.max};
  };
  EXPECT_THAT(marks(R"("high": 1000)"), ElementsAre(250, 1000, 4 << 20));
  EXPECT_THAT(marks(R"("high": "8M")"), ElementsAre(256 << 10, 8 << 20, 32 << 20));
  EXPECT_THAT(marks(R"("max": "64k")"), ElementsAre(4 << 10, 16 << 10, 64 << 10));
  EXPECT_THAT(marks(R"("max": 10)"), ElementsAre(0, 2, 10));
  EXPECT_THAT(marks(R"("low": "5M")"), ElementsAre(5 << 20, 5 << 20, 20 << 20));
  EXPECT_THAT(marks(R"("low": 1, "max": 9)"), ElementsAre(1, 2, 9));
  EXPECT_THAT(marks(R"("low": 8, "max": 9)"), ElementsAre(8, 8, 9));
}

/// Bytes of a message, of a frame and of what may wait on the only route.
std::vector<std::size_t> room(const std::string& route, const std::string& websocket = "{}") {
  const auto limits = load(R"({"http": {"routes": [{"match": "/w", "handler": "websocket:)" +
                           route + R"(}]}, "websocket": )" + websocket + "}")
                          .routes.at(0)
                          .websocket.limits;
  return {limits.message_max, limits.frame_max, limits.backpressure.max};
}

std::vector<std::string> room_problems(const std::string& route, const std::string& websocket) {
  const auto config =
      ServerConfig::parse(R"({"http": {"routes": [{"match": "/w", "handler": "websocket:)" + route +
                          R"(}]}, "websocket": )" + websocket + "}");
  return config ? std::vector<std::string>() : config.error().sentences();
}

TEST(WebSocketTables, HaveRoomForWhatARouteSends) {
  constexpr std::size_t k16 = 16 << 20;
  for (const std::string handler : {"echo\"", "broadcast\""}) {
    EXPECT_THAT(room(handler), ElementsAre(1 << 20, 1 << 20, 4 << 20));
    EXPECT_THAT(room(handler + R"(, "max_message_size": "16M")"), ElementsAre(k16, k16, k16 + 14));
    EXPECT_THAT(room(handler, R"({"max_message_size": "16M"})"), ElementsAre(k16, k16, k16 + 14));
    EXPECT_THAT(room(handler + R"(, "backpressure": {"max": "64k"})"),
                ElementsAre(65522, 65522, 65536));
    EXPECT_THAT(room(handler, R"({"backpressure": {"max": "64k"}, "max_frame_size": "1k"})"),
                ElementsAre(65522, 1024, 65536));
    EXPECT_THAT(room(handler, R"({"max_message_size": 100, "backpressure": {"max": 114}})"),
                ElementsAre(100, 100, 114));
  }
  // They send something else, or in pieces.
  EXPECT_THAT(room(R"(sink", "max_message_size": "16M")"), ElementsAre(k16, k16, 4 << 20));
  EXPECT_THAT(room(R"(sink", "max_message_size": 100, "backpressure": {"max": 50})"),
              ElementsAre(100, 100, 50));
  EXPECT_THAT(room(R"(echo", "parse_mode": "stream", "backpressure": {"max": 50})"),
              ElementsAre(1 << 20, 1 << 20, 50));
}

TEST(WebSocketTables, RefuseMessagesThatCannotBeSentBack) {
  const std::string max = R"("backpressure": {"max": 113})";
  const std::string size = R"("max_message_size": 100)";
  EXPECT_THAT(room_problems("echo\", " + size + ", " + max, "{}"),
              ElementsAre(HasSubstr("/http/routes/0/backpressure/max: expected at least 114 for "
                                    "\"max_message_size\" and a frame's header, found 113")));
  EXPECT_THAT(room_problems("echo\", " + max, "{" + size + "}"),
              ElementsAre(HasSubstr("/backpressure/max: expected at least 114")));
  EXPECT_THAT(room_problems("broadcast\", " + size, "{" + max + "}"),
              ElementsAre(HasSubstr("/http/routes/0/max_message_size: expected a "
                                    "\"websocket.backpressure.max\" of at least 114 for "
                                    "\"max_message_size\" and a frame's header, found 113")));
  EXPECT_THAT(room_problems("broadcast\"", "{" + size + ", " + max + "}"),
              ElementsAre(HasSubstr("/http/routes/0/handler: expected a \"websocket.")));
  EXPECT_THAT(room_problems(R"(echo", "max_frame_size": 100, )" + max, "{}"),
              ElementsAre(HasSubstr("at least 114 for \"max_frame_size\" and")));
  EXPECT_THAT(room_problems(R"(echo", "backpressure": {"max": 14})", "{}"),
              ElementsAre(HasSubstr("/backpressure/max: expected at least 15")));
  EXPECT_THAT(room(R"(echo", "backpressure": {"max": 15})"), ElementsAre(1, 1, 15));
}

TEST(WebSocketTables, RefuseAChatWithoutRoomForAWelcome) {
  EXPECT_THAT(room(R"(chat", "history": 1, "backpressure": {"max": 85012})").at(2), 85012);
  EXPECT_THAT(room(R"(chat", "backpressure": {"max": 1000})").at(2), 1000);
  EXPECT_THAT(room_problems(R"(chat", "history": 1, "backpressure": {"max": 85011})", "{}"),
              ElementsAre(HasSubstr("/http/routes/0/backpressure/max: expected at least 85012 for "
                                    "a welcome with \"history\", found 85011")));
  EXPECT_THAT(room_problems(R"(chat", "history": 1)", R"({"backpressure": {"max": "64k"}})"),
              ElementsAre(HasSubstr("/http/routes/0/history: expected a "
                                    "\"websocket.backpressure.max\" of at least 85012 for a "
                                    "welcome with \"history\", found 64k")));
}

TEST(WebSocketTables, RefuseMarksInTheWrongOrder) {
  EXPECT_THAT(problems(R"({"backpressure": {"low": 6, "high": 5}})"),
              ElementsAre("t:2:26: /websocket/backpressure/low: expected at most \"high\", which "
                          "is 5, found 6"));
  EXPECT_THAT(problems(R"({"backpressure": {"high": 10, "max": 9, "low": 1}})"),
              ElementsAre(HasSubstr("/high: expected at most \"max\", which is 9, found 10")));
  EXPECT_THAT(problems(R"({"backpressure": {"low": 10, "max": 9}})"),
              ElementsAre(HasSubstr("/low: expected at most \"high\", which is 9, found 10")));
  EXPECT_THAT(problems(R"({"backpressure": {"low": 9, "high": 9, "max": 9}})"), IsEmpty());
  EXPECT_THAT(route_problems(R"(, "backpressure": {"low": 2, "high": 1})"),
              ElementsAre(HasSubstr("/http/routes/0/backpressure/low: expected at most")));
}

TEST(WebSocketTables, RefuseWhatIsNoOrigin) {
  for (const char* origin : {"", "a.example", "https://", "https://a.example/", "SAME", "*", "null",
                             "https://a.example/x", "app://x", "https://a.example:0"})
    EXPECT_THAT(problems(R"({"allowed_origins": [")" + std::string(origin) + "\"]}"),
                ElementsAre(HasSubstr("/websocket/allowed_origins/0: expected \"same\", \"page\"")))
        << origin;
  for (const char* origin :
       {"any", "http://localhost:3000", "https://A.example", "wss://[::1]:444"})
    EXPECT_THAT(problems(R"({"allowed_origins": [")" + std::string(origin) + "\"]}"), IsEmpty())
        << origin;
}

TEST(WebSocketTables, RefuseWhatIsNoSubprotocol) {
  for (const char* name : {"", "a b", "a,b", "caf\xC3\xA9"})
    EXPECT_THAT(problems(R"({"subprotocols": [")" + std::string(name) + "\"]}"),
                ElementsAre(HasSubstr("/websocket/subprotocols/0: expected a name")))
        << name;
  EXPECT_THAT(problems(R"({"subprotocols": ["a", "b", "a"]})"),
              ElementsAre(HasSubstr("/websocket/subprotocols: \"a\" is there twice")));
}

TEST(WebSocketTables, GiveHandlersOneTimeForAHandshake) {
  const auto handler_time = [](const std::string& route, const std::string& websocket) {
    return load(R"({"http": {"timeouts": {"handler": "40s"}, "routes": [)"
                R"({"match": "/w", "handler": "websocket:echo")" +
                route + R"(}]}, "websocket": {)" + websocket + "}}")
        .routes.at(0)
        .timeouts.handler;
  };
  EXPECT_EQ(handler_time("", ""), 5s);
  EXPECT_EQ(handler_time("", R"("handshake_timeout": "6s")"), 6s);
  EXPECT_EQ(handler_time(R"(, "handshake_timeout": "7s")", R"("handshake_timeout": "6s")"), 7s);
  EXPECT_EQ(handler_time(R"(, "handshake_timeout": 0)", ""), 0s);
  EXPECT_THAT(route_problems(R"(, "timeouts": {"handler": "5s"})"), IsEmpty());
  EXPECT_THAT(route_problems(R"(, "timeouts": {"handler": "6s"})"),
              ElementsAre(HasSubstr("/http/routes/0/timeouts/handler: of a WebSocket's route this "
                                    "is \"handshake_timeout\"")));
  EXPECT_THAT(problems(R"({"handshake_timeout": "25h"})"), ElementsAre(HasSubstr("0 .. 24h")));
}

TEST(WebSocketTables, KeepTheirKeysToRoutesOfWebSockets) {
  const auto found =
      ServerConfig::parse(R"({"http": {"routes": [{"match": "/*", "max_fragments": 3}]}})");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("belongs to handlers that begin with"));
  EXPECT_THAT(route_problems(R"(, "deflate": {"memory_budget": 1})"),
              ElementsAre(HasSubstr("/deflate/memory_budget: unknown key")));
  EXPECT_THAT(route_problems(R"(, "backpressure": {"global_max": 1})"),
              ElementsAre(HasSubstr("/backpressure/global_max: unknown key")));
}

TEST(WebSocketTables, BeginWithGetOnTheLoop) {
  EXPECT_THAT(route_problems(R"(, "methods": ["GET"])"), IsEmpty());
  EXPECT_THAT(route_problems(R"(, "methods": ["GET", "POST"])"),
              ElementsAre(HasSubstr("/http/routes/0/methods: a WebSocket begins with GET")));
  EXPECT_THAT(route_problems(R"(, "run_on": "tasks")"),
              ElementsAre(HasSubstr("\"websocket:echo\" runs on the loop"),
                          HasSubstr("there is no task thread")));
}

}  // namespace
}  // namespace ssx::config
