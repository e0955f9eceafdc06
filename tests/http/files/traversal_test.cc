// Every spelling that ever led out of a root (H01 of the abuse tests), against a canary beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/http/files/static_fixture.h"

namespace ssx::http::test {
namespace {

/// One way to write "..", "/" and "." each.
std::vector<std::string> spellings() {
  const std::vector<std::string> dots = {
      "..",           "%2e%2e", "%2e.",  ".%2e", "%2E%2E", "%252e%252e",   "..;",
      "..%00",        "..%20",  ".. ",   "...",  "....",   "%c0%ae%c0%ae", "%e0%80%ae%e0%80%ae",
      "%u002e%u002e", "．．",   "..%ff", "..\t", "..%09",  "..%5c..",      "..\\..",
      "%uff0e%uff0e", ". .",    "..."};
  const std::vector<std::string> slashes = {
      "/",      "//",  "%2f",   "%2F", "%5c", "\\",   "%252f", "%c0%af",   "%e0%80%af",
      "%u2215", "/./", "/%2e/", ";/",  "/;/", "%00/", "∕",     "%ef%bc%8f"};
  std::vector<std::string> all;
  for (const std::string& dot : dots) {
    for (const std::string& slash : slashes) {
      all.push_back("/" + dot + slash + "secret.txt");
      all.push_back("/folder/" + dot + slash + dot + slash + "secret.txt");
      all.push_back("/folder" + slash + dot + slash + dot + slash + dot + slash + "secret.txt");
    }
  }
  return all;
}

class AbuseH01 : public StaticTest {
 protected:
  AbuseH01() {
    write("folder/file.txt", "inner");
    outside("secret.txt", "canary");
    std::filesystem::create_symlink("../secret.txt", path_of("link"));
  }
  void expect_no_canary() {
    const auto all = spellings();
    EXPECT_GT(all.size(), 400u);
    for (const std::string& target : all) {
      for (const std::string& bytes :
           {get(target), "GET http://a.example" + target + " HTTP/1.0\r\n\r\n"}) {
        const std::string said = talk(bytes);
        const bool refused = said.starts_with("HTTP/1.1 400 ") || said.starts_with("HTTP/1.1 404 ");
        ASSERT_TRUE(refused) << target << '\n' << said;
        ASSERT_EQ(said.find("canary"), std::string::npos) << target;
      }
    }
  }
};

TEST_F(AbuseH01, NeverLeavesTheRoot) {
  serve();
  expect_no_canary();
}

TEST_F(AbuseH01, NeverLeavesTheRootThroughAPrefix) {
  serve("/folder/*");
  expect_no_canary();
}

TEST_F(AbuseH01, NeverLeavesTheRootWithLinksAndDotfilesAllowed) {
  files.follow_symlinks = true;
  files.allow_dotfiles = true;
  serve();
  expect_no_canary();
  EXPECT_TRUE(talk(get("/link")).starts_with("HTTP/1.1 404 "));
}

TEST_F(AbuseH01, TakesDotsThatStayInside) {
  serve();
  for (const char* target :
       {"/folder/../folder/file.txt", "/folder/./file.txt", "/./folder//file.txt",
        "/folder/%2e%2e/folder/file.txt", "/x/../folder/file.txt"}) {
    EXPECT_TRUE(talk(get(target)).ends_with("inner")) << target;
  }
}

}  // namespace
}  // namespace ssx::http::test
