#include "ssxrver/sys/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "ssxrver/sys/internal.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // of Linux 6.3; Debian 12's headers are older
#endif

namespace ssx::SSX_SYS_NAMESPACE {

using sys::internal::done;
using sys::internal::own;

namespace {

std::string loader_sentence() {
  const char* const said = ::dlerror();
  return said != nullptr ? said : "the loader does not say why";
}

}  // namespace

Result<UniqueFd> create_memory_file(const char* name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int fd = ::memfd_create(name, kFlags | MFD_EXEC);
  if (fd >= 0 || errno != EINVAL) return own(fd, "create_memory_file");
  return own(::memfd_create(name, kFlags), "create_memory_file");
}

Result<void> seal_memory_file(int fd) {
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  return done(::fcntl(fd, F_ADD_SEALS, kSeals), "seal_memory_file");
}

LoaderResult<void*> open_library(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return UnexpectedOf<std::string>(loader_sentence());
  return library;
}

LoaderResult<void*> find_symbol(void* library, const char* name) {
  void* const symbol = ::dlsym(library, name);
  if (symbol == nullptr) return UnexpectedOf<std::string>(loader_sentence());
  return symbol;
}

LoaderResult<void> close_library(void* library) {
  if (::dlclose(library) != 0) return UnexpectedOf<std::string>(loader_sentence());
  return {};
}

bool is_loaded(const char* path) noexcept {
  void* const library = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr && ::dlclose(library) == 0;
}

}  // namespace ssx::SSX_SYS_NAMESPACE
