#include "ssxrver/base/log_record.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <exception>
#include <iterator>

#include "ssxrver/base/utf8.h"

namespace ssx::log {
namespace {

using Arguments = fmt::dynamic_format_arg_store<fmt::format_context>;

template <class T>
const std::byte* take(const std::byte* from, Arguments& into) {
  T value;
  std::memcpy(&value, from, sizeof value);
  into.push_back(value);
  return from + sizeof value;
}

std::string_view text_at(const std::byte* from) {
  std::uint32_t size;
  std::memcpy(&size, from, sizeof size);
  return {reinterpret_cast<const char*>(from + sizeof size), size};
}

const std::byte* take_one(ArgumentType type, const std::byte* from, Arguments& into) {
  switch (type) {
    case ArgumentType::kBool:
      return take<bool>(from, into);
    case ArgumentType::kChar:
      return take<char>(from, into);
    case ArgumentType::kInt:
      return take<int>(from, into);
    case ArgumentType::kUnsigned:
      return take<unsigned>(from, into);
    case ArgumentType::kLong:
      return take<long long>(from, into);
    case ArgumentType::kUnsignedLong:
      return take<unsigned long long>(from, into);
    case ArgumentType::kFloat:
      return take<float>(from, into);
    case ArgumentType::kDouble:
      return take<double>(from, into);
    case ArgumentType::kLongDouble:
      return take<long double>(from, into);
    case ArgumentType::kPointer:
      return take<const void*>(from, into);
    case ArgumentType::kText: {
      const std::string_view text = text_at(from);
      into.push_back(fmt::string_view(text.data(), text.size()));
      return from + sizeof(std::uint32_t) + text.size();
    }
  }
  return from;
}

/// Bytes of the well-formed UTF-8 sequence at the front, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  Utf8Steps steps;
  for (std::size_t at = 0; at < text.size() && steps.take(text[at]); ++at) {
    if (steps.complete()) return at + 1;
  }
  return 0;
}

}  // namespace

void format_message(const RecordHeader& header, const std::byte* arguments, std::string& out) {
  const Site& site = *header.site;
  if (header.formatted) {
    out.append(text_at(arguments));
    return;
  }
  // Kept for their memory. A buffer of fmt is several times faster than an iterator into a string.
  thread_local Arguments store;
  thread_local fmt::memory_buffer buffer;
  store.clear();
  buffer.clear();
  for (std::size_t i = 0; i < site.arguments; ++i) {
    arguments = take_one(site.types[i], arguments, store);
  }
  try {
    fmt::vformat_to(fmt::appender(buffer), fmt::string_view(site.format, site.format_size), store);
    out.append(buffer.data(), buffer.size());
  } catch (const std::exception& problem) {  // a width or precision that was given as an argument
    out.append(site.format, site.format_size).append(" [").append(problem.what()).append("]");
  }
}

std::size_t printable_length(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = sequence_length(text);
  const bool c1 = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1 ? 0 : length;
}

void append_escaped(std::string_view text, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size()) {
      const std::size_t length = printable_length(text.substr(plain));
      if (length == 0) break;
      plain += length;
    }
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    const auto byte = static_cast<unsigned char>(text.front());
    const char escape[] = {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    out.append(escape, sizeof escape);
    text.remove_prefix(1);
  }
}

}  // namespace ssx::log
