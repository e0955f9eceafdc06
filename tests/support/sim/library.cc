// Compiles the real functions under a name of their own; those of ssx::sys below stand in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/library.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include "tests/support/sim/gate.h"

namespace ssx::sys {

namespace real = ssx::sys_real;
using sim::Call;
using sim::internal::guarded;

namespace {

/// The loader fails with a sentence.
template <class Real>
auto spoken(Call call, Real real) -> decltype(real()) {
  if (const int error = sim::internal::decide(call).error; error != 0) {
    return UnexpectedOf<std::string>(sim::internal::failure(call, error).value().message());
  }
  return real();
}

}  // namespace

Result<UniqueFd> create_memory_file(const char* name) {
  return guarded(Call::kCreateMemoryFile, [&] { return real::create_memory_file(name); });
}

Result<void> seal_memory_file(int fd) {
  return guarded(Call::kSealMemoryFile, [&] { return real::seal_memory_file(fd); });
}

LoaderResult<void*> open_library(const char* path) {
  return spoken(Call::kOpenLibrary, [&] { return real::open_library(path); });
}

LoaderResult<void*> find_symbol(void* library, const char* name) {
  return spoken(Call::kFindSymbol, [&] { return real::find_symbol(library, name); });
}

LoaderResult<void> close_library(void* library) {
  return spoken(Call::kCloseLibrary, [&] { return real::close_library(library); });
}

bool is_loaded(const char* path) noexcept {
  sim::internal::decide(Call::kIsLoaded);
  return real::is_loaded(path);
}

}  // namespace ssx::sys
