// Turns the name of a host into addresses, off the loop.
//
// Thread: resolve() on any loop; the look-up itself runs on a task thread
// Owner:  whoever makes connections; one for all loops of a program
// Life:   shorter than its TaskPool. A look-up that nobody waits for any more ends by itself
// Bounds: kAddressesMax addresses; the patience given; the pool's `queue_limit` look-ups waiting
//
// A literal address never leaves the loop. Nothing is remembered: the system's resolver tells no
// life time, and where look-ups count a caching daemon of the system serves all programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {

class Resolver {
 public:
  static constexpr std::size_t kAddressesMax = 8;

  /// Blocks; called on a task thread.
  using LookUp = std::function<Result<std::vector<sys::RawAddress>>(const std::string&)>;

  /// Asks the system. `tasks` must outlive the resolver.
  explicit Resolver(TaskPool& tasks);
  /// Asks `look_up`, e.g. a table of one's own.
  Resolver(TaskPool& tasks, LookUp look_up);

  /// At least one address, in the order in which they should be tried. ssx::Errc::kNotFound: there
  /// is no such host. kTimedOut: nobody has answered within `patience`. What the task pool says
  /// when it is full or has no threads.
  [[nodiscard]] Task<Result<std::vector<SocketAddress>>> resolve(std::string host,
                                                                 std::uint16_t port,
                                                                 Duration patience) const;

 private:
  class Waiter;

  TaskPool& tasks_;
  const std::shared_ptr<const LookUp> look_up_;  ///< the look-ups under way share it
};

}  // namespace ssx::net
