#include "ssxrver/plugin/sdk/request.h"

#include <gtest/gtest.h>

#include "tests/plugin/sdk/fake_host.h"

namespace ssx::plugin {
namespace {

TEST(PluginRequest, ShowsWhatTheHostHas) {
  FakeHost host;
  host.method = "PATCH";
  host.headers = {{"Accept", "text/html"}, {"Host", "a.example"}};
  host.params = {{"id", "17"}, {"name", "x"}};
  host.cookies = {{"session", "abc"}};
  const Request request(host.request());
  EXPECT_EQ(request.method(), Method::kPatch);
  EXPECT_EQ(request.target(), "/a?b=c");
  EXPECT_EQ(request.path(), "/a");
  EXPECT_EQ(request.header("Accept"), "text/html");
  EXPECT_EQ(request.header("Cookie"), std::nullopt);
  EXPECT_EQ(request.header_count(), 2U);
  EXPECT_EQ(request.header_at(1).name, "Host");
  EXPECT_EQ(request.header_at(1).value, "a.example");
  EXPECT_EQ(request.param("id"), "17");
  EXPECT_EQ(request.param_as<int>("id"), 17);
  EXPECT_EQ(request.param_as<int>("name"), std::nullopt);
  EXPECT_EQ(request.param("nothing"), "");
  EXPECT_EQ(request.cookie("session"), "abc");
  EXPECT_EQ(request.peer(), "192.0.2.1:1");
  EXPECT_EQ(request.client(), "203.0.113.7:2");
  EXPECT_EQ(request.worker(), 3U);
  EXPECT_EQ(request.route(), "GET /a");
}

TEST(PluginRequest, AnUnknownMethodIsNone) {
  FakeHost host;
  host.method = "get";
  EXPECT_EQ(Request(host.request()).method(), Method::kUnknown);
}

TEST(PluginRequest, LooksIntoTheQueryAndIntoForms) {
  FakeHost host;
  host.query = "q=a+b%21&n=12&empty";
  host.body = "name=Ada%20L";
  const Request request(host.request());
  EXPECT_EQ(request.query("q"), "a b!");
  EXPECT_EQ(request.query_as<unsigned>("n"), 12U);
  EXPECT_EQ(request.query("empty"), "");
  EXPECT_EQ(request.query("none"), std::nullopt);
  EXPECT_EQ(request.form_field("name"), "Ada L");
}

TEST(PluginRequest, AttributesAreKeptByTheHost) {
  FakeHost host;
  const Request request(host.request());
  EXPECT_EQ(request.attribute("user"), std::nullopt);
  request.set_attribute("user", "ada");
  EXPECT_EQ(request.attribute("user"), "ada");
}

TEST(PluginRequest, ABodyThatWentToAFileIsNotText) {
  FakeHost host;
  host.body = "short";
  EXPECT_EQ(Request(host.request()).body().text, "short");
  EXPECT_FALSE(Request(host.request()).body().is_spooled());
  host.is_spooled = true;
  EXPECT_EQ(Request(host.request()).body().text, "");
  EXPECT_TRUE(Request(host.request()).body().is_spooled());
}

}  // namespace
}  // namespace ssx::plugin
