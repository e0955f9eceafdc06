#include "http/exchange.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "http/service.h"
#include "ssxrver/sys/file.h"
#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http {
namespace {

using sim::Call;

class ExchangeTest : public testing::Test {
 protected:
  ExchangeTest() {
    options.spool_path = directory.path();
    options.body_spool_threshold = 10;
    options.upload_tmp_total = 1000;
  }
  Exchange& make() {
    service = std::make_unique<Service>(Router(), options, 1);
    exchange = std::make_unique<Exchange>(*service);
    return *exchange;
  }
  /// With the head of a request whose body is still to come.
  Exchange& begin(const std::string& lines) {
    if (exchange == nullptr) make();
    bytes = "POST /a%20b?q HTTP/1.1\r\nHost: h.example\r\n" + lines + "\r\n";
    const auto parsed = exchange->parser.parse(bytes, exchange->head);
    EXPECT_EQ(parsed.progress, Progress::kDone);
    exchange->keep_head(exchange->head, bytes, "/a b");
    exchange->begin_body(limits, start);
    bytes.assign(bytes.size(), '\xA5');  // as the receive area is used again
    return *exchange;
  }
  std::string spooled(const Body& body) {
    std::string text(static_cast<std::size_t>(body.size) + 1, '\0');
    const auto count = sys::pread(body.file, std::as_writable_bytes(std::span(text)), 0);
    text.resize(count.value_or(0));
    return text;
  }

  ssx::test::TempDir directory;
  HttpOptions options;
  RouteLimits limits{.body_max = 100};
  TimePoint start{std::chrono::hours(1)};
  std::unique_ptr<Service> service;
  std::unique_ptr<Exchange> exchange;
  std::string bytes;
};

TEST_F(ExchangeTest, KeepsTheHeadWhenTheReceiveAreaIsUsedAgain) {
  const Exchange& kept = begin("Content-Length: 5\r\nX-Field: value\r\n");
  EXPECT_EQ(kept.head.target, "/a%20b?q");
  EXPECT_EQ(kept.head.path, "/a%20b");
  EXPECT_EQ(kept.head.query, "q");
  EXPECT_EQ(kept.head.host, "h.example");
  EXPECT_EQ(kept.head.fields.find("x-field"), "value");
  EXPECT_EQ(kept.head.method_text, "POST");
  EXPECT_EQ(kept.path, "/a b");
}

TEST_F(ExchangeTest, KeepsAHeadThatLiesElsewhere) {
  make();
  auto head = std::make_unique<Head>();
  RequestParser parser(options.parser);
  bytes = "GET /x HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n";
  EXPECT_EQ(parser.parse(bytes, *head).progress, Progress::kDone);
  exchange->keep_head(*head, bytes, "/x");
  bytes.assign(bytes.size(), '\xA5');
  head.reset();
  EXPECT_EQ(exchange->head.fields.find("a"), "b");
  EXPECT_EQ(exchange->head.host, "h");
}

TEST_F(ExchangeTest, TakesABodyOfAKnownLength) {
  Exchange& body = begin("Content-Length: 5\r\n");
  auto taken = body.take_body("he");
  EXPECT_EQ(taken.consumed, 2u);
  EXPECT_FALSE(taken.done);
  taken = body.take_body("lloGET / HTTP/1.1");
  EXPECT_EQ(taken.consumed, 3u);
  EXPECT_TRUE(taken.done);
  EXPECT_EQ(taken.error, Errc::kOk);
  EXPECT_EQ(body.body().text, "hello");
  EXPECT_EQ(body.body().size, 5u);
  EXPECT_FALSE(body.body().is_spooled());
}

TEST_F(ExchangeTest, TakesABodyInChunks) {
  Exchange& body = begin("Transfer-Encoding: chunked\r\n");
  EXPECT_FALSE(body.take_body("2\r\nhe\r\n3").done);
  const std::string_view rest = "\r\nllo\r\n0\r\n\r\nGET";
  const auto taken = body.take_body(rest);
  EXPECT_TRUE(taken.done);
  EXPECT_EQ(rest.substr(taken.consumed), "GET");
  EXPECT_EQ(body.body().text, "hello");
}

TEST_F(ExchangeTest, RefusesChunksThatAreNone) {
  EXPECT_EQ(begin("Transfer-Encoding: chunked\r\n").take_body("z").error, Errc::kBadChunkSize);
}

TEST_F(ExchangeTest, RefusesMoreThanTheRouteTakes) {
  for (const std::size_t size : {99, 100, 101}) {
    exchange.reset();
    options.body_spool_threshold = 1000;
    Exchange& body = begin("Transfer-Encoding: chunked\r\n");
    const std::string half(50, 'x');
    EXPECT_EQ(body.take_body("32\r\n" + half + "\r\n").error, Errc::kOk);
    const auto taken = body.take_body("40\r\n" + std::string(size - 50, 'x'));
    EXPECT_EQ(taken.error, size > 100 ? Errc::kBodyTooLarge : Errc::kOk);
  }
}

TEST_F(ExchangeTest, SpoolsWhatIsAboveTheThreshold) {
  Exchange& body = begin("Content-Length: 15\r\n");
  EXPECT_FALSE(body.take_body("0123456789").done);
  EXPECT_FALSE(body.body().is_spooled());
  EXPECT_FALSE(body.take_body("a").done);
  EXPECT_TRUE(body.body().is_spooled());
  EXPECT_TRUE(body.take_body("bcde").done);
  EXPECT_EQ(body.body().text, "");
  EXPECT_EQ(body.body().size, 15u);
  EXPECT_EQ(spooled(body.body()), "0123456789abcde");
}

TEST_F(ExchangeTest, GivesTheSpoolBackWithTheRequest) {
  options.upload_tmp_total = 15;
  const auto files = ssx::test::open_files();
  for (int i = 0; i < 3; ++i) {
    Exchange& body = begin("Content-Length: 15\r\n");
    EXPECT_TRUE(body.take_body("0123456789abcde").done);
    EXPECT_FALSE(service->reserve_spool(1));
    body.clear();
    EXPECT_EQ(ssx::test::open_files(), files);
  }
  EXPECT_TRUE(service->reserve_spool(15));
}

TEST_F(ExchangeTest, GivesBackWhatItHadReservedWhenTheSpoolIsFull) {
  options.upload_tmp_total = 20;
  EXPECT_EQ(begin("Content-Length: 30\r\n").take_body(std::string(15, 'x')).error, Errc::kOk);
  EXPECT_EQ(exchange->take_body(std::string(15, 'x')).error, Errc::kSpoolFull);
  exchange->clear();
  EXPECT_TRUE(service->reserve_spool(20));
}

TEST_F(ExchangeTest, SaysSpoolFullWhenThereIsNoFile) {
  sim::FaultPlan plan;
  plan.fail(Call::kOpenTemporary, EACCES);
  EXPECT_EQ(begin("Content-Length: 15\r\n").take_body(std::string(15, 'x')).error,
            Errc::kSpoolFull);
}

TEST_F(ExchangeTest, SpoolsIntoTheFolderForTemporaryFilesByDefault) {
  options.spool_path = "";
  Exchange& body = begin("Content-Length: 15\r\n");
  EXPECT_TRUE(body.take_body("0123456789abcde").done);
  EXPECT_EQ(spooled(body.body()), "0123456789abcde");
}

TEST_F(ExchangeTest, AsksForAnAverageRateAfterTenSeconds) {
  limits.body_min_rate = 10;
  limits.body_max = 1000;
  options.body_spool_threshold = 1000;
  Exchange& body = begin("Content-Length: 1000\r\n");
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(9999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(10)), Errc::kBodyTimedOut);
  (void)body.take_body(std::string(99, 'x'));
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(10)), Errc::kBodyTimedOut);
  (void)body.take_body("x");
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(10)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(10999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(11)), Errc::kBodyTimedOut);
}

TEST_F(ExchangeTest, AsksForNoRateInTheGraceOfTheRoute) {
  limits.body_min_rate = 10;
  limits.body_min_rate_grace = std::chrono::seconds(5);
  const Exchange& body = begin("Content-Length: 100\r\n");
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(4999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(5000)), Errc::kBodyTimedOut);
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(5001)), Errc::kBodyTimedOut);
}

TEST_F(ExchangeTest, CountsTheRateFromARestart) {
  limits.body_min_rate = 10;
  Exchange& body = begin("Content-Length: 100\r\n");
  (void)body.take_body("xxxxx");
  const TimePoint again = start + std::chrono::hours(1);
  body.restart_rate(again);
  EXPECT_EQ(body.check_rate(again + std::chrono::milliseconds(9999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(again + std::chrono::seconds(10)), Errc::kBodyTimedOut);
}

TEST_F(ExchangeTest, AsksForNoRateWhenThereIsNone) {
  limits.body_min_rate = 0;
  EXPECT_EQ(begin("Content-Length: 9\r\n").check_rate(start + std::chrono::hours(1000)), Errc::kOk);
}

TEST_F(ExchangeTest, IsAsGoodAsNewAfterClear) {
  Exchange& body = begin("Transfer-Encoding: chunked\r\n");
  (void)body.take_body("5\r\nhel");
  body.clear();
  begin("Content-Length: 2\r\n");
  EXPECT_TRUE(body.take_body("ok").done);
  EXPECT_EQ(body.body().text, "ok");
}

}  // namespace
}  // namespace ssx::http
