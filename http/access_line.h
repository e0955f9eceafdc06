// A line of the access log while it is being written: escapes, and keeps the bound. (i)
//
// Thread: one thread
// Owner:  AccessFormat::render
// Life:   that of one line
// Bounds: what put() and put_number() write must fit; values from outside are cut
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ssx::http {

class AccessLine {
 public:
  static constexpr std::string_view kCutMark = "...";

  AccessLine(char* room, bool is_json) noexcept : begin_(room), at_(room), json_(is_json) {}

  /// As it is: what we say ourselves.
  void put(std::string_view text) noexcept {
    if (text.empty()) return;  // perhaps without an address
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put(char c) noexcept { *at_++ = c; }
  void put_number(std::uint64_t number) noexcept;
  /// Of seconds, with three digits behind the point.
  void put_milliseconds(std::uint64_t milliseconds) noexcept;
  /// "-", or nothing in JSON.
  void put_nothing() noexcept {
    if (!json_) put('-');
  }
  /// From outside: escaped, and no more than `room` bytes (at least those of kCutMark). False: it
  /// was cut.
  bool put_value(std::string_view text, std::size_t room) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::string_view put_plain(std::string_view text, std::size_t room) noexcept;

  char* const begin_;
  char* at_;
  const bool json_;
};

}  // namespace ssx::http
