// Generations that serve no more, or never came to: each is taken back step by step, and unloaded.
//
//   no work holds it  ->  leave_loops()  ->  nothing has begun on the way  ->  stop(), destroy()
//
// Thread: the control thread
// Owner:  the Manager
// Life:   that of the Manager; each generation until it is unloaded, or for good if it cannot be
// Bounds: the Manager's: ManagerOptions::generations_max of each plugin
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/manager/generation.h"

namespace ssx::plugins {

class Retirement {
 public:
  /// How often it looks whether anything still holds one.
  static constexpr Duration kLookEvery = std::chrono::milliseconds(20);

  explicit Retirement(App& app) noexcept : app_(app) {}
  Retirement(const Retirement&) = delete;
  Retirement& operator=(const Retirement&) = delete;

  /// On the control loop. Its routes are in no table that is to come. `time`: after that the log
  /// tells what holds it.
  void take(std::unique_ptr<Generation> generation, Duration time);
  /// The loops have ended, and with them whatever held one.
  void end();

  /// On their way.
  [[nodiscard]] std::size_t leaving() const noexcept;
  /// In memory, of that plugin: those whose library stays among them.
  [[nodiscard]] std::size_t count(std::string_view plugin) const noexcept;
  /// "notes 1.0.0, generation 2: 1 socket", a line for each; of that plugin, or of all.
  [[nodiscard]] std::vector<std::string> status(std::string_view plugin = {}) const;

 private:
  struct Retired {
    std::unique_ptr<Generation> generation;
    TimePoint deadline;
    unsigned idle_rounds = 0;  ///< of all loops, with nothing that held it
    bool is_in_round = false;
    bool was_reported = false;
    bool stays = false;  ///< unloaded, but for its library
  };
  using Place = std::list<Retired>::iterator;

  void look_at_all();
  void look_at(Place retired);
  void report(Retired& retired) const;
  void unload(Place retired);

  App& app_;
  std::list<Retired> retired_;
  net::TimerId look_{};
  bool is_looking_ = false;
};

}  // namespace ssx::plugins
