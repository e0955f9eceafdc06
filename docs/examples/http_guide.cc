// What docs/guide/http.md shows, as one program:  http_guide [PORT [FOLDER]]
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

using namespace std::chrono_literals;
using ssx::Request;
using ssx::Response;
using ssx::Status;
using ssx::Task;

void add_handlers(ssx::App& app) {
  app.get("/hello/{name}", [](const Request& request) {
    return "Hello, " + std::string(request.param("name")) + "!\n";
  });
  app.get("/later", [](const Request& request) -> Task<Response> {
    co_await ssx::net::sleep_for(10ms);
    co_return Response::text(std::string(request.path()) + ", after a while\n");
  });
  app.del("/hello/{name}", [](const Request&) { return Status::kNoContent; });
}

Response search(const Request& request) {
  const auto words = request.query("q");                             // "?q=a+b%21": "a b!"
  const auto page = request.query_as<unsigned>("page").value_or(1);  // a number, or nothing
  const auto theme = request.cookie("theme").value_or("light");
  const auto language = request.header("Accept-Language").value_or("en");
  if (!words) return Status::kBadRequest;
  return fmt::format("{} {} {} {} {}\n", *words, page, theme, language, request.client().ip());
}

Response sign_up(const Request& request) {
  const auto form = request.form();
  if (!form) return ssx::answer_to_error(request, form.error());  // 400, 413 or 415
  const auto name = form->find("name");
  if (!name || name->empty()) return Status::kUnprocessableContent;
  return fmt::format("welcome, {}: {} boxes ticked\n", *name, form->all("box").size());
}

Response add_user(const Request& request) {
  const auto user = ssx::json_body(request, {.bytes_max = 4096});
  if (!user) return user.error();  // 400, 413 or 415, as application/problem+json
  const auto* name = user->find("name");
  if (name == nullptr || name->string() == nullptr) return Status::kUnprocessableContent;
  ssx::json::Value made;
  made.set("id", 7);
  made.set("name", *name->string());
  Response answer = made;  // or just: return made;
  answer.status(Status::kCreated).set("Location", "/users/7");
  return answer;
}

Response choose_theme(const Request& request) {
  const ssx::SetCookie cookie{
      .name = "theme", .value = "dark", .max_age = std::chrono::hours(24 * 30)};
  const auto text = cookie.text();
  if (!text) return ssx::answer_to_error(request, text.error());
  Response answer = Response::redirect("/", Status::kSeeOther);
  answer.set("Set-Cookie", *text);
  return answer;
}

Response count_lines(const Request& request) {
  const auto& body = request.body();
  std::size_t lines = 0;
  const auto count = [&lines](std::string_view text) {
    for (const char c : text) lines += c == '\n' ? 1 : 0;
  };
  if (!body.is_spooled()) {
    count(body.text);
  } else {
    std::string piece(64 << 10, '\0');
    for (off_t at = 0; at < static_cast<off_t>(body.size);) {
      const ssize_t got = ::pread(body.file, piece.data(), piece.size(), at);
      if (got <= 0) return Status::kInternalServerError;
      count(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
      at += got;
    }
  }
  return std::to_string(lines) + " lines\n";
}

Task<Response> sum(const Request& request) {
  std::uint32_t total = 0;
  while (true) {
    const auto piece = co_await request.body().read();
    if (!piece) co_return ssx::answer_to_error(request, piece.error());
    if (piece->empty()) break;  // the end
    for (const char byte : *piece) total += static_cast<unsigned char>(byte);
  }
  co_return fmt::format("{} bytes, sum {}\n", request.body().size, total);
}

Task<Response> take_pictures(std::filesystem::path folder, const Request& request) {
  auto reader = ssx::MultipartReader::create(request);
  if (!reader) co_return ssx::answer_to_error(request, reader.error());
  std::string said;
  while (true) {
    auto part = co_await reader->next();
    if (!part) co_return ssx::answer_to_error(request, part.error());
    if (*part == nullptr) break;  // that was the last one
    if ((*part)->is_file()) {
      static std::atomic<unsigned> count{0};
      const auto name = folder / fmt::format("picture-{}", ++count);  // never the client's name
      const auto size = co_await (*part)->save(name.string(), 10 << 20);
      if (!size) co_return ssx::answer_to_error(request, size.error());
      said += fmt::format("{}: {} bytes\n", (*part)->filename(), *size);
    } else {
      const auto text = co_await (*part)->text(1000);
      if (!text) co_return ssx::answer_to_error(request, text.error());
      said += fmt::format("{} = {}\n", (*part)->name(), *text);
    }
  }
  co_return said;
}

void add_answers(ssx::App& app) {
  app.get("/page", [](const Request&) { return Response::html("<h1>A page</h1>\n"); });
  app.get("/raw", [](const Request&) { return Response::json(R"({"made": "by hand"})"); });
  app.get("/old",
          [](const Request&) { return Response::redirect("/page", Status::kPermanentRedirect); });
  app.get("/busy", [](const Request&) {
    Response answer("come back later\n");
    answer.status(Status::kServiceUnavailable).set("Retry-After", "120");
    return answer;
  });
}

Response squares(const Request& request) {
  const auto rows = request.query_as<std::uint64_t>("rows").value_or(3);
  Response table = Response::stream([rows](ssx::BodyWriter& body) -> Task<> {
    for (std::uint64_t row = 0; row < rows; ++row) {
      const std::string line = fmt::format("{},{}\r\n", row, row * row);
      if (!co_await body.write(line)) co_return;
    }
    (void)body.trailer("X-Rows", std::to_string(rows));
  });
  table.content_type("text/csv").set("Trailer", "X-Rows");
  return table;
}

Response ticks(const Request& request) {
  int next = 0;
  if (const auto last = ssx::last_event_id(request)) next = std::atoi(std::string(*last).c_str());
  return Response::events([next](ssx::EventWriter& events) mutable -> Task<> {
    while (true) {
      const std::string id = std::to_string(++next);
      const ssx::ServerEvent event{.data = "tick", .event = "clock", .id = id};
      if (!co_await events.send(event)) co_return;
      co_await ssx::net::sleep_for(1s);
    }
  });
}

void add_blocking(ssx::App& app) {
  app.options().tasks.threads = 2;
  app.get("/report",
          [](const Request&) {
            std::ifstream file("/proc/uptime");  // a disk, a database: whatever blocks
            std::string line;
            std::getline(file, line);
            return "up for " + line + "\n";
          },
          {.run_on = ssx::RunOn::kTasks});
}

void add_groups(ssx::App& app) {
  const auto show = [](const Request& request) {
    return std::string(request.route()) + " for " + std::string(*request.attribute("user")) + "\n";
  };
  const auto check = [](const Request& request, std::string_view token) {
    if (token != "a-token") return false;
    request.set_attribute("user", "ann");
    return true;
  };
  auto api = app.group("/api", {.body_max = 64 << 10, .handler_timeout = 5s});
  api.get("/status", [](const Request&) { return "fine\n"; });

  auto admin = api.group("/admin", {.middleware = {ssx::bearer_token(ssx::TokenCheck(check))}});
  admin.get("/users/{id}", show);
  admin.put("/files/*", show, {.body_max = 1ULL << 30, .body_min_rate = 0});
  admin.any("/anything", show);
  app.get("/", [](const Request&) { return "the other host\n"; }, {.host = "other.example"});
}

void add_bodies(ssx::App& app, const std::filesystem::path& folder) {
  app.get("/search", search).post("/sign-up", sign_up).post("/users", add_user);
  app.get("/theme", choose_theme).post("/lines", count_lines);
  app.post("/sum", sum, {.body = ssx::BodyMode::kStream, .body_max = 8ULL << 30});
  app.post("/pictures", [folder](const Request& request) { return take_pictures(folder, request); },
           {.body = ssx::BodyMode::kStream, .body_max = 100 << 20});
  app.get("/squares.csv", squares).get("/ticks", ticks);
  app.get("/throws", [](const Request&) -> Response { throw std::runtime_error("no luck"); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder =
      argc > 2 ? argv[2] : std::filesystem::temp_directory_path() / "ssxrver-pictures";
  std::filesystem::create_directories(folder);
  ssx::App app;
  add_handlers(app);
  add_bodies(app, folder);
  add_answers(app);
  add_blocking(app);
  add_groups(app);
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}
