#include "http/request.h"

#include <utility>
#include <vector>

#include "http/counters.h"
#include "http/media_type.h"
#include "http/options.h"
#include "http/target.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {

std::optional<std::string> Request::query(std::string_view name) const {
  std::optional<std::string> found;
  std::vector<char> scratch(head_.query.size() + 1);
  const auto decoded = [&scratch](std::string_view text) {
    const auto result = decode_component(text, Plus::kSpace, scratch);
    return result ? std::optional<std::string>(*result) : std::nullopt;
  };
  for_each_part(head_.query, '&', [&](std::string_view pair) {
    if (found || pair.empty()) return;
    const auto equals = pair.find('=');
    if (decoded(pair.substr(0, equals)) != name) return;
    found =
        decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
  });
  return found;
}

const HttpOptions& Request::options() const noexcept {
  static const HttpOptions defaults;
  return options_ != nullptr ? *options_ : defaults;
}

Result<Form> Request::query_params() const {
  return Form::parse(query(), options().query_params_max);
}

Result<Form> Request::form() const {
  const auto type = MediaType::parse(header(FieldName::kContentType).value_or(""));
  if (!type || !type->is("application", "x-www-form-urlencoded"))
    return fail(Errc::kNotForm, "Request::form");
  if (body_.text.size() != body_.size) return fail(Errc::kBodyTooLarge, "Request::form");
  return Form::parse(body_.text, options().query_params_max);
}

std::optional<std::string_view> Request::cookie(std::string_view name) const noexcept {
  const Fields& all = fields();
  for (auto i = all.next(FieldName::kCookie, 0); i < all.size();
       i = all.next(FieldName::kCookie, i + 1)) {
    const auto cookies = Cookies::parse(all[i].value, options().cookie_pairs_max);
    if (!cookies) {
      if (counters_ != nullptr) counters_->of(Errc::kTooManyCookies).add();
      return std::nullopt;
    }
    if (const auto value = cookies->find(name)) return value;
  }
  return std::nullopt;
}

void Request::set_attribute(std::string_view name, std::string value) const {
  for (Attribute& attribute : attributes_) {
    if (attribute.name == name) return static_cast<void>(attribute.value = std::move(value));
  }
  if (attributes_.size() < kAttributesMax)
    attributes_.push_back({std::string(name), std::move(value)});
}

std::optional<std::string_view> Request::attribute(std::string_view name) const noexcept {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return attribute.value;
  }
  return std::nullopt;
}

}  // namespace ssx::http
