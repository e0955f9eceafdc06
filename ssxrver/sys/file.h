// System calls on files, as Results. With its siblings the only folder that talks to the kernel.
//
// Thread: any thread
// Owner:  descriptors are UniqueFd; a plain int is borrowed
// Life:   each call stands alone
// Bounds: EINTR is retried where repeating is safe; every other errno comes back as it is.
//         An error's where() is the function's name
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::sys {

/// Never repeated: Linux frees the descriptor whatever comes back, so an error here only tells that
/// earlier writes may be lost. UniqueFd calls it; call it yourself only to see that error.
Result<void> close(int fd);

/// O_CLOEXEC is added to `flags`.
Result<UniqueFd> open(const char* path, int flags, unsigned mode = 0);
Result<UniqueFd> open_at(int directory, const char* path, int flags, unsigned mode = 0);
/// openat2 with RESOLVE_BENEATH (and RESOLVE_NO_SYMLINKS when asked). ENOSYS where the kernel has
/// none, EXDEV when the path would leave `directory`, EAGAIN when a rename raced with a "..".
Result<UniqueFd> open_beneath(int directory, const char* path, int flags, bool no_symlinks);
Result<std::size_t> read(int fd, MutableBytes into);
Result<std::size_t> pread(int fd, MutableBytes into, std::uint64_t offset);
Result<std::size_t> write(int fd, ByteView from);
Result<std::size_t> pwrite(int fd, ByteView from, std::uint64_t offset);
Result<struct stat> stat(const char* path);
Result<struct stat> fstat(int fd);
/// Of a name in a directory; of a symbolic link itself.
Result<struct stat> stat_at(int directory, const char* name);
Result<void> rename(const char* from, const char* to);
Result<void> unlink(const char* path);
Result<void> mkdir(const char* path, unsigned mode);
Result<void> chmod(const char* path, unsigned mode);
Result<void> fsync(int fd);
Result<void> ftruncate(int fd, std::uint64_t size);
Result<void> chdir(const char* path);
Result<std::string> getcwd();
/// Absolute, without symbolic links.
Result<std::string> realpath(const char* path);
/// Names in a directory, without "." and "..", unsorted.
Result<std::vector<std::string>> list_directory(const char* path);
/// The same of an open directory, but no more than `count_max` of them.
Result<std::vector<std::string>> list_open_directory(UniqueFd directory, std::size_t count_max);
/// An anonymous file in `directory` (O_TMPFILE, else mkstemp + unlink), mode 0600.
Result<UniqueFd> open_temporary(const char* directory);
/// flock(LOCK_EX | LOCK_NB): EWOULDBLOCK when another process holds it.
Result<void> lock_exclusive(int fd);
/// Close-on-exec, and never 0, 1 or 2: a copy must not become somebody's standard output.
Result<UniqueFd> duplicate(int fd);
/// O_NONBLOCK and FD_CLOEXEC for a descriptor that was handed to us (LISTEN_FDS).
Result<void> set_non_blocking(int fd);
Result<void> set_close_on_exec(int fd);

}  // namespace ssx::sys
