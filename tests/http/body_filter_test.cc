#include "http/body_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ssxrver/base/error.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

class BodyFilterTest : public SessionTest {
 protected:
  struct Call {
    std::size_t size;
    PieceEnd end;
    bool operator==(const Call&) const = default;
  };
  /// Everything twice, and "." at the end.
  BodyFilter doubling() {
    return [this](std::string_view piece, PieceEnd end) -> Result<std::string_view> {
      calls.push_back({piece.size(), end});
      made.clear();
      for (const char c : piece) made.append(2, c);
      if (end == PieceEnd::kBody) made += '.';
      return std::string_view(made);
    };
  }
  /// What the client gets of a body that `make` writes.
  Answer sent(Response::BodyMaker make) {
    on(Method::kGet, "/", [&make](const Request&) { return Response::stream(std::move(make)); });
    Client client = connect();
    client.send(get("/"));
    idle();
    return client.read_response();
  }
  std::vector<Call> calls;
  std::string made;
};

TEST_F(BodyFilterTest, SeesEveryWriteAndTheEnd) {
  const Answer answer = sent([this](BodyWriter& body) -> Task<> {
    body.set_filter(doubling(), {});
    co_await body.write("ab");
    co_await body.write("");
    co_await body.write("c");
  });
  EXPECT_EQ(answer.body, "aabbcc.");
  EXPECT_EQ(calls, (std::vector<Call>{{2, PieceEnd::kWrite},
                                      {0, PieceEnd::kWrite},
                                      {1, PieceEnd::kWrite},
                                      {0, PieceEnd::kBody}}));
}

TEST_F(BodyFilterTest, SeesALongWriteInPieces) {
  constexpr std::size_t kMax = BodyWriter::kFilterPieceMax;
  const std::string text = pattern(2 * kMax + 1);
  on(Method::kGet, "/", [&](const Request&) {
    return Response::stream([&](BodyWriter& body) -> Task<> {
      body.set_filter(doubling(), {});
      co_await body.write(text);
    });
  });
  Client client = connect();
  client.send(get("/"));
  EXPECT_TRUE(hear(client).ends_with("0\r\n\r\n"));
  EXPECT_EQ(calls, (std::vector<Call>{{kMax, PieceEnd::kNothing},
                                      {kMax, PieceEnd::kNothing},
                                      {1, PieceEnd::kWrite},
                                      {0, PieceEnd::kBody}}));
}

TEST_F(BodyFilterTest, IsAskedInTheOrderOfTheAwaits) {
  const Answer answer = sent([this](BodyWriter& body) -> Task<> {
    body.set_filter(doubling(), {});
    auto later = body.write("b");
    co_await body.write("a");
    co_await later;
  });
  EXPECT_EQ(answer.body, "aabb.");
}

TEST_F(BodyFilterTest, WaitsForASlowReader) {
  connection_options.output_high = 8 << 10;
  connection_options.output_low = 1 << 10;
  const std::string text = pattern(1 << 20);
  on(Method::kGet, "/", [&](const Request&) {
    return Response::stream([&](BodyWriter& body) -> Task<> {
      body.set_filter(doubling(), {});
      co_await body.write(text);
    });
  });
  Client client = connect();
  client.send(get("/"));
  idle();
  EXPECT_LE(connection->unsent_bytes(), (8u << 10) + 64);
  EXPECT_LT(calls.size(), 16u);
  const std::string all = hear(client);
  EXPECT_TRUE(all.ends_with("0\r\n\r\n"));
  EXPECT_EQ(calls.size(), 17u);
}

TEST_F(BodyFilterTest, ThatFailsCutsTheBodyOff) {
  bool was_told = false;
  on(Method::kGet, "/", [&](const Request&) {
    return Response::stream([&](BodyWriter& body) -> Task<> {
      body.set_filter(
          [](std::string_view, PieceEnd) -> Result<std::string_view> {
            return fail(ssx::Errc::kMalformed, "filter");
          },
          {});
      was_told = !co_await body.write("x");
    });
  });
  EXPECT_FALSE(talk(get("/")).ends_with("0\r\n\r\n"));
  EXPECT_TRUE(was_told);
  EXPECT_EQ(counters().cut_answers.value(), 1u);
}

TEST_F(BodyFilterTest, IsGivenWhatWasPromisedAndNoMore) {
  const Answer answer = sent([this](BodyWriter& body) -> Task<> {
    body.set_filter(doubling(), 3);
    EXPECT_TRUE(co_await body.write("ab"));
    EXPECT_FALSE(co_await body.write("cd"));
    EXPECT_TRUE(co_await body.write("c"));
  });
  EXPECT_EQ(answer.body, "aabbcc.");
}

}  // namespace
}  // namespace ssx::http::test
