#include "http/accept.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace ssx::http {
namespace {

// The example of RFC 9110 12.5.1.
TEST(Accept, GivesTheQualitiesOfTheExample) {
  constexpr std::string_view kAccept =
      "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, "
      "*/*;q=0.5";
  EXPECT_EQ(media_type_quality(kAccept, "text/plain;format=flowed"), 1000);
  EXPECT_EQ(media_type_quality(kAccept, "text/plain"), 700);
  EXPECT_EQ(media_type_quality(kAccept, "text/html"), 300);
  EXPECT_EQ(media_type_quality(kAccept, "image/jpeg"), 500);
  EXPECT_EQ(media_type_quality(kAccept, "text/plain;format=fixed"), 400);
  EXPECT_EQ(media_type_quality(kAccept, "text/html;level=3"), 300);
}

TEST(Accept, ReadsWeightsStrictly) {
  const auto quality = [](std::string_view weight) {
    return media_type_quality("a/b;q=" + std::string(weight), "a/b");
  };
  EXPECT_EQ(quality("1"), 1000);
  EXPECT_EQ(quality("1.000"), 1000);
  EXPECT_EQ(quality("0"), 0);
  EXPECT_EQ(quality("0."), 0);
  EXPECT_EQ(quality("0.5"), 500);
  EXPECT_EQ(quality("0.123"), 123);
  EXPECT_EQ(quality("0.001"), 1);
  for (const std::string_view bad : {"2", "1.001", "0.1234", ".5", "-1", "1e1", "x", "0,5", "00"}) {
    EXPECT_EQ(quality(bad), 0) << bad;
  }
}

TEST(Accept, PicksTheBestThatIsOffered) {
  constexpr std::array<std::string_view, 3> kOffered = {"application/json", "text/html",
                                                        "text/csv; charset=utf-8"};
  const auto best = [&kOffered](std::string_view accept) {
    const auto index = best_media_type(accept, kOffered);
    return index ? kOffered[*index] : std::string_view();
  };
  EXPECT_EQ(best(""), "application/json");
  EXPECT_EQ(best("*/*"), "application/json");
  EXPECT_EQ(best("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), "text/html");
  EXPECT_EQ(best("TEXT/*, application/json;q=0.9"), "text/html");
  EXPECT_EQ(best("text/html;q=0.1, text/csv;q=0.2"), "text/csv; charset=utf-8");
  EXPECT_EQ(best("text/csv;charset=UTF-8"), "text/csv; charset=utf-8");
  EXPECT_EQ(best("image/png"), "");
  EXPECT_EQ(best("application/json;q=0, */*;q=0.1"), "text/html");
  EXPECT_EQ(best("text/html;q=0.5;ext=1"), "text/html");
  EXPECT_EQ(best(",, text/html ,"), "text/html");
  EXPECT_EQ(best("nonsense, text/html"), "text/html");
  EXPECT_EQ(best("x/y;p=\"a,text/csv\\\",\", text/html"), "text/html");
  EXPECT_FALSE(best_media_type("*/*", {}));
}

}  // namespace
}  // namespace ssx::http
