#include "ssxrver/crypt/apr1.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::crypt {
namespace {

// Made by `openssl passwd -apr1`.
TEST(Apr1, GivesTheHashesOfOthers) {
  EXPECT_EQ(apr1("", "12345678"), "sHuPAw7VA9xjRbJz7zKV7/");
  EXPECT_EQ(apr1("a", "x"), "16j9.5e7KiXmuYFAYpPJM/");
  EXPECT_EQ(apr1("Open, Sesame", "8charslt"), "C38/0p80m1BY8KeSm4tO2.");
  EXPECT_EQ(apr1("0123456789abcdef", "abc"), "yWxGS/hDoDlT/I0f4OdfM1");
  EXPECT_EQ(apr1("0123456789abcdef0", "abcdefgh"), "ESn6vIjGN14YkA7CrwCho/");
  EXPECT_EQ(apr1(std::string(65, 'x'), "./09AZaz"), "bOEu5suAzZ4yQbxaGicrk/");
  EXPECT_EQ(apr1("pässwörd", "qwertzui"), "Pc.NY7pPvJY7YHQn3QyR0/");
}

// Made by `htpasswd -m`.
TEST(Apr1, GivesTheHashesOfHtpasswd) {
  EXPECT_EQ(apr1("Open, Sesame", "qvgwKDAd"), "3.tzr24SeCC1aY05PDkis1");
}

}  // namespace
}  // namespace ssx::crypt
