// The body of an answer that a plugin writes while it is being sent.
//
// Thread: loop-only
// Owner:  the writer is the frame's of the coroutine that makes the body
// Life:   from the head of the answer to its last byte, or to the end of the connection
// Bounds: those of http::BodyWriter; one write at a time
#pragma once

#include <string>

#include "http/body_writer.h"
#include "http/response.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/given_response.h"
#include "ssxrver/plugin/host/pending.h"

struct ssxrver_writer {
  ssxrver_writer(ssx::plugins::Instance& its_instance, const std::string& its_route,
                 ssx::http::BodyWriter& its_body) noexcept
      : instance(its_instance), route(its_route), body(its_body), pending(instance, route) {}
  ~ssxrver_writer();
  ssxrver_writer(const ssxrver_writer&) = delete;
  ssxrver_writer& operator=(const ssxrver_writer&) = delete;

  ssx::plugins::Instance& instance;
  const std::string& route;
  ssx::http::BodyWriter& body;
  ssx::plugins::Pending pending;
  std::int32_t status = SSXRVER_ERROR;  ///< that of stream_end()
  ssxrver_wait* writing = nullptr;      ///< a write that waits for room
};

namespace ssx::plugins {

using StreamBegin = std::int32_t (*)(void* owner, ssxrver_writer* writer,
                                     ssxrver_operation* started);

/// `route` outlives it: it is the handler's.
[[nodiscard]] http::Response::BodyMaker make_stream(OwnedBody body, const std::string& route,
                                                    StreamBegin begin);

}  // namespace ssx::plugins
