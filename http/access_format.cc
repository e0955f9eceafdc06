#include "http/access_format.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "http/access_line.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::string_view kCommon =
    R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent)";
constexpr std::string_view kCombined =
    R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent )"
    R"("$http_referer" "$http_user_agent")";
constexpr std::string_view kJson =
    R"({"time":"$time_iso8601","remote_addr":"$remote_addr","remote_user":"$remote_user",)"
    R"("method":"$request_method","host":"$host","uri":"$request_uri",)"
    R"("protocol":"$server_protocol","status":$status,"bytes_sent":$bytes_sent,)"
    R"("body_bytes_sent":$body_bytes_sent,"request_length":$request_length,)"
    R"("request_time":$request_time,"referer":"$http_referer",)"
    R"("user_agent":"$http_user_agent","route":"$route","request_id":"$request_id",)"
    R"("worker":$worker,"connection":"$connection","connection_requests":$connection_requests})";

bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// "user_agent" is the field "user-agent".
std::string to_field_name(std::string_view name) {
  std::string field(name);
  std::replace(field.begin(), field.end(), '_', '-');
  return field;
}

/// Without the port.
std::string_view host_of(std::string_view host) noexcept {
  const auto bracket = host.find(']');
  const auto colon = host.find(':', bracket == host.npos ? 0 : bracket);
  return host.substr(0, colon);
}

/// Of field lines that each end in CRLF, the value of the first one of this name.
std::string_view find_line(std::string_view lines, std::string_view name) noexcept {
  while (!lines.empty()) {
    const auto end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    const auto colon = line.find(':');
    if (colon != line.npos && ascii_iequals(line.substr(0, colon), name))
      return trim(line.substr(colon + 1));
    if (end == lines.npos) break;
    lines.remove_prefix(end + 2);
  }
  return {};
}

/// The user's name in `Authorization: Basic` (RFC 7617), without a look at the password. `room`
/// holds what fits; four characters are decoded at a time, which needs no memory.
std::string_view basic_user(const Fields& fields, std::span<char> room) {
  constexpr std::string_view kScheme = "basic ";
  const auto line = fields.find(FieldName::kAuthorization).value_or("");
  if (line.size() <= kScheme.size() || !ascii_iequals(line.substr(0, kScheme.size()), kScheme))
    return {};
  std::string_view text = trim(line.substr(kScheme.size()));
  std::size_t size = 0;
  for (; text.size() >= 4 && size + 3 <= room.size(); text.remove_prefix(4)) {
    const auto three = base64_decode(text.substr(0, 4), Base64::kStandard);
    if (!three) return {};
    for (const char c : *three) {
      if (c == ':') return {room.data(), size};
      room[size++] = c;
    }
  }
  return {};
}

}  // namespace

enum class AccessFormat::Variable : std::uint8_t {
  kLiteral,
  kArgs,
  kAttribute,
  kBodyBytesSent,
  kBytesSent,
  kConnection,
  kConnectionRequests,
  kHost,
  kHttp,
  kMsec,
  kPeerAddr,
  kRemoteAddr,
  kRemotePort,
  kRemoteUser,
  kRequest,
  kRequestId,
  kRequestLength,
  kRequestMethod,
  kRequestTime,
  kRequestUri,
  kRoute,
  kSentHttp,
  kServerProtocol,
  kStatus,
  kTimeIso8601,
  kTimeLocal,
  kUri,
  kWorker,
};

struct AccessFormat::Known {
  std::string_view name;  ///< one that ends in "_" goes on
  Variable what;
  std::size_t least;  ///< bytes it needs: at the most, or of a value from outside at the least
};

constexpr AccessFormat::Known AccessFormat::kKnown[] = {
    {"args", Variable::kArgs, kValueMin},
    {"attribute_", Variable::kAttribute, kValueMin},
    {"body_bytes_sent", Variable::kBodyBytesSent, 20},
    {"bytes_sent", Variable::kBytesSent, 20},
    {"connection", Variable::kConnection, 32},
    {"connection_requests", Variable::kConnectionRequests, 10},
    {"host", Variable::kHost, kValueMin},
    {"http_", Variable::kHttp, kValueMin},
    {"msec", Variable::kMsec, 24},
    {"query_string", Variable::kArgs, kValueMin},
    {"realip_remote_addr", Variable::kPeerAddr, net::SocketAddress::kIpTextRoom},
    {"remote_addr", Variable::kRemoteAddr, net::SocketAddress::kIpTextRoom},
    {"remote_port", Variable::kRemotePort, 5},
    {"remote_user", Variable::kRemoteUser, kValueMin},
    {"request", Variable::kRequest, kValueMin},
    {"request_id", Variable::kRequestId, kValueMin},
    {"request_length", Variable::kRequestLength, 20},
    {"request_method", Variable::kRequestMethod, kValueMin},
    {"request_time", Variable::kRequestTime, 24},
    {"request_uri", Variable::kRequestUri, kValueMin},
    {"route", Variable::kRoute, kValueMin},
    {"sent_http_", Variable::kSentHttp, kValueMin},
    {"server_protocol", Variable::kServerProtocol, 8},
    {"status", Variable::kStatus, 10},
    {"time_iso8601", Variable::kTimeIso8601, AccessTime::kIsoSize},
    {"time_local", Variable::kTimeLocal, AccessTime::kLocalSize},
    {"uri", Variable::kUri, kValueMin},
    {"worker", Variable::kWorker, 10},
};

std::vector<std::string_view> AccessFormat::variables() {
  std::vector<std::string_view> names;
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

const AccessFormat::Known* AccessFormat::find(std::string_view name) noexcept {
  for (const Known& known : kKnown) {
    const bool goes_on = known.name.ends_with('_');
    if (goes_on ? name.starts_with(known.name) && name.size() > known.name.size()
                : name == known.name)
      return &known;
  }
  return nullptr;
}

// ---- compiling

auto AccessFormat::compile(std::string_view text, std::size_t line_max)
    -> Expected<AccessFormat, Mistake> {
  if (text == "common") text = kCommon;
  if (text == "combined") text = kCombined;
  if (text == "json") text = kJson;
  AccessFormat format;
  format.line_max_ = line_max;
  format.json_ = text.starts_with('{');
  if (auto parsed = format.parse(text); !parsed)
    return UnexpectedOf<Mistake>(std::move(parsed).error());
  if (auto measured = format.measure(); !measured)
    return UnexpectedOf<Mistake>(std::move(measured).error());
  return format;
}

auto AccessFormat::parse(std::string_view pattern) -> Expected<void, Mistake> {
  using What = Mistake::What;
  while (!pattern.empty()) {
    const auto dollar = std::min(pattern.find('$'), pattern.size());
    add_literal(pattern.substr(0, dollar));
    pattern.remove_prefix(dollar);
    if (pattern.empty()) break;
    pattern.remove_prefix(1);
    if (pattern.starts_with('$')) {
      add_literal("$");
      pattern.remove_prefix(1);
      continue;
    }
    const bool braced = pattern.starts_with('{');
    if (braced) pattern.remove_prefix(1);
    const auto* const end = std::find_if_not(pattern.begin(), pattern.end(), is_name_byte);
    const auto name = pattern.substr(0, static_cast<std::size_t>(end - pattern.begin()));
    pattern.remove_prefix(name.size());
    if (name.empty() || (braced && !pattern.starts_with('}')))
      return UnexpectedOf<Mistake>(Mistake{What::kLoneDollar, std::string(name)});
    if (braced) pattern.remove_prefix(1);
    if (auto added = add_variable(name); !added) return added;
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  for (const Part& part : parts_) {
    if (std::any_of(part.text.begin(), part.text.end(), is_control))
      return UnexpectedOf<Mistake>(Mistake{What::kControlByte, ""});
  }
  return {};
}

auto AccessFormat::add_variable(std::string_view name) -> Expected<void, Mistake> {
  const Known* const known = find(name);
  if (known == nullptr)
    return UnexpectedOf<Mistake>(Mistake{Mistake::What::kUnknownVariable, std::string(name)});
  Part part{known->what, FieldName::kOther, 0, ""};
  const std::string_view rest = name.substr(known->name.size());
  switch (part.what) {
    case Variable::kHttp:
    case Variable::kSentHttp:
      part.text = to_field_name(rest);
      part.field = find_field_name(part.text);
      wants_sent_fields_ |= part.what == Variable::kSentHttp;
      break;
    case Variable::kRequestId:
      part.text = "request_id";
      part.what = Variable::kAttribute;
      break;
    case Variable::kAttribute:
      part.text = rest;
      break;
    case Variable::kRequestTime:
    case Variable::kMsec:
      wants_clock_ = true;
      break;
    default:
      break;
  }
  parts_.push_back(std::move(part));
  return {};
}

void AccessFormat::add_literal(std::string_view text) {
  if (text.empty()) return;
  if (parts_.empty() || parts_.back().what != Variable::kLiteral)
    parts_.push_back({Variable::kLiteral, FieldName::kOther, 0, ""});
  parts_.back().text += text;
}

auto AccessFormat::measure() -> Expected<void, Mistake> {
  std::size_t least = 0;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    part->after = least;
    const auto* const known =
        std::find_if(std::begin(kKnown), std::end(kKnown),
                     [&part](const Known& one) { return one.what == part->what; });
    least += part->what == Variable::kLiteral ? part->text.size() : known->least;
  }
  if (least > line_max_) return UnexpectedOf<Mistake>(Mistake{Mistake::What::kTooLong, ""});
  return {};
}

// ---- rendering

class AccessFormat::Line {
 public:
  Line(const AccessFormat& format, const AccessEntry& entry, AccessTime& time, char* room) noexcept
      : format_(format), entry_(entry), time_(time), line_(room, format.json_) {}

  void put(const Part& part) noexcept {
    part_ = &part;
    switch (part.what) {
      case Variable::kLiteral:
        return line_.put(part.text);
      case Variable::kArgs:
        return value(entry_.head.query);
      case Variable::kAttribute:
      case Variable::kRequestId:
        return value(attribute());
      case Variable::kBodyBytesSent:
        return line_.put_number(entry_.body_bytes_sent);
      case Variable::kBytesSent:
        return line_.put_number(entry_.bytes_sent);
      case Variable::kConnection:
        return put_connection();
      case Variable::kConnectionRequests:
        return line_.put_number(entry_.connection_requests);
      case Variable::kHost:
        return value(host_of(entry_.head.host));
      case Variable::kHttp:
        return value(field());
      case Variable::kMsec:
        return line_.put_milliseconds(milliseconds_of(entry_.when.time_since_epoch()));
      case Variable::kPeerAddr:
        return put_address(entry_.peer);
      case Variable::kRemoteAddr:
        return put_address(entry_.client);
      case Variable::kRemotePort:
        return line_.put_number(entry_.client.port());
      default:
        return put_more(part);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return line_.size(); }
  [[nodiscard]] bool is_cut() const noexcept { return cut_; }

 private:
  void put_more(const Part& part) noexcept {
    switch (part.what) {
      case Variable::kRemoteUser:
        return put_user();
      case Variable::kRequest:
        return put_request();
      case Variable::kRequestLength:
        return line_.put_number(entry_.bytes_received);
      case Variable::kRequestMethod:
        return value(entry_.head.method_text);
      case Variable::kRequestTime:
        return line_.put_milliseconds(milliseconds_of(entry_.took));
      case Variable::kRequestUri:
        return value(entry_.head.target);
      case Variable::kRoute:
        return value(entry_.route);
      case Variable::kSentHttp:
        return value(sent_field());
      case Variable::kServerProtocol:
        return value(entry_.head.method_text.empty() ? "" : to_string(entry_.head.version));
      case Variable::kStatus:
        return line_.put_number(static_cast<std::uint64_t>(entry_.status));
      case Variable::kTimeIso8601:
        return line_.put(time_.iso(entry_.when));
      case Variable::kTimeLocal:
        return line_.put(time_.local(entry_.when));
      case Variable::kUri:
        return value(entry_.path);
      case Variable::kWorker:
        return line_.put_number(entry_.worker);
      default:
        SSX_ASSERT(false, "a variable without a value");
    }
  }

  [[nodiscard]] std::size_t room() const noexcept {
    return format_.line_max_ - line_.size() - part_->after;
  }
  void value(std::string_view text) noexcept {
    if (text.empty()) return line_.put_nothing();
    bounded(text, room());
  }
  void bounded(std::string_view text, std::size_t room) noexcept {
    cut_ |= !line_.put_value(text, room);
  }
  static std::uint64_t milliseconds_of(Duration time) noexcept {
    const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
    return count < 0 ? 0 : static_cast<std::uint64_t>(count);
  }
  [[nodiscard]] std::string_view attribute() const noexcept {
    if (entry_.request == nullptr) return {};
    return entry_.request->attribute(part_->text).value_or("");
  }
  [[nodiscard]] std::string_view field() const noexcept {
    const Fields& fields = entry_.head.fields;
    const auto found =
        part_->field == FieldName::kOther ? fields.find(part_->text) : fields.find(part_->field);
    return found.value_or("");
  }
  [[nodiscard]] std::string_view sent_field() const noexcept {
    if (part_->field == FieldName::kContentType && !entry_.sent_type.empty())
      return entry_.sent_type;
    const auto prepared = find_line(entry_.sent_prepared, part_->text);
    return prepared.empty() ? find_line(entry_.sent_fields, part_->text) : prepared;
  }
  void put_connection() noexcept {
    line_.put_number(entry_.connection.worker);
    line_.put('-');
    line_.put_number(entry_.connection.slot.slot);
    line_.put('-');
    line_.put_number(entry_.connection.slot.generation);
  }
  void put_address(const net::SocketAddress& address) noexcept {
    char text[net::SocketAddress::kIpTextRoom];
    line_.put(address.write_ip(text));
  }
  void put_user() noexcept {
    char name[256];
    if (entry_.request != nullptr) {
      if (const auto user = entry_.request->attribute("remote_user")) return value(*user);
    }
    value(basic_user(entry_.head.fields, name));
  }
  // As it was sent, or as far as it could be read.
  void put_request() noexcept {
    const Head& head = entry_.head;
    if (head.method_text.empty()) return value(entry_.bad_line);
    const std::string_view version = to_string(head.version);
    const std::size_t tail = version.size() + 1;
    if (room() < tail + kValueMin + head.method_text.size() + 1) return value(head.target);
    line_.put(head.method_text);  // a token
    line_.put(' ');
    bounded(head.target, room() - tail);
    line_.put(' ');
    line_.put(version);
  }

  const AccessFormat& format_;
  const AccessEntry& entry_;
  AccessTime& time_;
  AccessLine line_;
  const Part* part_ = nullptr;
  bool cut_ = false;
};

AccessFormat::Rendered AccessFormat::render(const AccessEntry& entry, AccessTime& time,
                                            std::span<char> room) const noexcept {
  SSX_DCHECK(room.size() >= line_max_, room.size(), line_max_);
  Line line(*this, entry, time, room.data());
  for (const Part& part : parts_) line.put(part);
  SSX_DCHECK(line.size() <= line_max_, line.size(), line_max_);
  return {line.size(), line.is_cut()};
}

}  // namespace ssx::http
