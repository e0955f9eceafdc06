// An environment variable for the time of a test.
//
// Thread: one thread in the whole program while it is set and put back
// Owner:  the test
// Life:   the old value is back when it goes
// Bounds: -
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace ssx::test {

class ScopedVariable {
 public:
  /// Null: not set at all.
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace ssx::test
