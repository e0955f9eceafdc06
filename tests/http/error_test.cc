#include "http/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "ssxrver/base/error.h"

namespace ssx::http {
namespace {

TEST(Errc, TellsThePeerAnErrorForEveryValueButOk) {
  EXPECT_EQ(status_of(Errc::kOk), Status::kOk);
  for (int i = 1; i < kErrcCount; ++i) {
    const int status = to_int(status_of(static_cast<Errc>(i)));
    EXPECT_GE(status, 400) << i;
    EXPECT_LE(status, 599) << i;
    EXPECT_FALSE(reason_phrase(static_cast<Status>(status)).empty()) << i;
  }
}

TEST(Errc, HasASentenceOfItsOwnForEveryValue) {
  std::set<std::string_view> texts;
  for (int i = 0; i < kErrcCount; ++i) {
    const std::string_view text = to_string(static_cast<Errc>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_TRUE(texts.insert(text).second) << text;
    EXPECT_EQ(make_error_code(static_cast<Errc>(i)).message(), text);
  }
}

// limits.md: what a peer is told when it hits a limit.
TEST(Errc, AnswersLimitsWithTheirStatus) {
  EXPECT_EQ(status_of(Errc::kRequestLineTooLong), Status::kUriTooLong);
  EXPECT_EQ(status_of(Errc::kTargetTooLong), Status::kUriTooLong);
  EXPECT_EQ(status_of(Errc::kPathTooLong), Status::kUriTooLong);
  EXPECT_EQ(status_of(Errc::kTooManySegments), Status::kBadRequest);
  EXPECT_EQ(status_of(Errc::kMethodTooLong), Status::kNotImplemented);
  EXPECT_EQ(status_of(Errc::kFieldNameTooLong), Status::kBadRequest);
  EXPECT_EQ(status_of(Errc::kFieldLineTooLong), Status::kFieldsTooLarge);
  EXPECT_EQ(status_of(Errc::kTooManyFields), Status::kFieldsTooLarge);
  EXPECT_EQ(status_of(Errc::kHeadTooLong), Status::kFieldsTooLarge);
  EXPECT_EQ(status_of(Errc::kLeadingLines), Status::kBadRequest);
  EXPECT_EQ(status_of(Errc::kBodyTooLarge), Status::kContentTooLarge);
  EXPECT_EQ(status_of(Errc::kUnknownContentCoding), Status::kUnsupportedMediaType);
  EXPECT_EQ(status_of(Errc::kBadContentCoding), Status::kBadRequest);
  EXPECT_EQ(status_of(Errc::kContentRatio), Status::kContentTooLarge);
  EXPECT_EQ(status_of(Errc::kHeadTimedOut), Status::kRequestTimeout);
  EXPECT_EQ(status_of(Errc::kUnsupportedVersion), Status::kVersionNotSupported);
  EXPECT_EQ(status_of(Errc::kUnknownMethod), Status::kNotImplemented);
  EXPECT_EQ(status_of(Errc::kUnknownExpectation), Status::kExpectationFailed);
}

TEST(Errc, IsAnErrorCodeOfItsOwnCategory) {
  const std::error_code code = Errc::kBadHost;
  EXPECT_EQ(code.category(), http_category());
  EXPECT_STREQ(code.category().name(), "http");
  EXPECT_NE(code, std::error_code(static_cast<int>(Errc::kBadHost), base_category()));
  EXPECT_EQ(http_category().message(-1), "unknown error");
  EXPECT_EQ(http_category().message(kErrcCount), "unknown error");
}

}  // namespace
}  // namespace ssx::http
