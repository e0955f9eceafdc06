#include "ssxrver/db/mysql/server_error.h"

#include <errmsg.h>
#include <mysqld_error.h>

namespace ssx::db::mysql {
namespace {

// Of MySQL and MariaDB versions whose numbers the header does not know.
constexpr unsigned kMysqlCheckViolated = 3819;
constexpr unsigned kMysqlExecutionTime = 3024;
constexpr unsigned kIdleTooLong = 4031;
// The client library's own second range.
constexpr unsigned kClientErrorMin = 5000;
constexpr unsigned kClientErrorMax = 5999;
constexpr unsigned kPluginNotAllowed = 5010;

Errc connecting(unsigned number) noexcept {
  switch (number) {
    case ER_ACCESS_DENIED_ERROR:
    case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
    case ER_DBACCESS_DENIED_ERROR:
    case ER_BAD_DB_ERROR:
    case ER_HOST_NOT_PRIVILEGED:
    case ER_NOT_SUPPORTED_AUTH_MODE:
    case ER_MUST_CHANGE_PASSWORD_LOGIN:
    case CR_AUTH_PLUGIN_CANNOT_LOAD:
    case kPluginNotAllowed:
      return Errc::kAccessDenied;
    case CR_CANT_READ_CHARSET:
    case ER_UNKNOWN_CHARACTER_SET:
      return Errc::kUnsupported;
    default:
      return Errc::kUnavailable;
  }
}

bool is_syntax(unsigned number) noexcept {
  switch (number) {
    case ER_PARSE_ERROR:
    case ER_EMPTY_QUERY:
    case ER_BAD_FIELD_ERROR:
    case ER_NO_SUCH_TABLE:
    case ER_BAD_TABLE_ERROR:
    case ER_UNKNOWN_TABLE:
    case ER_NO_DB_ERROR:
    case ER_BAD_DB_ERROR:
    case ER_SP_DOES_NOT_EXIST:
    case ER_NON_UNIQ_ERROR:
    case ER_NONUNIQ_TABLE:
    case ER_WRONG_VALUE_COUNT_ON_ROW:
    case ER_WRONG_VALUE_COUNT:
    case ER_FIELD_SPECIFIED_TWICE:
    case ER_UNKNOWN_SYSTEM_VARIABLE:
      return true;
    default:
      return false;
  }
}

bool is_constraint(unsigned number) noexcept {
  switch (number) {
    case ER_DUP_ENTRY:
    case ER_DUP_KEY:
    case ER_DUP_UNIQUE:
    case ER_DUP_ENTRY_WITH_KEY_NAME:
    case ER_BAD_NULL_ERROR:
    case ER_NO_DEFAULT_FOR_FIELD:
    case ER_NO_REFERENCED_ROW:
    case ER_NO_REFERENCED_ROW_2:
    case ER_ROW_IS_REFERENCED:
    case ER_ROW_IS_REFERENCED_2:
    case ER_CONSTRAINT_FAILED:
    case kMysqlCheckViolated:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool ends_session(unsigned number) noexcept {
  switch (number) {
    case ER_SERVER_SHUTDOWN:
    case ER_NORMAL_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_NET_READ_ERROR:
    case ER_NET_READ_INTERRUPTED:
    case ER_NET_ERROR_ON_WRITE:
    case ER_NET_WRITE_INTERRUPTED:
    case ER_NET_PACKETS_OUT_OF_ORDER:
    case ER_NET_PACKET_TOO_LARGE:
    case ER_ABORTING_CONNECTION:
    case ER_NEW_ABORTING_CONNECTION:
    case kIdleTooLong:
      return true;
    default:
      // The client's own errors: the connection is gone, or out of step.
      return (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) ||
             (number >= kClientErrorMin && number <= kClientErrorMax);
  }
}

bool undoes_transaction(unsigned number) noexcept {
  return number == ER_LOCK_DEADLOCK || number == ER_LOCK_TABLE_FULL || number == ER_CHECKREAD;
}

Errc errc_of(unsigned number, Phase phase) noexcept {
  if (phase == Phase::kConnecting) return connecting(number);
  if (ends_session(number)) return Errc::kConnectionLost;
  if (is_syntax(number)) return Errc::kSyntax;
  if (is_constraint(number)) return Errc::kConstraint;
  switch (number) {
    case ER_QUERY_INTERRUPTED:
    case ER_STATEMENT_TIMEOUT:
    case kMysqlExecutionTime:
      return Errc::kCancelled;
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_LOCK_DEADLOCK:
    case ER_CHECKREAD:
      return Errc::kConflict;
    case ER_OPTION_PREVENTS_STATEMENT:
    case ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION:
    case ER_OPEN_AS_READONLY:
      return Errc::kReadOnly;
    case ER_RECORD_FILE_FULL:
    case ER_DISK_FULL:
    case ER_LOCK_TABLE_FULL:
    case ER_TOO_LONG_KEY:
    case ER_MAX_PREPARED_STMT_COUNT_REACHED:
      return Errc::kFull;
    case ER_NOT_KEYFILE:
    case ER_OLD_KEYFILE:
    case ER_CRASHED_ON_USAGE:
    case ER_CRASHED_ON_REPAIR:
      return Errc::kDamaged;
    case ER_UNSUPPORTED_PS:
      return Errc::kUnsupported;
    default:
      return Errc::kRejected;
  }
}

}  // namespace ssx::db::mysql
