// JSON as a tree that knows where each of its values stood in the text. The one door to the JSON
// library: json.cc alone includes it.
//
// The reader takes JSON as people write it: a UTF-8 byte order mark, `//` and `/* */` comments and
// trailing commas are blanked first, byte for byte, so that every offset stays true. The writer
// gives clean JSON.
//
// Thread: a value; const members from any thread
// Owner:  a Value owns everything below it
// Life:   independent of the text it came from
// Bounds: ParseLimits: bytes of text and depth of nesting
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/base/result.h"

namespace ssx::json {

/// A place in a text: the caller's number of the text, and the byte in it.
struct Origin {
  std::uint32_t source = 0;
  std::uint32_t offset = 0;
  bool operator==(const Origin&) const = default;
  auto operator<=>(const Origin&) const = default;
};

class Value;
struct Member;
using Array = std::vector<Value>;
using Object = std::vector<Member>;  ///< in the order of the text; a key occurs once

/// One JSON value. Integers keep their sign and all 64 bits; 1.0 and 1e3 stay floating-point.
class Value {
 public:
  enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kNegative,
    kNumber,
    kReal,
    kString,
    kArray,
    kObject
  };

  Value();
  // NOLINTBEGIN(google-explicit-constructor): a literal of C++ is a value of JSON
  Value(std::nullptr_t);
  Value(bool value);
  template <std::integral T>
  Value(T value) : Value(Whole{static_cast<std::uint64_t>(value), value < T{0}}) {}
  Value(double value);
  Value(std::string value);
  Value(std::string_view value) : Value(std::string(value)) {}
  Value(const char* value) : Value(std::string(value)) {}
  Value(Array items);
  Value(Object members);
  // NOLINTEND(google-explicit-constructor): as above
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(data_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::kNull; }

  /// Null when the value is of another kind.
  [[nodiscard]] const bool* boolean() const noexcept { return std::get_if<bool>(&data_); }
  /// An integer below 0; one from 0 on is a `number`.
  [[nodiscard]] const std::int64_t* negative() const noexcept {
    return std::get_if<std::int64_t>(&data_);
  }
  [[nodiscard]] const std::uint64_t* number() const noexcept {
    return std::get_if<std::uint64_t>(&data_);
  }
  [[nodiscard]] const double* real() const noexcept { return std::get_if<double>(&data_); }
  [[nodiscard]] const std::string* string() const noexcept {
    return std::get_if<std::string>(&data_);
  }
  [[nodiscard]] const Array* array() const noexcept { return std::get_if<Array>(&data_); }
  [[nodiscard]] const Object* object() const noexcept { return std::get_if<Object>(&data_); }
  [[nodiscard]] std::string* string() noexcept { return std::get_if<std::string>(&data_); }
  [[nodiscard]] Array* array() noexcept { return std::get_if<Array>(&data_); }
  [[nodiscard]] Object* object() noexcept { return std::get_if<Object>(&data_); }

  /// The member of an object; null when there is none, or when this is no object.
  [[nodiscard]] const Value* find(std::string_view key) const noexcept;
  [[nodiscard]] Value* find(std::string_view key) noexcept;
  /// Makes this an object if it is null, and sets or adds the member.
  Value& set(std::string_view key, Value value);

  /// Where the value began. Two values are equal wherever they stood.
  Origin origin;
  friend bool operator==(const Value& a, const Value& b) noexcept;

 private:
  struct Whole {
    std::uint64_t bits;
    bool is_negative;
  };
  explicit Value(Whole value);

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      data_;
};

struct Member {
  std::string key;
  Value value;
  Origin origin = {};  ///< where the key began
  friend bool operator==(const Member& a, const Member& b) noexcept {
    return a.key == b.key && a.value == b.value;
  }
};

struct ParseLimits {
  std::size_t bytes_max = 1 << 20;
  std::size_t depth_max = 32;
  bool strict = false;  ///< what RFC 8259 says and no more: no comments, no trailing commas
};

struct SyntaxError {
  Origin origin;
  std::string text;  ///< "unexpected '}'; expected ..."
};

struct Duplicate {
  Origin origin;        ///< of the later key
  Origin first;         ///< of the earlier one
  std::string pointer;  ///< JSON pointer of both
};

struct Document {
  Value root;
  std::vector<Duplicate> duplicates;  ///< the last of them has won
};

/// Reads one text. `source` is put into every Origin.
Expected<Document, SyntaxError> parse(std::string_view text, std::uint32_t source = 0,
                                      const ParseLimits& limits = {});

inline constexpr int kOneLine = -1;  ///< for people
inline constexpr int kCompact = -2;  ///< for programs: no byte that JSON does not need

/// Clean JSON, keys in their order; `indent` spaces per level, or one of the above. Bytes that are
/// not UTF-8 come out as U+FFFD.
[[nodiscard]] std::string write(const Value& value, int indent = 2);
/// The same with one string.
[[nodiscard]] std::string quote(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);

/// One line for messages, cut to 60 bytes.
[[nodiscard]] std::string show(const Value& value);

/// One more step of a JSON pointer (RFC 6901): "/" and the key with `~` and `/` escaped.
[[nodiscard]] std::string pointer_step(std::string_view key);
/// What a JSON pointer leads to: "" is the root itself. Null when there is nothing.
[[nodiscard]] const Value* find_by_pointer(const Value& root, std::string_view pointer);

struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;  ///< in characters, as an editor counts them; a tab is one
};
/// An offset behind the end means the end.
[[nodiscard]] LineColumn locate(std::string_view text, std::size_t offset) noexcept;

/// The text with byte order mark, comments and trailing commas turned into spaces; its length and
/// its line ends stay. Fails on a comment without an end, and on a NUL byte.
Expected<std::string, SyntaxError> blank_comments(std::string_view text, std::uint32_t source = 0);

}  // namespace ssx::json
