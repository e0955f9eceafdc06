// A routed answer in JSON behind two middlewares, for the speed table: json_app PORT [WORKERS]
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

using ssx::Request;
using ssx::Response;
namespace json = ssx::json;

/// Counts the answers in a field of theirs.
ssx::Middleware numbered(std::atomic<std::uint64_t>& count) {
  return ssx::Middleware::hooks(nullptr, [&count](const Request&, Response& answer) {
    answer.set("X-Request-Number", std::to_string(++count));
  });
}

Response show_user(const Request& request) {
  const auto id = request.param_as<std::uint64_t>("id");
  if (!id) return ssx::Status::kNotFound;
  json::ObjectText user;
  user.add("active", true).add("id", *id).add("name", "user " + std::to_string(*id));
  user.add("roles", {"reader", "writer"});
  return user;
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  const auto workers = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  std::atomic<std::uint64_t> answers{0};
  ssx::App app;
  app.workers(workers).use(numbered(answers)).use(ssx::security_headers());
  app.get("/users/{id}", show_user);
  return app.listen(port).run();
}
