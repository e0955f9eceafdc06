#include "ssxrver/sys/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

#include "ssxrver/base/scope_exit.h"
#include "ssxrver/sys/internal.h"

namespace ssx::SSX_SYS_NAMESPACE {

using sys::internal::done;
using sys::internal::moved;
using sys::internal::own;
using sys::internal::retry;

namespace {

/// Old kernels and some file systems (overlay, NFS, FUSE) answer O_TMPFILE with one of these.
bool lacks_anonymous_files(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOENT;
}

/// Without "." and "..". Closes `directory`.
Result<std::vector<std::string>> names_in(DIR* directory, std::size_t count_max,
                                          const char* where) {
  const ScopeExit closer([directory] { ::closedir(directory); });
  std::vector<std::string> names;
  while (names.size() < count_max) {
    errno = 0;  // readdir tells the end from an error by errno alone
    const dirent* const entry = ::readdir(directory);
    if (entry == nullptr && errno != 0) return fail_errno(errno, where);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

Result<std::string> take_text(char* allocated, const char* where) {
  if (allocated == nullptr) return fail_errno(errno, where);
  const std::unique_ptr<char, decltype(&::free)> owner(allocated, ::free);
  return std::string(allocated);
}

}  // namespace

Result<void> close(int fd) { return done(::close(fd), "close"); }

Result<UniqueFd> open(const char* path, int flags, unsigned mode) {
  return own(retry([&] { return ::open(path, flags | O_CLOEXEC, mode); }), "open");
}

Result<UniqueFd> open_at(int directory, const char* path, int flags, unsigned mode) {
  return own(retry([&] { return ::openat(directory, path, flags | O_CLOEXEC, mode); }), "open_at");
}

Result<UniqueFd> open_beneath(int directory, const char* path, int flags, bool no_symlinks) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (no_symlinks) how.resolve |= RESOLVE_NO_SYMLINKS;
  return own(retry([&] { return ::syscall(SYS_openat2, directory, path, &how, sizeof how); }),
             "open_beneath");
}

Result<std::size_t> read(int fd, MutableBytes into) {
  return moved(retry([&] { return ::read(fd, into.data(), into.size()); }), "read");
}

Result<std::size_t> pread(int fd, MutableBytes into, std::uint64_t offset) {
  const auto at = static_cast<off_t>(offset);
  return moved(retry([&] { return ::pread(fd, into.data(), into.size(), at); }), "pread");
}

Result<std::size_t> write(int fd, ByteView from) {
  return moved(retry([&] { return ::write(fd, from.data(), from.size()); }), "write");
}

Result<std::size_t> pwrite(int fd, ByteView from, std::uint64_t offset) {
  const auto at = static_cast<off_t>(offset);
  return moved(retry([&] { return ::pwrite(fd, from.data(), from.size(), at); }), "pwrite");
}

Result<struct stat> stat(const char* path) {
  struct stat facts;
  if (::stat(path, &facts) != 0) return fail_errno(errno, "stat");
  return facts;
}

Result<struct stat> fstat(int fd) {
  struct stat facts;
  if (::fstat(fd, &facts) != 0) return fail_errno(errno, "fstat");
  return facts;
}

Result<struct stat> stat_at(int directory, const char* name) {
  struct stat facts;
  if (::fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return fail_errno(errno, "stat_at");
  return facts;
}

Result<void> rename(const char* from, const char* to) { return done(::rename(from, to), "rename"); }

Result<void> unlink(const char* path) { return done(::unlink(path), "unlink"); }

Result<void> mkdir(const char* path, unsigned mode) { return done(::mkdir(path, mode), "mkdir"); }

Result<void> chmod(const char* path, unsigned mode) { return done(::chmod(path, mode), "chmod"); }

Result<void> fsync(int fd) {
  return done(retry([&] { return ::fsync(fd); }), "fsync");
}

Result<void> ftruncate(int fd, std::uint64_t size) {
  return done(retry([&] { return ::ftruncate(fd, static_cast<off_t>(size)); }), "ftruncate");
}

Result<void> chdir(const char* path) { return done(::chdir(path), "chdir"); }

Result<std::string> getcwd() { return take_text(::getcwd(nullptr, 0), "getcwd"); }

Result<std::string> realpath(const char* path) {
  return take_text(::realpath(path, nullptr), "realpath");
}

Result<std::vector<std::string>> list_directory(const char* path) {
  DIR* const directory = ::opendir(path);
  if (directory == nullptr) return fail_errno(errno, "list_directory");
  return names_in(directory, std::numeric_limits<std::size_t>::max(), "list_directory");
}

Result<std::vector<std::string>> list_open_directory(UniqueFd directory, std::size_t count_max) {
  DIR* const opened = ::fdopendir(directory.get());
  if (opened == nullptr) return fail_errno(errno, "list_open_directory");
  static_cast<void>(directory.release());  // it is closed with `opened`
  return names_in(opened, count_max, "list_open_directory");
}

Result<UniqueFd> open_temporary(const char* directory) {
  const int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
  const int fd = retry([&] { return ::open(directory, flags, S_IRUSR | S_IWUSR); });
  if (fd >= 0 || !lacks_anonymous_files(errno)) return own(fd, "open_temporary");

  std::string name = std::string(directory) + "/.ssxrver-XXXXXX";
  auto named = own(::mkostemp(name.data(), O_CLOEXEC), "open_temporary");
  if (named && ::unlink(name.c_str()) != 0) return fail_errno(errno, "open_temporary");
  return named;
}

Result<void> lock_exclusive(int fd) {
  return done(retry([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }), "lock_exclusive");
}

Result<UniqueFd> duplicate(int fd) {
  return own(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "duplicate");
}

Result<void> set_non_blocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return fail_errno(errno, "set_non_blocking");
  return done(::fcntl(fd, F_SETFL, flags | O_NONBLOCK), "set_non_blocking");
}

Result<void> set_close_on_exec(int fd) {
  return done(::fcntl(fd, F_SETFD, FD_CLOEXEC), "set_close_on_exec");
}

}  // namespace ssx::SSX_SYS_NAMESPACE
