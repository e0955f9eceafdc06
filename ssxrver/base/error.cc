#include "ssxrver/base/error.h"

namespace ssx {
namespace {

class BaseCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "ssx"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::kOk:
        return "ok";
      case Errc::kInvalidArgument:
        return "invalid argument";
      case Errc::kOverflow:
        return "limit reached";
      case Errc::kNotFound:
        return "not found";
      case Errc::kStale:
        return "no longer there";
      case Errc::kClosed:
        return "closed";
      case Errc::kTimedOut:
        return "timed out";
      case Errc::kUnsupported:
        return "not supported";
      case Errc::kMalformed:
        return "malformed";
    }
    return "unknown error";
  }
};

}  // namespace

const std::error_category& base_category() noexcept {
  static const BaseCategory category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), base_category()};
}

std::string Error::message() const { return std::string(where_) + ": " + code_.message(); }

}  // namespace ssx
