#include "http/middleware.h"

#include <gtest/gtest.h>

#include <coroutine>
#include <stdexcept>
#include <string>

#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

/// Adds a letter to what the handler sees, and to the answer.
Middleware letter(char c) {
  return Middleware::hooks(
      [c](const Request& request) -> std::optional<Response> {
        request.set_attribute("way", std::string(request.attribute("way").value_or("")) + c);
        return std::nullopt;
      },
      [c](const Request&, Response& answer) { answer.set("X-Way", std::string(1, c)); });
}
Middleware function_letter(char c) {
  return Middleware([c](const Request& request, const Next& next) -> Response {
    request.set_attribute("way", std::string(request.attribute("way").value_or("")) + c);
    Response answer = next(request);
    answer.set("X-Way", std::string(1, c));
    return answer;
  });
}
Middleware coroutine_letter(char c) {
  return Middleware([c](const Request& request, const AsyncNext& next) -> Task<Response> {
    request.set_attribute("way", std::string(request.attribute("way").value_or("")) + c);
    co_await net::sleep_for(1ms);
    Response answer = co_await next(request);
    answer.set("X-Way", std::string(1, c));
    co_return answer;
  });
}

class Chains : public SessionTest {
 protected:
  void add(std::string_view path, const std::vector<Middleware>& chain, Handler handler) {
    auto composed = compose(chain, std::move(handler));
    ASSERT_TRUE(composed.has_value());
    ASSERT_TRUE(router.add("", {Method::kGet}, path,
                           {*std::move(composed), RouteLimits::from(options), std::string(path)}));
  }
  /// The whole answer, and then the way back as "abc".
  std::string walk(std::string_view path) {
    Client client = connect();
    client.send(get(path));
    idle();
    for (int i = 0; i < 10; ++i) advance(1ms);
    text = client.read_available();
    std::string way;
    for (std::size_t at = 0; (at = text.find("X-Way: ", at)) != std::string::npos; ++at)
      way += text[at + 7];
    return text.substr(text.find("\r\n\r\n") + 4) + "/" + way;
  }
  static Response tell_way(const Request& request) {
    return std::string(request.attribute("way").value_or("none"));
  }
  static Task<Response> tell_way_later(const Request& request) {
    co_await net::sleep_for(1ms);
    co_return std::string(request.attribute("way").value_or("none"));
  }
  std::string text;
};

TEST_F(Chains, GoInAndComeOutInOrder) {
  add("/none", {}, tell_way);
  add("/hooks", {letter('a'), letter('b'), letter('c')}, tell_way);
  add("/functions", {function_letter('a'), letter('b'), function_letter('c')}, tell_way);
  add("/coroutines", {coroutine_letter('a'), letter('b'), coroutine_letter('c')}, tell_way);
  add("/later", {coroutine_letter('a'), letter('b'), letter('c')}, tell_way_later);
  add("/mixed", {letter('a'), coroutine_letter('b'), function_letter('c')}, tell_way);
  EXPECT_EQ(walk("/none"), "none/");
  for (const char* path : {"/hooks", "/functions", "/coroutines", "/later", "/mixed"})
    EXPECT_EQ(walk(path), "abc/cba") << path;
}

TEST_F(Chains, EndWhereSomebodyAnswers) {
  const auto forbid = Middleware::hooks(
      [](const Request&) -> std::optional<Response> { return Response("no"); }, nullptr);
  const auto forbid_later =
      Middleware([](const Request&, const AsyncNext&) -> Task<Response> { co_return "later no"; });
  bool reached = false;
  const Handler handler([&reached](const Request&) {
    reached = true;
    return "reached";
  });
  add("/hook", {letter('a'), forbid, letter('b')}, handler);
  add("/coroutine", {letter('a'), forbid_later, letter('b')}, handler);
  EXPECT_EQ(walk("/hook"), "no/a");
  EXPECT_EQ(walk("/coroutine"), "later no/a");
  EXPECT_FALSE(reached);
}

TEST_F(Chains, SeeA500WhenSomethingIsThrown) {
  const Handler throws([](const Request&) -> Response { throw std::runtime_error("handler"); });
  const Handler throws_later([](const Request&) -> Task<Response> {
    co_await net::sleep_for(1ms);
    throw std::runtime_error("later");
  });
  const auto throwing = Middleware::hooks(
      [](const Request&) -> std::optional<Response> { throw std::runtime_error("hook"); }, nullptr);
  add("/throw", {letter('a')}, throws);
  add("/function", {function_letter('a')}, throws);
  add("/later", {letter('a')}, throws_later);
  add("/coroutine", {coroutine_letter('a')}, throws);
  add("/hook", {letter('a'), throwing}, tell_way);
  add("/alone", {throwing}, tell_way);
  for (const char* path : {"/throw", "/function", "/later", "/coroutine", "/hook"}) {
    EXPECT_EQ(walk(path).back(), 'a') << path;
    EXPECT_NE(text.find("500 Internal"), std::string::npos) << path;
  }
  walk("/alone");
  EXPECT_NE(text.find("500 Internal"), std::string::npos);
  EXPECT_EQ(counters().handler_errors.value(), 6u);
}

TEST(Middleware, OfFunctionsCannotSurroundCoroutines) {
  const Handler coroutine([](const Request&) -> Task<Response> { co_return "x"; });
  const auto composed = compose({letter('a'), function_letter('b')}, coroutine);
  ASSERT_FALSE(composed.has_value());
  EXPECT_EQ(composed.error(), make_error_code(ssx::Errc::kUnsupported));
  EXPECT_FALSE(compose({function_letter('b'), coroutine_letter('c')}, [](const Request&) {
                 return "x";
               }).has_value());
}

TEST(Middleware, KeepsFunctionsFunctions) {
  const auto composed =
      compose({letter('a'), function_letter('b')}, [](const Request&) { return "x"; });
  ASSERT_TRUE(composed.has_value());
  EXPECT_FALSE(composed->is_async());
}

}  // namespace
}  // namespace ssx::http::test
