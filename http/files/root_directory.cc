#include "http/files/root_directory.h"

#include <cerrno>
#include <utility>

namespace ssx::http {
namespace {

// O_NONBLOCK: opening a FIFO must not wait for somebody to write into it.
constexpr int kFileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

constexpr int kTriesMax = 8;

bool is_served(const struct stat& facts) noexcept {
  return (facts.st_mode & S_IFMT) == S_IFREG || (facts.st_mode & S_IFMT) == S_IFDIR;
}

}  // namespace

Result<RootDirectory> RootDirectory::open(const std::string& path, bool follow_symlinks) {
  SSX_TRY(sys::UniqueFd fd, sys::open(path.c_str(), O_RDONLY | O_DIRECTORY));
  return RootDirectory(std::move(fd), follow_symlinks);
}

Result<RootDirectory::File> RootDirectory::open_file(const std::string& path) const {
  SSX_TRY(sys::UniqueFd fd, open_below(path.empty() ? "." : path));
  SSX_TRY(const struct stat facts, sys::fstat(fd.get()));
  if (!is_served(facts)) return fail_errno(ENOENT, "open");
  return File{std::move(fd), facts};
}

// EAGAIN: something was renamed while a link with ".." was followed, so that the kernel cannot say
// where the way led.
Result<sys::UniqueFd> RootDirectory::open_below(const std::string& path) const {
  for (int tries = 1;; ++tries) {
    auto opened = sys::open_beneath(fd_.get(), path.c_str(), kFileFlags, !follow_symlinks_);
    if (opened) return opened;
    if (opened.error().is_errno(ENOSYS) || opened.error().is_errno(EPERM)) return walk(path);
    if (!opened.error().is_errno(EAGAIN) || tries == kTriesMax) return opened;
  }
}

// Without openat2 (before Linux 5.6, or a sandbox that knows no such call and says EPERM): step by
// step, never through a link, whatever the option says.
Result<sys::UniqueFd> RootDirectory::walk(std::string_view path) const {
  SSX_TRY(sys::UniqueFd at, sys::duplicate(fd_.get()));
  while (true) {
    const auto slash = path.find('/');
    const std::string segment(path.substr(0, slash));
    if (segment == ".." || (segment.empty() && slash != std::string_view::npos)) {
      return fail_errno(EXDEV, "open");
    }
    const bool is_last = slash == std::string_view::npos || slash + 1 == path.size();
    const int flags = is_last ? kFileFlags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW;
    SSX_TRY(at, sys::open_at(at.get(), segment.c_str(), flags));
    if (is_last) return at;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace ssx::http
