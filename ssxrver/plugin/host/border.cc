#include "ssxrver/plugin/host/border.h"

namespace ssx::plugins {

std::string_view to_words(std::int32_t status) noexcept {
  switch (status) {
    case SSXRVER_OK:
      return "well";
    case SSXRVER_PENDING:
      return "not ended yet";
    case SSXRVER_END:
      return "the end";
    case SSXRVER_ERROR:
      return "an error";
    case SSXRVER_INVALID:
      return "an argument that cannot be";
    case SSXRVER_NOT_FOUND:
      return "nothing of that name";
    case SSXRVER_LIMIT:
      return "a documented bound was reached";
    case SSXRVER_CLOSED:
      return "it has ended";
    case SSXRVER_TIMED_OUT:
      return "the deadline passed first";
    case SSXRVER_UNSUPPORTED:
      return "not in this build, or not configured";
    case SSXRVER_UNAVAILABLE:
      return "what it depends on is not there now";
    case SSXRVER_WRONG_THREAD:
      return "called on another thread than it may be";
    default:
      return "a status that there is none of";
  }
}

}  // namespace ssx::plugins
