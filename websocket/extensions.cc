#include "websocket/extensions.h"

#include "http/field_rules.h"
#include "http/scan.h"
#include "ssxrver/base/assert.h"

namespace ssx::websocket {
namespace {

using http::FieldName;

// RFC 6455 9.1 takes its grammar from RFC 2616, which lets white space stand between all words.
void skip_space(std::string_view& text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

std::string_view take_token(std::string_view& text) noexcept {
  const char* const end = http::skip_token(best_isa(), text.data(), text.data() + text.size());
  const std::string_view token = text.substr(0, static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(token.size());
  return token;
}

bool take(std::string_view& text, char wanted) noexcept {
  skip_space(text);
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  skip_space(text);
  return true;
}

}  // namespace

Extension Extensions::operator[](std::size_t index) const noexcept {
  SSX_ASSERT(index < size_, index, size_);
  const Entry& entry = entries_[index];
  return {entry.name, std::span(params_[index]).first(entry.params_size)};
}

Errc Extensions::parse(const http::Fields& fields) noexcept {
  size_ = bytes_ = unescaped_size_ = 0;
  const FieldName name = FieldName::kSecWebSocketExtensions;
  for (std::size_t i = fields.next(name, 0); i < fields.size(); i = fields.next(name, i + 1)) {
    if (const Errc error = add_line(fields[i].value); error != Errc::kOk) return error;
  }
  return size_ == 0 && fields.contains(name) ? Errc::kBadExtensions : Errc::kOk;
}

Errc Extensions::add_line(std::string_view line) noexcept {
  bytes_ += line.size();
  if (bytes_ > kBytesMax) return Errc::kTooManyExtensions;
  while (true) {
    skip_space(line);
    if (line.empty()) return Errc::kOk;
    if (line.front() == ',') {  // RFC 9110 5.6.1.2: a member of a list may be empty
      line.remove_prefix(1);
      continue;
    }
    if (const Errc error = add_extension(line); error != Errc::kOk) return error;
    skip_space(line);
    if (!line.empty() && line.front() != ',') return Errc::kBadExtensions;
  }
}

Errc Extensions::add_extension(std::string_view& line) noexcept {
  const std::string_view name = take_token(line);
  if (name.empty()) return Errc::kBadExtensions;
  if (size_ == kMax) return Errc::kTooManyExtensions;
  entries_[size_++] = {name, 0};
  while (take(line, ';')) {
    if (const Errc error = add_param(line); error != Errc::kOk) return error;
  }
  return Errc::kOk;
}

Errc Extensions::add_param(std::string_view& line) noexcept {
  ExtensionParam param;
  param.name = take_token(line);
  if (param.name.empty()) return Errc::kBadExtensions;
  param.has_value = take(line, '=');
  if (param.has_value && !read_value(line, param.value)) return Errc::kBadExtensions;
  Entry& entry = entries_[size_ - 1];
  if (entry.params_size == kParamsMax) return Errc::kTooManyExtensions;
  params_[size_ - 1][entry.params_size++] = param;
  return Errc::kOk;
}

bool Extensions::read_value(std::string_view& line, std::string_view& value) noexcept {
  if (line.starts_with('"')) return read_quoted(line, value);
  value = take_token(line);
  return !value.empty();
}

// "the value after quoted-string unescaping MUST conform to the 'token' ABNF" (RFC 6455 9.1). All
// lines together are no longer than the room for what was unescaped.
bool Extensions::read_quoted(std::string_view& line, std::string_view& value) noexcept {
  const std::size_t begin = unescaped_size_;
  std::size_t at = 1;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\' && ++at == line.size()) return false;
    unescaped_[unescaped_size_++] = line[at];
  }
  if (at >= line.size()) return false;
  line.remove_prefix(at + 1);
  value = {unescaped_.data() + begin, unescaped_size_ - begin};
  return http::is_token(value);
}

}  // namespace ssx::websocket
