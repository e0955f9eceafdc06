// The interface "ssxrver.http": routes, and what a request says.
#include <gmock/gmock.h>

#include <array>

#include "tests/plugin/host/plugin_fixture.h"

namespace ssx::plugins {
namespace {

using test::str;
using test::text;

class PluginHttpTable : public test::PluginTest {
 protected:
  static std::int32_t nothing(const ssxrver_request*, ssxrver_exchange*, ssxrver_operation*) {
    return SSXRVER_OK;
  }
  /// What route() says of it, in create(); "" when it is taken.
  std::string try_route(std::string_view methods, std::string_view pattern,
                        std::uint32_t flags = 0) {
    std::string said;
    plugin.on_create = [&](ssxrver_error*) {
      std::array<char, 256> room{};
      ssxrver_error error{0, room.size(), 0, room.data()};
      const auto status = plugin.route(methods, pattern, &nothing, flags, nullptr, &error);
      said = str({error.text, error.size});
      EXPECT_EQ(status == SSXRVER_OK, said.empty());
      return SSXRVER_OK;
    };
    EXPECT_TRUE(make());
    return said;
  }
  std::string show(const ssxrver_request* request) {
    const ssxrver_http& http = plugin.http();
    const auto find = [request](auto get, std::string_view name) {
      ssxrver_text value{};
      return get(request, text(name), &value) != 0 ? str(value) : std::string("(none)");
    };
    http.set_attribute(request, text("user"), text("ada"));
    const ssxrver_field last = http.field(request, http.field_count(request) - 1);
    return str(http.method(request)) + "|" + str(http.target(request)) + "|" +
           str(http.path(request)) + "|" + str(http.query(request)) + "|" +
           str(http.route_name(request)) + "|" + std::to_string(http.version(request)) + "|" +
           find(http.header, "x-one") + "|" + find(http.header, "x-two") + "|" +
           find(http.param, "kind") + "|" + find(http.param, "rest") + "|" +
           find(http.param, "no") + "|" + find(http.cookie, "c") + "|" + find(http.cookie, "d") +
           "|" + find(http.attribute, "user") + "|" + find(http.attribute, "no") + "|" +
           str(last.name) + "=" + str(last.value);
  }
};

TEST_F(PluginHttpTable, ShowsARequest) {
  plugin.on_create = [this](ssxrver_error*) {
    return plugin.route("GET", "/{kind}/*", [this](const auto* request, auto* exchange, auto*) {
      const ssxrver_http& http = plugin.http();
      std::array<char, 64> address{};
      const std::string peer(address.data(), http.peer(request, address.data(), address.size()));
      EXPECT_TRUE(peer.starts_with("127.0.0.1:")) << peer;
      EXPECT_EQ(std::string(address.data(), http.client(request, address.data(), 5)), "127.0");
      EXPECT_EQ(http.peer(request, nullptr, 0), 0U);
      EXPECT_EQ(http.field(request, 99).name.size, 0U);
      EXPECT_LT(http.worker(request), 2U);
      plugin.answer(exchange, show(request));
      return SSXRVER_OK;
    });
  };
  serve();
  EXPECT_EQ(ask("/fake/a%20b/c/d?x=y", "Cookie: c=5\r\nX-One: 1\r\n").body,
            "GET|/fake/a%20b/c/d?x=y|/fake/a b/c/d|x=y|GET /fake/{kind}/*|11|1|(none)|a b|c/d"
            "|(none)|5|(none)|ada|(none)|X-One=1");
}

TEST_F(PluginHttpTable, KnowsTheMethodsOfARoute) {
  EXPECT_EQ(try_route("GET", "/a"), "");
  EXPECT_EQ(try_route("GET POST", "/a"), "");
  EXPECT_EQ(try_route("", "/a"), "");
  EXPECT_EQ(try_route("GET FETCH", "/a"), "route \"GET FETCH /fake/a\": \"FETCH\" is no method");
  EXPECT_EQ(try_route("get", "/a"), "route \"get /fake/a\": \"get\" is no method");
  EXPECT_EQ(plugin.released, 5) << "refused ones, too";
}

TEST_F(PluginHttpTable, RefusesRoutesThatAreNone) {
  EXPECT_NE(try_route("GET", "/{a"), "");
  EXPECT_NE(try_route("GET", "/*/x"), "");
  EXPECT_NE(try_route("GET", "/a", SSXRVER_HANDLER_LATER | SSXRVER_HANDLER_TASKS), "");
  EXPECT_NE(try_route("GET", "/a", SSXRVER_HANDLER_PIECES), "");
  EXPECT_EQ(try_route("GET", "/a", SSXRVER_HANDLER_PIECES | SSXRVER_HANDLER_LATER), "");
}

TEST_F(PluginHttpTable, RefusesAHandlerThatIsNone) {
  plugin.on_create = [this](ssxrver_error*) {
    const ssxrver_http& http = plugin.http();
    EXPECT_EQ(http.route(plugin.context(), {}, text("/a"), nullptr, nullptr, nullptr),
              SSXRVER_INVALID);
    ssxrver_handler empty{};
    empty.size = sizeof(empty);
    EXPECT_EQ(http.route(plugin.context(), {}, text("/a"), &empty, nullptr, nullptr),
              SSXRVER_INVALID);
    EXPECT_EQ(http.route(nullptr, {}, text("/a"), &empty, nullptr, nullptr), SSXRVER_INVALID);
    return SSXRVER_OK;
  };
  EXPECT_TRUE(make());
}

TEST_F(PluginHttpTable, TakesRoutesInCreateAlone) {
  auto made = make();
  ASSERT_TRUE(made);
  EXPECT_EQ(plugin.route("GET", "/late", &nothing), SSXRVER_INVALID);
  EXPECT_EQ(plugin.released, 1);
}

TEST_F(PluginHttpTable, TakesNoMoreRoutesThanTheBound) {
  plugin.on_create = [this](ssxrver_error*) {
    for (std::size_t i = 0; i < Instance::kRoutesMax; ++i)
      EXPECT_EQ(plugin.route("GET", "/" + std::to_string(i), &nothing), SSXRVER_OK);
    EXPECT_EQ(plugin.route("GET", "/more", &nothing), SSXRVER_INVALID);
    return SSXRVER_OK;
  };
  auto made = make();
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->leases().to_string(), "4096 routes");
}

TEST_F(PluginHttpTable, GivesARouteItsSettings) {
  plugin.on_create = [this](ssxrver_error*) {
    ssxrver_route_settings settings{};
    settings.size = sizeof(settings);
    settings.host = text("other.example");
    settings.body_max = 3;
    const auto echo = [this](const auto* request, auto* exchange, auto*) {
      ssxrver_text body{};
      EXPECT_EQ(plugin.http().body(request, &body), SSXRVER_OK);
      EXPECT_EQ(plugin.http().body(request, nullptr), SSXRVER_INVALID);
      ssxrver_text piece{};
      EXPECT_EQ(plugin.http().read(request, &piece, {}, nullptr), SSXRVER_UNSUPPORTED);
      plugin.answer(exchange, str(body));
      return SSXRVER_OK;
    };
    plugin.route("POST", "/any", echo);
    return plugin.route("POST", "/other", echo, 0, &settings);
  };
  serve();
  const auto post = [this](std::string_view target, std::string_view host, std::string_view body) {
    test::RawClient client = connect();
    client.send("POST " + std::string(target) + " HTTP/1.1\r\nHost: " + std::string(host) +
                "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                std::string(body));
    return client.read_response();
  };
  EXPECT_EQ(post("/fake/any", "a.example", "12345").body, "12345");
  EXPECT_EQ(post("/fake/other", "a.example", "123").status, 404);
  EXPECT_EQ(post("/fake/other", "other.example", "123").body, "123");
  EXPECT_EQ(post("/fake/other", "other.example", "1234").status, 413);
}

TEST_F(PluginHttpTable, AnswersOnATaskThread) {
  plugin.on_create = [this](ssxrver_error*) {
    const auto slow = [this](const auto* request, auto* exchange, auto*) {
      EXPECT_EQ(plugin.loops().current(plugin.context()), nullptr);
      plugin.answer(exchange, "from a task thread: " + str(plugin.http().path(request)));
      return SSXRVER_OK;
    };
    return plugin.route("GET", "/slow", slow, SSXRVER_HANDLER_TASKS);
  };
  app->options().tasks.threads = 1;
  serve();
  EXPECT_EQ(ask("/fake/slow").body, "from a task thread: /fake/slow");
  EXPECT_EQ(count(&Counters::calls), 1U);
}

}  // namespace
}  // namespace ssx::plugins
