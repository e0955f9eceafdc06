// The grammar of a request head (RFC 9112 2.2, 3 and 5): the body of the functions run_*() of
// request_parser.cc, which includes what Ragel makes of it once for each instruction set, with
// `Scan` meaning its scans.
//
// No action runs per byte: the action on a byte of an element jumps over all that follow it with
// a scan, and leaves `p` on the last of them (pe - 1 at the most). So the machine goes on from
// there, in this call or in the next one.
//
// `pe` is not the end of the bytes but the fence: where the element being read hits its limit.
// Every element that begins sets it anew.

const ParserLimits& limits = *self.limits_;
const char* const base = bytes.data();
const char* const last = base + std::min(bytes.size(), limits.head_max);
const char* line = base + self.line_;
const char* mark = base + self.value_;
const char* p = base + self.position_;
const char* pe = current_fence(self, line, last);
int cs = self.state_;
Errc error = Errc::kOk;

%%{
  machine request_head;
  write data nofinal noentry;

  action count_leading_line {
    line = p + 1;
    if (++self.leading_lines_ > limits.leading_crlf_max) {
      error = Errc::kLeadingLines;
      fbreak;
    }
  }

  action enter_method {
    line = p;
    self.phase_ = Phase::kMethod;
    pe = fence(line, method_room(limits), last);
    p = scan::Scalar::skip<scan::kToken>(base, p + 1, pe) - 1;
  }
  action skip_token { p = skip_token(best_isa(), p + 1, pe) - 1; }
  action leave_method {
    self.method_size_ = static_cast<std::uint32_t>(p - line);
    self.phase_ = Phase::kTarget;
    pe = fence(line, target_room(limits, self.method_size_), last);
  }

  action skip_plain { p = Scan::skip<scan::kPlain>(base, p + 1, pe) - 1; }
  action note_escape { self.seen_ |= kSeenEscape; }
  action note_query {
    if (self.query_ == 0) self.query_ = static_cast<std::uint32_t>(p - base);
  }
  action leave_target {
    self.phase_ = Phase::kVersion;
    pe = fence(line, request_line_room(limits), last);
  }
  action leave_request_line {
    error = take_request_line(self, base, line, p, head);
    if (error != Errc::kOk) fbreak;
    line = p + 1;
    self.phase_ = Phase::kName;
    pe = fence(line, name_room(limits), last);
  }

  action enter_name {
    if (head.fields.size() == limits.field_count_max) {
      error = Errc::kTooManyFields;
      fbreak;
    }
    p = Scan::skip<scan::kToken>(base, p + 1, pe) - 1;
  }
  action leave_name {
    mark = p + 1;
    self.name_size_ = static_cast<std::uint16_t>(p - line);
    self.phase_ = Phase::kValue;
    pe = fence(line, field_line_room(limits), last);
  }
  action enter_value {
    mark = p;
    p = Scan::skip<scan::kValue>(base, p + 1, pe) - 1;
  }
  action skip_value { p = skip_value(best_isa(), p + 1, pe) - 1; }
  action leave_value {
    error = take_field(self, base, line, mark, p, head);
    if (error != Errc::kOk) fbreak;
  }
  action leave_field_line {
    line = p + 1;
    self.phase_ = Phase::kName;
    pe = fence(line, name_room(limits), last);
  }

  action finish {
    self.phase_ = Phase::kDone;
    fbreak;
  }

  # RFC 9110 5.6.2 and 5.5; obs-text is every byte above 0x7F.
  tchar = alnum | [!#$%&'*+\-.^_`|~];
  obs_text = any - ascii;
  field_vchar = 0x21..0x7e | obs_text;
  ows = [ \t]*;

  # What split_target() lets through; "%" and "?" are looked at.
  plain = 0x21..0x7e - ["#<>\\%?];

  leading_line = '\r' '\n' @count_leading_line;

  method = tchar @enter_method (tchar @skip_token)*;
  target = (plain | '%' @note_escape | '?' @note_query)+ $skip_plain;
  version = 'HTTP/' digit '.' digit;
  request_line = method ' ' @leave_method target ' ' @leave_target version
                 '\r' '\n' @leave_request_line;

  # No whitespace before the colon, no folded line (RFC 9112 5.1 and 5.2).
  name = tchar @enter_name (tchar @skip_token)*;
  value = field_vchar @enter_value ((field_vchar | [ \t]) @skip_value)*;
  field_line = name ':' @leave_name ows value? '\r' @leave_value '\n' @leave_field_line;

  main := leading_line* request_line field_line* '\r' '\n' @finish;

  write exec;
}%%

self.position_ = static_cast<std::uint32_t>(p - base);
self.line_ = static_cast<std::uint32_t>(line - base);
self.value_ = static_cast<std::uint32_t>(mark - base);
self.state_ = static_cast<std::uint8_t>(cs);
static_assert(request_head_start == kStartState);
if (cs == request_head_error) error = refused(self.phase_, line, p);
if (error == Errc::kOk && p == pe && self.position_ != bytes.size()) error = over_limit(self);
return error;
