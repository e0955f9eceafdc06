#include "http/files/root_directory.h"

#include <cerrno>
#include <utility>

namespace ssx::http {
namespace {

// O_NONBLOCK: opening a FIFO must not wait for somebody to write into it.
constexpr int kFileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

constexpr int kTriesMax = 8;

bool is_of_kind(const struct stat& facts, unsigned kind) noexcept {
  return (facts.st_mode & S_IFMT) == kind;
}

bool is_served(const struct stat& facts) noexcept {
  return is_of_kind(facts, S_IFREG) || is_of_kind(facts, S_IFDIR);
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

Result<RootDirectory::Listing> RootDirectory::list(const std::string& path, const File& folder,
                                                   std::size_t names_max) const {
  SSX_TRY(sys::UniqueFd fd, sys::duplicate(folder.fd.get()));
  SSX_TRY(auto names, sys::list_open_directory(std::move(fd), names_max + 1));
  Listing listing;
  listing.is_cut = names.size() > names_max;
  if (listing.is_cut) names.pop_back();
  listing.entries.reserve(names.size());
  for (std::string& name : names) {
    const auto facts = facts_of(path, folder, name);
    if (!facts || !is_served(*facts)) continue;  // gone meanwhile, or nothing for us
    const bool is_folder = is_of_kind(*facts, S_IFDIR);
    const auto size = is_folder ? 0 : static_cast<std::uint64_t>(facts->st_size);
    listing.entries.push_back({std::move(name), is_folder, size, facts->st_mtim.tv_sec});
  }
  return listing;
}

// A link is looked at as whoever asks for it would meet it.
Result<struct stat> RootDirectory::facts_of(const std::string& path, const File& folder,
                                            const std::string& name) const {
  SSX_TRY(const struct stat facts, sys::stat_at(folder.fd.get(), name.c_str()));
  if (!is_of_kind(facts, S_IFLNK)) return facts;
  SSX_TRY(const File target, open_file(path + name));
  return target.facts;
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
