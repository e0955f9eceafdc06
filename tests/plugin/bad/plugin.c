/* A plugin that a host can have, unless a macro says otherwise: each variant of CMakeLists.txt has
   one thing wrong. */
#include "ssxrver/plugin/abi.h"

#ifndef BAD_MAGIC
#define BAD_MAGIC SSXRVER_PLUGIN_MAGIC
#endif
#ifndef BAD_MAJOR
#define BAD_MAJOR SSXRVER_ABI_MAJOR
#endif
#ifndef BAD_MINOR
#define BAD_MINOR SSXRVER_ABI_MINOR
#endif
#ifndef BAD_SIZE
#define BAD_SIZE sizeof(ssxrver_plugin_desc)
#endif
#ifndef BAD_NAME
#define BAD_NAME "sample"
#endif
#ifndef BAD_FLAGS
#define BAD_FLAGS (SSXRVER_PLUGIN_RELOADABLE | SSXRVER_PLUGIN_UNLOADABLE)
#endif
#ifndef BAD_REQUIRED
#define BAD_REQUIRED "ssxrver.http"
#endif
#ifndef BAD_SCHEMA
#define BAD_SCHEMA "{\"type\": \"object\", \"properties\": {\"times\": {\"type\": \"integer\"}}}"
#endif
#ifndef BAD_DESC
#define BAD_DESC &desc
#endif
#ifndef BAD_ANSWER
#define BAD_ANSWER SSXRVER_OK
#endif

static int32_t create(const ssxrver_host* host, void** instance, ssxrver_error* error) {
  (void)host;
  (void)error;
  *instance = 0;
  return SSXRVER_OK;
}

static void destroy(void* instance) { (void)instance; }

static const ssxrver_plugin_entry entry = {
    .size = sizeof(ssxrver_plugin_entry), .create = create, .destroy = destroy};

static const ssxrver_plugin_desc desc = {
    .magic = BAD_MAGIC,
    .size = (uint32_t)(BAD_SIZE),
    .abi_major = BAD_MAJOR,
    .abi_minor = BAD_MINOR,
    .flags = BAD_FLAGS,
    .name = BAD_NAME,
    .version = "1.2.3",
    .summary = "does nothing",
    .toolchain = "made by hand",
    .required = BAD_REQUIRED,
    .config_schema = BAD_SCHEMA,
    .entry = &entry,
};

#ifdef BAD_MISSING
void no_such_function_anywhere(void);
void ssxrver_plugin_uses_it(void) { no_such_function_anywhere(); }
#endif

#ifdef BAD_END
__attribute__((constructor)) static void end_all(void) { __builtin_trap(); }
#endif

__attribute__((visibility("default"))) int32_t ssxrver_plugin_query(
    uint32_t major, uint32_t minor, const ssxrver_plugin_desc** out);
int32_t ssxrver_plugin_query(uint32_t major, uint32_t minor, const ssxrver_plugin_desc** out) {
  (void)major;
  (void)minor;
  (void)&desc;
  *out = BAD_DESC;
  return BAD_ANSWER;
}
