// Bodies of requests that come in gzip: what handlers see of them, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "ssxrver/net/awaitables.h"
#include "ssxrver/sys/file.h"
#include "tests/http/middleware/unzip.h"
#include "tests/http/session_fixture.h"
#include "tests/support/feed_every_split.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

constexpr std::string_view kGzip = "Content-Encoding: gzip\r\n";

class Decoding : public SessionTest {
 protected:
  Decoding() {
    options.spool_path = directory.path();
    options.body_decoding.enabled = true;
    options.body_max = 200'000;
    options.body_spool_threshold = 50'000;
  }
  Client connect() {
    if (service != nullptr) return SessionTest::connect();
    on(Method::kPost, "/", [this](const Request& r) {
      seen = text_of(r.body());
      size = r.body().size;
      was_spooled = r.body().is_spooled();
      says_coding = r.header("Content-Encoding").has_value() || r.header("Content-Length");
      return "taken";
    });
    RouteLimits plain = RouteLimits::from(options);
    plain.decodes_body = false;
    on(
        Method::kPost, "/plain",
        [this](const Request& r) {
          seen = r.body().text;
          says_coding = r.header("Content-Encoding") == "gzip";
          return "taken";
        },
        plain);
    Route stream{Handler([this](const Request& r) -> Task<Response> {
                   says_coding = r.header("Content-Encoding").has_value();
                   while (true) {
                     const auto piece = co_await r.body().read();
                     if (!piece || piece->empty()) break;
                     largest = std::max(largest, piece->size());
                     seen += *piece;
                     if (stops_after_one) co_await net::sleep_for(1s);
                   }
                   size = r.body().size;
                   co_return "taken";
                 }),
                 RouteLimits::from(options), "stream"};
    stream.body_mode = BodyMode::kStream;
    EXPECT_TRUE(router.add("", {Method::kPost}, "/stream", std::move(stream)));
    return SessionTest::connect();
  }
  static std::string text_of(const http::Body& body) {
    if (!body.is_spooled()) return std::string(body.text);
    std::string text(static_cast<std::size_t>(body.size), '\0');
    const auto count = sys::pread(body.file, std::as_writable_bytes(std::span(text)), 0);
    EXPECT_EQ(count.value_or(0), text.size());
    return text;
  }
  /// The status of one question on a connection of its own.
  int status_of(std::string_view bytes) {
    Client client = connect();
    return ask(client, bytes).status;
  }
  static std::string post_zipped(std::string_view target, std::string_view text) {
    return post(target, zip(text), kGzip);
  }

  ssx::test::TempDir directory;
  std::string seen;
  std::uint64_t size = 0;
  std::size_t largest = 0;
  bool was_spooled = false;
  bool says_coding = false;
  bool stops_after_one = false;
};

TEST_F(Decoding, GivesTheHandlerWhatIsInside) {
  Client client = connect();
  EXPECT_EQ(ask(client, post_zipped("/", "hello")).status, 200);
  EXPECT_EQ(seen, "hello");
  EXPECT_EQ(size, 5u);
  EXPECT_FALSE(says_coding) << "neither the coding nor the length is true any more";
  EXPECT_EQ(counters().bodies_decoded.value(), 1u);
  // The connection goes on, and what is not coded is left alone.
  EXPECT_EQ(ask(client, post("/", "plain")).status, 200);
  EXPECT_EQ(seen, "plain");
  EXPECT_EQ(ask(client, post("/", "same", "Content-Encoding: identity\r\n")).status, 200);
  EXPECT_EQ(seen, "same");
  EXPECT_EQ(counters().bodies_decoded.value(), 1u);
}

TEST_F(Decoding, TakesDeflateInTheFormatOfZlib) {  // RFC 9110 8.4.1.2
  const std::string hello("\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15", 13);
  EXPECT_EQ(status_of(post("/", hello, "Content-Encoding: deflate\r\n")), 200);
  EXPECT_EQ(seen, "hello");
}

TEST_F(Decoding, IsWhereItIsSwitchedOn) {
  EXPECT_EQ(status_of(post_zipped("/plain", "hello")), 200);
  EXPECT_EQ(seen, zip("hello"));
  EXPECT_TRUE(says_coding);
}

TEST_F(Decoding, PutsLongBodiesIntoAFile) {
  const std::string text = pattern(50'001);
  EXPECT_EQ(status_of(post_zipped("/", text)), 200);
  EXPECT_TRUE(was_spooled) << "by what is inside, not by what arrives";
  EXPECT_EQ(seen, text);
  EXPECT_EQ(size, 50'001u);
  EXPECT_EQ(status_of(post_zipped("/", text.substr(1))), 200);
  EXPECT_FALSE(was_spooled);
}

TEST_F(Decoding, DoesNotCareWhereTheNetworkCuts) {
  const std::string text = "some text, some more text, and then some more of it";
  const std::string coded = zip(text);
  ssx::test::feed_every_split(
      request("POST", "/", "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n") +
          chunks({std::string_view(coded).substr(0, 7), std::string_view(coded).substr(7)}),
      [&](const ssx::test::Pieces& pieces) {
        seen.clear();
        Client client = connect();
        for (const std::string_view piece : pieces) {
          client.send(piece);
          idle();
        }
        EXPECT_EQ(client.read_response().status, 200);
        EXPECT_EQ(seen, text);
      });
}

TEST_F(Decoding, StopsAtTheLargestBody) {
  options.body_decoding.ratio_max = 2000;
  for (const char* target : {"/", "/stream"}) {
    for (const std::size_t bytes : {199'999, 200'000}) {
      seen.clear();
      EXPECT_EQ(status_of(post_zipped(target, pattern(bytes))), 200) << target << bytes;
      EXPECT_EQ(seen.size(), bytes);
    }
    EXPECT_EQ(status_of(post_zipped(target, pattern(200'001))), 413) << target;
  }
  EXPECT_EQ(refused(Errc::kBodyTooLarge), 2u);
}

TEST_F(Decoding, RefusesABomb) {
  options.body_max = 1ULL << 40;
  const std::string bomb = zip(std::string(8 << 20, '\0'));
  ASSERT_LT(bomb.size(), 9000u);
  EXPECT_EQ(status_of(post("/", bomb, kGzip)), 413);
  EXPECT_EQ(status_of(post("/stream", bomb, kGzip)), 413);
  EXPECT_EQ(refused(Errc::kContentRatio), 2u);
  EXPECT_LE(seen.size(), 200'000u) << "noticed while it was inflated";
}

TEST_F(Decoding, AnswersAnUnknownCodingWithThoseItKnows) {  // RFC 9110 15.5.16
  for (const char* coding : {"br", "gzip, gzip", "zstd"}) {
    Client client = connect();
    const Answer answer =
        ask(client, post("/", "xxxxx", "Content-Encoding: " + std::string(coding) + "\r\n"));
    EXPECT_EQ(answer.status, 415) << coding;
    EXPECT_EQ(answer.field("Accept-Encoding"), "gzip, deflate");
    EXPECT_EQ(answer.field("Connection"), "close");
  }
  EXPECT_EQ(refused(Errc::kUnknownContentCoding), 3u);
  EXPECT_EQ(seen, "");
}

TEST_F(Decoding, RefusesWhatIsDamaged) {
  const std::string good = zip("hello, hello, hello");
  std::string flipped = good;
  flipped[good.size() - 6] ^= 1;  // of the checksum
  for (const std::string& bad :
       {std::string("no gzip at all"), without_end(good), good + "x", flipped, good.substr(0, 1)}) {
    EXPECT_EQ(status_of(post("/", bad, kGzip)), 400);
    EXPECT_EQ(status_of(post("/stream", bad, kGzip)), 400);
  }
  EXPECT_EQ(refused(Errc::kBadContentCoding), 10u);
}

TEST_F(Decoding, ReachesACoroutineAsItArrives) {
  options.body_decoding.ratio_max = 2000;
  const std::string text = pattern(150'000);
  const std::string all = post_zipped("/stream", text);
  Client client = connect();
  const std::size_t half = all.size() / 2;
  client.send(std::string_view(all).substr(0, half));
  idle();
  EXPECT_FALSE(seen.empty()) << "before the rest is there";
  EXPECT_LT(seen.size(), text.size());
  client.send(std::string_view(all).substr(half));
  idle();
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(seen, text);
  EXPECT_EQ(size, 150'000u);
  EXPECT_FALSE(says_coding);
}

TEST_F(Decoding, HoldsLittleForACoroutineThatIsSlow) {
  options.body_max = 64 << 20;
  options.body_decoding.ratio_max = 2000;
  stops_after_one = true;
  const std::string text(4 << 20, 'x');
  Client client = connect();
  client.send(post_zipped("/stream", text));
  idle();
  for (int i = 0; i < 100 && seen.size() < text.size(); ++i) {
    advance(1s);
    idle();
  }
  EXPECT_EQ(seen.size(), text.size());
  // What waits, and what one small piece may hold: deflate makes 1032 of one at the most.
  EXPECT_LE(largest, BodyStream::kPendingMax + 128 * 1032);
  advance(1s);
  idle();
  EXPECT_EQ(client.read_response().status, 200);
}

}  // namespace
}  // namespace ssx::http::test
