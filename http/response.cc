#include "http/response.h"

#include <algorithm>
#include <utility>

#include "http/event_writer.h"
#include "http/field_rules.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/protocol.h"

namespace ssx::http {
namespace {

constexpr std::size_t kFieldsExpected = 120;  // a few lines, in one block of memory

/// Of lines that end with CRLF each: the first of that name at or after `from`, with its CRLF;
/// empty when there is none.
std::string_view find_line(std::string_view lines, std::string_view name) noexcept {
  while (!lines.empty()) {
    const std::size_t size = std::min(lines.find("\r\n"), lines.size() - 2) + 2;
    if (size > name.size() && lines[name.size()] == ':' &&
        ascii_iequals(lines.substr(0, name.size()), name))
      return lines.substr(0, size);
    lines.remove_prefix(size);
  }
  return {};
}

std::string_view value_of(std::string_view line, std::string_view name) noexcept {
  return trim(line.substr(name.size() + 1, line.size() - name.size() - 3));
}

/// True when a Vary line says so, or "*".
bool varies_with(std::string_view lines, std::string_view member) noexcept {
  bool found = false;
  for (auto line = find_line(lines, "Vary"); !line.empty(); line = find_line(lines, "Vary")) {
    for_each_part(value_of(line, "Vary"), ',', [&found, member](std::string_view part) {
      found = found || trim(part) == "*" || ascii_iequals(trim(part), member);
    });
    lines.remove_prefix(static_cast<std::size_t>(line.data() - lines.data()) + line.size());
  }
  return found;
}

}  // namespace

Response Response::permanent(std::string_view body) {
  Response response;
  response.body_ = Kept{body, {}};
  return response;
}

Response Response::kept(std::string_view body, LocalRef<LocalShared> keep, int file) {
  Response response;
  response.body_ = Kept{body, std::move(keep), file};
  return response;
}

Response Response::file(FileSlice slice) {
  Response response;
  response.body_ = std::move(slice);
  return response;
}

Response Response::stream(BodyMaker make) {
  Response response;
  response.body_ = Stream{std::move(make), std::nullopt};
  return response;
}

Response Response::stream(std::uint64_t length, BodyMaker make) {
  Response response;
  response.body_ = Stream{std::move(make), length};
  return response;
}

Response Response::events(UniqueFunction<Task<>(EventWriter&)> make) {
  Response response = stream([make = std::move(make)](BodyWriter& body) mutable -> Task<> {
    EventWriter events(body);
    co_await make(events);
  });
  response.content_type(kEventStream);
  // What stands in between must neither keep nor collect it.
  response.set("Cache-Control", "no-store").set("X-Accel-Buffering", "no");
  return response;
}

Response Response::switch_protocols(std::string_view protocol, ProtocolMaker make) {
  Response response(Status::kSwitchingProtocols);
  response.body_ = Switch{protocol, std::move(make)};
  return response;
}

Response Response::redirect(std::string_view location, Status status) {
  Response response(status);
  response.set("Location", location);
  return response;
}

Response Response::pieces(std::vector<Piece> pieces) {
  Response response;
  response.body_ = std::move(pieces);
  return response;
}

Response& Response::content_type(std::string_view type) {
  if (!is_field_value(type)) bad_field_ = "Content-Type";
  content_type_ = type;
  return *this;
}

Response& Response::set(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value) || is_servers_field(name)) {
    bad_field_ = name.empty() ? "(a field without a name)" : name.substr(0, 64);
    return *this;
  }
  if (ascii_iequals(name, "content-type")) content_type_ = {};  // the line below says it
  if (fields_.empty()) fields_.reserve(kFieldsExpected);
  fields_.append(name).append(": ").append(trim(value)).append("\r\n");
  return *this;
}

Response& Response::replace(std::string_view name, std::string_view value) {
  if (!find_line(prepared_fields_, name).empty()) {
    fields_.insert(0, prepared_fields_);
    prepared_fields_ = {};
  }
  for (auto line = find_line(fields_, name); !line.empty(); line = find_line(fields_, name)) {
    fields_.erase(static_cast<std::size_t>(line.data() - fields_.data()), line.size());
  }
  if (ascii_iequals(name, "content-type")) content_type_ = {};
  return value.empty() ? *this : set(name, value);
}

Response& Response::vary(std::string_view name) {
  const bool is_said = varies_with(fields_, name) || varies_with(prepared_fields_, name);
  return is_said ? *this : set("Vary", name);
}

Response& Response::own_fields() {
  fields_.insert(0, std::exchange(prepared_fields_, {}));
  if (!content_type_.empty())
    fields_.append("Content-Type: ").append(std::exchange(content_type_, {})).append("\r\n");
  return *this;
}

std::optional<std::string_view> Response::field(std::string_view name) const noexcept {
  std::string_view line = find_line(fields_, name);
  if (line.empty()) line = find_line(prepared_fields_, name);
  if (!line.empty()) return value_of(line, name);
  if (!content_type_.empty() && ascii_iequals(name, "content-type")) return content_type_;
  return std::nullopt;
}

std::uint64_t Response::body_size() const noexcept {
  struct Size {
    std::uint64_t operator()(const std::monostate&) const { return 0; }
    std::uint64_t operator()(const std::string& text) const { return text.size(); }
    std::uint64_t operator()(const View& view) const { return view.bytes.size(); }
    std::uint64_t operator()(const Kept& kept) const { return kept.bytes.size(); }
    std::uint64_t operator()(const FileSlice& file) const { return file.size; }
    std::uint64_t operator()(const Stream& stream) const { return stream.length.value_or(0); }
    std::uint64_t operator()(const Switch&) const { return 0; }
    std::uint64_t operator()(const std::vector<Piece>& pieces) const {
      std::uint64_t sum = 0;
      for (const Piece& piece : pieces) sum += std::visit(*this, piece);
      return sum;
    }
  };
  return std::visit(Size{}, body_);
}

}  // namespace ssx::http
