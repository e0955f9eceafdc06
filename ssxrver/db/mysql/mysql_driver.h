// MySQL and MariaDB, through MariaDB Connector/C, without blocking: the library's calls wait on the
// loop for their socket. Measured against a thread per call, that is a quarter of the CPU time per
// query (docs/adr/0019-mysql-on-the-loop.md).
//
// Thread: connect() and discard() on any loop
// Owner:  a Database
// Life:   the resolver outlives it, and the loops that have used it
// Bounds: PoolOptions: statement_cache per connection; bytes_max and statement_bytes_max for what
//         is sent in one piece. A row longer than that by 64 KiB costs the session, as
//         kConnectionLost: the library tells no other reason
//
//   auto driver = db::mysql::MysqlDriver::create(options, pool, &resolver);
//
// Without TLS: the library shakes hands blocking, which would stop the loop.
#pragma once

#include <cstddef>
#include <memory>

#include "ssxrver/db/driver.h"
#include "ssxrver/db/options.h"
#include "ssxrver/net/resolver.h"

namespace ssx::db::mysql {

class Killer;
class Login;

class MysqlDriver final : public Driver {
 public:
  /// kUnsupported: a charset that nobody knows. `resolver` may be null: then the address is a
  /// literal, or there is a unix socket.
  static Result<std::unique_ptr<Driver>> create(const MysqlOptions& options,
                                                const PoolOptions& pool,
                                                const net::Resolver* resolver);
  ~MysqlDriver() override;

  Task<Result<std::unique_ptr<Connection>>> connect() override;
  void discard(std::unique_ptr<Connection> connection) noexcept override;
  [[nodiscard]] const Dialect& dialect() const noexcept override;

 private:
  MysqlDriver(const Login& login, std::size_t statement_cache);

  const std::unique_ptr<const Login> login_;
  const std::shared_ptr<Killer> killer_;
  const std::size_t statement_cache_;
};

}  // namespace ssx::db::mysql
