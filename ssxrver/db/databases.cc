#include "ssxrver/db/databases.h"

#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/spawn.h"

namespace ssx::db {

Database& Databases::add(std::string name, std::unique_ptr<Driver> driver,
                         const PoolOptions& options) {
  SSX_ASSERT(is_database_name(name), name);
  SSX_ASSERT(databases_.size() < kDatabasesMax, databases_.size());
  SSX_ASSERT(driver != nullptr);
  const auto [place, is_new] = databases_.try_emplace(std::move(name), std::move(driver), options);
  SSX_ASSERT(is_new, place->first);
  return place->second;
}

Database* Databases::find(std::string_view name) noexcept {
  const auto found = databases_.find(name);
  return found != databases_.end() ? &found->second : nullptr;
}

void Databases::tend(net::EventLoop& loop) {
  for (auto& [name, database] : databases_) {
    net::spawn(loop, database.pool().tend(name), &net::log_failure);
  }
}

void Databases::close() {
  for (auto& [name, database] : databases_) database.pool().close();
}

}  // namespace ssx::db
