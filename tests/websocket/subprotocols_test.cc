#include "websocket/subprotocols.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/websocket/field_lines.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kField = "Sec-WebSocket-Protocol";
using Names = std::vector<std::string>;

/// What is chosen, "" for none, or the error.
std::string chosen(const http::Fields& fields, const Names& known) {
  std::string_view name = "what stood there";
  const Errc error = choose_subprotocol(fields, known, name);
  return std::string(error == Errc::kOk ? name : to_string(error));
}
std::string chosen(std::string_view line, const Names& known) {
  return chosen(test::FieldLines({{kField, line}}).fields(), known);
}

TEST(Subprotocols, AreChosenByTheServersPreference) {
  EXPECT_EQ(chosen("chat, superchat", {"superchat", "chat"}), "superchat");
  EXPECT_EQ(chosen("chat, superchat", {"chat", "superchat"}), "chat");
  EXPECT_EQ(chosen("chat", {"superchat", "chat"}), "chat");
  EXPECT_EQ(chosen(" ,a ,\tb,, c,", {"c"}), "c");
  EXPECT_EQ(chosen("chat", {}), "");
  EXPECT_EQ(chosen("other", {"chat"}), "");
  EXPECT_EQ(chosen("Chat", {"chat"}), "") << "case counts";
  EXPECT_EQ(chosen(test::FieldLines({}).fields(), {"chat"}), "");
}

TEST(Subprotocols, AreOneListInAllLines) {
  EXPECT_EQ(chosen(test::FieldLines({{kField, "a"}, {kField, "b, c"}}).fields(), {"c"}), "c");
  EXPECT_EQ(chosen(test::FieldLines({{kField, "a"}, {kField, "a"}}).fields(), {"a"}),
            "malformed subprotocols");
}

TEST(Subprotocols, B03ThatAreNoneAreRefused) {
  for (const std::string_view line : {"", ",", " , ", "a b", "a, b c", "a, a", "a, b, a", "a/b",
                                      "a;b=c", "\"a\"", "a, \"b\"", "a,\x80", "a(b)", "{}"}) {
    EXPECT_EQ(chosen(line, {"a", "c"}), "malformed subprotocols") << line;
  }
}

std::string list(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.append("p").append(std::to_string(i)).append(",");
  return text;
}

TEST(Subprotocols, B03ThatAreTooManyAreRefused) {
  for (const std::size_t size : {kSubprotocolsMax - 1, kSubprotocolsMax}) {
    EXPECT_EQ(chosen(list(size), {"p62"}), "p62");
  }
  EXPECT_EQ(chosen(list(kSubprotocolsMax + 1), {"p62"}), "malformed subprotocols");
  EXPECT_EQ(chosen(list(9000), {"p62"}), "malformed subprotocols");  // 64 KiB
}

TEST(Subprotocols, ThatTheServerTakesMustHaveBeenOffered) {
  const Names offered = {"a", "b"};
  const auto checked = [&offered](const http::Fields& fields) {
    std::string_view name = "what stood there";
    const Errc error = check_subprotocol(fields, offered, name);
    return std::string(error == Errc::kOk ? name : to_string(error));
  };
  EXPECT_EQ(checked(test::FieldLines({}).fields()), "");
  EXPECT_EQ(checked(test::FieldLines({{kField, "b"}}).fields()), "b");
  for (const std::string_view line : {"", "c", "A", "a, b", "a b"}) {
    EXPECT_EQ(checked(test::FieldLines({{kField, line}}).fields()),
              "subprotocol that was not offered")
        << line;
  }
  EXPECT_EQ(checked(test::FieldLines({{kField, "a"}, {kField, "b"}}).fields()),
            "subprotocol that was not offered");
}

}  // namespace
}  // namespace ssx::websocket
