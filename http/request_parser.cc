#include "http/request_parser.h"

#include <algorithm>

#include "http/scan.h"
#include "http/scan_inline.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

// RequestParser::seen_
constexpr std::uint8_t kSeenEscape = 1;     // the target holds a "%"
constexpr std::uint8_t kSeenClose = 2;      // Connection: close
constexpr std::uint8_t kSeenKeepAlive = 4;  // Connection: keep-alive
constexpr std::uint8_t kSeenUpgrade = 8;    // Connection: upgrade

constexpr std::uint8_t kStartState = 1;  // Ragel: 0 is its error state

constexpr std::size_t kHeadMost = 64 << 10;  // offsets in Fields have 16 bits

constexpr std::uint64_t bit(FieldName name) noexcept {
  return std::uint64_t{1} << static_cast<unsigned>(name);
}

// The names that decide how the message is framed and where it goes.
constexpr std::uint64_t kFramingNames = bit(FieldName::kHost) | bit(FieldName::kContentLength) |
                                        bit(FieldName::kTransferEncoding) |
                                        bit(FieldName::kConnection) | bit(FieldName::kExpect);

// How many bytes from the start of its line an element may reach, its delimiter included: a line
// of exactly the limit still has room for CRLF.
std::size_t request_line_room(const ParserLimits& limits) noexcept {
  return limits.request_line_max + 2;
}
std::size_t method_room(const ParserLimits& limits) noexcept {
  return std::min(limits.method_max + 1, request_line_room(limits));
}
std::size_t target_room(const ParserLimits& limits, std::size_t method_size) noexcept {
  return std::min(method_size + 1 + limits.target_max + 1, request_line_room(limits));
}
std::size_t field_line_room(const ParserLimits& limits) noexcept {
  return limits.field_line_max + 2;
}
std::size_t name_room(const ParserLimits& limits) noexcept {
  return std::min(limits.field_name_max + 1, field_line_room(limits));
}

const char* fence(const char* line, std::size_t room, const char* last) noexcept {
  return line + std::min(room, static_cast<std::size_t>(last - line));
}

constexpr bool is_ows(char byte) noexcept { return byte == ' ' || byte == '\t'; }

// 1 to 19 digits, so that the value fits without a look at each multiplication.
Errc read_content_length(std::string_view text, std::optional<std::uint64_t>& length) noexcept {
  constexpr std::size_t kDigitsMax = 19;
  if (text.empty() || text.size() > kDigitsMax) return Errc::kBadContentLength;
  std::uint64_t value = 0;
  for (const char byte : text) {
    if (byte < '0' || byte > '9') return Errc::kBadContentLength;
    value = value * 10 + static_cast<std::uint64_t>(byte - '0');
  }
  length = value;
  return Errc::kOk;
}

// Exactly one coding, "chunked", is served. A list that names it anywhere but once at its end has
// no length that all programs agree on; the rest is well formed and merely unknown to us.
Errc read_transfer_encoding(std::string_view text) noexcept {
  if (ascii_iequals(text, "chunked")) return Errc::kOk;
  bool malformed = false;
  bool chunked = false;
  for_each_part(text, ',', [&](std::string_view part) {
    const std::string_view coding = trim(part);
    const std::string_view name = trim(coding.substr(0, coding.find(';')));
    const char* const end = name.data() + name.size();
    const bool token = !name.empty() && skip_token(Isa::kScalar, name.data(), end) == end;
    const bool parameters = name.size() != coding.size();
    const bool is_chunked = ascii_iequals(name, "chunked");
    malformed = malformed || chunked || !token || (is_chunked && parameters);
    chunked = chunked || is_chunked;
  });
  return malformed ? Errc::kBadTransferEncoding : Errc::kUnknownTransferCoding;
}

std::uint8_t read_connection(std::string_view text) noexcept {
  std::uint8_t seen = 0;
  for_each_part(text, ',', [&seen](std::string_view part) {
    const std::string_view option = trim(part);
    if (ascii_iequals(option, "close")) seen |= kSeenClose;
    if (ascii_iequals(option, "keep-alive")) seen |= kSeenKeepAlive;
    if (ascii_iequals(option, "upgrade")) seen |= kSeenUpgrade;
  });
  return seen;
}

Errc take_host(std::string_view value, Head& head) noexcept {
  if (head.has_host) return Errc::kDuplicateHost;
  Authority authority;
  head.has_host = true;
  head.host = value;
  return parse_authority(value, authority);
}

Errc take_content_length(std::string_view value, Head& head) noexcept {
  if (head.chunked) return Errc::kTransferEncodingAndLength;
  if (head.content_length.has_value()) return Errc::kDuplicateContentLength;
  return read_content_length(value, head.content_length);
}

Errc take_transfer_encoding(std::string_view value, Head& head) noexcept {
  if (head.version == Version::kHttp10) return Errc::kTransferEncodingInHttp10;
  if (head.content_length.has_value()) return Errc::kTransferEncodingAndLength;
  if (head.chunked) return Errc::kBadTransferEncoding;
  head.chunked = true;
  return read_transfer_encoding(value);
}

// HTTP/1.0 does not know Expect (RFC 9110 10.1.1).
Errc take_expect(std::string_view value, Head& head) noexcept {
  if (head.version == Version::kHttp10) return Errc::kOk;
  if (!ascii_iequals(value, "100-continue")) return Errc::kUnknownExpectation;
  head.expect_continue = true;
  return Errc::kOk;
}

// An absolute-form target names its host twice. RFC 9112 3.2.2 lets the target win; here they must
// agree, because a program in front of us may have looked at the other one.
Errc take_authority(Head& head) noexcept {
  Target target;
  const Errc code = split_target(head.target, head.method, target);
  SSX_ASSERT(code == Errc::kOk, static_cast<int>(code));
  if (!head.has_host) {
    head.has_host = true;
    head.host = target.authority;
    return Errc::kOk;
  }
  constexpr std::uint16_t kHttpPort = 80;
  constexpr std::uint16_t kHttpsPort = 443;
  Authority wanted, host;
  if (parse_authority(target.authority, wanted) != Errc::kOk ||
      parse_authority(head.host, host) != Errc::kOk) {
    return Errc::kBadHost;
  }
  return same_authority(wanted, host, target.secure ? kHttpsPort : kHttpPort) ? Errc::kOk
                                                                              : Errc::kHostMismatch;
}

}  // namespace

struct RequestParser::Machine {
  // "\n" of the request line is at `end`; the eight bytes of the version are before its "\r".
  static Errc take_request_line(RequestParser& self, const char* base, const char* line,
                                const char* end, Head& head) noexcept {
    const char* const version = end - sizeof("HTTP/1.1\r") + 1;
    if (version[5] == '0') return Errc::kBadVersion;
    if (version[5] != '1' || version[7] > '1') return Errc::kUnsupportedVersion;
    head.version = version[7] == '0' ? Version::kHttp10 : Version::kHttp11;
    begin(base, head);

    head.method_text = {line, self.method_size_};
    head.method = parse_method(head.method_text);
    if (head.method == Method::kUnknown || head.method == Method::kConnect) {
      return Errc::kUnknownMethod;
    }

    const char* const text = line + self.method_size_ + 1;
    head.target = {text, static_cast<std::size_t>(version - 1 - text)};
    const std::size_t query_at = self.query_ == 0
                                     ? std::string_view::npos
                                     : self.query_ - static_cast<std::size_t>(text - base);
    Target target;
    const Errc code = split_checked_target(head.target, query_at, head.method, target);
    if (code != Errc::kOk) return code;
    head.form = target.form;
    head.path = target.path;
    head.query = target.query;
    head.has_query = target.has_query;
    return (self.seen_ & kSeenEscape) == 0 ? Errc::kOk : check_escapes(head);
  }

  // What the fields decide by being there starts as if they were not.
  static void begin(const char* base, Head& head) noexcept {
    head.has_host = head.chunked = head.expect_continue = false;
    head.content_length.reset();
    head.host = {};
    head.fields.clear();
    head.fields.bind(base);
  }

  static Errc check_escapes(const Head& head) noexcept {
    const Errc code = head.path == "*" ? Errc::kOk : check_path(head.path);
    return code == Errc::kOk ? check_query(head.query) : code;
  }

  // "\r" of the field line is at `end`.
  [[gnu::always_inline]] static Errc take_field(RequestParser& self, const char* base,
                                                const char* line, const char* value,
                                                const char* end, Head& head) noexcept {
    while (end != value && is_ows(end[-1])) --end;
    const FieldName id = find_field_name({line, self.name_size_});
    Fields::Entry& entry = head.fields.add(id);
    entry.name_offset = static_cast<std::uint16_t>(line - base);
    entry.name_size = self.name_size_;
    entry.value_offset = static_cast<std::uint16_t>(value - base);
    entry.value_size = static_cast<std::uint16_t>(end - value);
    if ((kFramingNames & bit(id)) == 0) return Errc::kOk;
    return take_framing_field(self, id, {value, static_cast<std::size_t>(end - value)}, head);
  }

  static Errc take_framing_field(RequestParser& self, FieldName id, std::string_view value,
                                 Head& head) noexcept {
    if (id == FieldName::kHost) return take_host(value, head);
    if (id == FieldName::kContentLength) return take_content_length(value, head);
    if (id == FieldName::kTransferEncoding) return take_transfer_encoding(value, head);
    if (id == FieldName::kExpect) return take_expect(value, head);
    self.seen_ = static_cast<std::uint8_t>(self.seen_ | read_connection(value));
    return Errc::kOk;
  }

  // Everything is known; the head may have moved since its request line was read.
  static Errc finish(RequestParser& self, const char* base, Head& head) noexcept {
    head.size = self.position_;
    if (head.fields.base() != base) head.rebase(base);
    const bool http11 = head.version == Version::kHttp11;
    if (http11 && !head.has_host) return Errc::kMissingHost;
    if (head.form == TargetForm::kAbsolute) {
      if (const Errc code = take_authority(head); code != Errc::kOk) return code;
    }
    const bool close = (self.seen_ & kSeenClose) != 0;
    head.keep_alive = !close && (http11 || (self.seen_ & kSeenKeepAlive) != 0);
    head.upgrade =
        http11 && (self.seen_ & kSeenUpgrade) != 0 && head.fields.contains(FieldName::kUpgrade);
    return Errc::kOk;
  }

  // What the byte at `p` is that the grammar has no place for.
  static Errc refused(Phase phase, const char* line, const char* p) noexcept {
    switch (phase) {
      case Phase::kStart:
        return *p == '\n' || p != line ? Errc::kBadLineEnd : Errc::kBadMethod;
      case Phase::kMethod:
        return Errc::kBadMethod;
      case Phase::kTarget:
        return *p == '\r' || *p == '\n' ? Errc::kBadVersion : Errc::kBadTarget;
      case Phase::kVersion:
        return *p == '\n' || p[-1] == '\r' ? Errc::kBadLineEnd : Errc::kBadVersion;
      case Phase::kName:
        if (*p == '\n' || p[-1] == '\r') return Errc::kBadLineEnd;
        return p == line && is_ows(*p) ? Errc::kObsoleteFold : Errc::kBadFieldName;
      case Phase::kValue:
        return *p == '\n' || p[-1] == '\r' ? Errc::kBadLineEnd : Errc::kBadFieldValue;
      case Phase::kDone:
      case Phase::kFailed:
        break;
    }
    SSX_UNREACHABLE();
  }

  // Whose fence it is that the machine stopped at.
  static Errc over_limit(const RequestParser& self) noexcept {
    const ParserLimits& limits = *self.limits_;
    if (self.position_ == limits.head_max) return Errc::kHeadTooLong;
    switch (self.phase_) {
      case Phase::kMethod:
        return Errc::kMethodTooLong;
      case Phase::kTarget:
        return Errc::kTargetTooLong;
      case Phase::kVersion:
        return Errc::kRequestLineTooLong;
      case Phase::kName:
        return limits.field_name_max < field_line_room(limits) ? Errc::kFieldNameTooLong
                                                               : Errc::kFieldLineTooLong;
      case Phase::kValue:
        return Errc::kFieldLineTooLong;
      case Phase::kStart:
      case Phase::kDone:
      case Phase::kFailed:
        break;
    }
    SSX_UNREACHABLE();
  }

  static const char* current_fence(const RequestParser& self, const char* line,
                                   const char* last) noexcept {
    const ParserLimits& limits = *self.limits_;
    switch (self.phase_) {
      case Phase::kStart:
        return last;
      case Phase::kMethod:
        return fence(line, method_room(limits), last);
      case Phase::kTarget:
        return fence(line, target_room(limits, self.method_size_), last);
      case Phase::kVersion:
        return fence(line, request_line_room(limits), last);
      case Phase::kName:
        return fence(line, name_room(limits), last);
      case Phase::kValue:
        return fence(line, field_line_room(limits), last);
      case Phase::kDone:
      case Phase::kFailed:
        break;
    }
    SSX_UNREACHABLE();
  }

  // One body for each instruction set: a template could not have a target attribute of its own.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
  static Errc run_scalar(RequestParser& self, std::string_view bytes, Head& head) noexcept {
    using Scan = scan::Scalar;
#include "http/request_parser.inc"
  }
#if defined(SSX_HTTP_X86)
  [[gnu::target("ssse3")]] static Errc run_ssse3(RequestParser& self, std::string_view bytes,
                                                 Head& head) noexcept {
    using Scan = scan::Ssse3;
#include "http/request_parser.inc"
  }
  [[gnu::target("avx2,bmi")]] static Errc run_avx2(RequestParser& self, std::string_view bytes,
                                                   Head& head) noexcept {
    using Scan = scan::Avx2;
#include "http/request_parser.inc"
  }
#endif
#pragma GCC diagnostic pop

  static Errc run(RequestParser& self, std::string_view bytes, Head& head) noexcept {
#if defined(SSX_HTTP_X86)
    switch (best_isa()) {
      case Isa::kAvx2:
        return run_avx2(self, bytes, head);
      case Isa::kSsse3:
        return run_ssse3(self, bytes, head);
      case Isa::kScalar:
        break;
    }
#endif
    return run_scalar(self, bytes, head);
  }
};

RequestParser::RequestParser(const ParserLimits& limits) noexcept : limits_(&limits) {
  SSX_ASSERT(limits.head_max <= kHeadMost, limits.head_max);
  SSX_ASSERT(limits.request_line_max <= kHeadMost, limits.request_line_max);
  SSX_ASSERT(limits.target_max <= kHeadMost, limits.target_max);
  SSX_ASSERT(limits.method_max <= kHeadMost, limits.method_max);
  SSX_ASSERT(limits.field_line_max <= kHeadMost, limits.field_line_max);
  SSX_ASSERT(limits.field_name_max <= kHeadMost, limits.field_name_max);
  SSX_ASSERT(limits.field_count_max <= Fields::kCapacity, limits.field_count_max);
  reset();
}

void RequestParser::reset() noexcept {
  position_ = line_ = value_ = query_ = method_size_ = leading_lines_ = 0;
  name_size_ = 0;
  seen_ = 0;
  state_ = kStartState;
  phase_ = Phase::kStart;
}

bool RequestParser::idle() const noexcept { return phase_ == Phase::kStart; }

RequestParser::Parsed RequestParser::parse(std::string_view bytes, Head& head) noexcept {
  SSX_ASSERT(phase_ != Phase::kDone && phase_ != Phase::kFailed, static_cast<int>(phase_));
  SSX_ASSERT(bytes.size() >= position_, bytes.size(), position_);
  Errc error = Machine::run(*this, bytes, head);
  if (error == Errc::kOk && phase_ == Phase::kDone) {
    error = Machine::finish(*this, bytes.data(), head);
    if (error == Errc::kOk) return {.progress = Progress::kDone, .head_size = position_};
  }
  if (error == Errc::kOk) return {};
  if (phase_ < Phase::kName) head.clear();
  phase_ = Phase::kFailed;
  return {.progress = Progress::kFailed, .error = error};
}

}  // namespace ssx::http
