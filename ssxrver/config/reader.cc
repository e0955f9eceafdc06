#include "ssxrver/config/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssxrver/base/nearest.h"
#include "ssxrver/config/facts.h"

namespace ssx::config {
namespace {

constexpr std::size_t kKnownMax = 12;

std::string list_of(const std::vector<std::string_view>& known) {
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < kKnownMax; ++i) {
    if (i > 0) list += ", ";
    list += known[i];
  }
  if (known.size() > kKnownMax) list += ", ...";
  return list;
}

}  // namespace

std::string show_value(const json::Value& value) { return json::show(value); }

Reader::Step::Step(Reader& reader, std::string_view key)
    : reader_(reader), length_(reader.pointer_.size()) {
  reader_.pointer_ += json::pointer_step(key);
}

Reader::Step::~Step() { reader_.pointer_.resize(length_); }

std::nullopt_t Reader::ill_typed(const json::Value& found, const std::string& want) {
  slip(found, fmt::format("expected {}, found {}", want, show_value(found)));
  return std::nullopt;
}

std::nullopt_t Reader::out_of_range(const json::Value& found, const std::string& want) {
  error(found, fmt::format("expected {}, found {}", want, show_value(found)));
  return std::nullopt;
}

void Reader::not_built(const json::Value& found, const std::string& accepted) {
  error(found,
        fmt::format("{} is not in this build; accepted so far: {}", show_value(found), accepted));
}

void Reader::unknown_key(const json::Member& member, const std::vector<std::string_view>& known) {
  const Step step(*this, member.key);
  std::string text = "unknown key";
  const auto homes = homes_(member.key);
  const auto near = nearest(member.key, known);
  if (homes.size() == 1) {
    text += fmt::format("; it belongs into {}", homes[0].empty() ? "the top level" : homes[0]);
  } else if (!near.empty()) {
    text += fmt::format("; did you mean \"{}\"?", near);
  } else {
    text += fmt::format("; known here: {}", list_of(known));
  }
  problems_.add_slip(member.origin, pointer_, std::move(text));
}

void Reader::error(const json::Value& at, std::string text) {
  problems_.add_error(at.origin, pointer_, std::move(text));
}

void Reader::slip(const json::Value& at, std::string text) {
  problems_.add_slip(at.origin, pointer_, std::move(text));
}

void Reader::warning(const json::Value& at, std::string text) {
  problems_.add_warning(at.origin, pointer_, std::move(text));
}

bool Reader::is_override(const json::Value& value) const {
  return sources_.at(value.origin).is_override;
}

std::optional<std::string> Reader::text_of(const json::Value& value) const {
  if (value.string() != nullptr) return *value.string();
  const bool is_number =
      value.number() != nullptr || value.negative() != nullptr || value.real() != nullptr;
  const bool is_whole_text = value.origin.offset == 0 && is_override(value);
  if (is_number && is_whole_text) return sources_.at(value.origin).text;
  return std::nullopt;
}

void Reader::exposed_secret(const json::Value& at, const std::string& file) {
  const auto text = fmt::format("\"{}\" holds a secret and others may read it: chmod 600", file);
  is_hardened_ ? error(at, text) : warning(at, text);
}

// "${PASSWORD}" in the file keeps the secret out of it.
void Reader::check_exposure(const json::Value& secret) {
  const Source& source = sources_.at(secret.origin);
  const std::size_t start = secret.origin.offset;
  const std::size_t end = std::min(source.text.find('"', start + 1), source.text.size());
  const auto written = std::string_view(source.text).substr(start, end - start);
  const bool is_expanded = written.find("${") != written.npos;
  if (!source.is_override && !is_expanded && (source.mode & 077) != 0) {
    exposed_secret(secret, source.name);
  }
}

}  // namespace ssx::config
