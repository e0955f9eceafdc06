// What can be chosen about the task threads (`task_processes` and the `tasks` object).
//
// Thread: immutable once validated
// Owner:  whoever starts the pool; copied into it
// Life:   longer than the pool
// Bounds: every field says its range
#pragma once

#include <cstddef>
#include <cstdint>

namespace ssx::net {

enum class TaskOverflow : std::uint8_t {
  kReject,     ///< the caller gets Errc::kTaskQueueFull
  kBlock,      ///< the caller waits for room
  kRunOnLoop,  ///< the work runs at once on the calling thread
};

struct TaskOptions {
  unsigned threads = 0;             ///< `task_processes`: 0 .. 1024; 0 = no task threads
  std::size_t queue_limit = 65536;  ///< `tasks.queue_limit`: 1 .. 16777216 waiting pieces of work
  TaskOverflow overflow = TaskOverflow::kReject;  ///< `tasks.overflow`: when the queue is full
  bool operator==(const TaskOptions&) const = default;
};

}  // namespace ssx::net
