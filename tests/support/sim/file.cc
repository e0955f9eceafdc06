// Compiles the real functions under a name of their own; those of ssx::sys below stand in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/file.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include "tests/support/sim/gate.h"
#include "tests/support/sim/registrations.h"

namespace ssx::sys {

namespace real = ssx::sys_real;
using sim::Call;
using sim::internal::guarded;
using sim::internal::guarded_bytes;

Result<void> close(int fd) {
  sim::internal::forget_descriptor(fd);
  const int error = sim::internal::decide(Call::kClose).error;
  const auto closed = real::close(fd);  // an error of close never keeps the descriptor open
  if (error != 0) return sim::internal::failure(Call::kClose, error);
  return closed;
}

Result<UniqueFd> open(const char* path, int flags, unsigned mode) {
  return guarded(Call::kOpen, [&] { return real::open(path, flags, mode); });
}

Result<UniqueFd> open_at(int directory, const char* path, int flags, unsigned mode) {
  return guarded(Call::kOpenAt, [&] { return real::open_at(directory, path, flags, mode); });
}

Result<UniqueFd> open_beneath(int directory, const char* path, int flags, bool no_symlinks) {
  return guarded(Call::kOpenBeneath,
                 [&] { return real::open_beneath(directory, path, flags, no_symlinks); });
}

Result<std::size_t> read(int fd, MutableBytes into) {
  return guarded_bytes(Call::kRead, fd, into.size(),
                       [&](std::size_t size) { return real::read(fd, into.first(size)); });
}

Result<std::size_t> pread(int fd, MutableBytes into, std::uint64_t offset) {
  return guarded_bytes(Call::kPread, fd, into.size(),
                       [&](std::size_t size) { return real::pread(fd, into.first(size), offset); });
}

Result<std::size_t> write(int fd, ByteView from) {
  return guarded_bytes(Call::kWrite, fd, from.size(),
                       [&](std::size_t size) { return real::write(fd, from.first(size)); });
}

Result<std::size_t> pwrite(int fd, ByteView from, std::uint64_t offset) {
  return guarded_bytes(Call::kPwrite, fd, from.size(), [&](std::size_t size) {
    return real::pwrite(fd, from.first(size), offset);
  });
}

Result<struct stat> stat(const char* path) {
  return guarded(Call::kStat, [&] { return real::stat(path); });
}

Result<struct stat> fstat(int fd) {
  return guarded(Call::kFstat, [&] { return real::fstat(fd); });
}

Result<struct stat> stat_at(int directory, const char* name) {
  return guarded(Call::kStatAt, [&] { return real::stat_at(directory, name); });
}

Result<void> rename(const char* from, const char* to) {
  return guarded(Call::kRename, [&] { return real::rename(from, to); });
}

Result<void> unlink(const char* path) {
  return guarded(Call::kUnlink, [&] { return real::unlink(path); });
}

Result<void> mkdir(const char* path, unsigned mode) {
  return guarded(Call::kMkdir, [&] { return real::mkdir(path, mode); });
}

Result<void> chmod(const char* path, unsigned mode) {
  return guarded(Call::kChmod, [&] { return real::chmod(path, mode); });
}

Result<void> fsync(int fd) {
  return guarded(Call::kFsync, [&] { return real::fsync(fd); });
}

Result<void> ftruncate(int fd, std::uint64_t size) {
  return guarded(Call::kFtruncate, [&] { return real::ftruncate(fd, size); });
}

Result<void> chdir(const char* path) {
  return guarded(Call::kChdir, [&] { return real::chdir(path); });
}

Result<std::string> getcwd() {
  return guarded(Call::kGetcwd, [] { return real::getcwd(); });
}

Result<std::string> realpath(const char* path) {
  return guarded(Call::kRealpath, [&] { return real::realpath(path); });
}

Result<std::vector<std::string>> list_directory(const char* path) {
  return guarded(Call::kListDirectory, [&] { return real::list_directory(path); });
}

Result<std::vector<std::string>> list_open_directory(UniqueFd directory, std::size_t count_max) {
  return guarded(Call::kListOpenDirectory,
                 [&] { return real::list_open_directory(std::move(directory), count_max); });
}

Result<UniqueFd> open_temporary(const char* directory) {
  return guarded(Call::kOpenTemporary, [&] { return real::open_temporary(directory); });
}

Result<void> lock_exclusive(int fd) {
  return guarded(Call::kLockExclusive, [&] { return real::lock_exclusive(fd); });
}

Result<UniqueFd> duplicate(int fd) {
  return guarded(Call::kDuplicate, [&] { return real::duplicate(fd); });
}

Result<void> set_non_blocking(int fd) {
  return guarded(Call::kSetNonBlocking, [&] { return real::set_non_blocking(fd); });
}

Result<void> set_close_on_exec(int fd) {
  return guarded(Call::kSetCloseOnExec, [&] { return real::set_close_on_exec(fd); });
}

}  // namespace ssx::sys
