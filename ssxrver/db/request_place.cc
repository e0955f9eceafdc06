#include "ssxrver/db/request_place.h"

#include <fmt/format.h>

#include "ssxrver/base/nearest.h"
#include "ssxrver/json/json.h"

namespace ssx::db::internal {
namespace {

constexpr std::size_t kStepMax = 64;
constexpr std::size_t kListedMax = 16;

std::string step_text(std::string_view key) {
  if (key.size() <= kStepMax) return json::pointer_step(key);
  std::size_t cut = kStepMax;
  while (cut > 0 && (static_cast<unsigned char>(key[cut]) & 0xC0U) == 0x80U) --cut;
  return json::pointer_step(key.substr(0, cut)) + "...";
}

std::string sentence(const Place& place, std::string_view what) {
  return fmt::format("{}: {}", place.is_request() ? "the request" : place.pointer(), what);
}

}  // namespace

std::string Place::pointer() const {
  if (is_request()) return {};
  const auto* index = std::get_if<std::size_t>(&step_);
  const auto* key = std::get_if<std::string_view>(&step_);
  return above_->pointer() + (index != nullptr ? fmt::format("/{}", *index) : step_text(*key));
}

UnexpectedOf<Failure> refuse(const Place& place, std::string_view what) {
  return fail(Errc::kInvalidRequest, "build", 0, sentence(place, what));
}

UnexpectedOf<Failure> too_much(const Place& place, std::size_t most, std::string_view of_what,
                               std::string_view limit) {
  return fail(Errc::kRequestTooLarge, "build", 0,
              sentence(place, fmt::format("more than {} {} ({})", most, of_what, limit)));
}

std::string shown(std::string_view name) {
  return json::show(json::Value(name.substr(0, 4 * kStepMax)));
}

std::string hint(std::string_view name, const std::vector<std::string_view>& known) {
  if (const auto near = nearest(name, known); !near.empty()) {
    return fmt::format("; did you mean \"{}\"?", near);
  }
  if (known.empty() || known.size() > kListedMax) return {};
  std::string list = "; expected one of ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    list += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", known[i]);
  }
  return list;
}

}  // namespace ssx::db::internal
