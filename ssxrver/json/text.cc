#include "ssxrver/json/text.h"

#include <utility>

#include "ssxrver/json/json.h"
#include "ssxrver/json/plain_text.h"

namespace ssx::json::internal {
std::string TextBase::take() && {
  text_.push_back(last_);
  return std::exchange(text_, std::string(1, text_.front()));
}

std::string TextBase::copy() const { return text_ + last_; }

void TextBase::put(double value) { append_real(text_, value); }
void TextBase::put(std::string_view value) { append_quoted(text_, value); }
void TextBase::put(const Value& value) { text_.append(write(value, kCompact)); }

void TextBase::put(const TextBase& inner) {
  text_.append(inner.text_);
  text_.push_back(inner.last_);
}

void TextBase::put_key(std::string_view key) {
  append_quoted(text_, key);
  text_.push_back(':');
}

void TextBase::put_signed(std::int64_t value) { append_number(text_, value); }
void TextBase::put_unsigned(std::uint64_t value) { append_number(text_, value); }

}  // namespace ssx::json::internal
