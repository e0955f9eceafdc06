// Opens files below one directory, and nowhere else: whatever the path says, whatever links lie
// there.
//
// Thread: any thread
// Owner:  StaticHandler
// Life:   that of the server; the directory stays the one that was opened, even if it is renamed
// Bounds: regular files and folders only; list() reads as many names as it is told
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::http {

class RootDirectory {
 public:
  static Result<RootDirectory> open(const std::string& path, bool follow_symlinks);

  struct File {
    sys::UniqueFd fd;
    struct stat facts;
  };
  /// `path` is relative and normalised, e.g. "css/site.css"; "" is the directory itself. ENOENT for
  /// what is neither a regular file nor a directory, EXDEV for what leaves the directory, ELOOP for
  /// a link where none may be.
  [[nodiscard]] Result<File> open_file(const std::string& path) const;

  /// One name in a folder.
  struct Entry {
    std::string name;
    bool is_folder = false;
    std::uint64_t size = 0;     ///< of a file
    std::int64_t modified = 0;  ///< seconds
  };
  struct Listing {
    std::vector<Entry> entries;  ///< in no order
    bool is_cut = false;         ///< there are more names than `names_max`
  };
  /// What open_file would open in a folder: `path` is "" or ends in "/", and `folder` what
  /// open_file said of it. Of the other things, and of links that may not be followed, nothing.
  [[nodiscard]] Result<Listing> list(const std::string& path, const File& folder,
                                     std::size_t names_max) const;

 private:
  RootDirectory(sys::UniqueFd fd, bool follow_symlinks) noexcept
      : fd_(std::move(fd)), follow_symlinks_(follow_symlinks) {}

  [[nodiscard]] Result<sys::UniqueFd> open_below(const std::string& path) const;
  [[nodiscard]] Result<struct stat> facts_of(const std::string& path, const File& folder,
                                             const std::string& name) const;
  [[nodiscard]] Result<sys::UniqueFd> walk(std::string_view path) const;

  sys::UniqueFd fd_;
  bool follow_symlinks_;
};

}  // namespace ssx::http
