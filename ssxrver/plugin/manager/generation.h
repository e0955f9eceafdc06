// One load of a plugin: its library and the instance made of it, from open() until both are gone.
//
// Thread: the control thread; on the loops it enters and leaves, the instance is called
// Owner:  the Manager, a Reload or the Retirement
// Life:   open() .. start() .. enter_loops() .. its routes serve .. drain() .. nothing holds it ..
//         leave_loops() .. destruction, which stops it and gives the library back
// Bounds: those of Instance and PluginFile
//
// It knows how far it has come, so that taking it back undoes what was done and nothing else: a
// loop is left if it was entered, stop() follows a start() that went well.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  /// Of a library that is open.
  [[nodiscard]] static Expected<std::unique_ptr<Generation>, std::string> make(
      Environment& environment, const PluginOptions& plugin, std::unique_ptr<PluginFile> file,
      std::uint64_t number);
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;
  ~Generation() { (void)unload(); }

  /// Once; each of them holds it, and belongs to the App.
  [[nodiscard]] RouteSet take_routes();
  /// It is not to serve.
  void drop_routes() noexcept { routes_.clear(); }

  [[nodiscard]] Outcome<> start();
  /// On a worker's loop.
  [[nodiscard]] Outcome<> enter_loop(std::uint32_t worker);
  /// On each worker's loop; then `then` on the control loop, with the first that went wrong.
  void enter_loops(UniqueFunction<void(Outcome<>)> then);
  /// Those that were entered; timers end on all. Then `then`, one turn of every loop later: what
  /// was about to return from the plugin there has.
  void leave_loops(UniqueFunction<void()> then);
  /// The same when the loops have ended, on the control thread.
  void leave_ended_loops();
  /// Twice is once.
  void stop();
  /// With no lease left: stops it, destroys the instance, gives the library back. False: the
  /// library stays in memory. Only the first call does anything.
  bool unload();

  /// What the schema says against it, as the end of a sentence; empty: nothing.
  [[nodiscard]] std::string object_to(const json::Value& config) const;
  /// The state of `old`, when it has some and this one takes it.
  [[nodiscard]] Outcome<> take_state_of(Generation& old);

  /// Not behind unload().
  [[nodiscard]] Instance& instance() noexcept { return *instance_; }
  [[nodiscard]] const PluginFile& file() const noexcept { return *file_; }
  /// "notes"
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// "notes 1.2.0, generation 3"
  [[nodiscard]] const std::string& title() const noexcept { return title_; }

 private:
  Generation(Environment& environment, std::unique_ptr<PluginFile> file,
             const PluginOptions& plugin, std::uint64_t number);
  void leave_loop(std::uint32_t worker);

  Environment& environment_;
  std::unique_ptr<PluginFile> file_;  ///< goes last: the code of all the others
  const std::string name_;
  const std::string title_;
  std::unique_ptr<Instance> instance_;
  std::vector<InstanceRoute> routes_;
  const std::unique_ptr<bool[]> has_entered_;  ///< per worker: that loop's
  bool is_started_ = false;
};

}  // namespace ssx::plugins
