#include "ssxrver/db/mysql/row_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ssx::db::mysql {
namespace {

using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace): literals only

class RowCheckTest : public testing::Test {
 protected:
  RowCheckTest() { mysql_init(&mysql_); }  // fills the library's table of types
  ~RowCheckTest() override { mysql_close(&mysql_); }

  static bool is_good(const std::vector<int>& types, std::string_view row) {
    std::vector<MYSQL_FIELD> columns(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) {
      columns[i].type = static_cast<enum_field_types>(types[i]);
    }
    return is_good_row(columns, {reinterpret_cast<const unsigned char*>(row.data()), row.size()});
  }
  /// A row of one text: the byte that says it is one, the nulls, and then this.
  static bool is_good_text(const std::string& text) {
    return is_good({MYSQL_TYPE_VAR_STRING}, std::string(2, '\0') + text);
  }

  MYSQL mysql_{};
};

TEST_F(RowCheckTest, ANumberIsAsLongAsItsType) {
  EXPECT_FALSE(is_good({MYSQL_TYPE_LONG}, "\0\0abc"sv));
  EXPECT_TRUE(is_good({MYSQL_TYPE_LONG}, "\0\0abcd"sv));
  EXPECT_TRUE(is_good({MYSQL_TYPE_LONG}, "\0\0abcde"sv));  // nobody reads what is behind
  EXPECT_TRUE(is_good({MYSQL_TYPE_TINY, MYSQL_TYPE_DOUBLE}, "\0\0abcdefghi"sv));
  EXPECT_FALSE(is_good({MYSQL_TYPE_TINY, MYSQL_TYPE_DOUBLE}, "\0\0abcdefgh"sv));
}

TEST_F(RowCheckTest, ATextIsAsLongAsItSays) {
  EXPECT_FALSE(is_good_text(""));
  EXPECT_TRUE(is_good_text(std::string(1, '\0')));
  EXPECT_FALSE(is_good_text("\3ab"));
  EXPECT_TRUE(is_good_text("\3abc"));
  EXPECT_TRUE(is_good_text("\xfa" + std::string(250, 'x')));
  EXPECT_FALSE(is_good_text("\xfa" + std::string(249, 'x')));
}

TEST_F(RowCheckTest, LongerLengthsAreWhole) {
  for (const auto& [first, width] : {std::pair('\xfc', 2), {'\xfd', 3}, {'\xfe', 8}, {'\xff', 8}}) {
    const std::string length = "\1\1" + std::string(static_cast<std::size_t>(width) - 2, '\0');
    EXPECT_TRUE(is_good_text(first + length + std::string(257, 'x'))) << width;
    EXPECT_FALSE(is_good_text(first + length + std::string(256, 'x'))) << width;
    EXPECT_FALSE(is_good_text(first + length.substr(1))) << width;
    EXPECT_FALSE(is_good_text(first + std::string(static_cast<std::size_t>(width), '\xff')));
  }
  EXPECT_FALSE(is_good_text("\xfb" + std::string(300, 'x')));  // which means null, elsewhere
}

TEST_F(RowCheckTest, OfANullNothingFollows) {
  EXPECT_TRUE(is_good({MYSQL_TYPE_LONG, MYSQL_TYPE_VAR_STRING}, "\0\x0c"sv));
  EXPECT_TRUE(is_good({MYSQL_TYPE_LONG, MYSQL_TYPE_VAR_STRING}, "\0\4\1a"sv));
  EXPECT_FALSE(is_good({MYSQL_TYPE_LONG, MYSQL_TYPE_VAR_STRING}, "\0\4\1"sv));
}

TEST_F(RowCheckTest, TheBitsOfAllNullsAreThere) {
  const std::vector<int> six(6, MYSQL_TYPE_NULL);
  const std::vector<int> seven(7, MYSQL_TYPE_NULL);
  EXPECT_FALSE(is_good(six, "\0"sv));
  EXPECT_TRUE(is_good(six, "\0\0"sv));
  EXPECT_FALSE(is_good(seven, "\0\0"sv));
  EXPECT_TRUE(is_good(seven, "\0\0\0"sv));
  EXPECT_FALSE(is_good({}, ""sv));
}

TEST_F(RowCheckTest, ATypeThatTheLibraryCannotReadIsRefused) {
  for (const int type : {17, 200, 244}) {
    EXPECT_FALSE(is_good({type}, "\0\0\1aaaaaaaaa"sv)) << type;
    EXPECT_TRUE(is_good({type}, "\0\4"sv)) << type;  // a null is not read
  }
}

}  // namespace
}  // namespace ssx::db::mysql
