#include "ssxrver/db/mysql/session.h"

#include <errmsg.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "ssxrver/db/mysql/row_check.h"
#include "ssxrver/sys/socket.h"

namespace ssx::db::mysql {
namespace {

// A server names the way to log in, and the library has plug-ins that send a password in the clear
// or ask the terminal for it. These prove that the password is known, and do not tell it, but for
// the two of SHA-256: there a server may ask for it, encrypted for itself or over a unix socket.
constexpr const char* kLogins =
    "mysql_native_password,caching_sha2_password,client_ed25519,sha256_password";

// MYSQL_OPT_LOCAL_INFILE refuses already; no file would be opened if it did not.
int refuse_file(void**, const char*, void*) { return 1; }
int read_nothing(void*, char*, unsigned) { return -1; }
void end_nothing(void*) {}
int refusal(void*, char* text, unsigned size) {
  if (size > 0) *text = '\0';
  return CR_UNKNOWN_ERROR;
}

Result<void> out_of_memory() {
  return fail(Errc::kUnavailable, "connect", CR_OUT_OF_MEMORY, "out of memory");
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(const MysqlOptions& options,
                                                 std::size_t packet_bytes_max) {
  if (const auto loaded = load_client_library(); !loaded) return fail(loaded.error());
  std::unique_ptr<Session> session(new Session());
  MYSQL* const mysql = session->handle();
  if (client().mysql_init(mysql) == nullptr) return fail(out_of_memory().error());
  check_rows(*mysql);
  if (client().mariadb_get_charset_by_name(options.charset.c_str()) == nullptr) {
    return fail(Errc::kUnsupported, "connect", CR_CANT_READ_CHARSET,
                "there is no charset \"" + options.charset + "\"");
  }
  const unsigned off = 0;
  const unsigned protocol =
      options.unix_socket.empty() ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
  const std::size_t packet = packet_bytes_max;
  const my_bool no = 0;
  const bool set =
      client().mysql_options(mysql, MYSQL_OPT_NONBLOCK, nullptr) == 0 &&
      client().mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &off) == 0 &&
      client().mysql_options(mysql, MYSQL_OPT_RECONNECT, &no) == 0 &&
      client().mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol) == 0 &&
      client().mysql_options(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet) == 0 &&
      client().mysql_options(mysql, MYSQL_SET_CHARSET_NAME, options.charset.c_str()) == 0 &&
      client().mysql_options(mysql, MARIADB_OPT_RESTRICTED_AUTH, kLogins) == 0;
  if (!set) return fail(out_of_memory().error());
  client().mysql_set_local_infile_handler(mysql, &refuse_file, &read_nothing, &end_nothing,
                                          &refusal, nullptr);
  mysql->thread_id = kNotGreeted;
  mysql->server_version = session->version_stand_in_ = ::strdup("");
  if (mysql->server_version == nullptr) return fail(out_of_memory().error());
  return session;
}

Session::~Session() {
  // A healthy session says goodbye in five bytes; one that may not be so must not wait for it.
  if (broken_) cut();
  const bool greeted = was_greeted();
  client().mysql_close(&mysql_);
  if (greeted) std::free(version_stand_in_);  // else the library has, as its own
}

Failure Session::failure(const char* where, Phase phase) {
  const unsigned number = client().mysql_errno(&mysql_);
  if (ends_session(number)) broken_ = true;
  return {Error(make_error_code(errc_of(number, phase)), where), static_cast<int>(number),
          client().mysql_error(&mysql_)};
}

Failure Session::failure(MYSQL_STMT* statement, const char* where) {
  const unsigned number = client().mysql_stmt_errno(statement);
  // Of what goes wrong between two rows the library notes nothing with the statement, and of a row
  // that is_good_row() refuses nothing at all.
  if (number == 0 && client().mysql_errno(&mysql_) != 0) return failure(where);
  if (number == 0) {
    broken_ = true;
    return {Error(make_error_code(Errc::kConnectionLost), where), CR_MALFORMED_PACKET,
            "what the server sends does not fit together"};
  }
  if (ends_session(number)) broken_ = true;
  return {Error(make_error_code(errc_of(number, Phase::kRunning)), where), static_cast<int>(number),
          client().mysql_stmt_error(statement)};
}

bool Session::peer_has_gone() {
  const my_socket fd = client().mysql_get_socket(&mysql_);
  if (fd == MARIADB_INVALID_SOCKET) return true;
  const auto readable = sys::is_readable(fd);
  return !readable || *readable;
}

void Session::cut() noexcept {
  const my_socket fd = client().mysql_get_socket(&mysql_);
  if (fd == MARIADB_INVALID_SOCKET) return;
  // Not connected yet is as good as cut.
  static_cast<void>(sys::shutdown_write(fd));
  static_cast<void>(sys::shutdown_read(fd));
}

}  // namespace ssx::db::mysql
