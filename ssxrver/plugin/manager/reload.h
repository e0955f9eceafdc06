// One reload of one plugin: what a new generation goes through until it serves.
//
//   step    what may stop it here                            what is undone then
//   create  the file, its description, the schema, create()  the library is given back
//   state   export_state() of the old one, import_state()    destroy(), and the same
//   start   start()                                          the same
//   enter   loop_enter(), on any loop                        loop_leave() of the others, stop() ..
//   swap    a route that another plugin has                  the same
//
// The old one serves meanwhile, and notices nothing but export_state(). Whatever stops it, next()
// is what the Retirement takes back: it knows how far it has come.
//
// Thread: the control loop
// Owner:  the Manager
// Life:   begin() .. the call of `then`, or as long as the App
// Bounds: -
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ssxrver/base/unique_function.h"
#include "ssxrver/plugin/file/options.h"
#include "ssxrver/plugin/file/plugin_file.h"
#include "ssxrver/plugin/host/environment.h"
#include "ssxrver/plugin/manager/generation.h"

namespace ssx::plugins {

struct ReloadPlan {
  PluginOptions options;
  PluginFile::Checks checks;
  std::uint64_t number;  ///< of the new generation
};

class Reload {
 public:
  using Then = UniqueFunction<void(const Outcome<>&)>;

  /// `old` stays where it is until `then` is called, which may destroy this.
  Reload(Environment& environment, Generation& old, ReloadPlan plan, Then then)
      : environment_(environment), old_(old), plan_(std::move(plan)), then_(std::move(then)) {}
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;

  void begin() { create(); }
  /// Nothing comes of it any more, and nobody is told.
  void give_up() noexcept { then_ = nullptr; }

  [[nodiscard]] const PluginOptions& options() const noexcept { return plan_.options; }
  /// Null before it is created.
  [[nodiscard]] Generation* next() noexcept { return next_.get(); }
  [[nodiscard]] std::unique_ptr<Generation> take_next() noexcept { return std::move(next_); }

 private:
  void create();
  void take_state_and_start();
  void enter();
  void swap();
  void end(const Outcome<>& outcome);

  Environment& environment_;
  Generation& old_;
  ReloadPlan plan_;
  Then then_;
  std::unique_ptr<Generation> next_;
};

}  // namespace ssx::plugins
