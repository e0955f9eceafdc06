// A program with one include and names of one namespace: what docs/guide/http.md promises.
#include "ssxrver/ssxrver.h"

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

namespace {

using ssx::Request;
using ssx::Response;
using ssx::Task;

TEST(Umbrella, NamesWhatAHandlerNeeds) {
  const auto whole = [](const Request& request) -> Response {
    const auto form = request.form();
    if (!form) return ssx::answer_to_error(request, form.error());
    const auto user = ssx::json_body(request);
    if (!user) return user.error();
    return *user;
  };
  const auto parts = [](const Request& request) -> Task<Response> {
    auto reader = ssx::MultipartReader::create(request);
    if (!reader) co_return ssx::answer_to_error(request, reader.error());
    co_return ssx::Status::kCreated;
  };
  const auto events = [](const Request& request) {
    return Response::events(
        [has_id = ssx::last_event_id(request).has_value()](ssx::EventWriter& out) -> Task<> {
          const ssx::ServerEvent event{.data = has_id ? "again" : "first"};
          (void)co_await out.send(event);
        });
  };
  ssx::App app;
  app.post("/whole", whole);
  app.post("/parts", parts, {.body = ssx::BodyMode::kStream});
  app.get("/events", events, {.run_on = ssx::RunOn::kLoop});
  EXPECT_EQ(app.worker_count(), ssx::AppOptions().server.workers.count);
}

TEST(Umbrella, NamesFiles) { EXPECT_FALSE(ssx::Files::open({.root = "/nowhere/at/all"})); }

TEST(Umbrella, NamesCookiesAndForms) {
  const ssx::SetCookie cookie{.name = "a", .value = "b", .same_site = ssx::SameSite::kStrict};
  EXPECT_EQ(*cookie.text(), "a=b; Path=/; HttpOnly; SameSite=Strict");
  EXPECT_EQ(ssx::Cookies::parse("a=b; c=d", 2)->find("c"), "d");
  EXPECT_EQ(ssx::Form::parse("a=b+c", 1)->find("a"), "b c");
}

TEST(Umbrella, NamesTheMiddlewareThatIsShipped) {
  const ssx::TokenCheck check = [](const Request&, std::string_view token) { return token == "t"; };
  ssx::App app;
  app.use(ssx::compression({.level = 1}));
  app.use(ssx::request_id()).use(ssx::security_headers()).use(ssx::cors({.origins = {"*"}}));
  app.use(ssx::bearer_token(check)).use(*ssx::rate_limit({.rate = {.events = 9}}));
  const auto users = ssx::basic_auth({.users = {{"ann", "secret"}}});
  ASSERT_TRUE(users);
  app.use(*users);
  const auto cookies =
      ssx::SignedCookies::create({.keys = {"sixteen bytes of"}, .names = {"user"}});
  ASSERT_TRUE(cookies);
  app.use(cookies->middleware());
}

TEST(Umbrella, NamesWebSockets) {
  using Socket = ssx::WebSocket<std::string>;
  ssx::App app;
  app.ws<std::string>("/ws", {.limits = ssx::WebSocketOptions{.message_max = 1},
                              .on_upgrade = [](const Request&) -> ssx::Upgrade<std::string> {
                                return ssx::reject(ssx::Status::kForbidden);
                              },
                              .on_message =
                                  [](Socket& socket, const ssx::Message& message) {
                                    if (socket.send(message) == ssx::Sent::kClosed) socket.close();
                                  },
                              .on_close = [](Socket&, ssx::CloseCode, std::string_view) {}});
}

TEST(Umbrella, NamesTheClient) {
  static_assert(std::same_as<decltype(std::declval<ssx::HttpClient&>().get("")),
                             Task<ssx::Result<ssx::ClientResponse>>>);
  ssx::ClientRequest request{.method = "PUT", .url = "http://a.example/"};
  request.fields = {ssx::ClientField{.name = "A", .value = "b"}};
  request.body =
      ssx::RequestBody::streamed([](ssx::UploadWriter& writer) { return writer.write("body"); }, 4);
  EXPECT_EQ(request.body.length(), 4u);
  EXPECT_GT(ssx::HttpClientOptions().redirects_max, 0u);
}

}  // namespace
