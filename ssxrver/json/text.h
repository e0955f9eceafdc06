// JSON as text while it is made, for answers: nothing is kept but the text, and no tree is built.
//
// Thread: a value
// Owner:  -
// Life:   -
// Bounds: none; the caller knows what it adds
//
//   json::ObjectText user;
//   user.add("id", 7).add("name", name).add("roles", json::ArrayText{"reader", "writer"});
//   return user;   // in a handler: {"id":7,"name":"Ada","roles":["reader","writer"]}
//
// Members stand in the order in which they were added; that no key comes twice is the caller's
// business (RFC 8259 4). Bytes that are not UTF-8 come out as U+FFFD, and numbers that are not
// finite as null.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace ssx::json {

class Value;

namespace internal {

/// Values and what stands between them.
class TextBase {
 public:
  /// It is empty afterwards.
  [[nodiscard]] std::string take() &&;
  /// What take() would give.
  [[nodiscard]] std::string copy() const;

 protected:
  TextBase(char first, char last) : text_(1, first), last_(last) { text_.reserve(kExpected); }

  void put(std::nullptr_t) { text_.append("null"); }
  void put(bool value) { text_.append(value ? "true" : "false"); }
  void put(char value) { put(std::string_view(&value, 1)); }
  void put(std::signed_integral auto value) { put_signed(value); }
  void put(std::unsigned_integral auto value) { put_unsigned(value); }
  void put(double value);
  void put(std::string_view value);
  void put(const std::string& value) { put(std::string_view(value)); }
  void put(const char* value) { put(std::string_view(value)); }
  void put(const Value& value);
  void put(const TextBase& inner);
  void put_key(std::string_view key);
  void next() {
    if (text_.size() > 1) text_.push_back(',');
  }

 private:
  static constexpr std::size_t kExpected = 192;

  void put_signed(std::int64_t value);
  void put_unsigned(std::uint64_t value);

  std::string text_;
  char last_;
};

}  // namespace internal

class ArrayText : public internal::TextBase {
 public:
  ArrayText() : TextBase('[', ']') {}
  template <class T>
  ArrayText(std::initializer_list<T> values) : ArrayText() {
    for (const T& value : values) add(value);
  }
  /// null, bool, a number, a character, text, a Value, an ObjectText or an ArrayText.
  template <class T>
  ArrayText& add(const T& value) {
    next();
    put(value);
    return *this;
  }
};

class ObjectText : public internal::TextBase {
 public:
  ObjectText() : TextBase('{', '}') {}
  /// As ArrayText::add().
  template <class T>
  ObjectText& add(std::string_view key, const T& value) {
    next();
    put_key(key);
    put(value);
    return *this;
  }
};

}  // namespace ssx::json
