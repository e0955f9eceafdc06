#include "http/client/redirect.h"

#include <gtest/gtest.h>

#include <string>

#include "http/client/response_parser.h"

namespace ssx::http {
namespace {

class RedirectTest : public testing::Test {
 protected:
  const ResponseHead& head(int status, const std::string& fields) {
    bytes_ = "HTTP/1.1 " + std::to_string(status) + " X\r\n" + fields + "\r\n";
    ResponseParser parser(limits_);
    EXPECT_EQ(parser.parse(bytes_, head_).progress, Progress::kDone);
    return head_;
  }

 private:
  const ParserLimits limits_;
  std::string bytes_;
  ResponseHead head_;
};

TEST_F(RedirectTest, IsOneOfFiveStatusesWithALocation) {
  for (int status = 200; status < 600; ++status) {
    const bool known =
        status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    EXPECT_EQ(is_redirect(head(status, "Location: /\r\n")), known) << status;
    EXPECT_FALSE(is_redirect(head(status, ""))) << status;
  }
}

TEST_F(RedirectTest, LeadsFromWhereItWasFound) {
  const Url from = *Url::parse("http://a.example/b/c?d");
  const struct {
    std::string location, target;
  } rows[] = {{"/x", "http://a.example/x"},
              {"x", "http://a.example/b/x"},
              {"?x", "http://a.example/b/c?x"},
              {"//b.example/x", "http://b.example/x"},
              {"https://b.example", "https://b.example/"}};
  for (const auto& row : rows) {
    const auto target = redirect_target(from, head(302, "Location: " + row.location + "\r\n"));
    ASSERT_TRUE(target) << row.location;
    EXPECT_EQ(target->text(), row.target);
  }
  for (const std::string fields : {"Location: http://a b/\r\n", "Location: file:///etc/passwd\r\n",
                                   "Location: /a\r\nLocation: /b\r\n"}) {
    const auto target = redirect_target(from, head(302, fields));
    ASSERT_FALSE(target) << fields;
    EXPECT_EQ(target.error(), make_error_code(Errc::kBadRedirect));
  }
}

TEST_F(RedirectTest, ChangesTheMethodWhereTheRulesSay) {
  const struct {
    std::uint16_t status;
    std::string_view method, then;
  } rows[] = {{301, "GET", "GET"},   {301, "POST", "GET"},  {301, "PUT", "PUT"},
              {302, "POST", "GET"},  {302, "HEAD", "HEAD"}, {302, "DELETE", "DELETE"},
              {303, "POST", "GET"},  {303, "PUT", "GET"},   {303, "HEAD", "HEAD"},
              {307, "POST", "POST"}, {308, "POST", "POST"}, {308, "PATCH", "PATCH"}};
  for (const auto& row : rows) {
    EXPECT_EQ(redirect_method(row.status, row.method), row.then) << row.status << row.method;
  }
}

TEST(Redirect, DropsWhatBelongsToTheOldOriginOrBody) {
  std::vector<ClientField> fields = {{.name = "AUTHORIZATION", .value = "1"},
                                     {.name = "Cookie", .value = "1"},
                                     {.name = "Content-Type", .value = "1"},
                                     {.name = "Accept", .value = "1"}};
  drop_credentials(fields);
  EXPECT_EQ(fields.size(), 2U);
  drop_content_fields(fields);
  EXPECT_EQ(fields, (std::vector<ClientField>{{.name = "Accept", .value = "1"}}));
}

}  // namespace
}  // namespace ssx::http
