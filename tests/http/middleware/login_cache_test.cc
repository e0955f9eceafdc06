#include "http/middleware/login_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include "ssxrver/base/bytes.h"
#include "tests/support/manual_clock.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

LoginCache::Key key(unsigned number) {
  const auto text = std::to_string(number);
  return HmacSha256::of(as_bytes("salt"), as_bytes(text));
}

/// One that goes to this place.
LoginCache::Key key_at(std::size_t place) {
  LoginCache::Key made{};
  made[0] = static_cast<std::byte>(place >> 8);
  made[1] = static_cast<std::byte>(place);
  return made;
}

TEST(LoginCache, KnowsNobodyAtFirst) {
  const test::ManualClock clock;
  const LoginCache cache;
  EXPECT_FALSE(cache.knows(key(1), clock.now()));
  EXPECT_FALSE(cache.knows({}, clock.now()));
}

TEST(LoginCache, ForgetsAfterItsTime) {
  test::ManualClock clock;
  LoginCache cache;
  cache.remember(key(1), clock.now());
  clock.advance(LoginCache::kTime - 1ns);
  EXPECT_TRUE(cache.knows(key(1), clock.now()));
  EXPECT_FALSE(cache.knows(key(2), clock.now()));
  clock.advance(1ns);
  EXPECT_FALSE(cache.knows(key(1), clock.now()));
  clock.advance(1ns);
  EXPECT_FALSE(cache.knows(key(1), clock.now()));
  cache.remember(key(1), clock.now());
  EXPECT_TRUE(cache.knows(key(1), clock.now()));
}

TEST(LoginCache, HasAPlaceForSoMany) {
  const test::ManualClock clock;
  for (const std::size_t count :
       {LoginCache::kEntries - 1, LoginCache::kEntries, LoginCache::kEntries + 1}) {
    LoginCache cache;
    for (std::size_t i = 0; i < count; ++i) cache.remember(key_at(i), clock.now());
    std::size_t known = 0;
    for (std::size_t i = 0; i < count; ++i) known += cache.knows(key_at(i), clock.now()) ? 1 : 0;
    EXPECT_EQ(known, std::min(count, LoginCache::kEntries)) << count;
    EXPECT_TRUE(cache.knows(key_at(count - 1), clock.now()));
  }
}

}  // namespace
}  // namespace ssx::http
