// By what it is seen that a file has become another one, or other bytes, without reading it.
//
// Thread: a value
// Owner:  -
// Life:   -
// Bounds: what the file system tells: whoever writes and sets the time back is not seen
#pragma once

#include <cstdint>

#include "ssxrver/sys/file.h"

namespace ssx {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;

  [[nodiscard]] static FileStamp of(const struct stat& status) noexcept {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return {status.st_dev, status.st_ino, status.st_size,
            status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec};
  }
  bool operator==(const FileStamp&) const = default;
};

}  // namespace ssx
