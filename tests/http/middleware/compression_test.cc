#include "http/middleware/compression.h"

#include <memory>
#include <random>
#include <utility>

#include "http/event_writer.h"
#include "http/files/static_handler.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/memory_watch.h"
#include "tests/http/middleware/middleware_fixture.h"
#include "tests/http/middleware/unzip.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kGzip = "Accept-Encoding: gzip\r\n";

const std::string& page() {  // longer than is compressed at once
  static const std::string text = pattern(300'000);
  return text;
}

class Compression : public MiddlewareTest {
 protected:
  void build() {
    surround(compression(chosen));
    add(Method::kGet, "/text", [](const Request&) { return pattern(5000); });
    add(Method::kGet, "/view", [](const Request&) { return std::string_view(page()); });
    add(Method::kGet, "/permanent", [](const Request&) {
      return std::move(Response::permanent(std::string_view(page()).substr(0, 20'000))
                           .content_type({})
                           .prepared_fields("Content-Type: text/plain\r\n"));
    });
    add(Method::kGet, "/noise", [this](const Request&) { return noise; });
    add(Method::kGet, "/etag", [](const Request&) {
      return std::move(Response(pattern(5000)).set("ETag", "\"1\"").set("Vary", "Cookie"));
    });
    add(Method::kGet, "/async", [](const Request&) -> Task<Response> {
      co_await net::yield();
      co_return pattern(5000);
    });
    add(Method::kGet, "/picture", [](const Request&) {
      return std::move(Response(pattern(5000)).content_type("image/png"));
    });
    std::mt19937 random(1);
    for (int i = 0; i < 4000; ++i) noise += static_cast<char>(random());
  }
  void add_files(const StaticOptions& files) {
    add(Method::kGet, "/files/*", *make_static_handler(files));
  }
  Answer ask_gzip(std::string_view target, std::string_view lines = "") {
    return ask(get(target, std::string(kGzip).append(lines)));
  }

  CompressionOptions chosen;
  std::string noise;
};

TEST_F(Compression, OfATextOnRequest) {
  build();
  const Answer coded = ask_gzip("/text");
  EXPECT_EQ(coded.status, 200);
  EXPECT_EQ(coded.field("Content-Encoding"), "gzip");
  EXPECT_EQ(coded.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(coded.field("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(coded.field("Content-Length"), std::to_string(coded.body.size()));
  EXPECT_LT(coded.body.size(), 5000u);
  EXPECT_EQ(unzip(coded.body), pattern(5000));
  EXPECT_EQ(counters().compressed.value(), 1u);

  const Answer plain = ask(get("/text"));
  EXPECT_EQ(plain.count("Content-Encoding"), 0u);
  EXPECT_EQ(plain.field("Vary"), "Accept-Encoding") << "caches must not mix them";
  EXPECT_EQ(plain.body, pattern(5000));
  EXPECT_EQ(ask(get("/text", "Accept-Encoding: gzip;q=0\r\n")).body, pattern(5000));
  EXPECT_EQ(counters().compressed.value(), 1u);
}

TEST_F(Compression, InEveryCodingThatIsOn) {
  chosen.brotli = chosen.zstd = true;
  build();
  for (const auto coding : compress::kCodings) {
    if (!compress::is_available(coding)) continue;
    const std::string name(compress::to_string(coding));
    const Answer answer = ask(get("/text", "Accept-Encoding: " + name + "\r\n"));
    EXPECT_EQ(answer.field("Content-Encoding"), name);
    EXPECT_LT(answer.body.size(), 5000u);
  }
}

TEST_F(Compression, OfALongTextWhileItLeaves) {
  build();
  const Answer coded = ask_gzip("/view");
  EXPECT_EQ(coded.field("Transfer-Encoding"), "chunked");
  EXPECT_EQ(coded.count("Content-Length"), 0u);
  EXPECT_EQ(unzip(coded.body), page());
}

TEST_F(Compression, OfTheSameTextOnce) {
  build();
  const Answer first = ask_gzip("/permanent");
  const Answer second = ask_gzip("/permanent");
  EXPECT_EQ(unzip(first.body), page().substr(0, 20'000));
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.field("Content-Encoding"), "gzip");
  EXPECT_EQ(second.field("Content-Type"), "text/plain");
  EXPECT_EQ(second.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(second.count("Vary"), 1u);
}

TEST_F(Compression, NotWhereItMakesNothingShorter) {
  build();
  ASSERT_GT(noise.size(), 1024u);
  const Answer answer = ask_gzip("/noise");
  EXPECT_EQ(answer.count("Content-Encoding"), 0u);
  EXPECT_EQ(answer.body, noise);
  EXPECT_EQ(answer.field("Vary"), "Accept-Encoding");
}

TEST_F(Compression, NotOfOtherTypes) {
  build();
  const Answer answer = ask_gzip("/picture");
  EXPECT_EQ(answer.count("Content-Encoding"), 0u);
  EXPECT_EQ(answer.count("Vary"), 0u);
}

TEST_F(Compression, MakesAStrongETagWeak) {  // RFC 9110 8.8.1
  build();
  const Answer coded = ask_gzip("/etag");
  EXPECT_EQ(coded.field("ETag"), "W/\"1\"");
  EXPECT_EQ(coded.count("ETag"), 1u);
  EXPECT_EQ(coded.count("Vary"), 2u);
  EXPECT_EQ(ask(get("/etag")).field("ETag"), "\"1\"");
}

TEST_F(Compression, OfTheAnswerToHead) {  // RFC 9110 9.3.2: the same fields
  build();
  const Answer whole = ask_gzip("/text");
  const Answer answer = ask(head("/text", kGzip));
  EXPECT_EQ(answer.field("Content-Encoding"), "gzip");
  EXPECT_EQ(answer.field("Content-Length"), whole.field("Content-Length"));
  EXPECT_EQ(answer.body, "");
  const Answer streamed = ask(head("/view", kGzip));
  EXPECT_EQ(streamed.field("Content-Encoding"), "gzip");
  EXPECT_EQ(streamed.count("Content-Length"), 0u);
}

TEST_F(Compression, OfWhatACoroutineAnswers) {
  build();
  EXPECT_EQ(unzip(ask_gzip("/async").body), pattern(5000));
}

TEST_F(Compression, ToTheEndOfTheConnectionInHttp10) {
  build();
  const std::string all = talk("GET /view HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n");
  const std::size_t end = all.find("\r\n\r\n") + 4;
  EXPECT_THAT(all.substr(0, end), HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(all.substr(0, end), Not(HasSubstr("chunked")));
  EXPECT_EQ(unzip(all.substr(end)), page());
}

TEST_F(Compression, LeavesThemAsTheyAreWhenAllEncodersAreAtWork) {
  chosen.encoders_max = 1;
  build();
  add(Method::kGet, "/slow", [](const Request&) {
    return Response::stream([](BodyWriter& body) -> Task<> {
      co_await body.write("begin ");
      co_await net::sleep_for(1s);
      co_await body.write("end");
    });
  });
  Client slow = connect();
  slow.send(get("/slow", kGzip));
  EXPECT_THAT(hear(slow), HasSubstr("Content-Encoding: gzip"));
  const Answer plain = ask_gzip("/text");
  EXPECT_EQ(plain.body, pattern(5000));
  EXPECT_EQ(plain.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(counters().encoders_max_hit.value(), 1u);
  advance(1s);
  hear(slow);
  EXPECT_EQ(unzip(ask_gzip("/text").body), pattern(5000));
  EXPECT_EQ(counters().encoders_max_hit.value(), 1u);
}

TEST_F(Compression, EndsWithAClientThatGoesAway) {
  chosen.encoders_max = 1;
  build();
  {
    Client gone = connect();
    gone.send(get("/view", kGzip));
    idle();
  }
  idle();
  EXPECT_EQ(unzip(ask_gzip("/text").body), pattern(5000)) << "the encoder is back";
}

// ---- without memory

class CompressionWithoutMemory : public Compression {
 protected:
  void build() {
    Compression::build();
    add(Method::kGet, "/late", [](const Request&) -> Task<Response> {
      co_await net::sleep_for(1s);
      co_return pattern(5000);
    });
    add(Method::kGet, "/slow", [](const Request&) {
      return Response::stream([](BodyWriter& body) -> Task<> {
        co_await body.write("begin ");
        co_await net::sleep_for(1s);
        co_await body.write("end");
      });
    });
    start_service();
    service->watch_memory(overload);
    watch->start();
  }
  /// Of 1000 bytes, where 950 are the last watermark.
  void use(std::uint64_t bytes) {
    used = bytes;
    advance(net::MemoryWatch::kPeriod);
    service->worker(0).spare_memory.give_up();  // as TcpServer has it done
  }
  std::uint64_t dropped() { return counters().encoders_dropped.value(); }
  std::uint64_t bodies_dropped() { return counters().encoded_dropped.value(); }

  net::Overload overload;
  std::uint64_t used = 0;
  std::unique_ptr<net::MemoryWatch> watch = std::make_unique<net::MemoryWatch>(
      *loop, net::MemoryOptions(), 1000, [this]() -> Result<std::uint64_t> { return used; },
      overload);
};

TEST_F(CompressionWithoutMemory, FreesWhatItKeepsAtTheWatermark) {
  build();
  const std::string coded = ask_gzip("/permanent").body;  // one encoder and one body
  use(949);
  EXPECT_EQ(dropped(), 0u);
  EXPECT_EQ(bodies_dropped(), 0u);
  EXPECT_EQ(ask_gzip("/permanent").body, coded);
  use(950);
  EXPECT_EQ(dropped(), 1u);
  EXPECT_EQ(bodies_dropped(), 1u);
  use(951);
  EXPECT_EQ(dropped(), 1u) << "there was nothing left";
  EXPECT_EQ(bodies_dropped(), 1u);
  use(0);
  EXPECT_EQ(ask_gzip("/permanent").body, coded);
  EXPECT_EQ(counters().memory_not_compressed.value(), 0u);
}

TEST_F(CompressionWithoutMemory, LeavesAnswersAsTheyAre) {
  build();
  for (const std::uint64_t bytes : {949U, 950U, 951U}) {
    SCOPED_TRACE(bytes);
    Client client = connect();
    client.send(get("/late", kGzip));
    idle();
    use(bytes);  // while it is being made
    advance(1s);
    const Answer answer = client.read_response();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.field("Vary"), "Accept-Encoding");
    EXPECT_EQ(answer.count("Content-Encoding"), bytes < 950 ? 1u : 0u);
    EXPECT_EQ(bytes < 950 ? unzip(answer.body) : answer.body, pattern(5000));
  }
  EXPECT_EQ(counters().memory_not_compressed.value(), 2u);
  EXPECT_EQ(counters().compressed.value(), 1u);
}

TEST_F(CompressionWithoutMemory, IsNotAskedForBodiesThatItHasCompressedBefore) {
  build();
  ask_gzip("/permanent");
  overload.set(net::OverloadLevel::kStop);  // nobody has been told to free anything yet
  const Answer answer = ask_gzip("/permanent");
  EXPECT_EQ(answer.body, page().substr(0, 20'000));
  EXPECT_EQ(counters().memory_not_compressed.value(), 1u);
}

TEST_F(CompressionWithoutMemory, EndsWhatIsUnderWayAndKeepsNoEncoderOfIt) {
  build();
  Client slow = connect();
  slow.send(get("/slow", kGzip));
  std::string said = hear(slow);
  use(950);
  EXPECT_EQ(dropped(), 0u) << "it is at work";
  advance(1s);
  said += hear(slow);
  EXPECT_TRUE(said.ends_with("\r\n0\r\n\r\n"));
  EXPECT_EQ(dropped(), 1u);
  use(0);
  EXPECT_EQ(unzip(ask_gzip("/text").body), pattern(5000));
  EXPECT_EQ(dropped(), 1u);
}

// ---- streams

TEST_F(Compression, OfEventsEachOfWhichArrivesAtOnce) {
  build();
  add(Method::kGet, "/events", [](const Request&) {
    return Response::events([](EventWriter& events) -> Task<> {
      for (const char* text : {"one", "two", "three"}) {
        if (!co_await events.send(text)) co_return;
        co_await net::sleep_for(1s);
      }
    });
  });
  Client client = connect();
  client.send(get("/events", kGzip));
  const std::string first = hear(client);
  EXPECT_THAT(first, HasSubstr("Content-Encoding: gzip\r\n"));
  // One chunk of it has come, and all of the event can be read.
  const std::size_t begin = first.find("\r\n", first.find("\r\n\r\n") + 4) + 2;
  std::string coded = first.substr(begin, first.size() - begin - 2);
  EXPECT_EQ(unzip(coded, Whole::kNo), "data: one\n\n");
  advance(1s);
  const std::string second = hear(client);
  const std::size_t at = second.find("\r\n") + 2;
  coded += second.substr(at, second.size() - at - 2);
  EXPECT_EQ(unzip(coded, Whole::kNo), "data: one\n\ndata: two\n\n");
}

TEST_F(Compression, OfManySmallWrites) {
  build();
  add(Method::kGet, "/rows", [](const Request&) {
    return Response::stream([](BodyWriter& body) -> Task<> {
      for (int i = 0; i < 3000; ++i) {
        const std::string row = std::to_string(i) + "\n";
        if (!co_await body.write(row)) co_return;
      }
      body.trailer("X-Rows", "3000");
    });
  });
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += std::to_string(i) + "\n";
  const Answer answer = ask_gzip("/rows");
  EXPECT_EQ(unzip(answer.body), expected);
  ASSERT_EQ(answer.trailers.size(), 1u);
}

TEST_F(Compression, OfAStreamOfAPromisedLength) {
  build();
  const auto stream = [](std::size_t length) {
    return [length](const Request&) {
      return Response::stream(2000, [length](BodyWriter& body) -> Task<> {
        const std::string text = pattern(length);
        co_await body.write(text);
      });
    };
  };
  add(Method::kGet, "/right", stream(2000));
  add(Method::kGet, "/short", stream(1999));
  add(Method::kGet, "/long", stream(2001));
  const Answer right = ask_gzip("/right");
  EXPECT_EQ(right.count("Content-Length"), 0u);
  EXPECT_EQ(unzip(right.body), pattern(2000));
  for (const char* wrong : {"/short", "/long"}) {
    Client client = connect();
    client.send(get(wrong, kGzip));
    const std::string all = hear(client);
    EXPECT_FALSE(all.ends_with("0\r\n\r\n")) << wrong << ": it must not look complete";
  }
  EXPECT_EQ(counters().cut_answers.value(), 2u);
}

// ---- files

class CompressedFiles : public Compression {
 protected:
  CompressedFiles() {
    directory.write("small.css", pattern(10'000));
    files.sendfile_min = 10'000;  // as it is, it leaves by sendfile, though it is in memory
    directory.write("long.txt", page());
    directory.write("tiny.css", pattern(1023));
    directory.write("picture.png", pattern(10'000));
    directory.write("ready.css", pattern(10'000));
    directory.write("ready.css.gz", zip("made before"));
    files.root = directory.path();
  }
  ssx::test::TempDir directory;
  StaticOptions files;
};

TEST_F(CompressedFiles, AreCompressedWhenTheyAreText) {
  build();
  add_files(files);
  for (const int time : {1, 2}) {
    const Answer small = ask_gzip("/files/small.css");
    EXPECT_EQ(small.field("Content-Type"), "text/css; charset=utf-8") << time;
    EXPECT_EQ(small.field("Content-Length"), std::to_string(small.body.size()));
    EXPECT_EQ(small.count("Accept-Ranges"), 0u);
    EXPECT_TRUE(small.field("ETag").starts_with("W/\""));
    EXPECT_EQ(small.count("Last-Modified"), 1u);
    EXPECT_EQ(unzip(small.body), pattern(10'000));
  }
  const Answer large = ask_gzip("/files/long.txt");
  EXPECT_EQ(large.field("Transfer-Encoding"), "chunked");
  EXPECT_EQ(unzip(large.body), page());
  EXPECT_TRUE(talk(get("/files/long.txt")).ends_with(page())) << "as it is";
  EXPECT_EQ(ask_gzip("/files/tiny.css").body, pattern(1023));
  EXPECT_EQ(ask_gzip("/files/picture.png").body, pattern(10'000));
}

TEST_F(CompressedFiles, GiveWayToSiblings) {
  build();
  add_files(files);
  const Answer answer = ask_gzip("/files/ready.css");
  EXPECT_EQ(answer.field("Content-Encoding"), "gzip");
  EXPECT_EQ(answer.count("Content-Encoding"), 1u);
  EXPECT_EQ(answer.count("Vary"), 1u);
  EXPECT_FALSE(answer.field("ETag").starts_with("W/"));
  EXPECT_EQ(unzip(answer.body), "made before");
}

TEST_F(CompressedFiles, AreKnownByTheirWeakETag) {  // RFC 9110 13.1.2, 15.4.5
  build();
  add_files(files);
  for (const char* name : {"/files/small.css", "/files/long.txt"}) {
    const std::string weak = ask_gzip(name).field("ETag");
    const Answer same = ask_gzip(name, "If-None-Match: " + weak + "\r\n");
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.field("ETag"), weak);
    EXPECT_EQ(same.field("Vary"), "Accept-Encoding");
    EXPECT_EQ(same.count("Content-Type"), 0u);
    const std::string strong = weak.substr(2);
    const Answer plain = ask(get(name, "If-None-Match: " + strong + "\r\n"));
    EXPECT_EQ(plain.status, 304);
    EXPECT_EQ(plain.field("ETag"), strong);
    EXPECT_EQ(ask_gzip(name, "If-None-Match: \"other\"\r\n").status, 200);
  }
}

TEST_F(CompressedFiles, ArePartlyOnlyWhatTheyAre) {
  build();
  add_files(files);
  const Answer part = ask_gzip("/files/small.css", "Range: bytes=0-4999\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.count("Content-Encoding"), 0u);
  EXPECT_EQ(part.body, pattern(10'000).substr(0, 5000));
  // The weak one is no validator of bytes (RFC 9110 13.1.5).
  const std::string weak = ask_gzip("/files/small.css").field("ETag");
  const Answer whole =
      ask_gzip("/files/small.css", "Range: bytes=0-4999\r\nIf-Range: " + weak + "\r\n");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(unzip(whole.body), pattern(10'000));
}

TEST_F(CompressedFiles, ThatChangeAreCompressedAnew) {
  files.open_file_cache.ttl = 0ms;
  build();
  add_files(files);
  EXPECT_EQ(unzip(ask_gzip("/files/small.css").body), pattern(10'000));
  directory.write("small.css", std::string(10'000, 'y'));
  EXPECT_EQ(unzip(ask_gzip("/files/small.css").body), std::string(10'000, 'y'));
}

TEST_F(CompressedFiles, ThatComeShortAreCutOff) {
  build();
  add_files(files);
  EXPECT_EQ(unzip(ask_gzip("/files/long.txt").body), page());
  directory.write("long.txt", page().substr(0, 100'000));  // the same file, and it is cached
  Client client = connect();
  client.send(get("/files/long.txt", kGzip));
  EXPECT_FALSE(hear(client).ends_with("0\r\n\r\n"));
  EXPECT_EQ(counters().cut_answers.value(), 1u);
  EXPECT_EQ(unzip(ask_gzip("/files/long.txt").body), page().substr(0, 100'000));
}

}  // namespace
}  // namespace ssx::http::test
