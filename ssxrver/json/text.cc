#include "ssxrver/json/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/json/json.h"
#include "ssxrver/json/plain_text.h"

namespace ssx::json::internal {
namespace {

constexpr std::size_t kDigitsMax = 20;  // of 64 bits, with a sign

}  // namespace

std::string TextBase::take() && {
  const char first = room_.front();
  put_byte(last_);
  room_.resize(size_);
  size_ = 1;
  return std::exchange(room_, std::string(1, first));
}

std::string TextBase::copy() const { return room_.substr(0, size_) + last_; }

void TextBase::grow(std::size_t needed) { room_.resize(std::max(needed, room_.size() * 2)); }

void TextBase::put_text(std::string_view text) {
  std::memcpy(reserve(text.size()), text.data(), text.size());
  size_ += text.size();
}

void TextBase::put(double value) {
  std::string text;
  append_real(text, value);
  put_text(text);
}

void TextBase::put(std::string_view value) {
  if (!is_plain(value)) return put_text(quote(value));
  end_at(put_quoted(reserve(value.size() + 2), value));
}

void TextBase::put(const Value& value) { put_text(write(value, kCompact)); }

void TextBase::put(const TextBase& inner) {
  SSX_ASSERT(&inner != this);
  put_text({inner.room_.data(), inner.size_});
  put_byte(inner.last_);
}

void TextBase::put_key(std::string_view key) {
  put(key);
  put_byte(':');
}

void TextBase::put_signed(std::int64_t value) {
  char* const at = reserve(kDigitsMax);
  end_at(std::to_chars(at, at + kDigitsMax, value).ptr);
}

void TextBase::put_unsigned(std::uint64_t value) {
  char* const at = reserve(kDigitsMax);
  end_at(std::to_chars(at, at + kDigitsMax, value).ptr);
}

}  // namespace ssx::json::internal
