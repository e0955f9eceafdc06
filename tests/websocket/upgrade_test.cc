#include "websocket/upgrade.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace ssx::websocket {
namespace {

TEST(Upgrade, IsDataOrARejection) {
  Upgrade<std::unique_ptr<int>> accepted = std::make_unique<int>(7);
  ASSERT_FALSE(accepted.is_rejected());
  EXPECT_EQ(*accepted.take_data(), 7);
  Upgrade<std::string> refused = reject(http::Status::kForbidden);
  ASSERT_TRUE(refused.is_rejected());
  EXPECT_EQ(refused.take_answer().status(), http::Status::kForbidden);
  http::Response why("why");
  why.status(http::Status::kGone);
  Upgrade<std::string> explained = reject(std::move(why));
  EXPECT_EQ(explained.take_answer().status(), http::Status::kGone);
}

// What would break the framing is refused as it is in any answer.
TEST(Upgrade, AddsFieldsThatAreCheckedAsOthersAre) {
  Upgrade<int> upgrade = 1;
  upgrade.set("X-Room", "den").set("X-Name", "Ann");
  http::Response answer;
  upgrade.add_fields_to(answer);
  EXPECT_EQ(answer.fields(), "X-Room: den\r\nX-Name: Ann\r\n");
  upgrade.set("X-Bad", "a\r\nInjected: b");
  http::Response bad;
  upgrade.add_fields_to(bad);
  EXPECT_EQ(bad.bad_field(), "X-Bad");
}

}  // namespace
}  // namespace ssx::websocket
