// The client library, MariaDB Connector/C, loaded when the first session is made. It brings OpenSSL
// along, whose relocations are a third of what a daemon without a database would start with.
//
//   if (const auto loaded = load_client_library(); !loaded) return fail(loaded.error());
//   client().mysql_close(&mysql);
//
// Thread: any thread
// Owner:  the process
// Life:   once loaded it stays
// Bounds: none
#pragma once

#include <mysql.h>

#include "ssxrver/db/error.h"

namespace ssx::db::mysql {

/// All that is called of it, under the names of its manual.
struct ClientLibrary {
#define SSX_MYSQL_SYMBOLS(SYMBOL)        \
  SYMBOL(mariadb_get_charset_by_name)    \
  SYMBOL(mysql_affected_rows)            \
  SYMBOL(mysql_close)                    \
  SYMBOL(mysql_errno)                    \
  SYMBOL(mysql_error)                    \
  SYMBOL(mysql_field_count)              \
  SYMBOL(mysql_get_socket)               \
  SYMBOL(mysql_init)                     \
  SYMBOL(mysql_insert_id)                \
  SYMBOL(mysql_more_results)             \
  SYMBOL(mysql_options)                  \
  SYMBOL(mysql_ping_cont)                \
  SYMBOL(mysql_ping_start)               \
  SYMBOL(mysql_ps_fetch_functions)       \
  SYMBOL(mysql_real_connect_cont)        \
  SYMBOL(mysql_real_connect_start)       \
  SYMBOL(mysql_real_query_cont)          \
  SYMBOL(mysql_real_query_start)         \
  SYMBOL(mysql_reset_connection_cont)    \
  SYMBOL(mysql_reset_connection_start)   \
  SYMBOL(mysql_set_local_infile_handler) \
  SYMBOL(mysql_stmt_affected_rows)       \
  SYMBOL(mysql_stmt_bind_param)          \
  SYMBOL(mysql_stmt_bind_result)         \
  SYMBOL(mysql_stmt_close)               \
  SYMBOL(mysql_stmt_close_cont)          \
  SYMBOL(mysql_stmt_close_start)         \
  SYMBOL(mysql_stmt_errno)               \
  SYMBOL(mysql_stmt_error)               \
  SYMBOL(mysql_stmt_execute_cont)        \
  SYMBOL(mysql_stmt_execute_start)       \
  SYMBOL(mysql_stmt_fetch_column)        \
  SYMBOL(mysql_stmt_fetch_cont)          \
  SYMBOL(mysql_stmt_fetch_start)         \
  SYMBOL(mysql_stmt_field_count)         \
  SYMBOL(mysql_stmt_free_result_cont)    \
  SYMBOL(mysql_stmt_free_result_start)   \
  SYMBOL(mysql_stmt_init)                \
  SYMBOL(mysql_stmt_insert_id)           \
  SYMBOL(mysql_stmt_more_results)        \
  SYMBOL(mysql_stmt_next_result_cont)    \
  SYMBOL(mysql_stmt_next_result_start)   \
  SYMBOL(mysql_stmt_param_count)         \
  SYMBOL(mysql_stmt_prepare_cont)        \
  SYMBOL(mysql_stmt_prepare_start)
#define SSX_MYSQL_MEMBER(name) decltype(&::name) name = nullptr;
  SSX_MYSQL_SYMBOLS(SSX_MYSQL_MEMBER)
#undef SSX_MYSQL_MEMBER
};

/// Loads `file` and finds every symbol. The error is kUnsupported, and its text says what is
/// missing.
[[nodiscard]] Result<ClientLibrary> open_client_library(const char* file);

/// The one of this process; another call than the first is a look at a flag.
[[nodiscard]] Result<void> load_client_library();
/// Behind a load_client_library() that was successful.
[[nodiscard]] const ClientLibrary& client() noexcept;

}  // namespace ssx::db::mysql
