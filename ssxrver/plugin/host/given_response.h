// What a plugin gives for an answer, on its way to a Response. (i)
//
// Thread: that on which it is given
// Owner:  the call of answer()
// Life:   the call
// Bounds: fields are checked as http::Response checks them; a status of 200 .. 599
//
// A body that the plugin owns is released once, whatever becomes of the answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/response.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"

namespace ssx::plugins {

/// Memory of the plugin's that is being sent, and is released then.
class OwnedBody {
 public:
  /// `release` may be null.
  OwnedBody(Instance& instance, void* owner, void (*release)(void* owner)) noexcept
      : lease_(instance.leases(), LeaseKind::kBodies),
        instance_(&instance),
        owner_(owner),
        release_(release) {}
  OwnedBody(OwnedBody&& other) noexcept
      : lease_(std::move(other.lease_)),
        instance_(other.instance_),
        owner_(other.owner_),
        release_(std::exchange(other.release_, nullptr)) {}
  OwnedBody& operator=(OwnedBody&&) = delete;
  ~OwnedBody() {
    if (release_ != nullptr) instance_->call_void("release", [this] { release_(owner_); });
  }

  [[nodiscard]] void* owner() const noexcept { return owner_; }
  [[nodiscard]] Instance& instance() const noexcept { return *instance_; }

 private:
  Lease lease_;
  Instance* instance_;
  void* owner_;
  void (*release_)(void* owner);
};

class GivenResponse {
 public:
  /// `route` outlives the answer.
  GivenResponse(Instance& instance, const std::string& route,
                const ssxrver_response& given) noexcept;
  GivenResponse(const GivenResponse&) = delete;
  GivenResponse& operator=(const GivenResponse&) = delete;

  /// Into one that is new. 500, and a line in the log, for one that may not be sent.
  void put_into(http::Response& response) noexcept;

 private:
  // False: it may not be sent, and that has been told. No text is made where all is well.
  [[nodiscard]] bool put(http::Response& response);
  void put_content_type(http::Response& response) const;
  [[nodiscard]] bool put_body(http::Response& response);
  // Apart, so that a body that is a text pays for no room of theirs on the stack.
  [[gnu::noinline]] void put_owned(http::Response& response);
  [[gnu::noinline, nodiscard]] bool put_stream(http::Response& response);
  [[gnu::noinline, nodiscard]] bool put_file(http::Response& response) const;
  [[gnu::cold]] bool refuse(std::string_view why) const noexcept;

  Instance& instance_;
  const std::string& route_;
  const ssxrver_response* given_;
  ssxrver_response copy_;  ///< of one whose maker knows less members
  std::optional<OwnedBody> owned_;
};

}  // namespace ssx::plugins
