// Keeps notes, as JSON over HTTP:  rest_service [PORT]
//
//   curl -d '{"text": "buy milk"}' localhost:8080/api/notes
//   curl localhost:8080/api/notes/1
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "ssxrver/json/json.h"
#include "ssxrver/ssxrver.h"

namespace {

namespace json = ssx::json;
using ssx::Request;
using ssx::Response;
using ssx::Status;

/// What the workers share. They call handlers at the same time, hence the mutex.
class Notes {
 public:
  std::uint64_t add(std::string text) {
    const std::lock_guard lock(mutex_);
    notes_.emplace(++last_, std::move(text));
    return last_;
  }
  std::optional<std::string> find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(id);
    return found == notes_.end() ? std::nullopt : std::optional(found->second);
  }
  bool change(std::uint64_t id, std::string text) {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(id);
    if (found == notes_.end()) return false;
    found->second = std::move(text);
    return true;
  }
  bool remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    return notes_.erase(id) > 0;
  }
  std::map<std::uint64_t, std::string> all() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> notes_;
  std::uint64_t last_ = 0;
};

json::Value to_json(std::uint64_t id, const std::string& text) {
  json::Value note;
  note.set("id", id);
  note.set("text", text);
  return note;
}

Response answer(const json::Value& value, Status status = Status::kOk) {
  Response response = Response::json(json::write(value, -1) + '\n');
  response.status(status);
  return response;
}

Response complaint(const std::string& what) {
  json::Value value;
  value.set("error", what);
  return answer(value, Status::kBadRequest);
}

/// The text of a note: the member "text" of the body.
std::optional<std::string> text_of(const Request& request) {
  const auto document = json::parse(request.body().text);
  const json::Value* text = document ? document->root.find("text") : nullptr;
  if (text == nullptr || text->string() == nullptr) return std::nullopt;
  return *text->string();
}

constexpr const char* kWanted = "expected an object with the member \"text\"";

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  Notes notes;
  auto api = app.group("/api", {.body_max = 64 << 10});

  api.get("/notes", [&notes](const Request&) {
    json::Value list{json::Array()};
    for (const auto& [id, text] : notes.all()) list.array()->push_back(to_json(id, text));
    return answer(list);
  });
  api.post("/notes", [&notes](const Request& request) -> Response {
    const auto text = text_of(request);
    if (!text) return complaint(kWanted);
    const std::uint64_t id = notes.add(*text);
    Response made = answer(to_json(id, *text), Status::kCreated);
    made.set("Location", "/api/notes/" + std::to_string(id));
    return made;
  });
  api.get("/notes/{id}", [&notes](const Request& request) -> Response {
    const auto id = request.param_as<std::uint64_t>("id");
    const auto text = id ? notes.find(*id) : std::nullopt;
    if (!text) return Status::kNotFound;
    return answer(to_json(*id, *text));
  });
  api.put("/notes/{id}", [&notes](const Request& request) -> Response {
    const auto id = request.param_as<std::uint64_t>("id");
    const auto text = text_of(request);
    if (!text) return complaint(kWanted);
    if (!id || !notes.change(*id, *text)) return Status::kNotFound;
    return answer(to_json(*id, *text));
  });
  api.del("/notes/{id}", [&notes](const Request& request) -> Response {
    const auto id = request.param_as<std::uint64_t>("id");
    return id && notes.remove(*id) ? Status::kNoContent : Status::kNotFound;
  });
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}
