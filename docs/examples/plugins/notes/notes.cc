// Notes in a database, as JSON over HTTP: a plugin.
//
//   "task_processes": 2,
//   "databases": {"notes": {"driver": "sqlite", "file": "notes.sqlite"}},
//   "plugins": [{"name": "notes", "mount": "/notes", "config": {"database": "notes"}}]
//
// Over a database of MySQL or MariaDB its "config" says "dialect": "mysql", for the one statement
// that both write in different ways.
//
//   curl -H 'Content-Type: application/json' -d '{"text": "buy milk"}' localhost:4507/notes
//   curl localhost:4507/notes/1
//   curl -X DELETE localhost:4507/notes/1
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/plugin/plugin.h"

namespace {

namespace sdk = ssx::plugin;
using nlohmann::json;
using sdk::Request;
using sdk::Response;
using sdk::Status;

constexpr std::string_view kSqliteTable =
    "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY AUTOINCREMENT, "
    "text TEXT NOT NULL, created BIGINT NOT NULL)";
constexpr std::string_view kMysqlTable =
    "CREATE TABLE IF NOT EXISTS notes (id BIGINT PRIMARY KEY AUTO_INCREMENT, "
    "text MEDIUMTEXT NOT NULL, created BIGINT NOT NULL) CHARACTER SET utf8mb4";

std::int64_t now_ms() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

/// A text of the database may be none of UTF-8; what is no character becomes U+FFFD.
std::string write(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

json to_json(const sdk::Row& row) {
  return {{"id", row.get<std::int64_t>("id").value_or(0)},
          {"text", row.get<std::string>("text").value_or("")},
          {"created", row.get<std::int64_t>("created").value_or(0)}};
}

Response complain(Status status, std::string_view what) {
  return Response::json(write({{"error", what}})).status(status);
}

/// The text of a note: the member, or the field, "text" of a body.
ssx::Expected<std::string, Response> text_of(const Request& request, std::size_t bytes_max) {
  const auto refuse = [](Status status, std::string_view what) {
    return ssx::UnexpectedOf<Response>(complain(status, what));
  };
  const std::string_view type = request.header("content-type").value_or("");
  std::optional<std::string> text;
  if (type.starts_with("application/json")) {
    const json body = json::parse(request.body().text, nullptr, false);
    const bool is_good = body.is_object() && body.contains("text") && body["text"].is_string();
    if (is_good) text = body["text"].get<std::string>();
  } else if (type.starts_with("application/x-www-form-urlencoded")) {
    text = request.form_field("text");
  } else {
    return refuse(Status::kUnsupportedMediaType, "send JSON or a form");
  }
  if (!text || text->empty()) return refuse(Status::kBadRequest, "\"text\" is missing");
  if (text->size() > bytes_max) return refuse(Status::kContentTooLarge, "the text is too long");
  return *std::move(text);
}

/// What all handlers share. Any thread.
class Notes {
 public:
  explicit Notes(sdk::Host& host)
      : host_(host),
        database_(host.database(host.config().string("database", "main"))),
        create_table_(host.config().string("dialect", "sqlite") == "mysql" ? kMysqlTable
                                                                           : kSqliteTable),
        text_max_(static_cast<std::size_t>(host.config().integer("text_max", 16384))),
        page_max_(host.config().integer("page_max", 100)) {}

  [[nodiscard]] std::size_t text_max() const noexcept { return text_max_; }

  /// Once a worker has seen the table, no other asks; two at once harm nobody (IF NOT EXISTS).
  sdk::Task<sdk::Result<void>> open() {
    if (is_open_.load(std::memory_order_relaxed)) co_return sdk::Result<void>();
    const auto made = co_await database_.query(create_table_);
    if (!made) co_return sdk::fail(made.error());
    is_open_.store(true, std::memory_order_relaxed);
    co_return sdk::Result<void>();
  }

  sdk::Task<Response> list(const Request& request) {
    if (const auto opened = co_await open(); !opened) co_return answer_for(opened.error());
    const auto after = request.query_as<std::int64_t>("after").value_or(0);
    const auto notes = co_await database_.query(
        "SELECT id, text, created FROM notes WHERE id > ? ORDER BY id LIMIT ?", after, page_max_);
    if (!notes) co_return answer_for(notes.error());
    json page = json::array();
    for (const sdk::Row note : *notes) page.push_back(to_json(note));
    co_return Response::json(write(page));
  }

  sdk::Task<Response> find(const Request& request) {
    if (const auto opened = co_await open(); !opened) co_return answer_for(opened.error());
    const auto id = request.param_as<std::int64_t>("id");
    if (!id) co_return complain(Status::kNotFound, "no such note");
    const auto notes =
        co_await database_.query("SELECT id, text, created FROM notes WHERE id = ?", *id);
    if (!notes) co_return answer_for(notes.error());
    if (notes->empty()) co_return complain(Status::kNotFound, "no such note");
    co_return Response::json(write(to_json((*notes)[0])));
  }

  sdk::Task<Response> add(const Request& request) {
    if (const auto opened = co_await open(); !opened) co_return answer_for(opened.error());
    auto text = text_of(request, text_max_);
    if (!text) co_return std::move(text).error();
    const std::int64_t created = now_ms();
    const auto added =
        co_await database_.query("INSERT INTO notes (text, created) VALUES (?, ?)", *text, created);
    if (!added) co_return answer_for(added.error());
    const std::uint64_t id = added->last_insert_id();
    Response made = Response::json(write({{"id", id}, {"text", *text}, {"created", created}}));
    made.status(Status::kCreated);
    made.set("Location", std::string(host_.mount()) + "/" + std::to_string(id));
    co_return made;
  }

  sdk::Task<Response> remove(const Request& request) {
    if (const auto opened = co_await open(); !opened) co_return answer_for(opened.error());
    const auto id = request.param_as<std::int64_t>("id");
    if (!id) co_return complain(Status::kNotFound, "no such note");
    const auto gone = co_await database_.query("DELETE FROM notes WHERE id = ?", *id);
    if (!gone) co_return answer_for(gone.error());
    if (gone->affected() == 0) co_return complain(Status::kNotFound, "no such note");
    co_return Response(Status::kNoContent);
  }

  /// All of them, a line each, however many: while the client does not read, the database waits.
  sdk::Task<> write_all(sdk::BodyWriter& body) {
    const sdk::RowStream all = database_.stream("SELECT id, text, created FROM notes ORDER BY id");
    for (;;) {
      const auto batch = co_await all.next();
      if (!batch) throw std::runtime_error(batch.error().message());
      if (batch->empty()) co_return;
      std::string lines;
      for (const sdk::Row note : *batch) lines += write(to_json(note));
      if (!co_await body.write(lines)) co_return;
    }
  }

  /// What the database says is for the log; it may name tables, and values of others.
  Response answer_for(const sdk::Error& error) {
    failures_.add();
    if (error.code() == SSXRVER_DB_NO_CONNECTION || error.code() == SSXRVER_DB_DISCONNECT)
      return complain(Status::kServiceUnavailable, "the database is not there")
          .set("Retry-After", "1");
    host_.log_error(error.message());
    return complain(Status::kInternalServerError, "the database refused");
  }

 private:
  const sdk::Host& host_;
  const sdk::Database database_;
  const std::string_view create_table_;
  const std::size_t text_max_;
  const std::int64_t page_max_;
  const sdk::Counter failures_ = host_.counter("failures", "Requests that the database failed.");
  std::atomic<bool> is_open_ = false;
};

void set_up(sdk::Host& host) {
  const auto notes = std::make_shared<Notes>(host);
  const auto stream_all = [notes](const Request&) -> sdk::Task<Response> {
    if (const auto opened = co_await notes->open(); !opened)
      co_return notes->answer_for(opened.error());
    const auto write_all = [notes](sdk::BodyWriter& body) { return notes->write_all(body); };
    Response lines = Response::stream(write_all);
    lines.content_type("application/jsonl");
    co_return lines;
  };
  // A character of a form may take three bytes, and one of JSON six.
  const sdk::RouteSettings with_text{.body_max = 6 * notes->text_max() + 64};
  host.get("", [notes](const Request& request) { return notes->list(request); });
  host.post(
      "", [notes](const Request& request) { return notes->add(request); }, with_text);
  host.get("/all", stream_all);
  host.get("/{id}", [notes](const Request& request) { return notes->find(request); });
  host.del("/{id}", [notes](const Request& request) { return notes->remove(request); });
}

}  // namespace

SSX_PLUGIN("notes", "1.0.0", set_up, .summary = "Notes in a database", .config_schema = R"({
             "type": "object",
             "properties": {
               "database": {"type": "string", "minLength": 1, "maxLength": 64},
               "dialect": {"enum": ["sqlite", "mysql"]},
               "text_max": {"type": "integer", "minimum": 1, "maximum": 1048576},
               "page_max": {"type": "integer", "minimum": 1, "maximum": 1000}
             },
             "additionalProperties": false
           })",
           .needs_databases = true)
