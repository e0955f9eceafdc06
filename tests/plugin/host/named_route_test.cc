// What the configuration says of routes that a plugin names, as the server then treats them.
#include "ssxrver/plugin/host/named_route.h"

#include <gmock/gmock.h>

#include "tests/plugin/host/plugin_fixture.h"
#include "tests/websocket/frames.h"

namespace ssx::plugins {
namespace {

using test::text;
using testing::HasSubstr;
using Named = std::vector<NamedRoute>;

class NamedRoutes : public test::PluginTest {
 protected:
  /// From here on they are this server's.
  void use(RouteRules rules) { own_rules = std::move(rules); }

  static EnvironmentOptions options_of(NamedRoutes& test) {
    EnvironmentOptions options;
    options.route_rules = [&test](auto... given) { return test.own_rules(given...); };
    return options;
  }
  Outcome<std::unique_ptr<Instance>> make_ruled() {
    return Instance::create(
        ruled, {.name = "fake", .mount = "/fake", .config = json::Object(), .desc = &plugin.desc});
  }
  void name_a_route() {
    plugin.on_create = [this](ssxrver_error* error) {
      return plugin.route(
          "GET POST", "/a", [](auto...) { return SSXRVER_OK; }, 0, nullptr, error);
    };
  }

  RouteRules own_rules;
  Environment ruled{*app, options_of(*this)};
};

TEST_F(NamedRoutes, AreAskedForWithTheMountAndThePluginsChoices) {
  std::string asked;
  use([&asked](std::string_view name, const Named& all, std::size_t index) {
    const NamedRoute& route = all[index];
    EXPECT_EQ(all.size(), 2U) << "all are named by then";
    asked +=
        std::string(name) + " " + route.pattern + " " + std::to_string(route.methods.size()) + "; ";
    EXPECT_FALSE(route.websocket);
    return Named{route};
  });
  plugin.on_create = [this](ssxrver_error* error) {
    const auto answer = [](auto...) { return SSXRVER_OK; };
    (void)plugin.route("GET POST", "/a", answer, 0, nullptr, error);
    return plugin.route("", "/b", answer, 0, nullptr, error);
  };
  auto made = make_ruled();
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(asked, "fake /fake/a 2; fake /fake/b 0; ");
}

TEST_F(NamedRoutes, AreMadeAsTheyComeBack) {
  use([](std::string_view, const Named& all, std::size_t index) {
    NamedRoute route = all[index];
    NamedRoute post = route;
    route.methods = {http::Method::kGet};
    post.methods = {http::Method::kPost};
    post.settings.run_on = RunOn::kTasks;
    post.settings.body_max = 7;
    return Named{std::move(route), std::move(post)};
  });
  name_a_route();
  auto made = make_ruled();
  ASSERT_TRUE(made) << made.error();
  {
    const auto routes = (*made)->take_routes();
    ASSERT_EQ(routes.size(), 2U);
    EXPECT_EQ(routes[0].settings.body_max, std::nullopt);
    EXPECT_EQ(routes[1].settings.body_max, 7U);
    EXPECT_EQ(routes[1].settings.run_on, RunOn::kTasks);
    EXPECT_EQ((*made)->leases().count(LeaseKind::kRoutes), 1U) << "one handler for both";
  }
  EXPECT_EQ((*made)->leases().total(), 0U);
}

TEST_F(NamedRoutes, ThatAreRefusedEndTheCreation) {
  use([](auto...) { return UnexpectedOf<std::string>("not like that"); });
  name_a_route();
  const auto made = make_ruled();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error(),
              HasSubstr("plugin \"fake\": route \"GET POST /fake/a\": not like that"));
}

TEST_F(NamedRoutes, OfWebSocketsBringTheirOptions) {
  use([](std::string_view, const Named& all, std::size_t index) {
    NamedRoute route = all[index];
    EXPECT_TRUE(route.websocket);
    route.websocket->enabled = false;
    route.settings.body_max = 9;
    return Named{std::move(route)};
  });
  ssxrver_socket_handler handler{};
  handler.size = sizeof(handler);
  handler.upgrade = [](void*, const ssxrver_request*, ssxrver_exchange*, ssxrver_upgrade*) {
    return std::int32_t{SSXRVER_OK};
  };
  plugin.on_create = [this, &handler](ssxrver_error* error) {
    return plugin.websocket().route(plugin.context(), text("/live"), &handler, {}, error);
  };
  auto made = make_ruled();
  ASSERT_TRUE(made) << made.error();
  const auto routes = (*made)->take_routes();
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_EQ(routes[0].settings.body_max, 9U);
}

}  // namespace
}  // namespace ssx::plugins
