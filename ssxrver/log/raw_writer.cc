#include "ssxrver/log/raw_writer.h"

#include <algorithm>
#include <cstring>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/log.h"
#include "ssxrver/sys/file.h"

namespace ssx::log {
namespace {

template <class T>
T load(const std::byte*& at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

}  // namespace

void RawWriter::flush() noexcept {
  std::string_view rest(block_.data(), used_);
  while (!rest.empty()) {
    const auto written = sys::write(fd_, as_bytes(rest));
    if (!written || *written == 0) break;  // nobody is left to be told
    rest.remove_prefix(*written);
  }
  used_ = 0;
}

void RawWriter::put(char c) noexcept {
  if (used_ == block_.size()) flush();
  block_[used_++] = c;
}

void RawWriter::text(std::string_view text) noexcept {
  for (const char c : text.substr(0, kTextMax)) {
    put(static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c);
  }
}

void RawWriter::lines(std::string_view text) noexcept {
  for (const char c : text) put(c);
}

void RawWriter::number(std::uint64_t value, unsigned base) noexcept {
  std::array<char, 20> digits;
  std::size_t count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  while (count > 0) put(digits[--count]);
}

void RawWriter::signed_number(std::int64_t value) noexcept {
  if (value < 0) put('-');
  const auto bits = static_cast<std::uint64_t>(value);
  number(value < 0 ? 0 - bits : bits, 10);
}

const std::byte* RawWriter::argument(ArgumentType type, const std::byte* at) noexcept {
  switch (type) {
    case ArgumentType::kBool:
      text(load<bool>(at) ? "true" : "false");
      break;
    case ArgumentType::kChar:
      text({reinterpret_cast<const char*>(at++), 1});
      break;
    case ArgumentType::kInt:
      signed_number(load<int>(at));
      break;
    case ArgumentType::kUnsigned:
      number(load<unsigned>(at), 10);
      break;
    case ArgumentType::kLong:
      signed_number(load<long long>(at));
      break;
    case ArgumentType::kUnsignedLong:
      number(load<unsigned long long>(at), 10);
      break;
    case ArgumentType::kPointer:
      text("0x");
      number(reinterpret_cast<std::uintptr_t>(load<const void*>(at)), 16);
      break;
    case ArgumentType::kText: {
      const auto size = load<std::uint32_t>(at);
      put('"');
      text({reinterpret_cast<const char*>(at), size});
      put('"');
      at += size;
      break;
    }
    // A float takes more arithmetic than a signal handler should do: its bits.
    case ArgumentType::kFloat:
      text("float:0x");
      number(load<std::uint32_t>(at), 16);
      break;
    case ArgumentType::kDouble:
      text("double:0x");
      number(load<std::uint64_t>(at), 16);
      break;
    case ArgumentType::kLongDouble:
      text("long double");
      at += sizeof(long double);
      break;
  }
  return at;
}

void RawWriter::crash(const char* signal, int thread, std::uintptr_t address) noexcept {
  text("RAW FATAL ");
  signed_number(thread);
  put(' ');
  text(signal);
  text(" at 0x");
  number(address, 16);
  put('\n');
}

void RawWriter::record(const RecordHeader& header, const std::byte* arguments) noexcept {
  const Site& site = *header.site;
  text("RAW ");
  text(to_string(site.level));
  put(' ');
  number(header.thread, 10);
  put(' ');
  text(site.file);
  put(':');
  number(site.line, 10);
  put(' ');
  if (header.formatted) {
    argument(ArgumentType::kText, arguments);
  } else {
    text({site.format, site.format_size});
    for (std::size_t i = 0; i < site.arguments; ++i) {
      text(" | ");
      arguments = argument(site.types[i], arguments);
    }
  }
  put('\n');
}

}  // namespace ssx::log
