#include "ssxrver/plugin/host/leases.h"

#include <fmt/format.h>

namespace ssx::plugins {

std::string Leases::to_string() const {
  struct Words {
    const char* one;
    const char* many;
  };
  static constexpr std::array<Words, kLeaseKindCount> kWords = {
      {{"route", "routes"},
       {"request", "requests"},
       {"body", "bodies"},
       {"socket", "sockets"},
       {"timer", "timers"},
       {"wait", "waits"},
       {"task", "tasks"},
       {"post", "posts"},
       {"query", "queries"},
       {"transaction", "transactions"},
       {"row stream", "row streams"},
       {"repeating timer", "repeating timers"}}};
  std::string text;
  for (std::size_t i = 0; i < kLeaseKindCount; ++i) {
    const std::uint64_t held = count(static_cast<LeaseKind>(i));
    if (held == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", held, held == 1 ? kWords[i].one : kWords[i].many);
  }
  return text;
}

}  // namespace ssx::plugins
