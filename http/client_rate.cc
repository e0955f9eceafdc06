#include "http/client_rate.h"

#include <algorithm>

namespace ssx::http {

std::chrono::seconds ClientRate::take(const net::SocketAddress& client, TimePoint now) noexcept {
  using std::chrono::seconds;
  if (rates_.take(client, now)) return seconds(0);
  return std::max(std::chrono::ceil<seconds>(rates_.retry_after(client, now)), seconds(1));
}

}  // namespace ssx::http
