// A table of routes as one worker has it: counted there, without atomics, by the requests that
// began under it.
//
// Thread: loop-only
// Owner:  the WorkerState while it is the table of new requests; each Exchange of it that waits
// Life:   until another table is in use and the last of those requests has ended
// Bounds: one share in the table
#pragma once

#include <memory>
#include <utility>

#include "http/router.h"
#include "ssxrver/base/local_ref.h"

namespace ssx::http {

class HeldRoutes final : public LocalShared {
 public:
  explicit HeldRoutes(std::shared_ptr<const Router> router) noexcept : router_(std::move(router)) {}

  [[nodiscard]] const Router& router() const noexcept { return *router_; }

 private:
  const std::shared_ptr<const Router> router_;
};

}  // namespace ssx::http
