// Makes sessions: looks the server up, connects, logs in, and begins.
//
// Thread: connect() on any loop
// Owner:  a MysqlDriver, and its Killer
// Life:   the resolver outlives it
// Bounds: `connect_timeout` for all of it: the name, and every address, each of which has an equal
//         part of the time that is left
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ssxrver/coro/task.h"
#include "ssxrver/db/error.h"
#include "ssxrver/db/mysql/session.h"
#include "ssxrver/db/options.h"
#include "ssxrver/net/resolver.h"

namespace ssx::db::mysql {

class Login {
 public:
  static constexpr std::uint16_t kPort = 3306;

  /// `resolver` may be null: then `address` is a literal, or there is a unix socket.
  Login(MysqlOptions options, std::size_t packet_bytes_max, milliseconds connect_timeout,
        const net::Resolver* resolver);

  /// A session in which kSessionBegin has run. Every address of a name is tried, also behind one
  /// that does not answer, unless a server has answered and takes nobody.
  [[nodiscard]] Task<Result<std::unique_ptr<Session>>> connect() const;

  [[nodiscard]] const MysqlOptions& options() const noexcept { return options_; }
  [[nodiscard]] milliseconds connect_timeout() const noexcept { return connect_timeout_; }

 private:
  /// IP addresses as text; one empty text for a unix socket.
  [[nodiscard]] Task<Result<std::vector<std::string>>> hosts() const;
  /// `host` is awaited with the call.
  [[nodiscard]] Task<Result<std::unique_ptr<Session>>> connect_to(const std::string& host) const;

  MysqlOptions options_;
  std::size_t packet_bytes_max_;
  milliseconds connect_timeout_;
  const net::Resolver* resolver_;
};

}  // namespace ssx::db::mysql
