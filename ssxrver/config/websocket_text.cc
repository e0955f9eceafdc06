#include "ssxrver/config/websocket_text.h"

#include <utility>
#include <vector>

#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

std::string join(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (!text.empty()) text += "; ";
    text += sentence;
  }
  return text;
}

}  // namespace

Expected<WebSocketRouteOptions, std::string> read_websocket_options(
    std::string_view text, const WebSocketRouteOptions& base) {
  if (text.empty()) return base;
  Sources sources;
  const std::uint32_t source = sources.add({.name = "options", .text = std::string(text)});
  auto document = json::parse(text, source, {.strict = true});
  if (!document) {
    return UnexpectedOf<std::string>(sources.place(document.error().origin) + ": " +
                                     document.error().text);
  }
  Problems problems;
  Reader reader(
      sources, problems, [](std::string_view) { return std::vector<std::string>(); }, false);
  WebSocketRouteOptions options = base;
  websocket_route_keys().read(reader, document->root, options);
  const auto errors = problems.errors(sources, Strictness::kError);
  if (!errors.empty()) return UnexpectedOf<std::string>(join(errors));
  return options;
}

}  // namespace ssx::config
