#include "ssxrver/db/mysql/mysql_driver.h"

#include <algorithm>
#include <utility>

#include "ssxrver/db/mysql/connection.h"
#include "ssxrver/db/mysql/killer.h"
#include "ssxrver/db/mysql/login.h"
#include "ssxrver/db/mysql_client_flag.h"

namespace ssx::db::mysql {
namespace {

constexpr std::size_t kPacketOverhead = 64U << 10U;  // beside the texts and parameters
constexpr std::size_t kPacketMax = 1U << 30U;        // the protocol's own

std::size_t packet_bytes_max(const PoolOptions& pool) {
  const std::size_t largest = std::max(pool.bytes_max, pool.statement_bytes_max);
  return std::min(largest, kPacketMax - kPacketOverhead) + kPacketOverhead;
}

}  // namespace

MysqlDriver::MysqlDriver(const Login& login, std::size_t statement_cache)
    : login_(std::make_unique<const Login>(login)),
      killer_(std::make_shared<Killer>(login)),
      statement_cache_(statement_cache) {}

MysqlDriver::~MysqlDriver() = default;

Result<std::unique_ptr<Driver>> MysqlDriver::create(const MysqlOptions& options,
                                                    const PoolOptions& pool,
                                                    const net::Resolver* resolver) {
  MysqlOptions allowed = options;
  allowed.client_flag = allowed_client_flags(options.client_flag);
  const std::size_t packet = packet_bytes_max(pool);
  const auto trial = Session::create(allowed, packet);  // says what the library does not take
  if (!trial) return fail(trial.error());
  const Login login(std::move(allowed), packet, pool.connect_timeout, resolver);
  return std::unique_ptr<Driver>(new MysqlDriver(login, pool.statement_cache));
}

Task<Result<std::unique_ptr<Connection>>> MysqlDriver::connect() {
  auto session = co_await login_->connect();
  if (!session) co_return fail(session.error());
  std::unique_ptr<Connection> connection =
      std::make_unique<MysqlConnection>(*std::move(session), login_->options(), statement_cache_);
  co_return connection;
}

void MysqlDriver::discard(std::unique_ptr<Connection> connection) noexcept {
  const auto& ended = static_cast<const MysqlConnection&>(*connection);
  if (ended.is_at_work()) Killer::kill(killer_, ended.thread_id());
}

const Dialect& MysqlDriver::dialect() const noexcept {
  static constexpr Dialect kDialect{"mysql", '`', "START TRANSACTION"};
  return kDialect;
}

}  // namespace ssx::db::mysql
