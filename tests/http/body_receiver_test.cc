#include "http/body_receiver.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "http/request_parser.h"
#include "http/service.h"
#include "ssxrver/sys/file.h"
#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http {
namespace {

using sim::Call;

class BodyReceiverTest : public testing::Test {
 protected:
  BodyReceiverTest() {
    options.spool_path = directory.path();
    options.body_spool_threshold = 10;
    options.upload_tmp_total = 1000;
  }
  void make() {
    service = std::make_unique<Service>(Router(), options, 1);
    receiver = std::make_unique<BodyReceiver>(*service);
  }
  /// With the head of a request whose body is still to come.
  BodyReceiver& begin(const std::string& lines) {
    if (receiver == nullptr) make();
    const std::string bytes = "POST / HTTP/1.1\r\nHost: h.example\r\n" + lines + "\r\n";
    RequestParser parser(options.parser);
    const auto head = std::make_unique<Head>();
    EXPECT_EQ(parser.parse(bytes, *head).progress, Progress::kDone);
    receiver->begin(*head, limits, start, nullptr);
    return *receiver;
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
  std::unique_ptr<BodyReceiver> receiver;
};

TEST_F(BodyReceiverTest, TakesABodyOfAKnownLength) {
  BodyReceiver& body = begin("Content-Length: 5\r\n");
  auto taken = body.take("he");
  EXPECT_EQ(taken.consumed, 2u);
  EXPECT_FALSE(taken.done);
  taken = body.take("lloGET / HTTP/1.1");
  EXPECT_EQ(taken.consumed, 3u);
  EXPECT_TRUE(taken.done);
  EXPECT_EQ(taken.error, Errc::kOk);
  EXPECT_EQ(body.body().text, "hello");
  EXPECT_EQ(body.body().size, 5u);
  EXPECT_FALSE(body.body().is_spooled());
}

TEST_F(BodyReceiverTest, TakesABodyInChunks) {
  BodyReceiver& body = begin("Transfer-Encoding: chunked\r\n");
  EXPECT_FALSE(body.take("2\r\nhe\r\n3").done);
  const std::string_view rest = "\r\nllo\r\n0\r\n\r\nGET";
  const auto taken = body.take(rest);
  EXPECT_TRUE(taken.done);
  EXPECT_EQ(rest.substr(taken.consumed), "GET");
  EXPECT_EQ(body.body().text, "hello");
}

TEST_F(BodyReceiverTest, RefusesChunksThatAreNone) {
  EXPECT_EQ(begin("Transfer-Encoding: chunked\r\n").take("z").error, Errc::kBadChunkSize);
}

TEST_F(BodyReceiverTest, RefusesMoreThanTheRouteTakes) {
  for (const std::size_t size : {99, 100, 101}) {
    receiver.reset();
    options.body_spool_threshold = 1000;
    BodyReceiver& body = begin("Transfer-Encoding: chunked\r\n");
    const std::string half(50, 'x');
    EXPECT_EQ(body.take("32\r\n" + half + "\r\n").error, Errc::kOk);
    const auto taken = body.take(fmt::format("{:x}\r\n{}", size - 50, std::string(size - 50, 'x')));
    EXPECT_EQ(taken.error, size > 100 ? Errc::kBodyTooLarge : Errc::kOk);
  }
}

TEST_F(BodyReceiverTest, RefusesAChunkForItsSizeAlone) {
  for (const std::size_t size : {99, 100, 101}) {
    receiver.reset();
    BodyReceiver& body = begin("Transfer-Encoding: chunked\r\n");
    const auto taken = body.take(fmt::format("{:x}\r\n", size));
    EXPECT_EQ(taken.error, size > 100 ? Errc::kBodyTooLarge : Errc::kOk);
  }
}

TEST_F(BodyReceiverTest, SpoolsWhatIsAboveTheThreshold) {
  BodyReceiver& body = begin("Content-Length: 15\r\n");
  EXPECT_FALSE(body.take("0123456789").done);
  EXPECT_FALSE(body.body().is_spooled());
  EXPECT_FALSE(body.take("a").done);
  EXPECT_TRUE(body.body().is_spooled());
  EXPECT_TRUE(body.take("bcde").done);
  EXPECT_EQ(body.body().text, "");
  EXPECT_EQ(body.body().size, 15u);
  EXPECT_EQ(spooled(body.body()), "0123456789abcde");
}

TEST_F(BodyReceiverTest, GivesTheSpoolBackWithTheRequest) {
  options.upload_tmp_total = 15;
  const auto files = ssx::test::open_files();
  for (int i = 0; i < 3; ++i) {
    BodyReceiver& body = begin("Content-Length: 15\r\n");
    EXPECT_TRUE(body.take("0123456789abcde").done);
    EXPECT_FALSE(service->reserve_spool(1));
    body.clear();
    EXPECT_EQ(ssx::test::open_files(), files);
  }
  EXPECT_TRUE(service->reserve_spool(15));
}

TEST_F(BodyReceiverTest, GivesBackWhatItHadReservedWhenTheSpoolIsFull) {
  options.upload_tmp_total = 20;
  EXPECT_EQ(begin("Content-Length: 30\r\n").take(std::string(15, 'x')).error, Errc::kOk);
  EXPECT_EQ(receiver->take(std::string(15, 'x')).error, Errc::kSpoolFull);
  receiver->clear();
  EXPECT_TRUE(service->reserve_spool(20));
}

TEST_F(BodyReceiverTest, SaysSpoolFullWhenThereIsNoFile) {
  sim::FaultPlan plan;
  plan.fail(Call::kOpenTemporary, EACCES);
  EXPECT_EQ(begin("Content-Length: 15\r\n").take(std::string(15, 'x')).error, Errc::kSpoolFull);
}

TEST_F(BodyReceiverTest, SpoolsIntoTheFolderForTemporaryFilesByDefault) {
  options.spool_path = "";
  BodyReceiver& body = begin("Content-Length: 15\r\n");
  EXPECT_TRUE(body.take("0123456789abcde").done);
  EXPECT_EQ(spooled(body.body()), "0123456789abcde");
}

TEST_F(BodyReceiverTest, AsksForAnAverageRateAfterTenSeconds) {
  limits.body_min_rate = 10;
  limits.body_max = 1000;
  options.body_spool_threshold = 1000;
  BodyReceiver& body = begin("Content-Length: 1000\r\n");
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(9999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(10)), Errc::kBodyTimedOut);
  (void)body.take(std::string(99, 'x'));
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(10)), Errc::kBodyTimedOut);
  (void)body.take("x");
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(10)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(10999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::seconds(11)), Errc::kBodyTimedOut);
}

TEST_F(BodyReceiverTest, AsksForNoRateInTheGraceOfTheRoute) {
  limits.body_min_rate = 10;
  limits.body_min_rate_grace = std::chrono::seconds(5);
  const BodyReceiver& body = begin("Content-Length: 100\r\n");
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(4999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(5000)), Errc::kBodyTimedOut);
  EXPECT_EQ(body.check_rate(start + std::chrono::milliseconds(5001)), Errc::kBodyTimedOut);
}

TEST_F(BodyReceiverTest, CountsTheRateFromARestart) {
  limits.body_min_rate = 10;
  BodyReceiver& body = begin("Content-Length: 100\r\n");
  (void)body.take("xxxxx");
  const TimePoint again = start + std::chrono::hours(1);
  body.restart_rate(again);
  EXPECT_EQ(body.check_rate(again + std::chrono::milliseconds(9999)), Errc::kOk);
  EXPECT_EQ(body.check_rate(again + std::chrono::seconds(10)), Errc::kBodyTimedOut);
}

TEST_F(BodyReceiverTest, CountsNoTimeInWhichNobodyReads) {
  limits.body_min_rate = 10;
  BodyReceiver& body = begin("Content-Length: 100\r\n");
  body.pause_rate(start + std::chrono::seconds(9));
  body.pause_rate(start + std::chrono::seconds(60));  // twice is once
  body.resume_rate(start + std::chrono::hours(1));
  body.resume_rate(start + std::chrono::hours(2));
  EXPECT_EQ(body.check_rate(start + std::chrono::hours(1)), Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::hours(1) + std::chrono::milliseconds(999)),
            Errc::kOk);
  EXPECT_EQ(body.check_rate(start + std::chrono::hours(1) + std::chrono::seconds(1)),
            Errc::kBodyTimedOut);
}

TEST_F(BodyReceiverTest, PutsABodyIntoAStreamAndKeepsNothing) {
  limits.body_max = 20;
  BodyStream stream;
  stream.open_arriving(nullptr);
  BodyReceiver& body = begin("Transfer-Encoding: chunked\r\n");
  body.clear();
  Head head;
  head.chunked = true;
  body.begin(head, limits, start, &stream);
  EXPECT_FALSE(body.is_complete());
  EXPECT_EQ(body.take("f\r\n0123456789abcde\r\n").error, Errc::kOk);
  EXPECT_EQ(body.body().text, "");
  EXPECT_FALSE(body.body().is_spooled());
  EXPECT_EQ(body.received(), 15u);
  EXPECT_EQ(body.take("6\r\n012345").error, Errc::kBodyTooLarge);
}

TEST_F(BodyReceiverTest, KeepsAWholeBody) {
  make();
  std::string text = "whole";
  const std::string_view kept = receiver->keep(text);
  text.assign(5, '\xA5');
  EXPECT_EQ(kept, "whole");
  EXPECT_EQ(receiver->received(), 5u);
  EXPECT_TRUE(receiver->is_complete());
}

TEST_F(BodyReceiverTest, AsksForNoRateWhenThereIsNone) {
  limits.body_min_rate = 0;
  EXPECT_EQ(begin("Content-Length: 9\r\n").check_rate(start + std::chrono::hours(1000)), Errc::kOk);
}

TEST_F(BodyReceiverTest, IsAsGoodAsNewAfterClear) {
  BodyReceiver& body = begin("Transfer-Encoding: chunked\r\n");
  (void)body.take("5\r\nhel");
  body.clear();
  begin("Content-Length: 2\r\n");
  EXPECT_TRUE(body.take("ok").done);
  EXPECT_EQ(body.body().text, "ok");
}

}  // namespace
}  // namespace ssx::http
