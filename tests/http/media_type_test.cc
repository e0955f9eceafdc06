#include "http/media_type.h"

#include <gtest/gtest.h>

#include <string_view>

namespace ssx::http {
namespace {

TEST(MediaType, HasTypeSubtypeAndParameters) {
  const MediaType type = MediaType::parse("Text/HTML; Charset=\"utf-8\"").value();
  EXPECT_EQ(type.type, "Text");
  EXPECT_EQ(type.subtype, "HTML");
  EXPECT_TRUE(type.is("text", "html"));
  EXPECT_FALSE(type.is("text", "plain"));
  EXPECT_FALSE(type.is("html", "text"));
  EXPECT_EQ(type.parameters.find("charset"), "utf-8");
  EXPECT_TRUE(
      MediaType::parse("application/vnd.api+json").value().is("application", "vnd.api+json"));
  EXPECT_TRUE(MediaType::parse(" a/b ").value().is("a", "b"));
  EXPECT_EQ(MediaType::parse("multipart/form-data; boundary=x").value().parameters.size(), 1U);
}

TEST(MediaType, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "text", "text/", "/html", "/", "text/html/x", "te xt/html", "text/html charset=x",
        "text/html; charset", "text/html; a=1; a=2", "text /html", "text/html, text/plain",
        "\xc3\xa9/a"}) {
    EXPECT_EQ(MediaType::parse(text).error(), make_error_code(Errc::kBadMediaType)) << text;
  }
}

TEST(MediaType, IsFoundInAList) {
  const std::vector<std::string> list = {"text/*", "application/json"};
  for (const char* type : {"text/html", "TEXT/html", "text/html;charset=utf-8", "text/css ; a=b",
                           "application/json", "Application/JSON"})
    EXPECT_TRUE(is_type_among(type, list)) << type;
  for (const char* type : {"", "text", "textual/html", "image/png", "application/jsonx",
                           "application/json-seq", "application", "multipart/byteranges"})
    EXPECT_FALSE(is_type_among(type, list)) << type;
  EXPECT_FALSE(is_type_among("text/html", {}));
}

}  // namespace
}  // namespace ssx::http
