// The configuration of an instance, by JSON pointer (RFC 6901), as texts that stay. (i)
//
// Thread: find() any thread; the rest the control thread
// Owner:  the Instance
// Life:   a text lives until the second commit() after it was given
// Bounds: one text for each value, of which each is no longer than the configuration
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/base/mutex.h"
#include "ssxrver/json/json.h"

namespace ssx::plugins {

class ConfigView {
 public:
  explicit ConfigView(json::Value root);

  /// Nothing where there is no such value. `plain`: a string comes without quotes.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view pointer, bool plain);

  // A new configuration, in two phases: find() looks into it from prepare() on.
  void prepare(json::Value root);
  void commit();
  void abort();

  /// "/a/0/b~1c" of `root`; null when there is none, or it is no pointer.
  [[nodiscard]] static const json::Value* resolve(const json::Value& root,
                                                  std::string_view pointer);

 private:
  struct Version {
    explicit Version(json::Value value) : root(std::move(value)) {}
    json::Value root;
    std::map<const json::Value*, std::string> texts;
  };

  Mutex mutex_;
  std::unique_ptr<Version> previous_ SSX_GUARDED_BY(mutex_);
  std::unique_ptr<Version> current_ SSX_GUARDED_BY(mutex_);
  std::unique_ptr<Version> next_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::plugins
