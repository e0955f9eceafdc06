// hello_plugin.cc in C: what the border costs without the SDK.
#include "ssxrver/plugin/abi.h"

#define LITERAL(text) {text, sizeof(text) - 1}

static const ssxrver_http* http;

static int32_t hello(void* state, const ssxrver_request* request, ssxrver_exchange* exchange,
                     ssxrver_operation* started) {
  static const ssxrver_response response = {.size = sizeof(ssxrver_response),
                                            .status = 200,
                                            .body_kind = SSXRVER_BODY_STATIC,
                                            .body = LITERAL("Hello world!")};
  (void)state;
  (void)request;
  (void)started;
  http->answer(exchange, &response);
  return SSXRVER_OK;
}

static int32_t create(const ssxrver_host* host, void** instance, ssxrver_error* error) {
  const ssxrver_text get = LITERAL("GET");
  const ssxrver_text pattern = LITERAL("/hello");
  const ssxrver_handler handler = {.size = sizeof(ssxrver_handler), .handle = hello};
  http = host->get_interface(host->context, "ssxrver.http", 1);
  *instance = 0;
  return http->route(host->context, get, pattern, &handler, 0, error);
}

static void destroy(void* instance) { (void)instance; }

static const ssxrver_plugin_entry entry = {
    .size = sizeof(ssxrver_plugin_entry), .create = create, .destroy = destroy};

static const ssxrver_plugin_desc desc = {.magic = SSXRVER_PLUGIN_MAGIC,
                                         .size = sizeof(ssxrver_plugin_desc),
                                         .abi_major = SSXRVER_ABI_MAJOR,
                                         .abi_minor = SSXRVER_ABI_MINOR,
                                         .flags = SSXRVER_PLUGIN_UNLOADABLE,
                                         .name = "hello_c",
                                         .version = "1.0.0",
                                         .toolchain = "C11",
                                         .required = "ssxrver.http",
                                         .entry = &entry};

__attribute__((visibility("default"))) int32_t ssxrver_plugin_query(
    uint32_t host_major, uint32_t host_minor, const ssxrver_plugin_desc** out) {
  (void)host_major;
  (void)host_minor;
  *out = &desc;
  return SSXRVER_OK;
}
