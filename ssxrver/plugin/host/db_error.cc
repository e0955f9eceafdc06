#include "ssxrver/plugin/host/db_error.h"

namespace ssx::plugins {
namespace {

struct Numbers {
  std::int32_t status;
  std::int32_t code;
};

Numbers numbers_of(db::Errc code) noexcept {
  switch (code) {
    case db::Errc::kUnavailable:
    case db::Errc::kAcquireTimedOut:
    case db::Errc::kConnectTimedOut:
    case db::Errc::kAccessDenied:
      return {SSXRVER_UNAVAILABLE, SSXRVER_DB_NO_CONNECTION};
    case db::Errc::kTooManyWaiters:
      return {SSXRVER_LIMIT, SSXRVER_DB_NO_CONNECTION};
    case db::Errc::kShutDown:
      return {SSXRVER_CLOSED, 0};
    case db::Errc::kNoSuchDatabase:
      return {SSXRVER_NOT_FOUND, 0};
    case db::Errc::kUnsupported:
      return {SSXRVER_UNSUPPORTED, 0};
    case db::Errc::kStatementTooLong:
    case db::Errc::kRequestTooLarge:
      return {SSXRVER_LIMIT, 0};
    case db::Errc::kInvalidRequest:
      return {SSXRVER_INVALID, 0};
    case db::Errc::kQueryTimedOut:
      return {SSXRVER_TIMED_OUT, 0};
    case db::Errc::kConnectionLost:
      return {SSXRVER_UNAVAILABLE, SSXRVER_DB_DISCONNECT};
    case db::Errc::kSyntax:
    case db::Errc::kParameterCount:
      return {SSXRVER_ERROR, SSXRVER_DB_SYNTAX};
    case db::Errc::kConstraint:
      return {SSXRVER_ERROR, SSXRVER_DB_CONSTRAINT};
    case db::Errc::kConflict:
      return {SSXRVER_ERROR, SSXRVER_DB_CONFLICT};
    case db::Errc::kTooManyRows:
    case db::Errc::kResultTooLarge:
      return {SSXRVER_LIMIT, SSXRVER_DB_RESULT_SIZE};
    case db::Errc::kOk:
    case db::Errc::kCancelled:
    case db::Errc::kReadOnly:
    case db::Errc::kFull:
    case db::Errc::kDamaged:
    case db::Errc::kRejected:
    case db::Errc::kNoSuchColumn:
    case db::Errc::kIsNull:
    case db::Errc::kWrongType:
    case db::Errc::kOutOfRange:
    case db::Errc::kRowCount:
      break;
  }
  return {SSXRVER_ERROR, 0};
}

}  // namespace

DbError to_border(const db::Failure& failure) {
  const std::error_code code = failure.error().code();
  const bool is_ours = code.category() == db::db_category();
  const Numbers numbers =
      numbers_of(is_ours ? static_cast<db::Errc>(code.value()) : db::Errc::kRejected);
  return {numbers.status, numbers.code, failure.message()};
}

bool is_end_of_session(const DbError& error) noexcept {
  return error.status == SSXRVER_TIMED_OUT || error.code == SSXRVER_DB_CONFLICT ||
         error.code == SSXRVER_DB_DISCONNECT;
}

}  // namespace ssx::plugins
