// The line of the access log: its format, compiled once, and the making of a line.
//
//   $remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent
//
// `common`, `combined` and `json` are names of such patterns. Variables are spelled as nginx spells
// them, `$name` or `${name}`; `$$` is a dollar sign. What has no value is "-".
//
// What comes from outside is escaped: `"`, `\` and all bytes outside 0x20 .. 0x7E as \xNN. A
// pattern that begins with "{" is JSON: there values are escaped as JSON wants it, what is
// printable UTF-8 stays, and what has no value is empty. So the only byte below 0x20 is the newline
// that others add.
//
// Thread: immutable once compiled; render() any thread
// Owner:  AccessLog::Rules
// Life:   that of its owner
// Bounds: a line has at most line_max bytes: values from outside are cut, and end in "..."
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/access_time.h"
#include "http/field_names.h"
#include "http/head.h"
#include "http/request.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::http {

/// An exchange that is over, as a line sees it.
struct AccessEntry {
  const Head& head;  ///< as much of it as could be read
  const net::SocketAddress& peer;
  const net::SocketAddress& client;
  const Request* request = nullptr;  ///< null: refused before there was one
  std::string_view bad_line{};       ///< a request line that is none, as it came
  std::string_view path{};           ///< normalised; empty: it never was
  std::string_view route{};
  int status = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t body_bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  Duration took{};
  WallTime when{};
  net::ConnectionId connection{};
  std::uint32_t connection_requests = 0;
  std::uint32_t worker = 0;
  // What the handler has set; each is whole field lines, but for the type.
  std::string_view sent_type{};
  std::string_view sent_prepared{};
  std::string_view sent_fields{};
};

class AccessFormat {
 public:
  /// Each value from outside has room for as much as this, however long the others are.
  static constexpr std::size_t kValueMin = 16;

  /// Why a pattern is none.
  struct Mistake {
    enum class What : std::uint8_t {
      kUnknownVariable,
      kLoneDollar,   ///< "$" that no name follows, or "${" without "}"
      kControlByte,  ///< below 0x20, or 0x7F
      kTooLong,      ///< does not fit line_max with values of kValueMin bytes
    };
    What what;
    std::string name;  ///< of the variable
  };

  /// `text`: a name, or a pattern.
  static Expected<AccessFormat, Mistake> compile(std::string_view text, std::size_t line_max);
  /// The names of all variables, without "$"; those that end in "_" go on with any name.
  [[nodiscard]] static std::vector<std::string_view> variables();

  struct Rendered {
    std::size_t size = 0;
    bool is_cut = false;  ///< a value was
  };
  /// Writes the line without a newline; room.size() >= line_max().
  Rendered render(const AccessEntry& entry, AccessTime& time, std::span<char> room) const noexcept;

  [[nodiscard]] std::size_t line_max() const noexcept { return line_max_; }
  [[nodiscard]] bool is_json() const noexcept { return json_; }
  /// Times finer than a turn of the loop are asked for.
  [[nodiscard]] bool wants_clock() const noexcept { return wants_clock_; }
  /// sent_type, sent_prepared and sent_fields are asked for.
  [[nodiscard]] bool wants_sent_fields() const noexcept { return wants_sent_fields_; }

 private:
  class Line;
  enum class Variable : std::uint8_t;
  struct Known;
  struct Part {
    Variable what;
    FieldName field;    ///< of $http_NAME, where the name has a number
    std::size_t after;  ///< bytes that what follows needs at the least
    std::string text;   ///< the literal, or the name of the field
  };
  static const Known kKnown[];

  static const Known* find(std::string_view name) noexcept;
  Expected<void, Mistake> parse(std::string_view pattern);
  Expected<void, Mistake> add_variable(std::string_view name);
  void add_literal(std::string_view text);
  Expected<void, Mistake> measure();

  std::vector<Part> parts_;
  std::size_t line_max_ = 0;
  bool json_ = false;
  bool wants_clock_ = false;
  bool wants_sent_fields_ = false;
};

}  // namespace ssx::http
