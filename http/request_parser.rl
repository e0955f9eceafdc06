// The grammar of a request head (RFC 9112 2.2, 3 and 5).
//
// No action runs per byte: the action on the first byte of an element jumps over all that follow
// with a scan, and leaves `p` on the last of them (pe - 1 at the most). So the machine goes on from
// there, in this call or in the next one.
//
// `pe` is not the end of the bytes but the fence: where the element being read hits its limit.
// Every element that begins sets it anew.

#include "http/request_parser.h"

#include <algorithm>
#include <cstring>

#include "http/fences.h"
#include "http/framing.h"
#include "http/scan_inline.h"
#include "ssxrver/base/assert.h"

namespace ssx::http {
namespace {

%% machine request_head;
%% write data nofinal noentry;

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
constexpr std::ptrdiff_t kVersionSize = sizeof("HTTP/1.1") - 1;

}  // namespace

struct RequestParser::Machine {
  // "\n" of the request line is at `end`; the eight bytes of the version are before its "\r".
  static Errc take_request_line(RequestParser& self, const char* base, const char* end,
                                Head& head) noexcept {
    const char* const line = base + self.line_;
    const char* const version = end - sizeof("HTTP/1.1\r") + 1;
    if (version[5] == '0') return Errc::kBadVersion;
    if (version[5] != '1') return Errc::kUnsupportedVersion;
    // A higher minor version is read as the highest we know (RFC 9110 6.2).
    head.version = version[7] == '0' ? Version::kHttp10 : Version::kHttp11;
    head.fields.clear();
    head.fields.bind(base);
    begin_framing(head);

    head.method_text = {line, self.method_size_};
    head.method = parse_method(head.method_text);
    if (head.method == Method::kUnknown || head.method == Method::kConnect) {
      return Errc::kUnknownMethod;
    }

    const char* const text = line + self.method_size_ + 1;
    const char* const text_end = version - 1;
    head.target = {text, static_cast<std::size_t>(text_end - text)};
    head.has_query = self.query_ != 0;
    const char* const path_end = head.has_query ? base + self.query_ : text_end;
    head.query = head.has_query ? std::string_view(path_end + 1, text_end) : std::string_view();
    if (*text == '/') {
      head.form = TargetForm::kOrigin;
      head.path = {text, static_cast<std::size_t>(path_end - text)};
    } else if (const Errc code = take_other_form(head); code != Errc::kOk) {
      return code;
    }
    if (const Errc code = check_path_limits(head.path, *self.limits_); code != Errc::kOk) {
      return code;
    }
    head.path_is_normal = self.plain_ && !self.path_escaped_ && *text == '/';
    return head.path_is_normal && !self.query_escaped_ ? Errc::kOk : check_escapes(head);
  }

  static Errc take_other_form(Head& head) noexcept {
    Target target;
    const Errc code = split_target(head.target, head.method, target);
    head.form = target.form;
    head.path = target.path;
    return code;
  }

  static Errc check_escapes(const Head& head) noexcept {
    const Errc code = head.path == "*" ? Errc::kOk : check_path(head.path);
    return code == Errc::kOk ? check_query(head.query) : code;
  }

  // "\r" of the field line is at `end`.
  [[gnu::always_inline]] static Errc take_field(RequestParser& self, const char* base,
                                                const char* end, Head& head) noexcept {
    const Field field =
        add_field({self.line_, self.name_size_, self.value_}, base, end, head.fields);
    if (!decides_framing(field.id)) return Errc::kOk;
    return take_framing_field(field.id, field.value, self.connection_, head);
  }

  // The bytes moved since the last call; the views of `head` look at where they were.
  static void follow(const RequestParser& self, const char* base, Head& head) noexcept {
    if (self.phase_ < Phase::kField || head.fields.base() == base) return;
    head.size = self.position_;
    head.rebase(base);
  }

  // What the byte at `p` is that the grammar has no place for.
  static Errc refused(const RequestParser& self, const char* base, const char* p) noexcept {
    const char* const line = base + self.line_;
    const bool line_end = *p == '\n' || (p != line && p[-1] == '\r');
    switch (self.phase_) {
      case Phase::kStart:
        return line_end ? Errc::kBadLineEnd : Errc::kBadMethod;
      case Phase::kMethod:
        return Errc::kBadMethod;
      case Phase::kTarget:
        return *p == '\r' || *p == '\n' ? Errc::kBadVersion : Errc::kBadTarget;
      case Phase::kVersion:
        return line_end ? Errc::kBadLineEnd : Errc::kBadVersion;
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

  // Whose fence it is that the machine stopped at.
  static Errc over_limit(const RequestParser& self) noexcept {
    const ParserLimits& limits = *self.limits_;
    if (self.position_ == limits.head_max) return Errc::kHeadTooLong;
    const std::size_t line = request_line_room(limits);
    switch (self.phase_) {
      case Phase::kMethod:
        return method_room(limits) < line ? Errc::kMethodTooLong : Errc::kRequestLineTooLong;
      case Phase::kTarget:
        return target_room(limits, self.method_size_) < line ? Errc::kTargetTooLong
                                                             : Errc::kRequestLineTooLong;
      case Phase::kVersion:
        return Errc::kRequestLineTooLong;
      case Phase::kField:
        return Errc::kFieldLineTooLong;
      case Phase::kStart:
      case Phase::kDone:
      case Phase::kFailed:
        break;
    }
    SSX_UNREACHABLE();
  }

  // The fence of the element that the last call stopped in.
  static const char* current_fence(const RequestParser& self, const char* base,
                                   const char* last) noexcept {
    const ParserLimits& limits = *self.limits_;
    const char* const line = base + self.line_;
    switch (self.phase_) {
      case Phase::kStart:
        return last;
      case Phase::kMethod:
        return fence(line, method_room(limits), last);
      case Phase::kTarget:
        return fence(line, target_room(limits, self.method_size_), last);
      case Phase::kVersion:
        return fence(line, request_line_room(limits), last);
      case Phase::kField:
        return fence(line, field_line_room(limits), last);
      case Phase::kDone:
      case Phase::kFailed:
        break;
    }
    SSX_UNREACHABLE();
  }

  // The machine's variables, as Ragel calls them; `base` and `last` are ours.
  struct Cursor {
    const char* base;  // the first byte of the message
    const char* last;  // as far as the limit of the head allows
    const char* p;
    const char* pe;
    int cs;
    Errc error;
  };

  [[gnu::always_inline]] static Cursor load(const RequestParser& self,
                                            std::string_view bytes) noexcept {
    const char* const base = bytes.data();
    const char* const last = base + std::min(bytes.size(), self.limits_->head_max);
    return {.base = base,
            .last = last,
            .p = base + self.position_,
            .pe = current_fence(self, base, last),
            .cs = self.state_,
            .error = Errc::kOk};
  }

  [[gnu::always_inline]] static Errc store(RequestParser& self, std::string_view bytes,
                                           const Cursor& at) noexcept {
    self.position_ = static_cast<std::uint32_t>(at.p - at.base);
    self.state_ = static_cast<std::uint8_t>(at.cs);
    if (at.error != Errc::kOk) return at.error;
    if (at.cs == request_head_error) return refused(self, at.base, at.p);
    return at.p == at.pe && self.position_ != bytes.size() ? over_limit(self) : Errc::kOk;
  }

  // Ragel writes the machine once for each instruction set, with that one's scans: a template
  // could not have a target attribute of its own.

  %%{
    machine request_head;
    include field_lines "http/field_lines.rl";

    action count_leading_line {
      self.line_ = offset(base, p + 1);
      if (++self.leading_lines_ > limits.leading_crlf_max) {
        error = Errc::kLeadingLines;
        fbreak;
      }
    }

    action enter_method {
      self.phase_ = Phase::kMethod;
      pe = fence(p, method_room(limits), last);
      p = scan::Scalar::skip<scan::kToken>(base, p + 1, pe) - 1;
    }
    action leave_method {
      self.method_size_ = offset(base, p) - self.line_;
      self.phase_ = Phase::kTarget;
      pe = fence(base + self.line_, target_room(limits, self.method_size_), last);
    }

    action skip_plain { p = Scan::skip<scan::kPlain>(base, p + 1, pe) - 1; }
    action note_escape { (self.query_ == 0 ? self.path_escaped_ : self.query_escaped_) = true; }
    action note_query {
      if (self.query_ == 0) self.query_ = offset(base, p);
    }
    action leave_target {
      const char* const path = base + self.line_ + self.method_size_ + 1;
      const char* const path_end = self.query_ == 0 ? p : base + self.query_;
      self.plain_ = Scan::is_plain_path(path, path_end, last);
      self.phase_ = Phase::kVersion;
      pe = fence(base + self.line_, request_line_room(limits), last);
      if (pe - p > kVersionSize && std::memcmp(p + 1, "HTTP/1.1", kVersionSize) == 0) {
        p += kVersionSize;
        fgoto behind_version;
      }
    }
    action leave_version { fgoto behind_version; }
    action leave_request_line {
      error = take_request_line(self, base, p, head);
      if (error != Errc::kOk) fbreak;
      self.line_ = offset(base, p + 1);
      self.phase_ = Phase::kField;
      pe = fence(p + 1, field_line_room(limits), last);
    }

    # What split_target() lets through; "%" and "?" are looked at.
    plain = 0x21..0x7e - ["#<>\\%?];

    leading_line = '\r' '\n' @count_leading_line;

    method = tchar @enter_method (tchar @skip_token)*;
    target = (plain | '%' @note_escape | '?' @note_query)+ $skip_plain;
    version = 'HTTP/' digit '.' digit;

    behind_version := '\r' '\n' @leave_request_line field_section;

    main := leading_line* method ' ' @leave_method target ' ' @leave_target version @leave_version;
  }%%

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

  static Errc run_scalar(RequestParser& self, std::string_view bytes, Head& head) noexcept {
    using Scan = scan::Scalar;
    const ParserLimits& limits = *self.limits_;
    auto [base, last, p, pe, cs, error] = load(self, bytes);
    %% write exec;
    return store(self, bytes, {base, last, p, pe, cs, error});
  }

#if defined(SSX_HTTP_X86)
  [[gnu::target("ssse3")]] static Errc run_ssse3(RequestParser& self, std::string_view bytes,
                                                 Head& head) noexcept {
    using Scan = scan::Ssse3;
    const ParserLimits& limits = *self.limits_;
    auto [base, last, p, pe, cs, error] = load(self, bytes);
    %% write exec;
    return store(self, bytes, {base, last, p, pe, cs, error});
  }

  [[gnu::target("avx2,bmi")]] static Errc run_avx2(RequestParser& self, std::string_view bytes,
                                                   Head& head) noexcept {
    using Scan = scan::Avx2;
    const ParserLimits& limits = *self.limits_;
    auto [base, last, p, pe, cs, error] = load(self, bytes);
    %% write exec;
    return store(self, bytes, {base, last, p, pe, cs, error});
  }
#endif

#pragma GCC diagnostic pop

  static Errc run(RequestParser& self, std::string_view bytes, Head& head) noexcept {
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

RequestParser::RequestParser(const ParserLimits& limits, Isa isa) noexcept
    : limits_(&limits), isa_(isa) {
  SSX_DCHECK(isa <= best_isa(), static_cast<int>(isa));
  SSX_ASSERT(limits.head_max <= kHeadMost, limits.head_max);
  SSX_ASSERT(limits.request_line_max <= kHeadMost, limits.request_line_max);
  SSX_ASSERT(limits.target_max <= kHeadMost, limits.target_max);
  SSX_ASSERT(limits.path_max <= kHeadMost, limits.path_max);
  SSX_ASSERT(limits.method_max <= kHeadMost, limits.method_max);
  SSX_ASSERT(limits.field_line_max <= kHeadMost, limits.field_line_max);
  SSX_ASSERT(limits.field_name_max <= kHeadMost, limits.field_name_max);
  SSX_ASSERT(limits.field_count_max <= Fields::kCapacity, limits.field_count_max);
  reset();
}

void RequestParser::reset() noexcept {
  position_ = line_ = value_ = query_ = method_size_ = leading_lines_ = 0;
  name_size_ = 0;
  connection_ = {};
  path_escaped_ = query_escaped_ = plain_ = false;
  state_ = request_head_start;
  phase_ = Phase::kStart;
}

bool RequestParser::idle() const noexcept { return phase_ == Phase::kStart; }

RequestParser::Parsed RequestParser::parse(std::string_view bytes, Head& head) noexcept {
  SSX_ASSERT(phase_ != Phase::kDone && phase_ != Phase::kFailed, static_cast<int>(phase_));
  SSX_ASSERT(bytes.size() >= position_, bytes.size(), position_);
  Machine::follow(*this, bytes.data(), head);
  Errc error = Machine::run(*this, bytes, head);
  if (error == Errc::kOk && phase_ == Phase::kDone) {
    head.size = position_;
    error = conclude_framing(connection_, head);
    if (error == Errc::kOk) return {.progress = Progress::kDone, .head_size = position_};
  }
  if (error == Errc::kOk) return {};
  if (phase_ < Phase::kField) head.clear();
  phase_ = Phase::kFailed;
  return {.progress = Progress::kFailed, .error = error};
}

}  // namespace ssx::http
