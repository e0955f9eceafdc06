#include "http/framing.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace ssx::http {
namespace {

// The functions as RequestParser calls them, without a grammar around them. The tables of what each
// field may hold are in request_corpus.cc.
class Framing : public ::testing::Test {
 protected:
  using Lines = std::vector<std::pair<FieldName, std::string_view>>;

  Errc take(const Lines& lines, Version version = Version::kHttp11) {
    head_.clear();
    connection_ = {};
    head_.version = version;
    begin_framing(head_);
    for (const auto& [name, value] : lines) {
      const Errc code = take_framing_field(name, value, connection_, head_);
      if (code != Errc::kOk) return code;
      static_cast<void>(head_.fields.add(name));
    }
    return conclude_framing(connection_, head_);
  }

  Head head_;
  ConnectionOptions connection_;
};

constexpr std::pair<FieldName, std::string_view> kHost{FieldName::kHost, "a"};

TEST_F(Framing, LooksAtFiveNames) {
  int count = 0;
  for (int i = 0; i < kFieldNameCount; ++i) count += decides_framing(static_cast<FieldName>(i));
  EXPECT_EQ(count, 5);
  EXPECT_TRUE(decides_framing(FieldName::kContentLength));
  EXPECT_FALSE(decides_framing(FieldName::kOther));
  EXPECT_FALSE(decides_framing(FieldName::kTe));
}

TEST_F(Framing, TakesALengthOrACodingNeverBoth) {
  EXPECT_EQ(take({kHost}), Errc::kOk);
  EXPECT_FALSE(head_.has_body());
  EXPECT_EQ(take({kHost, {FieldName::kContentLength, "5"}}), Errc::kOk);
  EXPECT_EQ(head_.content_length, 5);
  EXPECT_EQ(take({kHost, {FieldName::kTransferEncoding, "chunked"}}), Errc::kOk);
  EXPECT_TRUE(head_.chunked);
  EXPECT_FALSE(head_.content_length.has_value());
  EXPECT_EQ(take({{FieldName::kContentLength, "5"}, {FieldName::kTransferEncoding, "chunked"}}),
            Errc::kTransferEncodingAndLength);
  EXPECT_EQ(take({{FieldName::kTransferEncoding, "chunked"}, {FieldName::kContentLength, "5"}}),
            Errc::kTransferEncodingAndLength);
  EXPECT_EQ(take({{FieldName::kContentLength, "5"}, {FieldName::kContentLength, "5"}}),
            Errc::kDuplicateContentLength);
  EXPECT_EQ(take({{FieldName::kTransferEncoding, "chunked"}}, Version::kHttp10),
            Errc::kTransferEncodingInHttp10);
}

TEST_F(Framing, WantsOneHostInHttp11) {
  EXPECT_EQ(take({}), Errc::kMissingHost);
  EXPECT_EQ(take({}, Version::kHttp10), Errc::kOk);
  EXPECT_FALSE(head_.has_host);
  EXPECT_EQ(take({kHost, kHost}), Errc::kDuplicateHost);
  EXPECT_EQ(take({{FieldName::kHost, ""}}), Errc::kBadHost);
}

TEST_F(Framing, GathersConnectionOverItsLines) {
  EXPECT_EQ(take({kHost, {FieldName::kConnection, "x"}, {FieldName::kConnection, "y, Close"}}),
            Errc::kOk);
  EXPECT_FALSE(head_.keep_alive);
  EXPECT_EQ(take({kHost, {FieldName::kConnection, "x"}}), Errc::kOk);
  EXPECT_TRUE(head_.keep_alive);
}

TEST_F(Framing, FailsAnExpectationItDoesNotKnow) {
  EXPECT_EQ(take({kHost, {FieldName::kExpect, "100-CONTINUE"}}), Errc::kOk);
  EXPECT_TRUE(head_.expect_continue);
  EXPECT_EQ(take({kHost, {FieldName::kExpect, "tea"}}), Errc::kUnknownExpectation);
  EXPECT_EQ(take({kHost, {FieldName::kExpect, "100-continue, tea"}}), Errc::kUnknownExpectation);
  EXPECT_EQ(take({{FieldName::kExpect, "tea"}}, Version::kHttp10), Errc::kOk);
  EXPECT_FALSE(head_.expect_continue);
}

// RFC 9110 5.6.1.2
TEST_F(Framing, SkipsEmptyMembersOfExpect) {
  EXPECT_EQ(take({kHost, {FieldName::kExpect, ", ,100-continue ,"}}), Errc::kOk);
  EXPECT_TRUE(head_.expect_continue);
  EXPECT_EQ(take({kHost, {FieldName::kExpect, ","}}), Errc::kOk);
  EXPECT_FALSE(head_.expect_continue);
}

}  // namespace
}  // namespace ssx::http
