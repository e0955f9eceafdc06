#include "http/auth_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>

#include "http/middleware/basic_auth.h"
#include "http/middleware/bearer_token.h"
#include "tests/support/temp_dir.h"

namespace ssx::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string users_problem(std::string_view text) {
  const auto users = AuthFile::parse_users(text);
  return users ? "" : users.error();
}
std::string tokens_problem(std::string_view text) {
  const auto tokens = AuthFile::parse_tokens(text);
  return tokens ? "" : tokens.error();
}

TEST(AuthFile, ListsUsers) {
  const std::string hash = "{sha256:" + std::string(64, 'a') + "}";
  const auto users =
      AuthFile::parse_users("# people\n\nann:a:good one \r\nbob:" + hash + "\ncy:$5 ?");
  ASSERT_TRUE(users);
  EXPECT_THAT(*users,
              ElementsAre(Pair("ann", "a:good one "), Pair("bob", hash), Pair("cy", "$5 ?")));
}

TEST(AuthFile, NamesTheLineOfAUserThatIsNone) {
  const std::string want = "expected NAME:PASSWORD or NAME:{sha256:HEX}";
  for (const char* line : {"ann", ":x", "ann:"}) EXPECT_EQ(users_problem(line), "line 1: " + want);
  EXPECT_EQ(users_problem("a:b\n\nann\nx"), "line 3: " + want);
  EXPECT_EQ(users_problem("a:b\na:c"), "line 2: this user is there already");
  for (const char* word : {"$apr1$x$y", "$2y$05$x", "{SHA}x", "{x", "$1$x$y"}) {
    EXPECT_EQ(
        users_problem(std::string("a:b\nann:") + word),
        "line 2: a hash that is malformed, costs too much, or is of a kind that is not known; "
        "known are {sha256:HEX}, $2y$, $5$, $6$, $y$, $apr1$ and {SHA}");
  }
  EXPECT_EQ(users_problem("a\tb:{SHA}YIK7HrVpOyhEYF30C9Lbh/rpGj0="),
            "line 1: a control character in the name, or a malformed hash");
  for (const char* line : {"ann:{sha256:12}", "a\tb:c"}) {
    EXPECT_EQ(users_problem(line), "line 1: a control character in the name, or a malformed hash");
  }
  EXPECT_EQ(users_problem("# nobody\n"), "no user is in it");
  EXPECT_EQ(users_problem(""), "no user is in it");
}

TEST(AuthFile, ListsTokens) {
  const auto tokens = AuthFile::parse_tokens("# tokens\nmF_9.B5f-4.1JqM\r\n\nabc==\n");
  ASSERT_TRUE(tokens);
  EXPECT_THAT(*tokens, ElementsAre("mF_9.B5f-4.1JqM", "abc=="));
  for (const char* line : {"a b", "=", "a=b", "caf\xc3\xa9", " a"})
    EXPECT_THAT(tokens_problem(line), HasSubstr("line 1: expected a token")) << line;
  EXPECT_EQ(tokens_problem("\n"), "no token is in it");
}

TEST(AuthFile, HasBounds) {
  std::string users;
  std::string tokens;
  for (std::size_t i = 1; i < BasicAuthOptions::kUsersMax; ++i)
    users += "u" + std::to_string(i) + ":x\n";
  for (std::size_t i = 1; i < BearerOptions::kTokensMax; ++i)
    tokens += "t" + std::to_string(i) + "\n";
  EXPECT_EQ(users_problem(users), "");
  EXPECT_EQ(users_problem(users + "a:b"), "");
  EXPECT_EQ(users_problem(users + "a:b\nc:d"), "line 1025: too many users");
  EXPECT_EQ(tokens_problem(tokens), "");
  EXPECT_EQ(tokens_problem(tokens + "a"), "");
  EXPECT_EQ(tokens_problem(tokens + "a\nb"), "line 1025: too many tokens");
}

class AuthFiles : public testing::Test {
 protected:
  std::string write(std::string_view text, unsigned mode = 0640) {
    folder.write("secrets", text);
    const std::string path = folder.path() + "/secrets";
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  static std::string problem(const std::string& auth) {
    const auto made = AuthFile::load(auth);
    return made ? "" : made.error();
  }
  test::TempDir folder;
};

TEST_F(AuthFiles, AreOfTwoKinds) {
  const auto users = AuthFile::load("basic:" + write("ann:secret\n"));
  ASSERT_TRUE(users) << users.error();
  EXPECT_THAT(users->users, ElementsAre(Pair("ann", "secret")));
  EXPECT_TRUE(users->tokens.empty());
  const auto tokens = AuthFile::load("bearer:" + write("secret\n"));
  ASSERT_TRUE(tokens) << tokens.error();
  EXPECT_THAT(tokens->tokens, ElementsAre("secret"));
  EXPECT_TRUE(tokens->users.empty());
}

TEST_F(AuthFiles, SayWhereAHashIsThatTakesItsTime) {
  const std::string hash = "$apr1$qvgwKDAd$3.tzr24SeCC1aY05PDkis1";
  const auto slow =
      AuthFile::load("basic:" + write("# a:" + hash + "\nann:secret\n\nbob:" + hash + "\r\n"));
  ASSERT_TRUE(slow) << slow.error();
  EXPECT_EQ(slow->slow_line, 4u);
  EXPECT_THAT(slow->users, ElementsAre(Pair("ann", "secret"), Pair("bob", hash)));
  EXPECT_EQ(AuthFile::load("basic:" + write("ann:secret\n"))->slow_line, 0u);
}

TEST_F(AuthFiles, KnowTheirPaths) {
  EXPECT_EQ(AuthFile::path_of("basic:a/b"), "a/b");
  EXPECT_EQ(AuthFile::path_of("bearer:/c"), "/c");
  EXPECT_EQ(AuthFile::path_of("Basic:a"), "");
}

TEST_F(AuthFiles, AreForTheServerAlone) {
  const std::string path = write("ann:secret\n", 0644);
  EXPECT_EQ(problem("basic:" + path),
            "\"" + path + "\" holds secrets and everybody may read it: chmod o= it");
  EXPECT_EQ(problem("basic:" + write("ann:secret\n", 0660)), "");
}

TEST_F(AuthFiles, ThatCannotBeUsedAreNamed) {
  const std::string path = folder.path();
  EXPECT_EQ(problem("basic:" + path + "/none"),
            "\"" + path + "/none\" cannot be read: No such file or directory");
  EXPECT_EQ(problem("bearer:" + path), "\"" + path + "\" is not a regular file");
  EXPECT_EQ(problem("basic:" + write("ann\n")),
            "\"" + path + "/secrets\": line 1: expected NAME:PASSWORD or NAME:{sha256:HEX}");
  EXPECT_EQ(problem("bearer:" + write("")), "\"" + path + "/secrets\": no token is in it");
  for (const char* auth : {"", "basic", "basic:", "digest:x"})
    EXPECT_EQ(problem(auth), "expected \"basic:FILE\" or \"bearer:FILE\"") << auth;
  const std::string comments = "#" + std::string(AuthFile::kFileMax - 4, 'x') + "\n";
  EXPECT_EQ(problem("bearer:" + write(comments + "t")), "");
  EXPECT_EQ(problem("bearer:" + write(comments + "tt")), "");
  EXPECT_EQ(problem("bearer:" + write(comments + "ttt")), "\"" + path + "/secrets\" is too long");
}

}  // namespace
}  // namespace ssx::http
