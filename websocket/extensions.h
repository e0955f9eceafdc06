// The grammar of Sec-WebSocket-Extensions (RFC 6455 9.1): what a client offers and what a server
// has taken, in the same words.
//
// Thread: a value
// Owner:  whoever holds it: 6 KiB, meant for a stack
// Life:   views live as long as it and the fields that it was made of; it is not copied
// Bounds: kBytesMax, kMax and kParamsMax, all lines of a message together; linear time
//
//   Extensions offers;
//   const Errc error = offers.parse(request.fields());
//   for (std::size_t i = 0; i < offers.size(); ++i) use(offers[i].name, offers[i].params);
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "http/fields.h"
#include "websocket/error.h"

namespace ssx::websocket {

struct ExtensionParam {
  std::string_view name;
  std::string_view value;  ///< a token, without the quotes that it may have had
  bool has_value = false;
};

struct Extension {
  std::string_view name;
  std::span<const ExtensionParam> params;
};

class Extensions {
 public:
  static constexpr std::size_t kBytesMax = 1024;
  static constexpr std::size_t kMax = 8;
  static constexpr std::size_t kParamsMax = 16;  ///< of each

  Extensions() noexcept {}  // NOLINT(modernize-use-equals-default): "= default" would zero it all
  Extensions(const Extensions&) = delete;
  Extensions& operator=(const Extensions&) = delete;

  /// All lines of the field, which are one list. kBadExtensions, also for a list that names none;
  /// kTooManyExtensions. After an error, what was read until then.
  [[nodiscard]] Errc parse(const http::Fields& fields) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Extension operator[](std::size_t index) const noexcept;

 private:
  [[nodiscard]] Errc add_line(std::string_view line) noexcept;
  [[nodiscard]] Errc add_extension(std::string_view& line) noexcept;
  [[nodiscard]] Errc add_param(std::string_view& line) noexcept;
  [[nodiscard]] bool read_value(std::string_view& line, std::string_view& value) noexcept;
  [[nodiscard]] bool read_quoted(std::string_view& line, std::string_view& value) noexcept;

  struct Entry {
    std::string_view name;
    std::size_t params_size;
  };

  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t unescaped_size_ = 0;
  std::array<Entry, kMax> entries_;
  std::array<std::array<ExtensionParam, kParamsMax>, kMax> params_;
  std::array<char, kBytesMax> unescaped_;
};

}  // namespace ssx::websocket
