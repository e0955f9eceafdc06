// Queries, forms and cookies (K11): what is read can be written, and is read again as the same.
#include "http/cookie.h"
#include "http/form.h"
#include "http/target.h"
#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"

#include <string>

namespace {

using namespace ssx::http;

constexpr std::size_t kPairsMax = 32;

void check_form(std::string_view text) {
  const auto form = Form::parse(text, kPairsMax);
  if (!form) return;
  SSX_ASSERT(check_query(text) == Errc::kOk);
  SSX_ASSERT(form->size() <= kPairsMax, form->size());
  std::string written;
  std::size_t bytes = 0;
  for (const Form::Pair& pair : *form) {
    append_form_pair(written, pair);
    bytes += pair.name.size() + pair.value.size();
    SSX_ASSERT(form->find(pair.name).has_value());
    SSX_ASSERT(pair.name.find('\0') == std::string_view::npos);
  }
  SSX_ASSERT(bytes <= text.size());
  const auto again = Form::parse(written, kPairsMax);
  SSX_ASSERT(again.has_value() && again->size() == form->size());
  for (std::size_t i = 0; i < form->size(); ++i) {
    SSX_ASSERT((*again)[i].name == (*form)[i].name && (*again)[i].value == (*form)[i].value);
  }
}

void check_cookies(std::string_view text) {
  const auto cookies = Cookies::parse(text, kPairsMax);
  if (!cookies) return;
  std::string written;
  std::size_t count = 0;
  for (const Cookies::Pair& pair : *cookies) {
    SSX_ASSERT(!pair.name.empty() && pair.name.find_first_of("=;") == std::string_view::npos);
    SSX_ASSERT(pair.value.find(';') == std::string_view::npos);
    written.append(pair.name).append(1, '=').append(pair.value).append("; ");
    ++count;
  }
  SSX_ASSERT(count <= kPairsMax, count);
  const auto again = Cookies::parse(written, kPairsMax);
  SSX_ASSERT(again.has_value());
  auto same = again->begin();
  for (const Cookies::Pair& pair : *cookies) {
    SSX_ASSERT(same != Cookies::end() && same->name == pair.name && same->value == pair.value);
    ++same;
  }
  SSX_ASSERT(same == Cookies::end());
}

// What we let a handler set comes back as it was.
void check_set_cookie(std::string_view text) {
  const std::size_t half = text.size() / 2;
  const SetCookie cookie{.name = std::string(text.substr(0, half)),
                         .value = std::string(text.substr(half))};
  const auto field = cookie.text();
  if (!field) return;
  SSX_ASSERT(field->find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  const std::string_view pair = std::string_view(*field).substr(0, field->find(';'));
  SSX_ASSERT(Cookies::parse(pair, 1)->find(cookie.name) == cookie.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = ssx::fuzz::text(data, size);
  check_form(text);
  check_cookies(text);
  check_set_cookie(text);
  return 0;
}
