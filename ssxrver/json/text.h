// JSON as text while it is made, for answers: nothing is kept but the text, and no tree is built.
//
// Thread: a value
// Owner:  -
// Life:   -
// Bounds: none; the caller knows what it adds
//
//   json::ObjectText user;
//   user.add("id", 7).add("name", name).add("roles", {"reader", "writer"});
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

template <class T>
concept NoText = !std::convertible_to<T, std::string_view>;

/// Values and what stands between them.
class TextBase {
 public:
  /// It is empty afterwards.
  [[nodiscard]] std::string take() &&;
  /// What take() would give.
  [[nodiscard]] std::string copy() const;

 protected:
  TextBase(char first, char last) : room_(kExpected, first), size_(1), last_(last) {}

  void put(std::nullptr_t) { put_text("null"); }
  void put(bool value) { put_text(value ? "true" : "false"); }
  void put(char value) { put(std::string_view(&value, 1)); }
  void put(std::signed_integral auto value) { put_signed(value); }
  void put(std::unsigned_integral auto value) { put_unsigned(value); }
  void put(double value);
  void put(std::string_view value);
  void put(const std::string& value) { put(std::string_view(value)); }
  void put(const char* value) { put(std::string_view(value)); }
  void put(const Value& value);
  void put(const TextBase& inner);
  template <class T>
  void put(std::initializer_list<T> values) {
    put_byte('[');
    for (const T& value : values) {
      if (&value != values.begin()) put_byte(',');
      put(value);
    }
    put_byte(']');
  }
  void put_key(std::string_view key);
  void next() {
    if (size_ > 1) put_byte(',');
  }

 private:
  static constexpr std::size_t kExpected = 192;

  void put_signed(std::int64_t value);
  void put_unsigned(std::uint64_t value);
  void put_text(std::string_view text);
  void put_byte(char byte) {
    *reserve(1) = byte;
    ++size_;
  }
  /// Where `size` bytes can be written.
  [[nodiscard]] char* reserve(std::size_t size) {
    if (room_.size() < size_ + size) grow(size_ + size);
    return room_.data() + size_;
  }
  void grow(std::size_t needed);
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - room_.data()); }

  std::string room_;  ///< the text, and what is written next
  std::size_t size_;  ///< of the text
  char last_;
};

}  // namespace internal

class ArrayText : public internal::TextBase {
 public:
  ArrayText() : TextBase('[', ']') {}
  ArrayText(std::initializer_list<std::string_view> values) : ArrayText() {
    for (const std::string_view value : values) add(value);
  }
  template <internal::NoText T>
  ArrayText(std::initializer_list<T> values) : ArrayText() {
    for (const T& value : values) add(value);
  }
  /// null, bool, a number, a character, text, a Value, an ObjectText or an ArrayText (another).
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
    return add_member(key, value);
  }
  /// An array.
  ObjectText& add(std::string_view key, std::initializer_list<std::string_view> values) {
    return add_member(key, values);
  }
  template <internal::NoText T>
  ObjectText& add(std::string_view key, std::initializer_list<T> values) {
    return add_member(key, values);
  }

 private:
  template <class T>
  ObjectText& add_member(std::string_view key, const T& value) {
    next();
    put_key(key);
    put(value);
    return *this;
  }
};

}  // namespace ssx::json
