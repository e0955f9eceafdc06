// What json_app does, on Drogon: json_drogon PORT. Built where CMake finds Drogon.
#include <drogon/drogon.h>
#include <json/value.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using Answer = std::function<void(const HttpResponsePtr&)>;

void show_user(const HttpRequestPtr& /*request*/, Answer&& answer, std::uint64_t id) {
  Json::Value user;
  user["active"] = true;
  user["id"] = Json::UInt64{id};
  user["name"] = "user " + std::to_string(id);
  user["roles"].append("reader");
  user["roles"].append("writer");
  const HttpResponsePtr made = HttpResponse::newHttpJsonResponse(std::move(user));
  made->setContentTypeString("application/json");
  answer(made);
}

/// What the two middlewares of json_app add.
void add_number(const HttpRequestPtr& /*request*/, const HttpResponsePtr& answer) {
  static std::uint64_t number = 0;
  answer->addHeader("X-Request-Number", std::to_string(++number));
}

void add_security(const HttpRequestPtr& /*request*/, const HttpResponsePtr& answer) {
  answer->addHeader("X-Content-Type-Options", "nosniff");
  answer->addHeader("X-Frame-Options", "DENY");
  answer->addHeader("Referrer-Policy", "strict-origin-when-cross-origin");
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  drogon::app()
      .registerHandler("/users/{1}", &show_user, {drogon::Get})
      .registerPostHandlingAdvice(&add_number)
      .registerPostHandlingAdvice(&add_security)
      .setThreadNum(1)
      .setServerHeaderField("ssxrver")
      .addListener("127.0.0.1", port)
      .run();
}
