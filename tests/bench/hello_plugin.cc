// hello_app with its handler behind the border: what that costs. hello_plugin PORT
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ssxrver/app/app.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/environment.h"
#include "ssxrver/plugin/host/instance.h"

namespace {

using ssx::plugins::Environment;
using ssx::plugins::Instance;

const ssxrver_http* http = nullptr;

constexpr ssxrver_text text(std::string_view view) { return {view.data(), view.size()}; }

std::int32_t hello(void*, const ssxrver_request*, ssxrver_exchange* exchange, ssxrver_operation*) {
  ssxrver_response response{};
  response.size = sizeof(response);
  response.status = 200;
  response.body_kind = SSXRVER_BODY_STATIC;
  response.body = text("Hello world!");
  http->answer(exchange, &response);
  return SSXRVER_OK;
}

std::int32_t create(const ssxrver_host* host, void**, ssxrver_error* error) {
  http = static_cast<const ssxrver_http*>(host->get_interface(host->context, "ssxrver.http", 1));
  ssxrver_handler handler{};
  handler.size = sizeof(handler);
  handler.handle = &hello;
  return http->route(host->context, text("GET"), text("/"), &handler, nullptr, error);
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  ssxrver_plugin_entry entry{};
  entry.size = sizeof(entry);
  entry.create = &create;
  ssxrver_plugin_desc desc{};
  desc.size = sizeof(desc);
  desc.name = "hello";
  desc.entry = &entry;
  auto app = std::make_unique<ssx::App>();
  app->workers(1);
  Environment environment(*app);
  auto instance = Instance::create(environment, {.name = "hello", .mount = "/", .desc = &desc});
  if (!instance) return 1;
  for (auto& route : (*instance)->take_routes()) {
    app->route(std::move(route.methods), route.pattern, std::move(route.handler),
               std::move(route.settings));
  }
  const int status = app->listen(port).run();
  app.reset();  // with its routes, which hold the plugin
  return status;
}
