#include "tests/plugin/sdk/fake_host.h"

#include <algorithm>
#include <cstring>

namespace ssx::plugin {

using internal::to_text;
using internal::to_view;

namespace {

FakeHost* current = nullptr;

std::string text_of(ssxrver_text text) { return std::string(to_view(text)); }

std::uint8_t find(const std::map<std::string, std::string>& map, ssxrver_text name,
                  ssxrver_text* value) {
  const auto found = map.find(text_of(name));
  if (found == map.end()) return 0;
  *value = to_text(found->second);
  return 1;
}

std::size_t put(std::string_view from, char* text, std::size_t capacity) {
  return from.copy(text, capacity);
}

std::string show(const ssxrver_value& value) {
  switch (value.kind) {
    case SSXRVER_INT:
      return std::to_string(value.number.integer);
    case SSXRVER_UINT:
      return std::to_string(value.number.whole) + "u";
    case SSXRVER_REAL:
      return std::to_string(value.number.real);
    case SSXRVER_TEXT:
      return "'" + text_of(value.text) + "'";
    default:
      return "null";
  }
}

}  // namespace

struct FakeTables {
  static ssxrver_http http() {
    ssxrver_http table{};
    table.size = sizeof(table);
    table.route = [](ssxrver_context*, ssxrver_text methods, ssxrver_text pattern,
                     const ssxrver_handler* handler, const ssxrver_route_settings* settings,
                     ssxrver_error* error) -> std::int32_t {
      if (!current->refuses_route.empty()) {
        handler->release(handler->state);
        error->size =
            static_cast<std::uint32_t>(put(current->refuses_route, error->text, error->capacity));
        return SSXRVER_INVALID;
      }
      current->routes.push_back({text_of(methods), text_of(pattern), text_of(settings->host),
                                 *handler, settings->body_max, settings->handler_timeout_ns});
      return SSXRVER_OK;
    };
    table.answer = [](ssxrver_exchange*, const ssxrver_response* raw) {
      ++current->answers;
      FakeAnswer& answer = current->answer;
      const bool is_text = raw->content_type.data == nullptr;
      answer = {raw->status,
                is_text ? "text/plain; charset=utf-8" : text_of(raw->content_type),
                {},
                text_of(raw->body),
                raw->body_kind,
                raw->stream_length,
                raw->close != 0,
                {}};
      for (std::size_t i = 0; i < raw->field_count; ++i) {
        answer.fields.emplace_back(text_of(raw->fields[i].name), text_of(raw->fields[i].value));
      }
      if (raw->body_kind != SSXRVER_BODY_STREAM) {
        if (raw->release != nullptr) raw->release(raw->owner);
        return;
      }
      ssxrver_operation started{};
      const std::int32_t status = raw->begin(raw->owner, current->writer(), &started);
      if (status != SSXRVER_PENDING) current->stream_end = status;
      current->end_stream_ = [owner = raw->owner, release = raw->release, started, status] {
        if (status == SSXRVER_PENDING && !current->stream_end) started.cancel(started.state);
        release(owner);
      };
    };
    table.fail = [](ssxrver_exchange*, ssxrver_text sentence) {
      ++current->answers;
      current->answer.status = 500;
      current->answer.failure = text_of(sentence);
    };
    add_request(table);
    add_bodies(table);
    return table;
  }

  static void add_request(ssxrver_http& table) {
    table.method = [](const ssxrver_request*) { return to_text(current->method); };
    table.target = [](const ssxrver_request*) { return to_text(current->target); };
    table.path = [](const ssxrver_request*) { return to_text(current->path); };
    table.query = [](const ssxrver_request*) { return to_text(current->query); };
    table.route_name = [](const ssxrver_request*) { return to_text(current->route); };
    table.version = [](const ssxrver_request*) { return 11U; };
    table.worker = [](const ssxrver_request*) { return 3U; };
    table.header = [](const ssxrver_request*, ssxrver_text name, ssxrver_text* value) {
      return find(current->headers, name, value);
    };
    table.field_count = [](const ssxrver_request*) { return current->headers.size(); };
    table.field = [](const ssxrver_request*, std::size_t index) {
      const auto at = std::next(current->headers.begin(), static_cast<std::ptrdiff_t>(index));
      return ssxrver_field{to_text(at->first), to_text(at->second)};
    };
    table.param = [](const ssxrver_request*, ssxrver_text name, ssxrver_text* value) {
      return find(current->params, name, value);
    };
    table.cookie = [](const ssxrver_request*, ssxrver_text name, ssxrver_text* value) {
      return find(current->cookies, name, value);
    };
    table.attribute = [](const ssxrver_request*, ssxrver_text name, ssxrver_text* value) {
      return find(current->attributes, name, value);
    };
    table.set_attribute = [](const ssxrver_request*, ssxrver_text name, ssxrver_text value) {
      current->attributes[text_of(name)] = text_of(value);
    };
    table.peer = [](const ssxrver_request*, char* text, std::size_t capacity) {
      return put("192.0.2.1:1", text, capacity);
    };
    table.client = [](const ssxrver_request*, char* text, std::size_t capacity) {
      return put("203.0.113.7:2", text, capacity);
    };
  }

  static void add_bodies(ssxrver_http& table) {
    table.body = [](const ssxrver_request*, ssxrver_text* body) -> std::int32_t {
      if (current->is_spooled) return SSXRVER_LIMIT;
      *body = to_text(current->body);
      return SSXRVER_OK;
    };
    table.read = [](const ssxrver_request*, ssxrver_text* piece, ssxrver_waiter waiter,
                    ssxrver_wait** wait) -> std::int32_t {
      if (current->pieces.empty()) return SSXRVER_END;
      current->body = current->pieces.front();
      current->pieces.erase(current->pieces.begin());
      *piece = to_text(current->body);
      if (!current->body.empty()) return SSXRVER_OK;
      *wait = current->begin(waiter, [piece] { *piece = to_text("late"); });
      return SSXRVER_PENDING;
    };
    table.write = [](ssxrver_writer*, ssxrver_text bytes, ssxrver_waiter waiter,
                     ssxrver_wait** wait) -> std::int32_t {
      current->written += to_view(bytes);
      if (!current->write_waits) return SSXRVER_OK;
      *wait = current->begin(waiter);
      return SSXRVER_PENDING;
    };
    table.trailer = [](ssxrver_writer*, ssxrver_text name, ssxrver_text value) -> std::int32_t {
      current->written += "|" + text_of(name) + "=" + text_of(value);
      return SSXRVER_OK;
    };
    table.stream_end = [](ssxrver_writer*, std::int32_t status) { current->stream_end = status; };
  }

  static ssxrver_websocket websocket() {
    ssxrver_websocket table{};
    table.size = sizeof(table);
    table.route = [](ssxrver_context*, ssxrver_text pattern, const ssxrver_socket_handler* handler,
                     ssxrver_text options, ssxrver_error*) -> std::int32_t {
      current->socket_routes.emplace_back(text_of(pattern), *handler);
      current->socket_options = text_of(options);
      return SSXRVER_OK;
    };
    table.accept = [](ssxrver_upgrade*, void* data) { current->accepted = data; };
    table.set_field = [](ssxrver_upgrade*, ssxrver_text name, ssxrver_text value) {
      current->upgrade_fields.emplace_back(text_of(name), text_of(value));
    };
    table.send = [](ssxrver_socket*, std::uint32_t opcode, ssxrver_text payload) -> std::int32_t {
      current->sent.push_back((opcode == SSXRVER_OP_TEXT ? "text " : "binary ") + text_of(payload));
      return SSXRVER_SENT_ABOVE;
    };
    table.ping = [](ssxrver_socket*, ssxrver_text payload) -> std::int32_t {
      current->sent.push_back("ping " + text_of(payload));
      return SSXRVER_SENT_OK;
    };
    table.close = [](ssxrver_socket*, std::uint16_t code, ssxrver_text reason) {
      current->socket_calls.push_back("close " + std::to_string(code) + " " + text_of(reason));
    };
    table.reset = [](ssxrver_socket*) { current->socket_calls.emplace_back("reset"); };
    table.is_open = [](const ssxrver_socket*) -> std::uint8_t { return 1; };
    table.unsent_bytes = [](const ssxrver_socket*) -> std::uint64_t { return 42; };
    table.subprotocol = [](const ssxrver_socket*) { return to_text("chat.v2"); };
    table.peer = [](const ssxrver_socket*, char* text, std::size_t capacity) {
      return put("192.0.2.9:9", text, capacity);
    };
    table.worker = [](const ssxrver_socket*) { return 1U; };
    table.subscribe = [](ssxrver_socket*, ssxrver_text topic) -> std::uint8_t {
      current->socket_calls.push_back("subscribe " + text_of(topic));
      return 1;
    };
    table.unsubscribe = [](ssxrver_socket*, ssxrver_text topic) -> std::uint8_t {
      current->socket_calls.push_back("unsubscribe " + text_of(topic));
      return 1;
    };
    table.is_subscribed = [](const ssxrver_socket*, ssxrver_text) -> std::uint8_t { return 1; };
    table.publish_others = [](ssxrver_socket*, ssxrver_text topic, std::uint32_t,
                              ssxrver_text payload) {
      current->socket_calls.push_back("publish " + text_of(topic) + ": " + text_of(payload));
    };
    table.message_end = [](ssxrver_socket*, std::int32_t status, ssxrver_text sentence) {
      current->message_end = {status, text_of(sentence)};
    };
    table.publish = [](ssxrver_context*, ssxrver_text topic, std::uint32_t, ssxrver_text payload) {
      current->socket_calls.push_back("hub " + text_of(topic) + ": " + text_of(payload));
    };
    table.id = [](const ssxrver_socket*) { return ssxrver_socket_id{1, 2}; };
    table.send_to = [](ssxrver_context*, ssxrver_socket_id id, std::uint32_t,
                       ssxrver_text payload) -> std::int32_t {
      current->socket_calls.push_back("to " + std::to_string(id.low) + ": " + text_of(payload));
      return SSXRVER_OK;
    };
    table.close_by_id = [](ssxrver_context*, ssxrver_socket_id, std::uint16_t,
                           ssxrver_text) -> std::int32_t { return SSXRVER_CLOSED; };
    return table;
  }

  static ssxrver_loops loops() {
    ssxrver_loops table{};
    table.size = sizeof(table);
    table.worker_count = [](ssxrver_context*) { return 4U; };
    table.sleep = [](ssxrver_context*, std::int64_t delay, ssxrver_waiter waiter,
                     ssxrver_wait** wait) -> std::int32_t {
      current->delays.push_back(delay);
      *wait = current->begin(waiter);
      return SSXRVER_PENDING;
    };
    table.timer = [](ssxrver_context*, std::int64_t delay, std::int64_t, void (*fire)(void*),
                     void (*release)(void*), void* state, ssxrver_timer** timer) -> std::int32_t {
      if (current->refuses_timers) {
        release(state);
        return SSXRVER_WRONG_THREAD;
      }
      current->delays.push_back(delay);
      current->timers.push_back(
          std::make_unique<FakeHost::Timer>(FakeHost::Timer{fire, release, state}));
      *timer = reinterpret_cast<ssxrver_timer*>(current->timers.back().get());
      return SSXRVER_OK;
    };
    table.cancel_timer = [](ssxrver_timer* timer) {
      std::erase_if(current->timers, [timer](const auto& kept) {
        if (reinterpret_cast<ssxrver_timer*>(kept.get()) != timer) return false;
        kept->release(kept->state);
        return true;
      });
    };
    table.post = [](ssxrver_context*, std::uint32_t worker, void (*run)(void*),
                    void (*release)(void*), void* state) -> std::int32_t {
      if (worker < 4) run(state);
      release(state);
      return worker < 4 ? SSXRVER_OK : SSXRVER_CLOSED;
    };
    table.run_task = [](ssxrver_context*, void (*run)(void*), void (*release)(void*), void* state,
                        ssxrver_waiter waiter, ssxrver_wait** wait) -> std::int32_t {
      *wait = current->begin(waiter, [run, release, state] {
        run(state);
        release(state);
      });
      return SSXRVER_PENDING;
    };
    table.cancel = [](ssxrver_wait* wait) {
      ++current->cancelled_;
      std::erase_if(current->waits_, [wait](const auto& kept) {
        return reinterpret_cast<ssxrver_wait*>(kept.get()) == wait;
      });
    };
    return table;
  }

  static void say_db_error(ssxrver_error* error) {
    error->code = current->db_error_code;
    error->size = static_cast<std::uint32_t>(put(current->db_error, error->text, error->capacity));
  }

  static ssxrver_db db() {
    ssxrver_db table{};
    table.size = sizeof(table);
    table.query = [](ssxrver_context*, ssxrver_text database, ssxrver_transaction* transaction,
                     ssxrver_text sql, const ssxrver_value* values, std::size_t count,
                     ssxrver_waiter waiter, ssxrver_wait** wait) -> std::int32_t {
      FakeHost::Statement statement{text_of(database), text_of(sql), {}, transaction != nullptr};
      for (std::size_t i = 0; i < count; ++i) statement.values.push_back(show(values[i]));
      current->statements.push_back(std::move(statement));
      *wait = current->begin(waiter);
      return SSXRVER_PENDING;
    };
    table.rows = [](ssxrver_wait*, ssxrver_error* error) -> ssxrver_rows* {
      if (!current->db_error.empty()) {
        say_db_error(error);
        return nullptr;
      }
      ++current->live_rows;
      return reinterpret_cast<ssxrver_rows*>(current);
    };
    table.row_count = [](const ssxrver_rows*) { return current->cells.size(); };
    table.column_count = [](const ssxrver_rows*) { return current->columns.size(); };
    table.column_name = [](const ssxrver_rows*, std::size_t column) {
      return to_text(current->columns[column]);
    };
    table.value = [](const ssxrver_rows*, std::size_t row, std::size_t column,
                     ssxrver_value* value) { *value = current->cells[row][column]; };
    table.affected = [](const ssxrver_rows*) -> std::uint64_t { return 7; };
    table.last_insert_id = [](const ssxrver_rows*) -> std::uint64_t { return 8; };
    table.free_rows = [](ssxrver_rows*) { --current->live_rows; };
    table.begin = [](ssxrver_context*, ssxrver_text, ssxrver_waiter waiter,
                     ssxrver_wait** wait) -> std::int32_t {
      *wait = current->begin(waiter);
      return SSXRVER_PENDING;
    };
    table.transaction = [](ssxrver_wait*, ssxrver_error*) {
      ++current->live_transactions;
      return reinterpret_cast<ssxrver_transaction*>(current);
    };
    table.commit = [](ssxrver_transaction*, ssxrver_waiter waiter,
                      ssxrver_wait** wait) -> std::int32_t {
      ++current->commits;
      *wait = current->begin(waiter);
      return SSXRVER_PENDING;
    };
    table.free_transaction = [](ssxrver_transaction*) { --current->live_transactions; };
    table.why = [](ssxrver_wait*, ssxrver_error* error) { say_db_error(error); };
    table.stream = [](ssxrver_context*, ssxrver_text database, ssxrver_text sql,
                      const ssxrver_value* values, std::size_t count,
                      ssxrver_row_stream** stream) -> std::int32_t {
      if (sql.size == 0) return SSXRVER_INVALID;
      FakeHost::Statement statement{text_of(database), text_of(sql), {}, false};
      for (std::size_t i = 0; i < count; ++i) statement.values.push_back(show(values[i]));
      current->statements.push_back(std::move(statement));
      ++current->live_streams;
      *stream = reinterpret_cast<ssxrver_row_stream*>(current);
      return SSXRVER_OK;
    };
    table.next = [](ssxrver_row_stream*, ssxrver_waiter waiter,
                    ssxrver_wait** wait) -> std::int32_t {
      *wait = current->begin(waiter);
      return SSXRVER_PENDING;
    };
    table.free_stream = [](ssxrver_row_stream*) { --current->live_streams; };
    return table;
  }
};

FakeHost::FakeHost() {
  current = this;
  before_ = internal::tables;
  host_.size = sizeof(host_);
  host_.abi_major = SSXRVER_ABI_MAJOR;
  host_.context = context();
  host_.get_interface = [](ssxrver_context*, const char* name,
                           std::uint32_t version) -> const void* {
    static const ssxrver_http kHttp = FakeTables::http();
    static const ssxrver_websocket kWebSocket = FakeTables::websocket();
    static const ssxrver_loops kLoops = FakeTables::loops();
    static const ssxrver_db kDb = FakeTables::db();
    if (version != 1) return nullptr;
    if (std::strcmp(name, "ssxrver.http") == 0) return &kHttp;
    if (std::strcmp(name, "ssxrver.websocket") == 0) return &kWebSocket;
    if (std::strcmp(name, "ssxrver.loop") == 0) return &kLoops;
    if (std::strcmp(name, "ssxrver.db") == 0) return &kDb;
    return nullptr;
  };
  host_.log_enabled = [](ssxrver_context*, std::uint32_t level) -> std::uint8_t {
    return level >= SSXRVER_INFO ? 1 : 0;
  };
  host_.log = [](ssxrver_context*, std::uint32_t, ssxrver_text line) {
    current->log.push_back(text_of(line));
  };
  host_.counter = [](ssxrver_context*, ssxrver_text name, ssxrver_text) {
    const auto made = current->counters.try_emplace(text_of(name)).first;
    return reinterpret_cast<ssxrver_counter*>(&made->second);
  };
  host_.count = [](ssxrver_counter* counter, std::uint64_t amount) {
    *reinterpret_cast<std::uint64_t*>(counter) += amount;
  };
  host_.scrape = [](ssxrver_context*, void (*take)(void*, ssxrver_text), void* to) {
    const std::string_view text = current->metrics;
    take(to, to_text(text.substr(0, text.size() / 2)));
    take(to, to_text(text.substr(text.size() / 2)));
  };
  host_.config = [](ssxrver_context*, ssxrver_text pointer, std::uint8_t plain,
                    ssxrver_text* value) -> std::int32_t {
    if (find(current->config, pointer, value) == 0) return SSXRVER_NOT_FOUND;
    if (plain != 0) *value = {value->data + 1, value->size - 2};
    return SSXRVER_OK;
  };
  host_.name = [](ssxrver_context*) { return to_text("fake"); };
  host_.mount = [](ssxrver_context*) { return to_text("/here"); };
  internal::take_tables(host_);
}

FakeHost::~FakeHost() {
  if (end_stream_) end_stream_();
  for (const Route& each : routes) each.handler.release(each.handler.state);
  for (const auto& [pattern, handler] : socket_routes) handler.release(handler.state);
  internal::tables = before_;
  current = nullptr;
}

ssxrver_wait* FakeHost::begin(ssxrver_waiter waiter, std::function<void()> before) {
  waits_.push_back(std::make_unique<Wait>(Wait{waiter, std::move(before)}));
  return reinterpret_cast<ssxrver_wait*>(waits_.back().get());
}

void FakeHost::end_wait(std::int32_t status, std::ptrdiff_t index) {
  const auto at = waits_.begin() + index;
  const auto wait = std::move(*at);
  waits_.erase(at);
  if (wait->before) wait->before();
  wait->waiter.done(wait->waiter.context, status);
}

}  // namespace ssx::plugin
