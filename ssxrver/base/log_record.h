// One log line before it is formatted: where it was written, and its arguments as bytes.
//
// Integers, floats, bool, char, enums, pointers and strings have an encoding; strings are copied,
// so nothing that a record holds can dangle. What has message() (Error, std::error_code) is logged
// as that text. Any other type needs a fmt::formatter and is formatted by the caller.
//
// Thread: values; a Site is immutable
// Owner:  a Site is static data of its call; a record belongs to the back end that gave its room
// Life:   a Site for ever; a record until it has been formatted
// Bounds: kArgumentsMax arguments, `text_max` bytes in all strings of one line together
#pragma once

// Only the format string checks are wanted here, and this header is included everywhere: the
// header-only mode of fmt would double what it costs to compile.
#pragma push_macro("FMT_HEADER_ONLY")
#undef FMT_HEADER_ONLY
#include <fmt/core.h>
#pragma pop_macro("FMT_HEADER_ONLY")

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace ssx::log {

enum class Level : std::uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kFatal, kOff };

inline constexpr std::size_t kArgumentsMax = 16;

enum class ArgumentType : std::uint8_t {
  kBool,
  kChar,
  kInt,
  kUnsigned,
  kLong,
  kUnsignedLong,
  kFloat,
  kDouble,
  kLongDouble,
  kPointer,
  kText,
};

/// What one call in the source knows when it is compiled.
struct Site {
  const char* file;    ///< without its folders
  const char* module;  ///< not terminated: `module_size` bytes
  const char* format;
  const ArgumentType* types;
  std::uint32_t format_size;
  std::uint32_t line;
  std::uint8_t module_size;
  std::uint8_t arguments;
  Level level;
  std::uint8_t stream = 0;  ///< 0 the log; others are line sinks of ssxrver/log
};

struct RecordFlags {
  bool cut = false;              ///< some text was longer than the line may be
  bool formatted = false;        ///< the arguments are one text: the finished message
  std::uint32_t suppressed = 0;  ///< lines like this one that the rate gate held back
};

/// Stands before the arguments.
struct RecordHeader {
  const Site* site;
  std::uint64_t stamp;  ///< ticks of the back end's own clock
  std::uint32_t bytes;  ///< of arguments
  std::uint32_t suppressed;
  std::uint32_t thread;  ///< kernel thread id
  bool cut;
  bool formatted;
};
static_assert(std::is_trivially_copyable_v<RecordHeader> && sizeof(RecordHeader) == 32);

/// Appends the message of a record to `out`: no time, no level, nothing escaped.
void format_message(const RecordHeader& header, const std::byte* arguments, std::string& out);

/// Appends `text` so that no byte of it can end the line or steer a terminal: C0, DEL, C1 and bytes
/// that are not UTF-8 become \xNN.
void append_escaped(std::string_view text, std::string& out);

/// Bytes of the character at the front of `text`, 0 when append_escaped() would escape it.
[[nodiscard]] std::size_t printable_length(std::string_view text) noexcept;

namespace internal {

template <class T>
concept HasMessage = requires(const T& value) {
  { value.message() } -> std::convertible_to<std::string>;
};

template <class T>
concept PlainInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t> && sizeof(T) <= 8;

template <class T>
concept TextPointer = std::same_as<T, const char*> || std::same_as<T, char*>;

template <class T>
concept PlainEnum = std::is_enum_v<T> && !fmt::has_formatter<T, fmt::format_context>::value;

/// The value that stands for an argument: small, and independent of what it was made from.
template <class T>
constexpr decltype(auto) to_wire(const T& value) noexcept {
  using Bare = std::decay_t<T>;
  if constexpr (PlainEnum<T>) {
    return to_wire(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (PlainInteger<T> && std::is_signed_v<T>) {
    return std::conditional_t<sizeof(T) <= 4, int, long long>(value);
  } else if constexpr (PlainInteger<T>) {
    return std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long>(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return T(value);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    return static_cast<const void*>(nullptr);
  } else if constexpr (TextPointer<Bare>) {
    const char* const text = value;
    return text == nullptr ? std::string_view("(null)") : std::string_view(text);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return std::string_view(value);
  } else if constexpr (std::is_pointer_v<Bare> &&
                       !std::is_function_v<std::remove_pointer_t<Bare>>) {
    return static_cast<const void*>(value);
  } else if constexpr (HasMessage<T>) {
    return std::string(value.message());
  } else {
    return (value);
  }
}

template <class T>
using Wire = std::remove_cvref_t<decltype(to_wire(std::declval<const T&>()))>;

template <class... W>
struct Wires {};

template <class... Args>
Wires<Wire<Args>...> wires_of(const Args&...);

template <class W>
inline constexpr bool kIsText =
    std::is_same_v<W, std::string_view> || std::is_same_v<W, std::string>;

template <class W>
consteval int type_number() {
  if constexpr (std::is_same_v<W, bool>) return static_cast<int>(ArgumentType::kBool);
  if constexpr (std::is_same_v<W, char>) return static_cast<int>(ArgumentType::kChar);
  if constexpr (std::is_same_v<W, int>) return static_cast<int>(ArgumentType::kInt);
  if constexpr (std::is_same_v<W, unsigned>) return static_cast<int>(ArgumentType::kUnsigned);
  if constexpr (std::is_same_v<W, long long>) return static_cast<int>(ArgumentType::kLong);
  if constexpr (std::is_same_v<W, unsigned long long>)
    return static_cast<int>(ArgumentType::kUnsignedLong);
  if constexpr (std::is_same_v<W, float>) return static_cast<int>(ArgumentType::kFloat);
  if constexpr (std::is_same_v<W, double>) return static_cast<int>(ArgumentType::kDouble);
  if constexpr (std::is_same_v<W, long double>) return static_cast<int>(ArgumentType::kLongDouble);
  if constexpr (std::is_same_v<W, const void*>) return static_cast<int>(ArgumentType::kPointer);
  if constexpr (kIsText<W>) return static_cast<int>(ArgumentType::kText);
  return -1;
}

template <class W>
inline constexpr bool kEncodable = type_number<W>() >= 0;

template <class... W>
inline constexpr std::array<ArgumentType, sizeof...(W) + 1> kTypes{
    static_cast<ArgumentType>(type_number<W>())..., ArgumentType::kText};

/// The checks of fmt need the types as one pack; this takes them out of a Wires<...>.
template <class List>
struct FormatOf;
template <class... W>
struct FormatOf<Wires<W...>> {
  using String = fmt::format_string<const W&...>;
  static constexpr const ArgumentType* kTypeList = kTypes<W...>.data();
  static constexpr std::size_t kCount = sizeof...(W);
};

constexpr std::size_t file_start(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

/// The rule that set_module_level() states.
constexpr std::string_view module_of(std::string_view path) noexcept {
  constexpr std::string_view kHouse = "ssxrver/";
  std::string_view folders = path.substr(0, file_start(path));  // ends in '/', or is empty
  const std::size_t house = folders.rfind(kHouse);
  if (house != std::string_view::npos && house + kHouse.size() < folders.size()) {
    const std::string_view below = folders.substr(house + kHouse.size());
    return below.substr(0, below.find('/'));
  }
  bool from_top = !folders.starts_with('/');
  while (folders.starts_with("./") || folders.starts_with("../")) {  // how a compiler was called
    folders.remove_prefix(folders.find('/') + 1);
    from_top = false;
  }
  if (folders.size() < 2) return "main";
  if (from_top) return folders.substr(0, folders.find('/'));
  const std::string_view parent = folders.substr(0, folders.size() - 1);
  return parent.substr(file_start(parent));
}

template <class List, std::size_t kSize>
consteval Site make_site(Level level, const char* path, unsigned line,
                         const char (&format)[kSize]) {
  [[maybe_unused]] const typename FormatOf<List>::String checked(format);
  const std::string_view whole(path);
  const std::string_view module = module_of(whole);
  return {.file = path + file_start(whole),
          .module = module.data(),
          .format = format,
          .types = FormatOf<List>::kTypeList,
          .format_size = static_cast<std::uint32_t>(kSize - 1),
          .line = line,
          .module_size = static_cast<std::uint8_t>(module.size() < 255 ? module.size() : 255),
          .arguments = static_cast<std::uint8_t>(FormatOf<List>::kCount),
          .level = level};
}

template <class W>
constexpr std::size_t text_size([[maybe_unused]] const W& wire) noexcept {
  if constexpr (kIsText<W>) return wire.size();
  return 0;
}

/// A text is its size and its bytes, anything else its own bytes.
template <class W>
constexpr std::size_t encoded_size(const W& wire) noexcept {
  if constexpr (kIsText<W>) return sizeof(std::uint32_t) + wire.size();
  return sizeof wire;
}

template <class W>
std::byte* encode(std::byte* to, const W& wire) noexcept {
  if constexpr (kIsText<W>) {
    const auto size = static_cast<std::uint32_t>(wire.size());
    std::memcpy(to, &size, sizeof size);
    to += sizeof size;
    if (size != 0) std::memcpy(to, wire.data(), wire.size());  // an empty view may be null
    return to + size;
  } else {
    std::memcpy(to, &wire, sizeof wire);
    return to + sizeof wire;
  }
}

/// As much of a text as `room` holds; what it takes is gone from there for the next one.
template <class W>
auto shorten(const W& wire, [[maybe_unused]] std::size_t& room) noexcept {
  if constexpr (kIsText<W>) {
    const auto kept = std::string_view(wire).substr(0, room);
    room -= kept.size();
    return kept;
  } else {
    return wire;
  }
}

}  // namespace internal
}  // namespace ssx::log
