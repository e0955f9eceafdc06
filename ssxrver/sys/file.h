// System calls on files, as Results. With its siblings the only folder that talks to the kernel.
//
// Thread: any thread
// Owner:  descriptors are UniqueFd; a plain int is borrowed
// Life:   each call stands alone
// Bounds: EINTR is retried where repeating is safe; every other errno comes back as it is
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::sys {

/// O_CLOEXEC is added to `flags`.
Result<UniqueFd> open(const char* path, int flags, unsigned mode = 0);
Result<UniqueFd> open_at(int directory, const char* path, int flags, unsigned mode = 0);
/// openat2 with RESOLVE_BENEATH (and RESOLVE_NO_SYMLINKS when asked). ENOSYS where the kernel has
/// none.
Result<UniqueFd> open_beneath(int directory, const char* path, int flags, bool no_symlinks);
Result<std::size_t> read(int fd, MutableBytes into);
Result<std::size_t> pread(int fd, MutableBytes into, std::uint64_t offset);
Result<std::size_t> write(int fd, ByteView from);
Result<std::size_t> pwrite(int fd, ByteView from, std::uint64_t offset);
Result<struct stat> stat(const char* path);
Result<struct stat> fstat(int fd);
Result<void> rename(const char* from, const char* to);
Result<void> unlink(const char* path);
Result<void> mkdir(const char* path, unsigned mode);
Result<void> fsync(int fd);
Result<void> ftruncate(int fd, std::uint64_t size);
Result<void> chdir(const char* path);
Result<std::string> getcwd();
Result<std::string> realpath(const char* path);
/// Names in a directory, without "." and "..", unsorted.
Result<std::vector<std::string>> list_directory(const char* path);
/// An anonymous file in `directory` (O_TMPFILE, else mkstemp + unlink), mode 0600.
Result<UniqueFd> open_temporary(const char* directory);
/// flock(LOCK_EX | LOCK_NB): EWOULDBLOCK when another process holds it.
Result<void> lock_exclusive(int fd);
Result<UniqueFd> duplicate(int fd);

}  // namespace ssx::sys
