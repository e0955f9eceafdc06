#include "ssxrver/db/request_place.h"

#include <gtest/gtest.h>

#include <string>

#include "ssxrver/json/json.h"

namespace ssx::db::internal {
namespace {

TEST(RequestPlace, IsAJsonPointer) {
  const Place request;
  const Place member(request, "a/b~c");
  const Place item(member, 3);
  EXPECT_EQ(request.pointer(), "");
  EXPECT_EQ(item.pointer(), "/a~1b~0c/3");
  EXPECT_EQ(refuse(request, "no object").value().text(), "the request: no object");
  EXPECT_EQ(refuse(item, "nothing").value().text(), "/a~1b~0c/3: nothing");
  EXPECT_EQ(refuse(item, "nothing").value(), Errc::kInvalidRequest);
  EXPECT_EQ(too_much(item, 5, "rows", "rows_max").value(), Errc::kRequestTooLarge);
  EXPECT_EQ(too_much(item, 5, "rows", "rows_max").value().text(),
            "/a~1b~0c/3: more than 5 rows (rows_max)");
}

TEST(RequestPlace, ShowsLongStepsCutBetweenCharacters) {
  const Place request;
  EXPECT_EQ(Place(request, std::string(64, 'k')).pointer(), "/" + std::string(64, 'k'));
  EXPECT_EQ(Place(request, std::string(65, 'k')).pointer(), "/" + std::string(64, 'k') + "...");
  const std::string wide = std::string(63, 'k') + "\xc3\xa4";
  EXPECT_EQ(Place(request, wide).pointer(), "/" + std::string(63, 'k') + "...");
}

TEST(RequestPlace, SaysWhatIsNear) {
  EXPECT_EQ(hint("nmae", {"id", "name"}), "; did you mean \"name\"?");
  EXPECT_EQ(hint("xyz", {"id", "name"}), "; expected one of \"id\", \"name\"");
  EXPECT_EQ(hint("xyz", {}), "");
  std::vector<std::string_view> many(16, "column");
  EXPECT_TRUE(hint("xyz", many).starts_with("; expected one of"));
  many.emplace_back("column");
  EXPECT_EQ(hint("xyz", many), "");
}

TEST(RequestPlace, ShowsNamesInQuotes) {
  EXPECT_EQ(shown("a\"b"), "\"a\\\"b\"");
  EXPECT_LT(shown(std::string(1U << 20U, 'x')).size(), 80u);
  EXPECT_TRUE(json::is_utf8(shown("\xbf'")));
}

}  // namespace
}  // namespace ssx::db::internal
