// What ResponseParser makes of the head of one response, framing decided.
//
// Thread: loop-only
// Owner:  whoever parses
// Life:   its views look into the bytes given to the last parse() call, or to where rebase() said
// Bounds: ParserLimits
//
// A ResponseHead that parse() reported kDone for is unambiguous: one of four framings, and a length
// when that is kLength.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "http/fields.h"
#include "http/version.h"

namespace ssx::http {

/// How the end of a response's body is found (RFC 9112 6.3).
enum class BodyFraming : std::uint8_t {
  kNone,     ///< there is no body: HEAD, 1xx, 204, 304, a length of 0, CONNECT with 2xx
  kLength,   ///< Content-Length says
  kChunked,  ///< the chunks say
  kToClose,  ///< it ends with the connection
};

struct ResponseHead {
  Version version = Version::kHttp11;
  BodyFraming framing = BodyFraming::kNone;
  bool keep_alive = false;   ///< another request may follow the body (RFC 9112 9.3)
  bool chunked = false;      ///< Transfer-Encoding is there, whatever the framing
  std::uint16_t status = 0;  ///< 100 .. 999; what is above 599 counts as 5xx (RFC 9110 15)
  std::uint32_t size = 0;    ///< bytes of the head, the empty line included
  std::optional<std::uint64_t> content_length;  ///< what the field says, also of an answer to HEAD
  std::string_view reason;
  Fields fields;

  /// 1xx but for 101: another response to the same request follows.
  [[nodiscard]] bool is_interim() const noexcept { return status < 200 && status != 101; }

  /// The bytes of the head now lie at `to`: every view follows.
  void rebase(const char* to) noexcept {
    if (!reason.empty()) reason = {to + (reason.data() - fields.base()), reason.size()};
    fields.bind(to);
  }
};

static_assert(std::is_trivially_copyable_v<ResponseHead>);

}  // namespace ssx::http
