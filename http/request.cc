#include "http/request.h"

#include <utility>
#include <vector>

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
