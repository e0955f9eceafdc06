#include "ssxrver/load/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "ssxrver/json/json.h"

namespace ssx::load {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Subject kSubject{.kind = "http", .url = "http://a.example/", .connections = 10, .threads = 2};

Outcome outcome() {
  Outcome made;
  made.window = std::chrono::seconds(2);
  made.busy = 0.5;
  made.tally.requests = 1005;
  made.tally.answered = 1000;
  made.tally.unfinished = 2;
  made.tally.bytes_in = 4096;
  made.tally.fail(Failure::kTimeout, 3);
  for (int i = 1; i <= 1000; ++i) made.tally.latency.record(std::chrono::microseconds(i));
  return made;
}

TEST(Report, IsForPeople) {
  const std::string text = to_text(kSubject, outcome());
  EXPECT_THAT(text, HasSubstr("http://a.example/\n  10 connections, 2 threads, 2.0 s, as fast as"));
  EXPECT_THAT(text, HasSubstr("answered   1000 (500/s), 4.0 KiB (2.0 KiB/s)"));
  EXPECT_THAT(text, HasSubstr("failed     3 timeout\n"));
  EXPECT_THAT(text, HasSubstr("unfinished 2\n"));
  EXPECT_THAT(text, HasSubstr("max 1.00 ms"));
  EXPECT_THAT(text, HasSubstr("50 % of its threads' time"));
  EXPECT_THAT(text, Not(HasSubstr("no time left")));
}

TEST(Report, SaysWhenTheLoadMayBeWhatWasMeasured) {
  Outcome busy = outcome();
  busy.busy = 0.95;
  EXPECT_THAT(to_text(kSubject, busy), HasSubstr("The load had no time left"));
}

TEST(Report, SaysTheRateThatWasAskedFor) {
  Subject asked = kSubject;
  asked.rate = 123;
  EXPECT_THAT(to_text(asked, outcome()), HasSubstr("123/s asked for"));
}

TEST(Report, IsForPrograms) {
  const auto read = json::parse(to_json(kSubject, outcome()));
  ASSERT_TRUE(read);
  const json::Value& root = read->root;
  EXPECT_EQ(*root.find("begun"), json::Value(1005));
  EXPECT_EQ(*root.find("answered"), json::Value(1000));
  EXPECT_EQ(*root.find("failed_timeout"), json::Value(3));
  EXPECT_EQ(*root.find("failed_connect"), json::Value(0));
  EXPECT_EQ(*root.find("latency_max_us"), json::Value(1000.0));
  EXPECT_NEAR(*root.find("latency_p99_us")->real(), 990, 10);
}

TEST(Report, SaysWhatTheServerUsed) {
  Subject with = kSubject;
  with.server = ServerUse{.cpu = std::chrono::milliseconds(750),  // looked at for 3 s instead of 2
                          .span = std::chrono::seconds(3),
                          .resident_before = 1 << 20,
                          .resident_after = 3 << 20,
                          .resident_peak = 4 << 20};
  EXPECT_THAT(to_text(with, outcome()),
              HasSubstr("25 % of a core, 500.00 us an answer; 1.0 MiB -> 3.0 MiB resident"));
  const auto read = json::parse(to_json(with, outcome()));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->root.find("server_cpu_us_each"), json::Value(500.0));
  EXPECT_EQ(*read->root.find("server_cpu_seconds"), json::Value(0.5));
  EXPECT_EQ(*read->root.find("server_resident_peak"), json::Value(4 << 20));
}

TEST(Report, SaysThatTheServerHasEnded) {
  Subject with = kSubject;
  with.server = ServerUse{.has_ended = true};
  EXPECT_THAT(to_text(with, outcome()), HasSubstr("server     has ended\n"));
  const auto read = json::parse(to_json(with, outcome()));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->root.find("server_has_ended"), json::Value(true));
  EXPECT_EQ(read->root.find("server_cpu_us_each"), nullptr);
}

TEST(Report, SaysWhyNoConnectionCameAbout) {
  Outcome refused = outcome();
  refused.tally.fail(Failure::kConnect, 2);
  refused.tally.note_refusal(ECONNREFUSED);
  EXPECT_THAT(to_text(kSubject, refused),
              HasSubstr("failed     2 connect (Connection refused), 3 timeout\n"));
  EXPECT_THAT(to_json(kSubject, refused), HasSubstr("\"Connection refused\""));
  EXPECT_THAT(to_csv(kSubject, outcome()), HasSubstr(",\"\","));
}

TEST(Report, SaysWhatWasDueAndNeverSent) {
  Outcome late = outcome();
  late.tally.unsent = 1;
  EXPECT_THAT(to_text(kSubject, late),
              HasSubstr("unfinished 2, of which 1 were due and had no connection\n"));
}

TEST(Report, SaysHowManyIdleConnectionsStand) {
  Subject idle = kSubject;
  idle.is_idle = true;
  Outcome some = outcome();
  some.tally.standing = 9;
  EXPECT_THAT(to_text(idle, some), HasSubstr("standing   9 of 10\n"));
  EXPECT_THAT(to_text(kSubject, some), Not(HasSubstr("standing")));
}

TEST(Report, SaysThatItWasCutOff) {
  Outcome cut = outcome();
  cut.was_cut = true;
  EXPECT_THAT(to_text(kSubject, cut), HasSubstr("2.0 s (cut off), as fast"));
  EXPECT_EQ(*json::parse(to_json(kSubject, cut))->root.find("was_cut"), json::Value(true));
}

TEST(Report, IsForTables) {
  const std::string text = to_csv(kSubject, outcome());
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  const std::string names = text.substr(0, text.find('\n'));
  const std::string values = text.substr(text.find('\n') + 1);
  EXPECT_EQ(std::ranges::count(names, ','), std::ranges::count(values, ','));
  EXPECT_THAT(text, HasSubstr("\"http\",\"http://a.example/\",10,2"));
}

TEST(Report, OfNothingIsNothing) {
  Outcome nothing;
  EXPECT_EQ(per_second(nothing, 5), 0);
  EXPECT_THAT(to_text(kSubject, nothing), HasSubstr("failed     none"));
}

}  // namespace
}  // namespace ssx::load
