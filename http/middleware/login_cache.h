// Logins that were right a moment ago, so that not each request costs a slow hash. (i)
//
// Thread: loop-only
// Owner:  htpasswd_auth, one for each worker
// Life:   that of the middleware
// Bounds: kEntries logins of kTime; one that falls into the place of another takes it
#pragma once

#include <cstddef>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/digest.h"

namespace ssx::http {

class LoginCache {
 public:
  static constexpr std::size_t kEntries = 1024;
  static constexpr Duration kTime = std::chrono::seconds(60);

  /// Of name and password, under a key that nobody knows: who chooses names cannot choose places,
  /// and whoever reads the memory finds no passwords in it.
  using Key = HmacSha256::Digest;

  LoginCache() : entries_(kEntries) {}
  [[nodiscard]] bool knows(const Key& key, TimePoint now) const noexcept;
  void remember(const Key& key, TimePoint now) noexcept;

 private:
  struct Entry {
    Key key{};
    TimePoint until{};
  };
  [[nodiscard]] static std::size_t place_of(const Key& key) noexcept;

  std::vector<Entry> entries_;
};

}  // namespace ssx::http
