#include "ssxrver/db/mysql/client_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx::db::mysql {
namespace {

using ::testing::HasSubstr;

TEST(ClientLibrary, IsLoadedWithAllOfItsSymbols) {
  const auto library = open_client_library("libmariadb.so.3");
  ASSERT_TRUE(library) << library.error().message();
  EXPECT_NE(library->mysql_init, nullptr);
  EXPECT_NE(library->mysql_stmt_prepare_start, nullptr);
}

TEST(ClientLibrary, OneThatIsNotThereIsNamed) {
  const auto library = open_client_library("libnobody.so.3");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().error().code(), Errc::kUnsupported);
  EXPECT_THAT(library.error().text(), HasSubstr("the client library cannot be loaded: libnobody"));
}

TEST(ClientLibrary, AnotherLibraryIsRefusedWithTheFirstSymbolThatItLacks) {
  const auto library = open_client_library("libm.so.6");
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().text(), HasSubstr("mariadb_get_charset_by_name"));
}

TEST(ClientLibrary, LoadingAgainIsNothing) {
  ASSERT_TRUE(load_client_library());
  const auto* const first = &client();
  ASSERT_TRUE(load_client_library());
  EXPECT_EQ(&client(), first);
}

}  // namespace
}  // namespace ssx::db::mysql
