// The databases of a process, by name.
//
// Thread: add() on one thread, before others know it; then find(), iteration and close(): any
// Owner:  the Daemon, or an embedder's main
// Life:   longer than the loops that use its databases, as each Pool
// Bounds: kDatabasesMax databases (asserted), names of kDatabaseNameMax bytes
//
//   db::Databases databases;
//   databases.add("notes", *std::move(driver), pool_options);
//   databases.tend(app.loop());
//
//   db::Database* const notes = databases.find("notes");
//
// A Database stays where it is: who has found it once need not look again.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ssxrver/db/database.h"
#include "ssxrver/db/database_name.h"
#include "ssxrver/db/driver.h"
#include "ssxrver/db/options.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::db {

class Databases {
  using Map = std::map<std::string, Database, std::less<>>;

 public:
  Databases() = default;
  Databases(const Databases&) = delete;
  Databases& operator=(const Databases&) = delete;

  /// Requires is_database_name(name), and that it is not there yet.
  Database& add(std::string name, std::unique_ptr<Driver> driver, const PoolOptions& options);
  /// Null: there is none.
  [[nodiscard]] Database* find(std::string_view name) noexcept;

  /// Looks after all pools on `loop`, from now until it ends: Pool::tend(). Once.
  void tend(net::EventLoop& loop);
  /// Every pool: Pool::close().
  void close();

  /// In the order of the names: `for (auto& [name, database] : databases)`.
  [[nodiscard]] Map::iterator begin() noexcept { return databases_.begin(); }
  [[nodiscard]] Map::iterator end() noexcept { return databases_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return databases_.size(); }
  [[nodiscard]] bool empty() const noexcept { return databases_.empty(); }

 private:
  Map databases_;
};

}  // namespace ssx::db
