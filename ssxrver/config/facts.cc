#include "ssxrver/config/facts.h"

namespace ssx::config {
namespace {

void collect_homes(const Facts& object, const std::string& pointer, std::string_view name,
                   std::vector<std::string>& homes) {
  for (const Facts& child : object.children) {
    if (child.name == name || child.alias == name) homes.push_back(pointer);
    if (!child.has_entries()) {
      collect_homes(child, pointer + json::pointer_step(child.name), name, homes);
    }
  }
}

}  // namespace

const char* to_text(Reload reload) noexcept {
  switch (reload) {
    case Reload::kLive:
      return "live";
    case Reload::kNewConnections:
      return "new connections";
    case Reload::kRestart:
      return "restart";
  }
  return "";
}

std::vector<std::string> homes_of(const Facts& root, std::string_view name) {
  std::vector<std::string> homes;
  collect_homes(root, "", name, homes);
  return homes;
}

}  // namespace ssx::config
