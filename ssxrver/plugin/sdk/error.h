// What went wrong on the other side of the border, as a value.
//
// Thread: a value
// Owner:  whoever holds it
// Life:   any
// Bounds: -
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/base/result.h"
#include "ssxrver/plugin/abi.h"

namespace ssx::plugin {

class [[nodiscard]] Error {
 public:
  explicit Error(std::int32_t status, std::string text = {}, std::int32_t code = 0)
      : status_(status), code_(code), text_(std::move(text)) {}

  /// One of ssxrver_status.
  [[nodiscard]] std::int32_t status() const noexcept { return status_; }
  /// Of a database, an ssxrver_db_code where the status leaves open what it was.
  [[nodiscard]] std::int32_t code() const noexcept { return code_; }
  [[nodiscard]] std::string message() const {
    if (!text_.empty()) return text_;
    switch (status_) {
      case SSXRVER_INVALID:
        return "an argument that cannot be";
      case SSXRVER_NOT_FOUND:
        return "nothing of that name";
      case SSXRVER_LIMIT:
        return "a limit was reached";
      case SSXRVER_CLOSED:
        return "it has ended";
      case SSXRVER_TIMED_OUT:
        return "the deadline passed first";
      case SSXRVER_UNSUPPORTED:
        return "this host does not have it";
      case SSXRVER_UNAVAILABLE:
        return "not available now";
      case SSXRVER_WRONG_THREAD:
        return "not on this thread";
      default:
        return "error " + std::to_string(status_);
    }
  }

 private:
  std::int32_t status_;
  std::int32_t code_;
  std::string text_;
};

template <class T>
using Result = Expected<T, Error>;

inline UnexpectedOf<Error> fail(std::int32_t status, std::string text = {}, std::int32_t code = 0) {
  return UnexpectedOf<Error>(Error(status, std::move(text), code));
}

/// `co_return fail(rows.error());`
inline UnexpectedOf<Error> fail(Error error) { return UnexpectedOf<Error>(std::move(error)); }

/// Thrown while a plugin is being set up: its instance is not created, and the daemon says why.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace internal {

/// Room for the sentence of a call that can fail.
class ErrorText {
 public:
  [[nodiscard]] ssxrver_error* out() noexcept { return &error_; }
  [[nodiscard]] std::string text() const { return {error_.text, error_.size}; }
  [[nodiscard]] std::int32_t code() const noexcept { return error_.code; }

 private:
  char room_[512];
  ssxrver_error error_{0, sizeof(room_), 0, room_};
};

/// Never more than there is room for.
inline void put_text(ssxrver_error* error, std::int32_t code, std::string_view text) noexcept {
  if (error == nullptr) return;
  error->code = code;
  error->size = static_cast<std::uint32_t>(
      text.copy(error->text, text.size() < error->capacity ? text.size() : error->capacity));
}

}  // namespace internal
}  // namespace ssx::plugin
