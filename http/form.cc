#include "http/form.h"

#include "http/percent.h"
#include "http/target.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

std::size_t count_pairs(std::string_view text) noexcept {
  std::size_t count = 0;
  for_each_part(text, '&', [&count](std::string_view part) { count += part.empty() ? 0 : 1; });
  return count;
}

}  // namespace

Result<Form> Form::parse(std::string_view text, std::size_t pairs_max) {
  const std::size_t count = count_pairs(text);
  if (count > pairs_max) return fail(Errc::kTooManyParams, "Form::parse");
  if (const Errc code = check_query(text); code != Errc::kOk) return fail(code, "Form::parse");
  // A query holds none as it is, but a body may.
  if (text.find('\0') != std::string_view::npos) return fail(Errc::kEncodedControl, "Form::parse");
  Form form;
  form.pairs_.reserve(count);
  // What is decoded is never longer than what it was.
  if (text.find_first_of("%+") != std::string_view::npos) {
    form.decoded_ = std::make_unique<char[]>(text.size());
  }
  char* room = form.decoded_.get();
  const auto decode = [&room](std::string_view part) {
    if (room == nullptr) return part;
    const auto decoded = decode_component(part, Plus::kSpace, {room, part.size()}).value_or(part);
    if (decoded.data() == room) room += decoded.size();
    return decoded;
  };
  for_each_part(text, '&', [&form, &decode](std::string_view part) {
    if (part.empty()) return;
    const std::size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    const std::string_view name = decode(part.substr(0, equals));
    form.pairs_.push_back({name, decode(value)});
  });
  return form;
}

std::optional<std::string_view> Form::find(std::string_view name) const noexcept {
  for (const Pair& pair : pairs_) {
    if (pair.name == name) return pair.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Form::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Pair& pair : pairs_) {
    if (pair.name == name) values.push_back(pair.value);
  }
  return values;
}

void append_form_pair(std::string& out, const Form::Pair& pair) {
  if (!out.empty()) out += '&';
  append_percent_encoded(out, pair.name, PercentSet::kForm);
  out += '=';
  append_percent_encoded(out, pair.value, PercentSet::kForm);
}

}  // namespace ssx::http
