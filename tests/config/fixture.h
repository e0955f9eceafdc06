// Reads texts through one kind or table, and keeps what was complained about.
//
// Thread: the test's
// Owner:  the test
// Life:   the test
// Bounds: -
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/config/reader.h"

namespace ssx::config::test {

/// A tree and the reader for it. The text is called "t" in messages.
class Reading {
 public:
  explicit Reading(std::string_view text, bool is_override = false, bool is_hardened = false,
                   unsigned mode = 0644)
      : reader_(
            sources_, problems_, [this](std::string_view) { return homes_; }, is_hardened) {
    sources_.add({"t", std::string(text), mode, is_override});
    auto document = json::parse(text);
    EXPECT_TRUE(document) << text;
    if (document) root_ = std::move(document->root);
  }

  [[nodiscard]] Reader& reader() { return reader_; }
  [[nodiscard]] const json::Value& root() const { return root_; }
  void set_homes(std::vector<std::string> homes) { homes_ = std::move(homes); }
  [[nodiscard]] std::vector<std::string> errors(Strictness strict = Strictness::kError) const {
    return problems_.errors(sources_, strict);
  }
  [[nodiscard]] std::vector<std::string> warnings() const {
    return problems_.warnings(sources_, Strictness::kError);
  }
  /// The only complaint, without its place; "" when there is none.
  [[nodiscard]] std::string complaint(Strictness strict = Strictness::kError) const {
    const auto lines = errors(strict);
    EXPECT_LE(lines.size(), 1u) << ::testing::PrintToString(lines);
    if (lines.empty()) return "";
    const auto colon = lines[0].find(": ");
    return colon == std::string::npos ? lines[0] : lines[0].substr(colon + 2);
  }

 private:
  Sources sources_;
  Problems problems_;
  std::vector<std::string> homes_;
  json::Value root_;
  Reader reader_;
};

/// What a kind makes of a text, and its complaint.
template <class Kind>
auto read(const Kind& kind, std::string_view text) {
  Reading reading(text);
  auto value = kind.read(reading.reader(), reading.root());
  return std::pair(std::move(value), reading.complaint());
}

template <class Kind>
std::string complaint(const Kind& kind, std::string_view text) {
  return read(kind, text).second;
}

}  // namespace ssx::config::test
