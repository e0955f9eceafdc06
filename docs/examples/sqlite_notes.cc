// Keeps notes in a database, as JSON over HTTP:  sqlite_notes [PORT [FILE]]
//
//   curl -d '{"text": "buy milk"}' localhost:8080/notes
//   curl localhost:8080/notes
//   curl -X DELETE localhost:8080/notes/1
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/db/database.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "ssxrver/db/typed_rows.h"
#include "ssxrver/json/json.h"
#include "ssxrver/ssxrver.h"

namespace {

namespace db = ssx::db;
namespace json = ssx::json;
using ssx::Request;
using ssx::Response;
using ssx::Status;
using ssx::Task;

struct Note {
  std::int64_t id = 0;
  std::string text;
  static constexpr auto db_columns() {
    return std::tuple(db::column("id", &Note::id), db::column("text", &Note::text));
  }
};

json::Value to_json(const Note& note) {
  json::Value value;
  value.set("id", note.id);
  value.set("text", note.text);
  return value;
}

Response answer(const json::Value& value, Status status = Status::kOk) {
  Response response = Response::json(json::write(value, -1) + '\n');
  response.status(status);
  return response;
}

/// What the database said is for the log; a client learns whether it is worth trying again.
Response answer_for(const db::Failure& failure) {
  SSX_LOG_WARN("notes: {}", failure.message());
  return failure.is_unavailable() ? Status::kServiceUnavailable : Status::kInternalServerError;
}

std::optional<std::string> text_of(const Request& request) {
  const auto document = json::parse(request.body().text);
  const json::Value* text = document ? document->root.find("text") : nullptr;
  if (text == nullptr || text->string() == nullptr) return std::nullopt;
  return *text->string();
}

/// Handlers of all workers share it: a Database may be used on every loop.
class Notes {
 public:
  /// A step of the start: the task threads run, and nothing is served yet.
  Task<ssx::StartupResult<void>> open(ssx::App& app, db::SqliteOptions file) {
    db::PoolOptions pool;
    pool.pool_max = 4;
    auto driver = db::SqliteDriver::create(app.tasks(), file, pool);
    if (!driver) co_return cannot_start(driver.error());
    database_.emplace(*std::move(driver), pool);
    const auto made = co_await database_->query(
        "CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    if (!made) co_return cannot_start(made.error());
    ssx::net::spawn(app.loop(), database_->pool().tend(), &ssx::net::log_failure);
    co_return ssx::StartupResult<void>();
  }

  Task<Response> list() {
    const auto rows = co_await database_->query("SELECT id, text FROM note ORDER BY id");
    if (!rows) co_return answer_for(rows.error());
    const auto notes = rows->as<Note>();
    if (!notes) co_return answer_for(notes.error());
    json::Value all{json::Array()};
    for (const Note& note : *notes) all.array()->push_back(to_json(note));
    co_return answer(all);
  }

  Task<Response> add(std::string text) {
    const auto added = co_await database_->query("INSERT INTO note (text) VALUES (?)", text);
    if (!added) co_return answer_for(added.error());
    const Note note{added->last_insert_id(), std::move(text)};
    co_return answer(to_json(note), Status::kCreated);
  }

  Task<Response> remove(std::int64_t id) {
    const auto removed = co_await database_->query("DELETE FROM note WHERE id = ?", id);
    if (!removed) co_return answer_for(removed.error());
    co_return removed->affected() > 0 ? Status::kNoContent : Status::kNotFound;
  }

 private:
  static ssx::UnexpectedOf<ssx::StartupError> cannot_start(const db::Failure& failure) {
    return ssx::fail_start(ssx::ExitCode::kUnavailable, "notes: " + failure.message());
  }

  std::optional<db::Database> database_;
};

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  Notes notes;  // behind the App, whose task threads its database works on
  app.options().tasks.threads = 2;
  app.on_start([&app, &notes, file = std::string(argc > 2 ? argv[2] : "")] {
    return notes.open(app, {.file = file});
  });

  app.get("/notes", [&notes](const Request&) { return notes.list(); });
  app.post("/notes", [&notes](const Request& request) -> Task<Response> {
    const auto text = text_of(request);
    if (!text) co_return Status::kBadRequest;
    co_return co_await notes.add(*text);
  });
  app.del("/notes/{id}", [&notes](const Request& request) -> Task<Response> {
    const auto id = request.param_as<std::int64_t>("id");
    if (!id) co_return Status::kNotFound;
    co_return co_await notes.remove(*id);
  });
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}
