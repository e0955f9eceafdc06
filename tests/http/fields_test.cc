#include "http/fields.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"

namespace ssx::http {
namespace {

// Fields as a request brings them.
class FieldsOf {
 public:
  explicit FieldsOf(const std::string& lines)
      : bytes_("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n"), head_(std::make_unique<Head>()) {
    const ParserLimits limits;
    RequestParser parser(limits);
    EXPECT_EQ(parser.parse(bytes_, *head_).progress, Progress::kDone);
  }
  const Fields& operator*() const { return head_->fields; }
  const Fields* operator->() const { return &head_->fields; }
  void remove(FieldName name) { head_->fields.remove(name); }

 private:
  std::string bytes_;
  std::unique_ptr<Head> head_;
};

TEST(Fields, KeepsOrderAndSpelling) {
  const FieldsOf fields("X-b: 1\r\nAccept: 2\r\nx-B: 3\r\n");
  std::vector<std::string> seen;
  for (const Field field : *fields) {
    seen.push_back(std::string(field.name) + "=" + std::string(field.value));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"Host=a", "X-b=1", "Accept=2", "x-B=3"}));
  EXPECT_EQ((*fields)[2].id, FieldName::kAccept);
  EXPECT_EQ((*fields)[3].id, FieldName::kOther);
}

TEST(Fields, FindsByNumberAndByNameInAnyCase) {
  const FieldsOf fields("X-Custom: 1\r\nACCEPT: 2\r\nx-custom: 3\r\naccept: 4\r\n");
  EXPECT_EQ(fields->find(FieldName::kAccept), "2");
  EXPECT_EQ(fields->find("Accept"), "2");
  EXPECT_EQ(fields->find("x-CUSTOM"), "1");
  EXPECT_FALSE(fields->find("x-other").has_value());
  EXPECT_FALSE(fields->find(FieldName::kCookie).has_value());
  EXPECT_FALSE(fields->find("cookie").has_value());
  EXPECT_FALSE(fields->find(FieldName::kOther).has_value());
  EXPECT_FALSE(fields->find("").has_value());
  EXPECT_TRUE(fields->contains(FieldName::kAccept));
  EXPECT_FALSE(fields->contains(FieldName::kCookie));
}

TEST(Fields, WalksOverRepeatedLines) {
  const FieldsOf fields("Via: 1\r\nX: 2\r\nVIA: 3\r\nx: 4\r\nvia: 5\r\n");
  std::string seen;
  for (std::size_t i = fields->next(FieldName::kVia, 0); i < fields->size();
       i = fields->next(FieldName::kVia, i + 1)) {
    seen += (*fields)[i].value;
  }
  EXPECT_EQ(seen, "135");
  seen.clear();
  for (std::size_t i = fields->next("X", 0); i < fields->size(); i = fields->next("X", i + 1)) {
    seen += (*fields)[i].value;
  }
  EXPECT_EQ(seen, "24");
  EXPECT_EQ(fields->next(FieldName::kCookie, 0), fields->size());
}

TEST(Fields, SeesTheMembersOfAListOverAllItsLines) {
  const FieldsOf fields("Connection: a ,\tUpgrade\r\nX: close\r\nConnection:,, b;c\r\n");
  EXPECT_TRUE(fields->has_token(FieldName::kConnection, "a"));
  EXPECT_TRUE(fields->has_token(FieldName::kConnection, "upgrade"));
  EXPECT_TRUE(fields->has_token(FieldName::kConnection, "b;c"));
  EXPECT_FALSE(fields->has_token(FieldName::kConnection, "close"));
  EXPECT_FALSE(fields->has_token(FieldName::kConnection, "upgrad"));
  EXPECT_FALSE(fields->has_token(FieldName::kConnection, "upgrades"));
}

TEST(Fields, ForgetsTheLinesOfAName) {
  FieldsOf fields("Via: 1\r\nX: 2\r\nVIA: 3\r\nAccept: 4\r\n");
  fields.remove(FieldName::kCookie);
  EXPECT_EQ(fields->size(), 5u);
  fields.remove(FieldName::kVia);
  EXPECT_FALSE(fields->contains(FieldName::kVia));
  EXPECT_FALSE(fields->find("via").has_value());
  ASSERT_EQ(fields->size(), 3u);
  EXPECT_EQ((*fields)[1].value, "2");
  EXPECT_EQ(fields->find("accept"), "4");
}

TEST(Fields, BeginsEmpty) {
  const Fields fields;
  EXPECT_TRUE(fields.empty());
  EXPECT_EQ(fields.begin(), fields.end());
  EXPECT_FALSE(fields.find("host").has_value());
  EXPECT_FALSE(fields.has_token(FieldName::kConnection, "close"));
}

TEST(FieldsDeathTest, RefusesAnIndexBehindTheLast) {
  const FieldsOf fields("");
  EXPECT_DEATH(static_cast<void>((*fields)[1]), "index < size_");
}

}  // namespace
}  // namespace ssx::http
