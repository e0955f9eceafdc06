// One value of a database: null, a number, text or bytes. Value owns it (parameters), ValueView
// looks at it (cells of a result).
//
// Thread: values
// Owner:  a Value owns its text or bytes; a ValueView dies with what it looks at
// Life:   any
// Bounds: a Value is 40 bytes, a ValueView 24
//
//   Value(7), Value("text"), Value(ByteView(blob)), Value(std::optional<int>()), Value(true)
//   view.get<std::int64_t>()                     // Result: kIsNull, kWrongType, kOutOfRange
//   view.get<std::optional<std::string>>()       // null is an empty one
//
// A bool is the number 0 or 1, as it is to the databases. Numbers convert when nothing is lost;
// text never becomes a number, nor the other way round.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/db/error.h"

namespace ssx::db {

enum class Type : std::uint8_t { kNull, kInt64, kUint64, kDouble, kText, kBytes };

using Bytes = std::vector<std::byte>;

/// bool and the integers, without the characters.
template <class T>
concept Integer =
    std::integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

class ValueView {
 public:
  constexpr ValueView() noexcept = default;
  static constexpr ValueView of_int64(std::int64_t value) noexcept {
    ValueView view(Type::kInt64);
    view.int64_ = value;
    return view;
  }
  static constexpr ValueView of_uint64(std::uint64_t value) noexcept {
    ValueView view(Type::kUint64);
    view.uint64_ = value;
    return view;
  }
  static constexpr ValueView of_double(double value) noexcept {
    ValueView view(Type::kDouble);
    view.double_ = value;
    return view;
  }
  static constexpr ValueView of_text(std::string_view text) noexcept {
    ValueView view(Type::kText);
    view.data_ = text.data();
    view.size_ = text.size();
    return view;
  }
  static ValueView of_bytes(ByteView bytes) noexcept {
    ValueView view(Type::kBytes);
    view.data_ = as_text(bytes).data();
    view.size_ = bytes.size();
    return view;
  }

  [[nodiscard]] constexpr Type type() const noexcept { return type_; }
  [[nodiscard]] constexpr bool is_null() const noexcept { return type_ == Type::kNull; }

  // For drivers and writers that have looked at type(): anything else is our own fault.
  [[nodiscard]] std::int64_t int64() const noexcept {
    SSX_ASSERT(type_ == Type::kInt64);
    return int64_;
  }
  [[nodiscard]] std::uint64_t uint64() const noexcept {
    SSX_ASSERT(type_ == Type::kUint64);
    return uint64_;
  }
  [[nodiscard]] double real() const noexcept {
    SSX_ASSERT(type_ == Type::kDouble);
    return double_;
  }
  /// The bytes of kText or kBytes.
  [[nodiscard]] std::string_view text() const noexcept {
    SSX_ASSERT(type_ == Type::kText || type_ == Type::kBytes);
    return {data_, size_};
  }

  /// As a T: bool, an integer, double, std::string_view, std::string (of kText), ByteView, Bytes
  /// (of kBytes and kText), or an optional of one of them.
  template <class T>
  [[nodiscard]] ssx::Result<T> get() const;

  friend bool operator==(const ValueView& a, const ValueView& b) noexcept;

 private:
  explicit constexpr ValueView(Type type) noexcept : type_(type) {}
  template <Integer T>
  [[nodiscard]] ssx::Result<T> get_integer() const;
  [[nodiscard]] ssx::Result<double> get_double() const;

  Type type_ = Type::kNull;
  union {
    std::int64_t int64_ = 0;
    std::uint64_t uint64_;
    double double_;
    const char* data_;
  };
  std::size_t size_ = 0;
};

class Value {
 public:
  // NOLINTBEGIN(google-explicit-constructor): each is a parameter as it stands
  Value() noexcept = default;
  Value(std::nullptr_t) noexcept {}
  Value(std::nullopt_t) noexcept {}
  template <Integer T>
  Value(T value) noexcept {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::uint64_t)) {
      // One number, one form: what fits int64 is int64.
      if (std::in_range<std::int64_t>(value)) {
        data_ = static_cast<std::int64_t>(value);
      } else {
        data_ = static_cast<std::uint64_t>(value);
      }
    } else {
      data_ = static_cast<std::int64_t>(value);
    }
  }
  template <std::floating_point T>
  Value(T value) noexcept : data_(static_cast<double>(value)) {}
  Value(std::string text) noexcept : data_(std::move(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(Bytes bytes) noexcept : data_(std::move(bytes)) {}
  Value(ByteView bytes) : data_(Bytes(bytes.begin(), bytes.end())) {}
  template <class T>
    requires std::constructible_from<Value, T>
  Value(std::optional<T> value) {
    if (value) *this = Value(*std::move(value));
  }
  // NOLINTEND(google-explicit-constructor): as above
  /// A pointer is no bool, and a character neither a number nor a text.
  template <class T>
  Value(T*) = delete;
  Value(char) = delete;

  [[nodiscard]] Type type() const noexcept { return static_cast<Type>(data_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return type() == Type::kNull; }
  [[nodiscard]] ValueView view() const noexcept;
  template <class T>
  [[nodiscard]] ssx::Result<T> get() const {
    return view().get<T>();
  }
  /// What a driver sends for it, about; for limits.
  [[nodiscard]] std::size_t byte_count() const noexcept;

  bool operator==(const Value&) const = default;

 private:
  /// In the order of Type.
  std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string, Bytes> data_;
};

/// The parameters of a statement, in the order of its places.
using Values = std::vector<Value>;

namespace internal {
template <class T>
struct OptionalValue : std::false_type {};
template <class T>
struct OptionalValue<std::optional<T>> : std::true_type {
  using Inner = T;
};
}  // namespace internal

template <class T>
ssx::Result<T> ValueView::get() const {
  if constexpr (internal::OptionalValue<T>::value) {
    if (is_null()) return T(std::nullopt);
    auto inner = get<typename internal::OptionalValue<T>::Inner>();
    if (!inner) return ssx::fail(inner.error());
    return T(*std::move(inner));
  } else {
    if (is_null()) return ssx::fail(make_error_code(Errc::kIsNull), "get");
    if constexpr (Integer<T>) {
      return get_integer<T>();
    } else if constexpr (std::same_as<T, double>) {
      return get_double();
    } else if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
      if (type_ != Type::kText) return ssx::fail(make_error_code(Errc::kWrongType), "get");
      return T(text());
    } else {
      static_assert(std::same_as<T, ByteView> || std::same_as<T, Bytes>, "not a type of a value");
      if (type_ != Type::kText && type_ != Type::kBytes) {
        return ssx::fail(make_error_code(Errc::kWrongType), "get");
      }
      const ByteView bytes = as_bytes(text());
      return T(bytes.begin(), bytes.end());
    }
  }
}

template <Integer T>
ssx::Result<T> ValueView::get_integer() const {
  const auto checked = [](auto value) -> ssx::Result<T> {
    if constexpr (std::same_as<T, bool>) {
      if (value == 0 || value == 1) return value == 1;
    } else {
      if (std::in_range<T>(value)) return static_cast<T>(value);
    }
    return ssx::fail(make_error_code(Errc::kOutOfRange), "get");
  };
  switch (type_) {
    case Type::kInt64:
      return checked(int64_);
    case Type::kUint64:
      return checked(uint64_);
    case Type::kNull:
    case Type::kDouble:
    case Type::kText:
    case Type::kBytes:
      break;
  }
  return ssx::fail(make_error_code(Errc::kWrongType), "get");
}

}  // namespace ssx::db
