#include "http/multipart.h"

#include <algorithm>

#include "http/media_type.h"
#include "http/scan.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t kPaddingMax = 64;  // white space behind a delimiter; nobody sends any

// bchars, and a space except at the end (RFC 2046 5.1.1)
bool is_boundary(std::string_view text) noexcept {
  const auto is_inside = [](char byte) {
    const char lower = ascii_lower(byte);
    const bool alnum = (byte >= '0' && byte <= '9') || (lower >= 'a' && lower <= 'z');
    return alnum || std::string_view("'()+_,-./:=? ").find(byte) != npos;
  };
  return !text.empty() && text.size() <= Multipart::kBoundaryMax && text.back() != ' ' &&
         std::ranges::all_of(text, is_inside);
}

// The last component, whichever system's paths the client has.
std::string_view basename(std::string_view path) noexcept {
  const std::string_view last = path.substr(path.find_last_of("/\\") + 1);
  return last == "." || last == ".." ? std::string_view() : last;
}

// RFC 7578 4.7: no encoding is left that changes a byte.
bool is_identity_encoding(std::string_view value) noexcept {
  return ascii_iequals(value, "binary") || ascii_iequals(value, "8bit") ||
         ascii_iequals(value, "7bit");
}

std::size_t padding_size(std::string_view bytes) noexcept {
  return std::min(bytes.find_first_not_of(" \t"), bytes.size());
}

}  // namespace

Result<Multipart> Multipart::create(std::string_view content_type, const MultipartLimits& limits) {
  const auto type = MediaType::parse(content_type);
  if (!type || !type->is("multipart", "form-data")) {
    return fail(Errc::kNotMultipart, "Multipart::create");
  }
  const auto boundary = type->parameters.find("boundary");
  if (!boundary || !is_boundary(*boundary)) return fail(Errc::kBadBoundary, "Multipart::create");
  Multipart multipart;
  multipart.limits_ = limits;
  multipart.delimiter_ = "\r\n--" + *boundary;
  return multipart;
}

Multipart::Event Multipart::next(std::string_view bytes, bool is_last) {
  std::size_t consumed = 0;
  while (true) {
    Event event = advance(bytes.substr(consumed), is_last);
    const bool is_stuck = event.what == What::kNeedMore && event.consumed == 0;
    consumed += event.consumed;
    event.consumed = consumed;
    if (is_stuck && is_last && state_ != State::kEpilogue) {
      return fail_with(Errc::kUnfinishedMultipart);
    }
    if (is_stuck || event.what != What::kNeedMore) return event;
  }
}

Multipart::Event Multipart::advance(std::string_view bytes, bool is_last) {
  switch (state_) {
    case State::kStart:
      return read_start(bytes);
    case State::kPreamble:
      return read_preamble(bytes);
    case State::kDelimiter:
      return read_delimiter(bytes, is_last);
    case State::kHeader:
      return read_header(bytes);
    case State::kBlank:
      return read_blank(bytes);
    case State::kData:
      return read_data(bytes);
    case State::kEpilogue:
      return {.consumed = bytes.size()};
    case State::kFailed:
      return fail_with(error_);
  }
  return fail_with(error_);
}

// Where the delimiter begins, or where it may begin once more has arrived; bytes.size() when it
// does not. A CR stands only at its start, so no byte is compared twice.
std::size_t Multipart::delimiter_at(std::string_view bytes) const noexcept {
  const std::size_t found = bytes.find(delimiter_);
  if (found != npos) return found;
  std::size_t at = bytes.size() - std::min(bytes.size(), delimiter_.size() - 1);
  for (at = bytes.find('\r', at); at != npos; at = bytes.find('\r', at + 1)) {
    if (std::string_view(delimiter_).starts_with(bytes.substr(at))) return at;
  }
  return bytes.size();
}

Multipart::Event Multipart::read_start(std::string_view bytes) noexcept {
  const std::string_view first = std::string_view(delimiter_).substr(2);
  if (bytes.starts_with(first)) {
    state_ = State::kDelimiter;
    return {.consumed = first.size()};
  }
  if (first.starts_with(bytes)) return {};
  state_ = State::kPreamble;
  return read_preamble(bytes);
}

Multipart::Event Multipart::read_preamble(std::string_view bytes) noexcept {
  const std::size_t at = delimiter_at(bytes);
  if (at > 0) return {.consumed = at};
  if (!bytes.starts_with(delimiter_)) return {};
  state_ = State::kDelimiter;
  return {.consumed = delimiter_.size()};
}

// What follows a delimiter must say that it is one: "--boundaryX" in the data of a part would be a
// delimiter to some programs and data to others.
Multipart::Event Multipart::read_delimiter(std::string_view bytes, bool is_last) noexcept {
  if (bytes.empty() || bytes == "-") return {};
  const bool is_final = bytes.starts_with("--");
  std::size_t at = is_final ? 2 : 0;
  const std::size_t padding = padding_size(bytes.substr(at));
  at += padding;
  const std::string_view end = bytes.substr(at);
  if (padding > kPaddingMax) return fail_with(Errc::kBadMultipart);
  if (end.empty() && is_final && is_last) {
    state_ = State::kEpilogue;
    return {.what = What::kEnd, .consumed = at};
  }
  if (end.empty() || end == "\r") return {};
  if (!end.starts_with("\r\n")) return fail_with(Errc::kBadMultipart);
  if (is_final) {
    state_ = State::kEpilogue;
    return {.what = What::kEnd, .consumed = at + 2};
  }
  if (const Errc code = begin_part(); code != Errc::kOk) return fail_with(code);
  return {.consumed = at + 2};
}

Errc Multipart::begin_part() noexcept {
  if (parts_ == limits_.parts_max) return Errc::kTooManyParts;
  ++parts_;
  header_ = {};
  header_bytes_ = field_count_ = 0;
  has_disposition_ = false;
  state_ = State::kHeader;
  return Errc::kOk;
}

// One line at a time: what is consumed is not looked at again.
Multipart::Event Multipart::read_header(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t size = end == npos ? bytes.size() : end + 1;
  const bool is_blank = bytes.starts_with("\r\n");
  const bool may_be_blank = is_blank || bytes == "\r";
  if (!may_be_blank && header_bytes_ + size > limits_.part_header_max) {
    return fail_with(Errc::kPartHeaderTooLong);
  }
  if (end == npos) return {};
  if (end == 0 || bytes[end - 1] != '\r') return fail_with(Errc::kBadPartHeader);
  if (is_blank) {
    if (!has_disposition_) return fail_with(Errc::kBadPartHeader);
    if (header_.content_type.empty()) header_.content_type = "text/plain";
    state_ = State::kBlank;
    return {.what = What::kPartBegin};
  }
  header_bytes_ += size;
  if (++field_count_ > limits_.part_fields_max) return fail_with(Errc::kTooManyPartFields);
  const Errc code = take_field(bytes.substr(0, end - 1));
  if (code != Errc::kOk) return fail_with(code);
  return {.consumed = size};
}

Errc Multipart::take_field(std::string_view line) {
  const char* const last = line.data() + line.size();
  const char* const colon = skip_token(best_isa(), line.data(), last);
  if (colon == line.data() || colon == last || *colon != ':') return Errc::kBadPartHeader;
  if (skip_value(best_isa(), colon, last) != last) return Errc::kBadPartHeader;
  const auto name_size = static_cast<std::size_t>(colon - line.data());
  const std::string_view name = line.substr(0, name_size);
  const std::string_view value = trim(line.substr(name_size + 1));
  if (ascii_iequals(name, "content-disposition")) return take_disposition(value);
  if (ascii_iequals(name, "content-type")) {
    if (!header_.content_type.empty() || !MediaType::parse(value)) return Errc::kBadPartHeader;
    header_.content_type = value;
  }
  if (ascii_iequals(name, "content-transfer-encoding") && !is_identity_encoding(value)) {
    return Errc::kBadPartHeader;
  }
  return Errc::kOk;
}

Errc Multipart::take_disposition(std::string_view value) {
  const std::size_t semicolon = std::min(value.find(';'), value.size());
  Parameters parameters;
  const bool is_good = !has_disposition_ &&
                       ascii_iequals(trim(value.substr(0, semicolon)), "form-data") &&
                       parameters.parse(value.substr(semicolon), Backslash::kFileNames);
  if (!is_good) return Errc::kBadPartHeader;
  auto name = parameters.find("name");
  if (!name) return Errc::kBadPartHeader;
  has_disposition_ = true;
  header_.name = *std::move(name);
  const auto filename = parameters.find("filename");
  if (!filename) return Errc::kOk;
  if (filename->find('\t') != npos) return Errc::kBadPartHeader;
  header_.has_filename = true;
  header_.filename = basename(*filename);
  return header_.filename.size() <= kFilenameMax ? Errc::kOk : Errc::kFilenameTooLong;
}

// RFC 2046 5.1.1: a part without data may end right behind its header, so that one CRLF ends both
// the header and the part.
Multipart::Event Multipart::read_blank(std::string_view bytes) noexcept {
  if (bytes.starts_with(delimiter_)) return end_part();
  if (std::string_view(delimiter_).starts_with(bytes)) return {};
  state_ = State::kData;
  return {.consumed = 2};
}

Multipart::Event Multipart::read_data(std::string_view bytes) noexcept {
  const std::size_t at = delimiter_at(bytes);
  if (at > 0) return {.what = What::kData, .consumed = at, .data = bytes.substr(0, at)};
  return bytes.starts_with(delimiter_) ? end_part() : Event();
}

Multipart::Event Multipart::end_part() noexcept {
  state_ = State::kDelimiter;
  return {.what = What::kPartEnd, .consumed = delimiter_.size()};
}

Multipart::Event Multipart::fail_with(Errc code) noexcept {
  state_ = State::kFailed;
  error_ = code;
  return {.what = What::kFailed, .error = code};
}

}  // namespace ssx::http
