#include "ssxrver/plugin/sdk/response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/plugin/sdk/fake_host.h"

namespace ssx::plugin {

struct Point {
  int x;
};
Response to_response(const Point& point) { return Response::json(std::to_string(point.x)); }

namespace {

using testing::ElementsAre;
using testing::Pair;

FakeAnswer send(FakeHost& host, Response response) {
  std::move(response).send(host.exchange());
  return host.answer;
}

TEST(PluginResponse, IsMadeOfWhatAHandlerReturns) {
  FakeHost host;
  EXPECT_EQ(send(host, Status::kNotFound).status, 404);
  EXPECT_EQ(host.answer.body_kind, SSXRVER_BODY_NONE);
  EXPECT_EQ(send(host, "literal").body, "literal");
  EXPECT_EQ(host.answer.body_kind, SSXRVER_BODY_STATIC);
  EXPECT_EQ(host.answer.content_type, Response::kText);
  EXPECT_EQ(send(host, std::string("short")).body, "short");
  EXPECT_EQ(host.answer.body_kind, SSXRVER_BODY_COPY);
  EXPECT_EQ(send(host, Point{5}).body, "5");
  EXPECT_EQ(host.answer.content_type, Response::kJson);
}

TEST(PluginResponse, WhatIsLongGoesWithoutACopy) {
  FakeHost host;
  EXPECT_EQ(send(host, std::string(4096, 'x')).body_kind, SSXRVER_BODY_COPY);
  EXPECT_EQ(send(host, std::string(4097, 'x')).body_kind, SSXRVER_BODY_OWNED);
  EXPECT_EQ(host.answer.body, std::string(4097, 'x'));
}

TEST(PluginResponse, CarriesItsFields) {
  FakeHost host;
  Response response = Response::html("<p>");
  response.status(Status::kCreated).set("X-A", "1").set("X-B", "2").close_connection();
  const FakeAnswer answer = send(host, std::move(response));
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.content_type, Response::kHtml);
  EXPECT_THAT(answer.fields, ElementsAre(Pair("X-A", "1"), Pair("X-B", "2")));
  EXPECT_TRUE(answer.close);
  EXPECT_THAT(send(host, Response::redirect("/b")).fields, ElementsAre(Pair("Location", "/b")));
  EXPECT_EQ(host.answer.status, 302);
  EXPECT_EQ(send(host, Response::file("/etc/hosts")).body_kind, SSXRVER_BODY_FILE);
  EXPECT_EQ(host.answer.body, "/etc/hosts");
}

TEST(PluginResponse, KeepsATypeThatIsNoLiteral) {
  FakeHost host;
  Response response = "a,b";
  EXPECT_EQ(response.content_type(), Response::kText);
  std::string type = "text/csv";
  response.content_type(type);
  type = "whatever";
  Response moved = std::move(response);
  EXPECT_EQ(moved.content_type(), "text/csv");
  EXPECT_EQ(send(host, std::move(moved)).content_type, "text/csv");
  EXPECT_EQ(send(host, std::move(Response("a").content_type(""))).content_type, "");
  EXPECT_EQ(send(host, Response::file("/a")).content_type, "application/octet-stream");
}

TEST(PluginResponse, StreamsWhatACoroutineWrites) {
  FakeHost host;
  send(host, Response::stream(3, [](BodyWriter& body) -> Task<> {
         if (!co_await body.write("ab")) co_return;
         if (!co_await body.write("c")) co_return;
         EXPECT_TRUE(body.trailer("X-Sum", "1"));
       }));
  EXPECT_EQ(host.answer.stream_length, 3U);
  EXPECT_EQ(host.written, "abc|X-Sum=1");
  EXPECT_EQ(host.stream_end, SSXRVER_OK);
}

TEST(PluginResponse, AWriteThatWaitsGoesOnLater) {
  FakeHost host;
  host.write_waits = true;
  send(host, Response::stream([](BodyWriter& body) -> Task<> {
         if (!co_await body.write("a")) co_return;
         const auto second = co_await body.write("b");
         EXPECT_FALSE(second);
         EXPECT_EQ(second.error().status(), SSXRVER_CLOSED);
       }));
  EXPECT_EQ(host.written, "a");
  EXPECT_EQ(host.stream_end, std::nullopt);
  host.end_wait();
  EXPECT_EQ(host.written, "ab");
  host.end_wait(SSXRVER_CLOSED);
  EXPECT_EQ(host.stream_end, SSXRVER_OK);
}

TEST(PluginResponse, AClientThatGoesEndsTheCoroutineWhereItWaits) {
  FakeHost host;
  host.write_waits = true;
  bool is_destroyed = false;
  struct Mark {
    bool* destroyed;
    ~Mark() { *destroyed = true; }
  };
  send(host, Response::stream([&is_destroyed](BodyWriter& body) -> Task<> {
         const Mark mark{&is_destroyed};
         (void)co_await body.write("a");
         ADD_FAILURE() << "it went on";
       }));
  host.end_stream();
  EXPECT_TRUE(is_destroyed);
  EXPECT_EQ(host.cancelled(), 1);
  EXPECT_EQ(host.waits(), 0U);
}

TEST(PluginResponse, AStreamThatThrowsHasFailed) {
  FakeHost host;
  send(host, Response::stream([](BodyWriter& body) -> Task<> {
         (void)co_await body.write("a");
         throw std::runtime_error("no more");
       }));
  EXPECT_EQ(host.stream_end, SSXRVER_ERROR);
}

}  // namespace
}  // namespace ssx::plugin
