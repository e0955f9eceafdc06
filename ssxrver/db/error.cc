#include "ssxrver/db/error.h"

#include <algorithm>
#include <array>

#include "ssxrver/base/error_text.h"

namespace ssx::db {
namespace {

struct TextOf {
  Errc code;
  std::string_view text;
};

constexpr auto kTable = std::to_array<TextOf>({
    {Errc::kOk, "ok"},
    {Errc::kUnavailable, "the database cannot be reached"},
    {Errc::kAcquireTimedOut, "no connection became free in time"},
    {Errc::kTooManyWaiters, "too many wait for a connection"},
    {Errc::kConnectTimedOut, "connecting took too long"},
    {Errc::kAccessDenied, "access denied"},
    {Errc::kShutDown, "the pool is closed"},
    {Errc::kNoSuchDatabase, "no such database"},
    {Errc::kUnsupported, "not supported"},
    {Errc::kStatementTooLong, "the statement is too long"},
    {Errc::kInvalidRequest, "not a request for a statement"},
    {Errc::kRequestTooLarge, "more in a request than allowed"},
    {Errc::kQueryTimedOut, "the query took too long"},
    {Errc::kCancelled, "the query was cancelled"},
    {Errc::kConnectionLost, "the connection was lost"},
    {Errc::kSyntax, "not a statement that the database understands"},
    {Errc::kParameterCount, "not as many parameters as the statement has places"},
    {Errc::kConstraint, "refused by a constraint"},
    {Errc::kConflict, "in conflict with another transaction"},
    {Errc::kReadOnly, "the database is read-only"},
    {Errc::kFull, "the database is full"},
    {Errc::kDamaged, "not a database, or damaged"},
    {Errc::kRejected, "refused by the database"},
    {Errc::kTooManyRows, "more rows than allowed"},
    {Errc::kResultTooLarge, "more bytes than allowed"},
    {Errc::kNoSuchColumn, "no such column"},
    {Errc::kIsNull, "is null"},
    {Errc::kWrongType, "is of another type"},
    {Errc::kOutOfRange, "out of range"},
    {Errc::kRowCount, "not one row"},
});
static_assert(kTable.size() == kErrcCount && is_in_order(kTable), "one row per Errc, in order");

/// The server's words stand in a log line: no line break in them, and a bound.
std::string one_line(std::string_view text) {
  std::string line(text.substr(0, Failure::kTextMax));
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return line;
}

}  // namespace

std::string_view to_string(Errc code) noexcept {
  return kTable[static_cast<std::size_t>(code)].text;
}

const std::error_category& db_category() noexcept {
  static const TextCategory<Errc, kErrcCount> category("ssx.db");
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), db_category()};
}

Failure::Failure(const Error& error, int vendor_code, std::string_view text)
    : error_(error), vendor_code_(vendor_code), text_(one_line(text)) {}

std::string Failure::message() const {
  std::string all = error_.message();
  if (vendor_code_ == 0 && text_.empty()) return all;
  if (vendor_code_ == 0) return all + " (" + text_ + ")";
  all += " (" + std::to_string(vendor_code_);
  if (!text_.empty()) all += ": " + text_;
  return all + ")";
}

bool Failure::is_unavailable() const noexcept {
  if (error_.code().category() != db_category()) return false;
  switch (static_cast<Errc>(error_.code().value())) {
    case Errc::kUnavailable:
    case Errc::kAcquireTimedOut:
    case Errc::kTooManyWaiters:
    case Errc::kConnectTimedOut:
    case Errc::kAccessDenied:
    case Errc::kShutDown:
      return true;
    case Errc::kOk:
    case Errc::kNoSuchDatabase:
    case Errc::kUnsupported:
    case Errc::kStatementTooLong:
    case Errc::kInvalidRequest:
    case Errc::kRequestTooLarge:
    case Errc::kQueryTimedOut:
    case Errc::kCancelled:
    case Errc::kConnectionLost:
    case Errc::kSyntax:
    case Errc::kParameterCount:
    case Errc::kConstraint:
    case Errc::kConflict:
    case Errc::kReadOnly:
    case Errc::kFull:
    case Errc::kDamaged:
    case Errc::kRejected:
    case Errc::kTooManyRows:
    case Errc::kResultTooLarge:
    case Errc::kNoSuchColumn:
    case Errc::kIsNull:
    case Errc::kWrongType:
    case Errc::kOutOfRange:
    case Errc::kRowCount:
      return false;
  }
  return false;
}

}  // namespace ssx::db
