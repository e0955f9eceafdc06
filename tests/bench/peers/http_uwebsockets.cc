// What hello_app.cc and json_app.cc do, and files from memory, on uWebSockets, which is built
// outside of this tree: http_uwebsockets PORT WORKERS ROOT
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "App.h"

namespace {

using Files = std::map<std::string, std::string, std::less<>>;
using Request = uWS::HttpRequest;
using Response = uWS::HttpResponse<false>;

Files files_below(const std::filesystem::path& root) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files["/" + entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

/// What the two middlewares of json_app add.
void add_fields(Response* answer) {
  thread_local std::uint64_t number = 0;
  answer->writeHeader("X-Content-Type-Options", "nosniff")
      ->writeHeader("X-Frame-Options", "DENY")
      ->writeHeader("Referrer-Policy", "strict-origin-when-cross-origin")
      ->writeHeader("X-Request-Number", std::to_string(++number));
}

void show_user(Response* answer, Request* request) {
  const std::string_view text = request->getParameter(0);
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) {
    answer->writeStatus("404 Not Found")->end();
    return;
  }
  const nlohmann::json user = {{"active", true},
                               {"id", id},
                               {"name", "user " + std::to_string(id)},
                               {"roles", {"reader", "writer"}}};
  add_fields(answer);
  answer->writeHeader("Content-Type", "application/json")->end(user.dump());
}

/// The rest goes when there is room: `body` outlives every connection.
void send_all(Response* answer, std::string_view body) {
  if (answer->tryEnd(body, body.size()).first) return;
  answer->onAborted([] {});
  answer->onWritable([answer, body](std::uintmax_t offset) {
    return answer->tryEnd(body.substr(offset), body.size()).first;
  });
}

void serve(int port, const Files& files) {
  uWS::App()
      .get("/", [](Response* answer, Request*) { answer->end("Hello world!"); })
      .get("/users/:id", &show_user)
      .get("/*",
           [&files](Response* answer, Request* request) {
             const auto file = files.find(request->getUrl());
             if (file == files.end()) {
               answer->writeStatus("404 Not Found")->end();
             } else {
               send_all(answer, file->second);
             }
           })
      .listen("127.0.0.1", port,
              [](auto* listening) {
                if (listening == nullptr) std::exit(1);
              })
      .run();
}

}  // namespace

int main(int argc, char** argv) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 0;
  const int workers = argc > 2 ? std::atoi(argv[2]) : 1;
  const Files files = argc > 3 ? files_below(argv[3]) : Files();
  std::vector<std::jthread> others;
  for (int i = 1; i < workers; ++i) others.emplace_back([&] { serve(port, files); });
  serve(port, files);
}
