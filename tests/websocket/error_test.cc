#include "websocket/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace ssx::websocket {
namespace {

TEST(WebSocketErrc, HasASentenceOfItsOwnForEveryValue) {
  std::set<std::string_view> texts;
  for (int i = 0; i < kErrcCount; ++i) {
    const std::string_view text = to_string(static_cast<Errc>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_TRUE(texts.insert(text).second) << text;
    EXPECT_EQ(make_error_code(static_cast<Errc>(i)).message(), text);
  }
  EXPECT_EQ(websocket_category().message(-1), "unknown error");
  EXPECT_EQ(websocket_category().message(kErrcCount), "unknown error");
}

// A close frame carries its code, or none is sent.
TEST(WebSocketErrc, ClosesWithACodeThatMayBeSentOrWithoutAFrame) {
  for (int i = 0; i < kErrcCount; ++i) {
    const CloseCode code = close_code_of(static_cast<Errc>(i));
    EXPECT_TRUE(may_be_sent(code) || code == CloseCode::kAbnormal)
        << to_string(static_cast<Errc>(i));
  }
}

TEST(WebSocketErrc, FailsAHandshakeWithAStatus) {
  EXPECT_EQ(status_of(Errc::kNotGet), http::Status::kMethodNotAllowed);
  EXPECT_EQ(status_of(Errc::kNoUpgrade), http::Status::kUpgradeRequired);
  EXPECT_EQ(status_of(Errc::kBadVersion), http::Status::kUpgradeRequired);
  EXPECT_EQ(status_of(Errc::kBadKey), http::Status::kBadRequest);
  EXPECT_EQ(status_of(Errc::kForbiddenOrigin), http::Status::kForbidden);
}

// RFC 6455 7.4.1.
TEST(WebSocketErrc, ClosesWithTheCodeOfTheRfc) {
  EXPECT_EQ(close_code_of(Errc::kUnmasked), CloseCode::kProtocolError);
  EXPECT_EQ(close_code_of(Errc::kBadUtf8), CloseCode::kInvalidPayload);
  EXPECT_EQ(close_code_of(Errc::kMessageTooLong), CloseCode::kMessageTooBig);
  EXPECT_EQ(close_code_of(Errc::kInflateRatio), CloseCode::kMessageTooBig);
  EXPECT_EQ(close_code_of(Errc::kTooManyFragments), CloseCode::kPolicyViolation);
  EXPECT_EQ(close_code_of(Errc::kHandlerFailed), CloseCode::kInternalError);
  EXPECT_EQ(close_code_of(Errc::kLifetimeOver), CloseCode::kGoingAway);
}

}  // namespace
}  // namespace ssx::websocket
