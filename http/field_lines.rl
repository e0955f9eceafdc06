# The field section of a head (RFC 9112 5), the same for requests and responses. Included by their
# machines, which run it in a function that has `self`, `limits`, `head`, `base`, `last`, `error`,
# the scans as `Scan`, and a take_field().
#
# An action on the first byte of a name or value jumps over the rest with a scan; see
# request_parser.rl.

%%{
  machine field_lines;

  action enter_name {
    if (head.fields.size() == limits.field_count_max) {
      error = Errc::kTooManyFields;
      fbreak;
    }
    p = Scan::skip<scan::kToken>(base, p + 1, pe) - 1;
  }
  action skip_token { p = skip_token(self.isa_, p + 1, pe) - 1; }
  action leave_name {
    self.name_size_ = static_cast<std::uint16_t>(offset(base, p) - self.line_);
    self.value_ = offset(base, p + 1);
    if (self.name_size_ > limits.field_name_max) {
      error = Errc::kFieldNameTooLong;
      fbreak;
    }
  }
  action enter_value {
    self.value_ = offset(base, p);
    p = Scan::skip<scan::kValue>(base, p + 1, pe) - 1;
  }
  action skip_value { p = skip_value(self.isa_, p + 1, pe) - 1; }
  action leave_value {
    error = take_field(self, base, p, head);
    if (error != Errc::kOk) fbreak;
  }
  action leave_field_line {
    self.line_ = offset(base, p + 1);
    pe = fence(p + 1, field_line_room(limits), last);
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

  # No whitespace before the colon, no folded line (RFC 9112 5.1 and 5.2).
  name = tchar @enter_name (tchar @skip_token)*;
  value = field_vchar @enter_value ((field_vchar | [ \t]) @skip_value)*;
  field_line = name ':' @leave_name ows value? '\r' @leave_value '\n' @leave_field_line;

  field_section = field_line* '\r' '\n' @finish;
}%%
