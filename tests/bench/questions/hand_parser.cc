// Compiled twice: CMakeLists.txt says with which scans, for which CPU and under which name.
#include "tests/bench/questions/hand_parser.h"

#include <algorithm>
#include <cstring>

#include "http/fences.h"
#include "http/framing.h"
#include "http/scan_inline.h"
#include "http/target.h"

namespace ssx::questions {
namespace {

using http::Errc;
using http::Head;
using http::ParserLimits;
using http::Progress;
using Parsed = http::RequestParser::Parsed;
using Scan = http::scan::SSX_HAND_SCAN;

class HandParser {
 public:
  HandParser(std::string_view bytes, const ParserLimits& limits, Head& head) noexcept
      : limits_(limits),
        head_(head),
        base_(bytes.data()),
        end_(base_ + bytes.size()),
        last_(base_ + std::min(bytes.size(), limits.head_max)),
        at_(base_) {}

  Parsed parse() noexcept {
    if (!skip_leading_lines() || !read_method() || !read_target() || !read_version()) {
      head_.clear();
      return failed();
    }
    while (read_field()) {
    }
    if (!done_) return failed();
    head_.size = http::offset(base_, at_);
    error_ = http::conclude_framing(connection_, head_);
    if (error_ != Errc::kOk) return failed();
    return {.progress = Progress::kDone, .head_size = head_.size};
  }

 private:
  [[nodiscard]] Parsed failed() const noexcept {
    if (error_ == Errc::kOk) return {};  // the bytes ended
    return {.progress = Progress::kFailed, .error = error_};
  }
  bool refuse(Errc error) noexcept {
    error_ = error;
    return false;
  }
  // Stopped at a fence: at that of the element, at that of the head, or where the bytes end.
  bool ran_out(const char* fence, Errc over_limit) noexcept {
    if (fence == end_) return false;
    return refuse(fence == last_ ? Errc::kHeadTooLong : over_limit);
  }
  [[nodiscard]] const char* fence(std::size_t room) const noexcept {
    return http::fence(line_, room, last_);
  }

  bool skip_leading_lines() noexcept {
    std::size_t lines = 0;
    for (; at_ != last_ && *at_ == '\r'; at_ += 2) {
      if (at_ + 1 == last_) return ran_out(last_, Errc::kHeadTooLong);
      if (at_[1] != '\n') return refuse(Errc::kBadLineEnd);
      if (++lines > limits_.leading_crlf_max) return refuse(Errc::kLeadingLines);
    }
    line_ = at_;
    return true;
  }

  bool read_method() noexcept {
    const std::size_t line_room = limits_.request_line_max + 2;
    const char* const stop = fence(std::min(limits_.method_max + 1, line_room));
    const char* const end = http::scan::Scalar::skip<http::scan::kToken>(base_, at_, stop);
    if (end == stop) return ran_out(stop, Errc::kMethodTooLong);
    if (end == at_) return refuse(*end == '\n' ? Errc::kBadLineEnd : Errc::kBadMethod);
    if (*end != ' ') return refuse(Errc::kBadMethod);
    head_.method_text = {at_, static_cast<std::size_t>(end - at_)};
    at_ = end + 1;
    return true;
  }

  bool read_target() noexcept {
    const std::size_t line_room = limits_.request_line_max + 2;
    const std::size_t room = head_.method_text.size() + 1 + limits_.target_max + 1;
    const char* const stop = fence(std::min(room, line_room));
    const char* end = at_;
    for (;; ++end) {
      end = Scan::skip<http::scan::kPlain>(base_, end, stop);
      if (end == stop) return ran_out(stop, Errc::kTargetTooLong);
      if (*end == '?') {
        if (query_ == nullptr) query_ = end;
      } else if (*end == '%') {
        (query_ == nullptr ? path_escaped_ : query_escaped_) = true;
      } else {
        break;
      }
    }
    if (end == at_ || *end != ' ') {
      return refuse(*end == '\r' || *end == '\n' ? Errc::kBadVersion : Errc::kBadTarget);
    }
    head_.target = {at_, static_cast<std::size_t>(end - at_)};
    at_ = end + 1;
    return true;
  }

  bool read_version() noexcept {
    const char* const stop = fence(limits_.request_line_max + 2);
    constexpr std::string_view kUsual = "HTTP/1.1\r\n";
    const bool usual = static_cast<std::size_t>(stop - at_) >= kUsual.size() &&
                       std::memcmp(at_, kUsual.data(), kUsual.size()) == 0;
    if (!usual && !check_version(stop)) return false;
    const char* const version = at_;
    at_ += kUsual.size();
    line_ = at_;
    if (version[5] == '0') return refuse(Errc::kBadVersion);
    if (version[5] != '1') return refuse(Errc::kUnsupportedVersion);
    head_.version = version[7] == '0' ? http::Version::kHttp10 : http::Version::kHttp11;
    return take_request_line();
  }

  bool check_version(const char* stop) noexcept {
    constexpr std::string_view kShape = "HTTP/0.0\r\n";  // 0: any digit
    for (std::size_t i = 0; i < kShape.size(); ++i) {
      const char* const byte = at_ + i;
      if (byte == stop) return ran_out(stop, Errc::kRequestLineTooLong);
      const bool good = kShape[i] == '0' ? *byte >= '0' && *byte <= '9' : *byte == kShape[i];
      if (good) continue;
      return refuse(*byte == '\n' || byte[-1] == '\r' ? Errc::kBadLineEnd : Errc::kBadVersion);
    }
    return true;
  }

  bool take_request_line() noexcept {
    head_.fields.clear();
    head_.fields.bind(base_);
    http::begin_framing(head_);
    head_.method = http::parse_method(head_.method_text);
    if (head_.method == http::Method::kUnknown || head_.method == http::Method::kConnect) {
      return refuse(Errc::kUnknownMethod);
    }
    const char* const text = head_.target.data();
    const char* const text_end = text + head_.target.size();
    const char* const path_end = query_ != nullptr ? query_ : text_end;
    head_.has_query = query_ != nullptr;
    head_.query = query_ != nullptr ? std::string_view(query_ + 1, text_end) : std::string_view();
    if (*text == '/') {
      head_.form = http::TargetForm::kOrigin;
      head_.path = {text, static_cast<std::size_t>(path_end - text)};
    } else {
      http::Target target;
      if (const Errc code = http::split_target(head_.target, head_.method, target);
          code != Errc::kOk) {
        return refuse(code);
      }
      head_.form = target.form;
      head_.path = target.path;
    }
    return check_path(text, path_end);
  }

  bool check_path(const char* text, const char* path_end) noexcept {
    if (const Errc code = http::check_path_limits(head_.path, limits_); code != Errc::kOk) {
      return refuse(code);
    }
    head_.path_is_normal =
        *text == '/' && !path_escaped_ && Scan::is_plain_path(text, path_end, last_);
    if (head_.path_is_normal && !query_escaped_) return true;
    Errc code = head_.path == "*" ? Errc::kOk : http::check_path(head_.path);
    if (code == Errc::kOk) code = http::check_query(head_.query);
    return code == Errc::kOk || refuse(code);
  }

  // False behind the last one too: then done_ is set.
  bool read_field() noexcept {
    const char* const stop = fence(http::field_line_room(limits_));
    if (at_ == stop) return ran_out(stop, Errc::kFieldLineTooLong);
    if (*at_ == '\r') return read_last_line(stop);
    const char* const colon = Scan::skip<http::scan::kToken>(base_, at_, stop);
    if (colon != at_ && head_.fields.size() == limits_.field_count_max) {
      return refuse(Errc::kTooManyFields);
    }
    if (colon == stop) return ran_out(stop, Errc::kFieldLineTooLong);
    if (colon == at_ || *colon != ':') return refuse_name(colon);
    const auto name_size = static_cast<std::size_t>(colon - at_);
    if (name_size > limits_.field_name_max) return refuse(Errc::kFieldNameTooLong);
    const char* value = colon + 1;
    while (value != stop && http::is_ows(*value)) ++value;
    const char* const end = Scan::skip<http::scan::kValue>(base_, value, stop);
    if (end == stop) return ran_out(stop, Errc::kFieldLineTooLong);
    if (*end != '\r') return refuse(*end == '\n' ? Errc::kBadLineEnd : Errc::kBadFieldValue);
    if (!take_field(name_size, value, end)) return false;
    if (end + 1 == stop) return ran_out(stop, Errc::kFieldLineTooLong);
    if (end[1] != '\n') return refuse(Errc::kBadLineEnd);
    line_ = at_ = end + 2;
    return true;
  }

  bool read_last_line(const char* stop) noexcept {
    if (at_ + 1 == stop) return ran_out(stop, Errc::kFieldLineTooLong);
    if (at_[1] != '\n') return refuse(Errc::kBadLineEnd);
    at_ += 2;
    done_ = true;
    return false;
  }

  bool refuse_name(const char* byte) noexcept {
    if (*byte == '\n') return refuse(Errc::kBadLineEnd);
    const bool folded = byte == at_ && http::is_ows(*byte);
    return refuse(folded ? Errc::kObsoleteFold : Errc::kBadFieldName);
  }

  bool take_field(std::size_t name_size, const char* value, const char* end) noexcept {
    const http::FieldPlace place{.line = http::offset(base_, line_),
                                 .name_size = static_cast<std::uint16_t>(name_size),
                                 .value = http::offset(base_, value)};
    const http::Field field = http::add_field(place, base_, end, head_.fields);
    if (!http::decides_framing(field.id)) return true;
    const Errc code = http::take_framing_field(field.id, field.value, connection_, head_);
    return code == Errc::kOk || refuse(code);
  }

  const ParserLimits& limits_;
  Head& head_;
  const char* const base_;
  const char* const end_;   // of the bytes
  const char* const last_;  // as far as the limit of the head allows
  const char* at_;
  const char* line_ = nullptr;
  const char* query_ = nullptr;  // the first "?" of the target
  bool path_escaped_ = false;
  bool query_escaped_ = false;
  bool done_ = false;
  Errc error_ = Errc::kOk;
  http::ConnectionOptions connection_;
};

}  // namespace

Parsed SSX_HAND_PARSER(std::string_view bytes, const ParserLimits& limits, Head& head) noexcept {
  return HandParser(bytes, limits, head).parse();
}

}  // namespace ssx::questions
