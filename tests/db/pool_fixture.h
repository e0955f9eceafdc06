// Borrowers of a Database of words.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/db/database_fixture.h"

namespace ssx::db {

class PoolTest : public DatabaseTest {
 protected:
  /// Borrows until `time` has passed.
  static Task<> borrow(Pool& pool, Duration time) {
    const auto lease = co_await pool.acquire();
    EXPECT_TRUE(lease);
    co_await net::sleep_for(time);
  }
  static Task<> acquire(Pool& pool, std::vector<std::string>& ends) {
    const auto lease = co_await pool.acquire();
    ends.push_back(lease ? "lent" : lease.error().message());
  }
  void borrow(Duration time) { start(borrow(db->pool(), time)); }
  void acquire() { start(acquire(db->pool(), ends)); }
};

}  // namespace ssx::db
