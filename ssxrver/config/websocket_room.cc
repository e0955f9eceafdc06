// Routes that send what they take in: it must fit below their `backpressure.max`.
#include <fmt/format.h>

#include <algorithm>

#include "ssxrver/app/chat_rooms.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/config/text_values.h"
#include "websocket/frame.h"

namespace ssx::config {
namespace {

using websocket::kHeaderMax;
using websocket::Options;

constexpr std::size_t kMaxMost = std::size_t{1} << 40;  ///< that the key `max` takes

const json::Value* find_max(const json::Value& object) {
  const json::Value* backpressure = object.find("backpressure");
  return backpressure == nullptr ? nullptr : backpressure->find("max");
}

/// A route as it stands in the file, beside what stands there for all of them.
class RouteText {
 public:
  RouteText(const json::Value& route, const json::Value* websocket)
      : route_(route), websocket_(websocket) {}

  [[nodiscard]] bool has(const char* key) const {
    return route_.find(key) != nullptr ||
           (websocket_ != nullptr && websocket_->find(key) != nullptr);
  }
  [[nodiscard]] bool has_max() const {
    return find_max(route_) != nullptr || (websocket_ != nullptr && find_max(*websocket_));
  }
  /// `max` is told of where the route has it; one of all routes where this one asks for more.
  void too_little(Reader& reader, const char* key, std::size_t least, std::size_t max) const {
    const bool is_history = std::string_view(key) == "history";
    const auto want = fmt::format("at least {} for {}", show_size(least),
                                  is_history ? "a welcome with \"history\""
                                             : fmt::format("\"{}\" and a frame's header", key));
    if (const json::Value* own = find_max(route_)) {
      const Reader::Step outer(reader, "backpressure");
      const Reader::Step inner(reader, "max");
      reader.out_of_range(*own, want);
      return;
    }
    const json::Value* asking = route_.find(key);
    const Reader::Step step(reader, asking != nullptr ? key : "handler");
    reader.error(asking != nullptr ? *asking : route_,
                 fmt::format("expected a \"websocket.backpressure.max\" of {}, found {}", want,
                             show_size(max)));
  }

 private:
  const json::Value& route_;
  const json::Value* websocket_;
};

bool sends_whole_messages(const RouteOptions& route) {
  const bool is_window = route.websocket.parse_mode == WebSocketRouteOptions::ParseMode::kWindow;
  return route.handler == "websocket:broadcast" || (route.handler == "websocket:echo" && is_window);
}

/// What is not there gives way: `max` to long messages, their length to a small `max`.
void fit_messages(Reader& reader, const RouteText& text, Options& limits) {
  std::size_t& max = limits.backpressure.max;
  if (limits.message_max + kHeaderMax <= max) return;
  if (!text.has_max()) {
    max = std::min(limits.message_max + kHeaderMax, kMaxMost);
  } else if (text.has("max_message_size")) {
    text.too_little(reader, "max_message_size", limits.message_max + kHeaderMax, max);
  } else if (text.has("max_frame_size") && limits.frame_max + kHeaderMax > max) {
    text.too_little(reader, "max_frame_size", limits.frame_max + kHeaderMax, max);
  } else if (max <= kHeaderMax) {
    text.too_little(reader, "max_message_size", 1 + kHeaderMax, max);
  } else {
    limits.message_max = max - kHeaderMax;
    limits.frame_max = std::min(limits.frame_max, limits.message_max);
  }
}

void fit_welcome(Reader& reader, const RouteText& text, Options& limits) {
  constexpr std::size_t kLeast = ChatRooms::kWelcomeMax + kHeaderMax;
  std::size_t& max = limits.backpressure.max;
  if (kLeast <= max) return;
  if (text.has_max()) return text.too_little(reader, "history", kLeast, max);
  max = kLeast;
}

}  // namespace

void make_room(Reader& reader, const json::Value& root, const json::Value& entry,
               RouteOptions& route) {
  const RouteText text(entry, root.find("websocket"));
  const bool welcomes = route.handler == "websocket:chat" && route.websocket.history > 0;
  if (sends_whole_messages(route)) fit_messages(reader, text, route.websocket.limits);
  if (welcomes) fit_welcome(reader, text, route.websocket.limits);
}

}  // namespace ssx::config
