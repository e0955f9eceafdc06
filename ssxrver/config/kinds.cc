#include "ssxrver/config/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "ssxrver/base/nearest.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/config/text_values.h"
#include "ssxrver/net/ip_network.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/trusted_proxies.h"
#include "ssxrver/sys/process.h"

namespace ssx::config {
namespace {

using std::chrono::milliseconds;

enum class Number : std::uint8_t { kNone, kTooLarge, kGood };

/// The whole number in a value; text goes through `parse`.
template <class Parse>
Number whole_number(const json::Value& value, std::int64_t& number, Parse parse) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  if (const auto* below_zero = value.negative()) {
    number = *below_zero;
    return Number::kGood;
  }
  if (const auto* from_zero = value.number()) {
    if (*from_zero > static_cast<std::uint64_t>(kMax)) return Number::kTooLarge;
    number = static_cast<std::int64_t>(*from_zero);
    return Number::kGood;
  }
  if (const auto* real = value.real()) {
    if (std::floor(*real) != *real) return Number::kNone;
    if (std::fabs(*real) > 9007199254740992.0) return Number::kTooLarge;
    number = static_cast<std::int64_t>(*real);
    return Number::kGood;
  }
  return value.string() != nullptr ? parse(*value.string(), number) : Number::kNone;
}

Number parse_whole_text(const std::string& text, std::int64_t& number) {
  const auto parsed = parse_int(text);
  if (parsed) number = *parsed;
  return parsed ? Number::kGood : Number::kNone;
}

Number parse_size_text(const std::string& text, std::int64_t& number) {
  const auto size = parse_size(text);
  if (!size) return parse_whole_text(text, number);
  if (*size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Number::kTooLarge;
  }
  number = static_cast<std::int64_t>(*size);
  return Number::kGood;
}

template <class Parse>
std::optional<std::int64_t> read_number(Reader& reader, const json::Value& value,
                                        const Range& range, const std::string& want, Parse parse) {
  std::int64_t number = 0;
  const Number kind = whole_number(value, number, parse);
  if (kind == Number::kNone) return reader.ill_typed(value, want);
  if (kind == Number::kGood && range.low_means_default &&
      number < std::min<std::int64_t>(range.min, 1))
    return std::nullopt;
  if (kind == Number::kTooLarge || !range.holds(number)) return reader.out_of_range(value, want);
  return number;
}

template <class Show>
std::string show_range(const Range& range, Show show) {
  const bool is_one = range.min == range.max;
  auto text = is_one ? show(range.min) : fmt::format("{} .. {}", show(range.min), show(range.max));
  if (range.special) text += fmt::format(", or {}", *range.special);
  return text;
}

std::string show_whole(std::int64_t number) { return std::to_string(number); }
/// From 2^40 on, powers of two say more than gigabytes.
std::string show_bytes(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes);
  const bool is_huge = std::has_single_bit(size) && size >= (std::uint64_t{1} << 40);
  return is_huge ? fmt::format("2^{}", std::countr_zero(size)) : show_size(size);
}

std::string want_of(const Facts& facts) {
  return facts.range.empty() ? facts.type : facts.type + ", " + facts.range;
}

template <class Kind>
std::string want(const Kind& kind) {
  Facts facts;
  kind.describe(facts);
  return want_of(facts);
}

std::optional<std::vector<unsigned>> every_core(Reader& reader, const json::Value& value) {
  auto cores = sys::allowed_cores();
  if (cores) return *std::move(cores);
  reader.error(value, "the cores of this machine are not known: " + cores.error().message());
  return std::nullopt;
}

/// "0,2"; nothing when an item is no number.
std::optional<std::string> join_numbers(const json::Array& items) {
  std::string list;
  for (const json::Value& item : items) {
    if (item.number() == nullptr) return std::nullopt;
    if (!list.empty()) list += ',';
    list += std::to_string(*item.number());
  }
  return list;
}

}  // namespace

std::optional<bool> Switch::read(Reader& reader, const json::Value& value) const {
  if (value.boolean() != nullptr) return *value.boolean();
  const auto parsed = value.string() != nullptr ? parse_switch(*value.string()) : std::nullopt;
  return parsed ? parsed : reader.ill_typed(value, want(*this));
}

json::Value Switch::write(bool on) const { return show_switch(on); }

void Switch::describe(Facts& facts) const {
  facts.type = "\"on\" or \"off\"";
  facts.schema_text = R"({"enum": ["on", "off", true, false]})";
}

std::optional<std::int64_t> Whole::read(Reader& reader, const json::Value& value) const {
  return read_number(reader, value, range, want(*this), parse_whole_text);
}

void Whole::describe(Facts& facts) const {
  facts.type = "a number";
  facts.range = show_range(range, show_whole);
  facts.numbers = range;
  facts.schema.set("type", json::Array{"integer", "string"});
  if (!range.low_means_default) {
    facts.schema.set("minimum", std::min(range.min, range.special.value_or(range.min)));
  }
  facts.schema.set("maximum", range.max);
}

std::optional<std::int64_t> Size::read(Reader& reader, const json::Value& value) const {
  return read_number(reader, value, range, want(*this), parse_size_text);
}

void Size::describe(Facts& facts) const {
  facts.type = "a size";
  facts.range = show_range(range, show_bytes);
  facts.numbers = range;
  facts.schema_text = R"({"type": ["integer", "string"],
      "pattern": "^([0-9]+[kKmMgG]?|.*\\$\\{.*)$"})";
}

std::optional<milliseconds> Time::read(Reader& reader, const json::Value& value) const {
  std::optional<milliseconds> time;
  std::int64_t number = 0;
  const std::string* text = value.string();
  const Number kind = whole_number(value, number, parse_whole_text);
  const bool is_bare = kind != Number::kNone && (is_seconds || number == 0);
  if (kind == Number::kTooLarge || (is_bare && number > max.count())) {
    return reader.out_of_range(value, want(*this));
  }
  if (is_bare) time = std::chrono::seconds(std::max<std::int64_t>(number, -1));
  if (!time && text != nullptr) time = parse_time(*text);
  if (!time) return reader.ill_typed(value, want(*this));
  if (is_seconds && time->count() <= 0) return std::nullopt;
  const bool is_off = has_off && time->count() == 0;
  const bool fits = *time >= min && *time <= max && *time % grain == milliseconds(0);
  if (!is_off && !fits) return reader.out_of_range(value, want(*this));
  return time;
}

json::Value Time::write(milliseconds time) const {
  if (is_seconds) return std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return show_time(time);
}

void Time::describe(Facts& facts) const {
  facts.type = is_seconds ? "seconds" : "a time such as \"10s\"";
  const auto show = [this](milliseconds time) {
    return is_seconds ? std::to_string(time.count() / 1000) : show_time(time);
  };
  facts.range = fmt::format("{} .. {}", show(min), show(max));
  if (has_off && min.count() > 0) facts.range += ", or 0";
  facts.numbers = Range{min.count(), max.count(), std::nullopt, is_seconds};
  if (has_off) facts.numbers->special = 0;
  facts.schema_text = R"({"type": ["integer", "string"],
      "pattern": "^([0-9]+(ms|s|m|h|d)|[0-9]+|.*\\$\\{.*)$"})";
}

std::optional<std::string> Text::read(Reader& reader, const json::Value& value) const {
  auto text = reader.text_of(value);
  if (!text) return reader.ill_typed(value, what);
  if (text->size() > length_max) {
    return reader.out_of_range(value, fmt::format("at most {} bytes", length_max));
  }
  if (text->empty() && !may_be_empty)
    return reader.out_of_range(value, fmt::format("{}, not empty", what));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (!may_have_control_bytes && std::any_of(text->begin(), text->end(), is_control)) {
    return reader.out_of_range(value, fmt::format("{} without control characters", what));
  }
  const char* better = objection != nullptr ? objection(*text) : nullptr;
  if (better != nullptr) return reader.out_of_range(value, better);
  return text;
}

json::Value Text::write(const std::string& text) const { return text; }

void Text::describe(Facts& facts) const {
  facts.type = what;
  facts.schema_text = R"({"type": "string"})";
}

std::optional<std::vector<std::string>> Words::read(Reader& reader,
                                                    const json::Value& value) const {
  const json::Array* items = value.array();
  if (items == nullptr) return reader.ill_typed(value, want(*this));
  if (items->size() > count_max) {
    return reader.out_of_range(value, fmt::format("a list of at most {}", count_max));
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Reader::Step step(reader, std::to_string(i));
    if (auto word = item.read(reader, (*items)[i])) words.push_back(*std::move(word));
  }
  return words;
}

json::Value Words::write(const std::vector<std::string>& words) const {
  json::Array items;
  for (const std::string& word : words) items.emplace_back(word);
  return items;
}

void Words::describe(Facts& facts) const {
  facts.type = fmt::format("a list: {}", item.what);
  facts.schema_text = R"({"type": "array", "items": {"type": "string"}})";
}

std::optional<Dictionary::Map> Dictionary::read(Reader& reader, const json::Value& found) const {
  const json::Object* members = found.object();
  if (members == nullptr) return reader.ill_typed(found, want(*this));
  if (members->size() > count_max) {
    return reader.out_of_range(found, fmt::format("at most {} keys", count_max));
  }
  Map map;
  for (const json::Member& member : *members) {
    const Reader::Step step(reader, member.key);
    json::Value name(member.key);
    name.origin = member.origin;
    const auto left = key.read(reader, name);
    auto right = value.read(reader, member.value);
    if (left && right) map.emplace(*left, *std::move(right));
  }
  return map;
}

json::Value Dictionary::write(const Map& map) const {
  json::Object members;
  for (const auto& [name, text] : map) members.push_back({name, text});
  return members;
}

void Dictionary::describe(Facts& facts) const {
  facts.type = fmt::format("an object {{{}: {}}}", key.what, value.what);
  facts.schema_text = R"({"type": "object", "additionalProperties": {"type": "string"}})";
}

std::optional<net::Rate> RateText::read(Reader& reader, const json::Value& value) const {
  const auto rate = value.string() != nullptr ? parse_rate(*value.string()) : std::nullopt;
  return rate ? rate : reader.ill_typed(value, want(*this));
}

json::Value RateText::write(const net::Rate& rate) const { return show_rate(rate); }

void RateText::describe(Facts& facts) const {
  facts.type = "a rate such as \"1000/s burst 2000\"";
  facts.schema_text = R"({"type": "string"})";
}

std::optional<unsigned> Octal::read(Reader& reader, const json::Value& value) const {
  const auto text = reader.text_of(value);
  if (!text) return reader.ill_typed(value, want(*this));
  const auto mode = parse_octal(*text);
  return mode ? mode : reader.out_of_range(value, want(*this));
}

json::Value Octal::write(unsigned mode) const { return show_octal(mode); }

void Octal::describe(Facts& facts) const {
  facts.type = "octal digits as text";
  facts.range = "\"00\" .. \"0777\"";
  facts.schema_text = R"({"type": "string", "pattern": "^([0-7]{1,4}|.*\\$\\{.*)$"})";
}

std::optional<std::vector<unsigned>> Cores::read(Reader& reader, const json::Value& value) const {
  const std::string* text = value.string();
  const auto word = text != nullptr ? parse_switch(*text) : std::nullopt;
  const auto on = value.boolean() != nullptr ? std::optional(*value.boolean()) : word;
  if (on && !*on) return std::vector<unsigned>();
  if (on) return every_core(reader, value);
  std::optional<std::string> list = text != nullptr ? std::optional(*text) : std::nullopt;
  if (const json::Array* items = value.array()) {
    if (items->empty()) return std::vector<unsigned>();
    list = join_numbers(*items);
  }
  if (!list) return reader.ill_typed(value, want(*this));
  const auto cores = parse_cores(*list);
  return cores ? cores : reader.out_of_range(value, want(*this));
}

json::Value Cores::write(const std::vector<unsigned>& cores) const {
  if (cores.empty()) return "off";
  json::Array items;
  for (const unsigned core : cores) items.emplace_back(core);
  return items;
}

void Cores::describe(Facts& facts) const {
  facts.type = "\"off\", \"on\", or core numbers such as [0, 2] or \"0-3,8\"";
  facts.range = fmt::format("each once, 0 .. {}", kCoresMax - 1);
  facts.schema_text = R"({"type": ["string", "boolean", "array"], "items": {"type": "integer"}})";
}

std::optional<std::int64_t> Threads::read(Reader& reader, const json::Value& value) const {
  if (value.string() != nullptr && ascii_iequals(*value.string(), "auto")) {
    const auto cores = sys::allowed_cores();
    const std::size_t count = cores ? cores->size() : 0;
    return std::clamp(static_cast<std::int64_t>(count), range.min, range.max);
  }
  return read_number(reader, value, range, want(*this), parse_whole_text);
}

void Threads::describe(Facts& facts) const {
  Whole{range}.describe(facts);
  facts.type = "a number or \"auto\"";
}

std::optional<std::size_t> ChoiceNames::read(Reader& reader, const json::Value& value) const {
  std::string text = value.string() != nullptr ? *value.string() : "";
  if (value.boolean() != nullptr) text = show_switch(*value.boolean());
  const auto is_it = [&text](std::string_view name) { return ascii_iequals(name, text); };
  const auto found = std::find_if(names.begin(), names.end(), is_it);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (std::any_of(later.begin(), later.end(), is_it)) {
    reader.not_built(value, want(*this));
    return std::nullopt;
  }
  if (value.string() == nullptr) return reader.ill_typed(value, want(*this));
  std::string hint;
  if (const auto near = nearest(text, names); !near.empty()) hint = fmt::format(" (\"{}\"?)", near);
  return reader.out_of_range(value, want(*this) + hint);
}

void ChoiceNames::describe(Facts& facts) const {
  json::Array all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* between = i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    facts.type += fmt::format("{}\"{}\"", between, names[i]);
    all.emplace_back(names[i]);
  }
  facts.schema.set("enum", std::move(all));
}

std::optional<json::Value> AnyObject::read(Reader& reader, const json::Value& value) const {
  if (value.object() == nullptr) return reader.ill_typed(value, "an object");
  return value;
}

void AnyObject::describe(Facts& facts) const {
  facts.type = "any object";
  facts.schema.set("type", "object");
}

const char* object_to_address(const std::string& text) {
  const bool is_good = text == "*" || net::SocketAddress::parse(text, 0).has_value();
  return is_good ? nullptr
                 : "an IPv4 or IPv6 address such as \"127.0.0.1\" or \"::1\", or \"*\" for all";
}

const char* object_to_address_or_none(const std::string& text) {
  return text.empty() ? nullptr : object_to_address(text);
}

const char* object_to_blocked(const std::string& text) {
  const char* better =
      "an address or a range such as \"10.0.0.1\", \"10.0.0.0/8\" or \"2001:db8::/32\"";
  return net::IpNetwork::parse(text).has_value() ? nullptr : better;
}

const char* object_to_proxy(const std::string& text) {
  const char* better = "an address, a range such as \"10.0.0.0/8\", or \"unix\"";
  return text == net::TrustedProxies::kUnix || object_to_blocked(text) == nullptr ? nullptr
                                                                                  : better;
}

const char* object_to_path_prefix(const std::string& text) {
  const auto star = text.find('*');
  const bool is_end = star == text.npos || (star + 1 == text.size() && text.ends_with("/*"));
  return text.starts_with('/') && is_end ? nullptr : "a path such as \"/login\" or \"/api/*\"";
}

// A path of whole segments: "{name}" is a segment, "*" and "{rest...}" stand at the end.
const char* object_to_path_pattern(const std::string& text) {
  const char* better = "a path such as \"/\", \"/users/{id}\" or \"/files/*\"";
  if (!text.starts_with('/')) return better;
  bool is_good = true;
  bool has_end = false;
  for_each_part(std::string_view(text).substr(1), '/', [&is_good, &has_end](std::string_view part) {
    const bool is_name = part.size() > 2 && part.front() == '{' && part.back() == '}';
    const auto inside = is_name ? part.substr(1, part.size() - 2) : part;
    const bool is_end = part == "*" || (is_name && inside.ends_with("..."));
    is_good = is_good && !has_end && (is_end || inside.find_first_of("{}*") == inside.npos);
    has_end = is_end;
  });
  return is_good ? nullptr : better;
}

const char* object_to_method(const std::string& text) {
  static constexpr std::array<std::string_view, 8> kMethods{"GET",    "HEAD",    "POST",  "PUT",
                                                            "DELETE", "OPTIONS", "PATCH", "TRACE"};
  const bool is_good = std::find(kMethods.begin(), kMethods.end(), text) != kMethods.end();
  return is_good ? nullptr : "a method: GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH or TRACE";
}

const char* object_to_host(const std::string& text) {
  const bool is_good = text.find_first_of("/: @") == text.npos;
  return is_good ? nullptr : "a host name without a port, such as \"example.org\"";
}

const char* object_to_media_type(const std::string& text) {
  const auto slash = text.find('/');
  const bool is_good = slash != text.npos && slash > 0 && slash + 1 < text.size();
  return is_good ? nullptr : "a media type such as \"text/html; charset=utf-8\"";
}

const char* object_to_extension(const std::string& text) {
  const bool is_good = !text.empty() && text.find_first_of("./") == text.npos;
  return is_good ? nullptr : "a file name's extension without a dot, such as \"wasm\"";
}

const char* object_to_file_name(const std::string& text) {
  const bool is_good = !text.empty() && text != "." && text != ".." && text.find('/') == text.npos;
  return is_good ? nullptr : "a file name without \"/\"";
}

const char* object_to_file_path(const std::string& text) {
  const auto slash = text.rfind('/');
  const auto name = slash == text.npos ? text : text.substr(slash + 1);
  const bool is_good = object_to_file_name(name) == nullptr && name.size() <= 200;
  return is_good ? nullptr : "a path that ends in a file's name";
}

}  // namespace ssx::config
