// The grammar of a response head (RFC 9112 2, 4 and 5). How the machine, the scans and the fence
// work together: request_parser.rl.

#include "http/client/response_parser.h"

#include <algorithm>

#include "http/fences.h"
#include "http/scan_inline.h"
#include "http/status.h"
#include "ssxrver/base/assert.h"

namespace ssx::http {
namespace {

%% machine response_head;
%% write data nofinal noentry;

std::size_t status_line_room(const ParserLimits& limits) noexcept {
  return limits.request_line_max + 2;
}

constexpr std::size_t kVersionSize = sizeof("HTTP/1.1") - 1;
constexpr std::size_t kReasonAt = sizeof("HTTP/1.1 200 ") - 1;

// The fields that decide how a response is framed.
bool frames_response(FieldName id) noexcept {
  return id == FieldName::kContentLength || id == FieldName::kTransferEncoding ||
         id == FieldName::kConnection;
}

Errc take_response_field(const Field& field, ConnectionOptions& connection,
                         ResponseHead& head) noexcept {
  if (field.id == FieldName::kConnection) {
    read_connection(field.value, connection);
    return Errc::kOk;
  }
  if (field.id == FieldName::kContentLength) {
    if (head.chunked) return Errc::kTransferEncodingAndLength;
    if (head.content_length.has_value()) return Errc::kDuplicateContentLength;
    return read_content_length(field.value, head.content_length);
  }
  // RFC 9112 6.1: in HTTP/1.0 the framing is faulty.
  if (head.version == Version::kHttp10) return Errc::kTransferEncodingInHttp10;
  if (head.content_length.has_value()) return Errc::kTransferEncodingAndLength;
  if (head.chunked) return Errc::kBadTransferEncoding;
  head.chunked = true;
  return read_transfer_encoding(field.value);
}

// RFC 9112 6.3, in its order.
void conclude_response(Method request, const ConnectionOptions& connection,
                       ResponseHead& head) noexcept {
  const bool http11 = head.version == Version::kHttp11;
  head.keep_alive = !connection.close && (http11 || connection.keep_alive);
  const bool success = head.status >= 200 && head.status < 300;
  const bool announced = head.chunked || head.content_length.value_or(0) > 0;
  if (request == Method::kConnect && success) {
    head.framing = BodyFraming::kNone;
    head.keep_alive = false;  // a tunnel from here on
  } else if (request == Method::kHead || head.status == 304) {
    head.framing = BodyFraming::kNone;
  } else if (head.status < 200 || head.status == 204) {
    head.framing = BodyFraming::kNone;
    // It must not announce a body (RFC 9112 6.1, RFC 9110 8.6). What one program takes for that
    // body is the next response to another: no next response then.
    head.keep_alive = head.keep_alive && !announced;
  } else if (head.chunked) {
    head.framing = BodyFraming::kChunked;
  } else if (head.content_length.has_value()) {
    head.framing = announced ? BodyFraming::kLength : BodyFraming::kNone;
  } else {
    head.framing = BodyFraming::kToClose;
    head.keep_alive = false;
  }
}

}  // namespace

struct ResponseParser::Machine {
  // "\r" of the status line is at `end`.
  static Errc take_status_line(const char* base, const char* end, ResponseHead& head) noexcept {
    if (base[5] == '0') return Errc::kBadVersion;
    if (base[5] != '1') return Errc::kUnsupportedVersion;
    // A later 1.x is read as 1.1 (RFC 9110 6.2).
    head.version = base[7] == '0' ? Version::kHttp10 : Version::kHttp11;
    const auto digit = [base](std::size_t at) { return base[kVersionSize + 1 + at] - '0'; };
    head.status = static_cast<std::uint16_t>(digit(0) * 100 + digit(1) * 10 + digit(2));
    head.framing = BodyFraming::kNone;
    head.keep_alive = head.chunked = false;
    head.content_length.reset();
    const char* const reason = base + kReasonAt;
    head.reason = reason < end ? std::string_view(reason, end) : std::string_view();
    head.fields.clear();
    head.fields.bind(base);
    return head.status < 100 ? Errc::kBadStatus : Errc::kOk;
  }

  [[gnu::always_inline]] static Errc take_field(ResponseParser& self, const char* base,
                                                const char* end, ResponseHead& head) noexcept {
    const Field field =
        add_field({self.line_, self.name_size_, self.value_}, base, end, head.fields);
    if (!frames_response(field.id)) return Errc::kOk;
    return take_response_field(field, self.connection_, head);
  }

  // The bytes moved since the last call; the views of `head` look at where they were.
  static void follow(const ResponseParser& self, const char* base, ResponseHead& head) noexcept {
    if (self.phase_ >= Phase::kField && head.fields.base() != base) head.rebase(base);
  }

  // What the byte at `p` is that the grammar has no place for.
  static Errc refused(const ResponseParser& self, const char* base, const char* p) noexcept {
    const char* const line = base + self.line_;
    const bool line_end = *p == '\n' || (p != line && p[-1] == '\r');
    switch (self.phase_) {
      case Phase::kVersion:
        return Errc::kBadVersion;
      case Phase::kStatus:
        return Errc::kBadStatus;
      case Phase::kReason:
        return line_end ? Errc::kBadLineEnd : Errc::kBadStatus;
      case Phase::kField:
        if (line_end) return Errc::kBadLineEnd;
        if (self.value_ > self.line_) return Errc::kBadFieldValue;
        return p == line && is_ows(*p) ? Errc::kObsoleteFold : Errc::kBadFieldName;
      case Phase::kDone:
      case Phase::kFailed:
        break;
    }
    SSX_UNREACHABLE();
  }

  struct Cursor {
    const char* base;
    const char* last;
    const char* p;
    const char* pe;
    int cs;
    Errc error;
  };

  [[gnu::always_inline]] static Cursor load(const ResponseParser& self,
                                            std::string_view bytes) noexcept {
    const ParserLimits& limits = *self.limits_;
    const char* const base = bytes.data();
    const char* const last = base + std::min(bytes.size(), limits.head_max);
    const std::size_t room =
        self.phase_ < Phase::kField ? status_line_room(limits) : field_line_room(limits);
    return {.base = base,
            .last = last,
            .p = base + self.position_,
            .pe = fence(base + self.line_, room, last),
            .cs = self.state_,
            .error = Errc::kOk};
  }

  [[gnu::always_inline]] static Errc store(ResponseParser& self, std::string_view bytes,
                                           const Cursor& at) noexcept {
    self.position_ = static_cast<std::uint32_t>(at.p - at.base);
    self.state_ = static_cast<std::uint8_t>(at.cs);
    if (at.error != Errc::kOk) return at.error;
    if (at.cs == response_head_error) return refused(self, at.base, at.p);
    if (at.p != at.pe || self.position_ == bytes.size()) return Errc::kOk;
    if (self.position_ == self.limits_->head_max) return Errc::kHeadTooLong;
    return self.phase_ < Phase::kField ? Errc::kStatusLineTooLong : Errc::kFieldLineTooLong;
  }

  // As in request_parser.rl, once for each instruction set.

  %%{
    machine response_head;
    include field_lines "http/field_lines.rl";

    action leave_version { self.phase_ = Phase::kStatus; }
    action leave_status { self.phase_ = Phase::kReason; }
    action skip_reason { p = Scan::skip<scan::kValue>(base, p + 1, pe) - 1; }
    action leave_status_line {
      error = take_status_line(base, p - 1, head);
      if (error != Errc::kOk) fbreak;
      self.line_ = offset(base, p + 1);
      self.phase_ = Phase::kField;
      pe = fence(p + 1, field_line_room(limits), last);
    }

    version = 'HTTP/' digit '.' digit;
    # RFC 9112 4 wants the space even when no reason follows. Many leave it out, and nobody can read
    # that line in two ways.
    reason = ' ' ((field_vchar | [ \t]) @skip_reason)*;

    main := version ' ' @leave_version digit{3} @leave_status reason?
            '\r' '\n' @leave_status_line field_section;
  }%%

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

  static Errc run_scalar(ResponseParser& self, std::string_view bytes,
                         ResponseHead& head) noexcept {
    using Scan = scan::Scalar;
    const ParserLimits& limits = *self.limits_;
    auto [base, last, p, pe, cs, error] = load(self, bytes);
    %% write exec;
    return store(self, bytes, {base, last, p, pe, cs, error});
  }

#if defined(SSX_HTTP_X86)
  [[gnu::target("ssse3")]] static Errc run_ssse3(ResponseParser& self, std::string_view bytes,
                                                 ResponseHead& head) noexcept {
    using Scan = scan::Ssse3;
    const ParserLimits& limits = *self.limits_;
    auto [base, last, p, pe, cs, error] = load(self, bytes);
    %% write exec;
    return store(self, bytes, {base, last, p, pe, cs, error});
  }

  [[gnu::target("avx2,bmi")]] static Errc run_avx2(ResponseParser& self, std::string_view bytes,
                                                   ResponseHead& head) noexcept {
    using Scan = scan::Avx2;
    const ParserLimits& limits = *self.limits_;
    auto [base, last, p, pe, cs, error] = load(self, bytes);
    %% write exec;
    return store(self, bytes, {base, last, p, pe, cs, error});
  }
#endif

#pragma GCC diagnostic pop

  static Errc run(ResponseParser& self, std::string_view bytes, ResponseHead& head) noexcept {
#if defined(SSX_HTTP_X86)
    switch (self.isa_) {
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

ResponseParser::ResponseParser(const ParserLimits& limits, Isa isa) noexcept
    : limits_(&limits), isa_(isa) {
  SSX_DCHECK(isa <= best_isa(), static_cast<int>(isa));
  SSX_ASSERT(limits.head_max <= kHeadMost, limits.head_max);
  SSX_ASSERT(limits.request_line_max <= kHeadMost, limits.request_line_max);
  SSX_ASSERT(limits.field_line_max <= kHeadMost, limits.field_line_max);
  SSX_ASSERT(limits.field_name_max <= kHeadMost, limits.field_name_max);
  SSX_ASSERT(limits.field_count_max <= Fields::kCapacity, limits.field_count_max);
  reset(Method::kGet);
}

void ResponseParser::reset(Method request) noexcept {
  request_ = request;
  position_ = line_ = value_ = 0;
  name_size_ = 0;
  connection_ = {};
  state_ = response_head_start;
  phase_ = Phase::kVersion;
}

ResponseParser::Parsed ResponseParser::parse(std::string_view bytes, ResponseHead& head) noexcept {
  SSX_ASSERT(phase_ != Phase::kDone && phase_ != Phase::kFailed, static_cast<int>(phase_));
  SSX_ASSERT(bytes.size() >= position_, bytes.size(), position_);
  Machine::follow(*this, bytes.data(), head);
  const Errc error = Machine::run(*this, bytes, head);
  if (error == Errc::kOk && phase_ == Phase::kDone) {
    head.size = position_;
    conclude_response(request_, connection_, head);
    return {.progress = Progress::kDone, .head_size = position_};
  }
  if (error == Errc::kOk) return {};
  phase_ = Phase::kFailed;
  return {.progress = Progress::kFailed, .error = error};
}

}  // namespace ssx::http
