// Names and values of a query string or of an application/x-www-form-urlencoded body, decoded.
//
// Thread: a value
// Owner:  whoever holds it; the pairs may look into the text it was made from
// Life:   not longer than that text; movable
// Bounds: the pairs that parse() is told (HttpOptions::query_params_max); memory: the decoded bytes
//         and the list, linear time however the names are chosen: nothing is hashed
//
// "+" is a space (URL Standard 5.1). A malformed escape or a NUL is refused, as in every
// query that the server takes; other bytes are handed on as they are, UTF-8 or not.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class Form {
 public:
  struct Pair {
    std::string_view name;
    std::string_view value;  ///< empty, too, when there was no "="
  };

  /// kTooManyParams, kBadEscape or kEncodedControl. Empty parts ("a=1&&b=2") are no pairs.
  static Result<Form> parse(std::string_view text, std::size_t pairs_max);

  Form() = default;

  [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }
  [[nodiscard]] bool empty() const noexcept { return pairs_.empty(); }
  /// In the order of the text.
  [[nodiscard]] auto begin() const noexcept { return pairs_.begin(); }
  [[nodiscard]] auto end() const noexcept { return pairs_.end(); }
  [[nodiscard]] const Pair& operator[](std::size_t index) const noexcept { return pairs_[index]; }

  /// The first value of that name, whose case counts.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  /// All of them, in order.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;

 private:
  std::unique_ptr<char[]> decoded_;
  std::vector<Pair> pairs_;
};

/// Appends "name=value", encoded, behind a "&" when `out` is not empty.
void append_form_pair(std::string& out, const Form::Pair& pair);

}  // namespace ssx::http
