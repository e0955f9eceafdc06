#include "websocket/route.h"

namespace ssx::websocket {

std::shared_ptr<const Route> make_route(std::string name, Options options, Callbacks callbacks) {
  const FrameLimits frames{options.frame_max, options.message_max, options.fragments_max,
                           options.empty_fragments_max};
  return std::make_shared<const Route>(
      Route{std::move(name), std::move(options), frames, std::move(callbacks)});
}

}  // namespace ssx::websocket
