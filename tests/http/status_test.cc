#include "http/status.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::http {
namespace {

TEST(Status, HasAReasonPhrase) {
  EXPECT_EQ(reason_phrase(Status::kOk), "OK");
  EXPECT_EQ(reason_phrase(Status::kNotFound), "Not Found");
  EXPECT_EQ(reason_phrase(Status::kFieldsTooLarge), "Request Header Fields Too Large");
  EXPECT_EQ(reason_phrase(static_cast<Status>(299)), "");
  EXPECT_EQ(reason_phrase(static_cast<Status>(0)), "");
}

TEST(Status, LineIsVersionNumberAndReason) {
  int known = 0;
  for (int number = 0; number < 1000; ++number) {
    const auto status = static_cast<Status>(number);
    if (status_line(status).empty()) continue;
    ++known;
    EXPECT_EQ(status_line(status), "HTTP/1.1 " + std::to_string(number) + " " +
                                       std::string(reason_phrase(status)) + "\r\n");
  }
  EXPECT_EQ(known, 50);
}

TEST(Status, KnowsWhereContentIsForbidden) {
  EXPECT_TRUE(forbids_content(Status::kContinue));
  EXPECT_TRUE(forbids_content(Status::kSwitchingProtocols));
  EXPECT_TRUE(forbids_content(Status::kNoContent));
  EXPECT_TRUE(forbids_content(Status::kNotModified));
  EXPECT_FALSE(forbids_content(Status::kOk));
  EXPECT_FALSE(forbids_content(Status::kResetContent));
  EXPECT_FALSE(forbids_content(Status::kBadRequest));
}

}  // namespace
}  // namespace ssx::http
