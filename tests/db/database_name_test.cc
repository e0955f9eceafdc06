#include "ssxrver/db/database_name.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::db {
namespace {

TEST(DatabaseName, IsShortAndReadsWell) {
  for (const auto* name : {"a", "mysql", "Shop-EU_2", "0"}) EXPECT_TRUE(is_database_name(name));
  for (const auto* name : {"", "two words", "a.b", "a/b", "\xC3\xA4", "a\n", "a\"b"}) {
    EXPECT_FALSE(is_database_name(name)) << name;
  }
  EXPECT_TRUE(is_database_name(std::string(kDatabaseNameMax - 1, 'n')));
  EXPECT_TRUE(is_database_name(std::string(kDatabaseNameMax, 'n')));
  EXPECT_FALSE(is_database_name(std::string(kDatabaseNameMax + 1, 'n')));
}

}  // namespace
}  // namespace ssx::db
