// What a load of HTTP does.
//
// Thread: immutable once the Crew runs
// Owner:  the command
// Life:   longer than the Crew
// Bounds: those of LoadPlan
#pragma once

#include <cstdint>
#include <string>

#include "http/method.h"
#include "ssxrver/load/load_plan.h"

namespace ssx::load {

struct HttpPlan : LoadPlan {
  enum class Answer : std::uint8_t {
    kRead,         ///< as HTTP says where it ends
    kUntilClosed,  ///< it ends when the server closes, whatever it says; a connection for each
    kNotAwaited,   ///< nobody waits for it; a connection for each
  };

  std::string request;  ///< the bytes of one, but for `body`
  std::string body;     ///< so large that it is sent from where it lies
  http::Method method = http::Method::kGet;
  Answer answer = Answer::kRead;
  /// Behind a request our side of the connection is closed, which is how HTTP/0.9 ends one.
  bool half_closes = false;
};

}  // namespace ssx::load
