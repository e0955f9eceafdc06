// One load of a plugin: its library and the instance made of it, from open() until both are gone.
//
// Thread: the control thread; on the loops it enters and leaves, the instance is called
// Owner:  the Manager
// Life:   open() .. start() .. enter_loops() .. its routes serve .. nothing holds it ..
//         leave_loops() .. stop() .. destruction, which gives the library back
// Bounds: those of Instance and PluginFile
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ssxrver/app/route_set.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/plugin/file/options.h"
#include "ssxrver/plugin/file/plugin_file.h"
#include "ssxrver/plugin/host/environment.h"
#include "ssxrver/plugin/host/instance.h"

namespace ssx::plugins {

class Generation {
 public:
  /// Opens the library, compares `config` with its schema, and has it make its instance. The error
  /// is a sentence.
  [[nodiscard]] static Expected<std::unique_ptr<Generation>, std::string> open(
      Environment& environment, const PluginOptions& plugin, const PluginFile::Checks& checks,
      std::uint64_t number);
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;
  ~Generation();

  /// Once.
  [[nodiscard]] RouteSet take_routes();
  [[nodiscard]] Outcome<> start();
  /// On each worker's loop; then `then` on the control loop, with the first that went wrong. What
  /// loops have entered is left by leave_loops(), whatever came of the others.
  void enter_loops(UniqueFunction<void(Outcome<>)> then);
  void leave_loops(UniqueFunction<void()> then);
  /// When the loops have ended, in place of leave_loops().
  void leave_ended_loops();
  /// Twice is once.
  void stop();
  /// The state of `old`, when it has some and this one takes it.
  [[nodiscard]] Outcome<> take_state_of(Generation& old);

  [[nodiscard]] Instance& instance() noexcept { return *instance_; }
  [[nodiscard]] const PluginFile& file() const noexcept { return *file_; }
  /// From 1 on, per plugin.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// "notes 1.2.0, generation 3"
  [[nodiscard]] std::string title() const;

 private:
  Generation(Environment& environment, std::unique_ptr<PluginFile> file, std::uint64_t number)
      : environment_(environment), file_(std::move(file)), number_(number) {}

  Environment& environment_;
  std::unique_ptr<PluginFile> file_;  ///< goes last: the code of all the others
  const std::uint64_t number_;
  std::unique_ptr<Instance> instance_;
  std::uint32_t loops_entered_ = 0;  ///< they are entered in order, and all or none are waited for
  bool is_started_ = false;
};

}  // namespace ssx::plugins
