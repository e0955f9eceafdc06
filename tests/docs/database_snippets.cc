// What docs/guide/database.md shows, beside docs/examples/sqlite_notes.cc: compiled, not run.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "ssxrver/db/databases.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "ssxrver/db/typed_rows.h"
#include "ssxrver/ssxrver.h"

namespace ssx::test {

using namespace std::chrono_literals;

struct User {
  std::int64_t id = 0;
  std::string name;
  std::optional<std::string> mail;
  static constexpr auto db_columns() {
    return std::tuple(ssx::db::column("id", &User::id), ssx::db::column("name", &User::name),
                      ssx::db::column("mail", &User::mail));
  }
};

ssx::Response answer_for(const ssx::db::Failure& failure) {
  SSX_LOG_WARN("users: {}", failure.message());
  if (failure == ssx::db::Errc::kConstraint) return ssx::Status::kConflict;
  if (failure.is_unavailable()) return ssx::Status::kServiceUnavailable;
  return ssx::Status::kInternalServerError;
}

ssx::Task<ssx::Response> show(ssx::db::Database& users, std::int64_t id) {
  const auto rows = co_await users.query("SELECT id, name, mail FROM user WHERE id = ?", id);
  if (!rows) co_return answer_for(rows.error());
  const auto found = rows->as<User>();
  if (!found) co_return ssx::Status::kInternalServerError;  // the columns are others
  if (found->empty()) co_return ssx::Status::kNotFound;
  co_return found->front().name;
}

ssx::Task<ssx::db::Result<void>> pay(ssx::db::Database& bank, int from, int to, int cents) {
  auto change = co_await bank.begin();
  if (!change) co_return ssx::db::fail(change.error());
  const auto taken = co_await change->query(
      "UPDATE account SET cents = cents - ? WHERE id = ? AND cents >= ?", cents, from, cents);
  if (!taken) co_return ssx::db::fail(taken.error());  // rolled back
  if (taken->affected() == 0) co_return ssx::db::fail(ssx::db::Errc::kConstraint, "pay");
  const auto given =
      co_await change->query("UPDATE account SET cents = cents + ? WHERE id = ?", cents, to);
  if (!given) co_return ssx::db::fail(given.error());
  co_return co_await change->commit();
}

ssx::Task<> send_names(ssx::db::Database& users, ssx::BodyWriter& body) {
  auto names = co_await users.stream("SELECT name FROM user ORDER BY name");
  while (names) {
    const auto batch = co_await names->next();
    if (!batch || batch->empty()) co_return;
    for (const ssx::db::Row row : *batch) {
      const auto name = row.get<std::string>(0);
      const auto sent = co_await body.write(name.value_or("?") + "\n");
      if (!sent) co_return;  // the client has gone: the rest is given up
    }
  }
}

ssx::Task<ssx::db::Result<ssx::db::Rows>> within_a_second(ssx::db::Database& users) {
  auto rows = co_await ssx::with_timeout(1s, users.query("SELECT * FROM user"));
  if (!rows) co_return ssx::db::fail(ssx::db::Errc::kQueryTimedOut, "users");
  co_return *std::move(rows);
}

int database() {
  ssx::App app;
  ssx::db::Databases databases;
  app.options().tasks.threads = 2;
  app.on_start([&app, &databases]() -> ssx::Task<ssx::StartupResult<void>> {
    const ssx::db::PoolOptions pool;
    auto driver = ssx::db::SqliteDriver::create(app.tasks(), {.file = "users.db"}, pool);
    if (!driver) {
      co_return ssx::fail_start(ssx::ExitCode::kUnavailable, driver.error().message());
    }
    databases.add("users", *std::move(driver), pool);
    databases.tend(app.loop());
    co_return ssx::StartupResult<void>();
  });
  app.get("/users/{id}", [&databases](const ssx::Request& request) {
    const auto id = request.param_as<std::int64_t>("id");
    return show(*databases.find("users"), id.value_or(0));
  });
  app.get("/names", [&databases](const ssx::Request&) {
    return ssx::Response::stream(
        [&databases](ssx::BodyWriter& body) { return send_names(*databases.find("users"), body); });
  });
  return app.listen(8080).run();
}

}  // namespace ssx::test
