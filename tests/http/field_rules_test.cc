#include "http/field_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::http {
namespace {

TEST(FieldRules, KnowTokens) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string_view legal =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    EXPECT_EQ(is_token({&c, 1}), legal.find(c) != std::string_view::npos) << byte;
  }
  EXPECT_FALSE(is_token(""));
  EXPECT_FALSE(is_token("a b"));
}

TEST(FieldRules, KnowValues) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    EXPECT_EQ(is_field_value({&c, 1}), byte == '\t' || (byte >= 0x20 && byte != 0x7F)) << byte;
  }
  EXPECT_TRUE(is_field_value(""));
}

TEST(FieldRules, KeepTheServersFieldsForTheServer) {
  for (const char* name :
       {"Connection", "CONTENT-LENGTH", "date", "Server", "Transfer-Encoding", "Keep-Alive"}) {
    EXPECT_TRUE(is_servers_field(name)) << name;
    EXPECT_FALSE(may_be_trailer(name)) << name;
  }
  EXPECT_FALSE(is_servers_field("Content-Type"));
}

TEST(FieldRules, LetNothingIntoATrailerThatComesTooLateThere) {
  for (const char* name : {"Host", "set-cookie", "Content-Encoding", "Trailer", "Location"})
    EXPECT_FALSE(may_be_trailer(name)) << name;
  EXPECT_TRUE(may_be_trailer("Server-Timing"));
  EXPECT_TRUE(may_be_trailer("X-Checksum"));
}

}  // namespace
}  // namespace ssx::http
