// A Database of words on a loop whose clock the test turns.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/db/database.h"
#include "tests/db/fake_driver.h"
#include "tests/net/loop_fixture.h"

namespace ssx::db {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using testing::ElementsAre;
using testing::IsEmpty;

class DatabaseTest : public net::LoopTest {
 protected:
  /// As options say; one connection unless they say otherwise.
  void make(PoolOptions options) {
    auto owned = std::make_unique<FakeDriver>();
    driver = owned.get();
    db.emplace(std::move(owned), options);
  }
  void make() { make({.pool_max = 1}); }

  /// Runs a query beside the others; its end is a letter, or what went wrong, in `ends`.
  void ask(std::string name, std::string sql) {
    start(run(*db, std::move(name), std::move(sql), ends));
  }
  static Task<> run(Database& base, std::string name, std::string sql,
                    std::vector<std::string>& told) {
    const auto rows = co_await base.query(sql);
    told.push_back(name + (rows ? "" : ": " + rows.error().error().code().message()));
  }
  std::vector<std::string> take_ends() { return std::exchange(ends, {}); }
  std::vector<std::string> take_log() { return std::exchange(driver->log, {}); }
  static std::string text(Errc code) { return std::string(to_string(code)); }
  [[nodiscard]] const PoolCounters& counters() { return db->pool().counters(); }

  FakeDriver* driver = nullptr;
  std::vector<std::string> ends;
  std::optional<Database> db;

  /// The loop ends first, as in a program.
  void TearDown() override { end_loop(); }
};

}  // namespace ssx::db
