// Records on a descriptor without formatting them, by a signal handler that may trust nothing:
//
//   RAW INFO  4711 event_loop.cc:88 accepted {} from {} | 12 | "10.0.0.1"
//
// Thread: one, with all others of no concern any more
// Owner:  the crash handler's stack
// Life:   one crash
// Bounds: kBlock bytes on the stack; no allocation, no lock; text beyond kTextMax is left out
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ssxrver/base/log_record.h"

namespace ssx::log {

class RawWriter {
 public:
  static constexpr std::size_t kBlock = 4096;
  static constexpr std::size_t kTextMax = 1024;

  explicit RawWriter(int fd) noexcept : fd_(fd) {}
  ~RawWriter() { flush(); }
  RawWriter(const RawWriter&) = delete;
  RawWriter& operator=(const RawWriter&) = delete;

  void record(const RecordHeader& header, const std::byte* arguments) noexcept;
  /// "RAW FATAL 4711 SIGSEGV at 0x0"
  void crash(const char* signal, int thread, std::uintptr_t address) noexcept;
  /// Lines that are finished already.
  void lines(std::string_view text) noexcept;
  void flush() noexcept;

 private:
  void put(char c) noexcept;
  void text(std::string_view text) noexcept;
  void number(std::uint64_t value, unsigned base) noexcept;
  void signed_number(std::int64_t value) noexcept;
  const std::byte* argument(ArgumentType type, const std::byte* at) noexcept;

  const int fd_;
  std::size_t used_ = 0;
  std::array<char, kBlock> block_;
};

}  // namespace ssx::log
