// A route's name, limits and handlers, as its sessions see them.
//
// Thread: immutable
// Owner:  shared by the handler that make_handler() makes (upgrade_handler.h) and its sessions
// Life:   longer than every session; whoever is the last, it ends where Service::share() says
// Bounds: Options
#pragma once

#include <cstddef>
#include <string>

#include "ssxrver/net/rate.h"
#include "websocket/callbacks.h"
#include "websocket/frame_parser.h"
#include "websocket/options.h"

namespace ssx::websocket {

/// Whether a session reads while its peer does not take what it is sent.
enum class WhenBlocked : bool {
  kRests,    ///< what is read may be answered
  kReadsOn,  ///< who sends waits for room, and who receives need not be the same
};

struct Route {
  Route(std::string its_name, Options its_options, Callbacks its_callbacks,
        Role its_role = Role::kServer, WhenBlocked its_when_blocked = WhenBlocked::kRests);
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;

  const std::string name;  ///< "/chat/{room}", for logs
  const char* label;       ///< for stall warnings, which may name it when it is gone
  const Role role;         ///< a client has one route: where it connects to
  const WhenBlocked when_blocked;
  const Options options;
  const FrameLimits frames;             ///< those of the options
  const net::TokenBucket control_rate;  ///< that of the options
  /// Up to so many unsent bytes, those of the message included, no policy has anything to say about
  /// it; 0: where messages are split or collected.
  const std::size_t unasked_max;
  const Callbacks callbacks;
};

}  // namespace ssx::websocket
