#include "ssxrver/plugin/file/library_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>

#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

using Refusal = UnexpectedOf<std::string>;

constexpr unsigned kOthersWrite = S_IWGRP | S_IWOTH;

std::string join(const std::string& folder, const std::string& name) {
  return (folder.empty() ? "." : folder) + (folder.ends_with("/") ? "" : "/") + name;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Whoever may write to it could change what is loaded.
std::string object_to_rights(const std::string& path, const struct stat& status) {
  const bool is_ours = status.st_uid == 0 || status.st_uid == sys::effective_user();
  if (!is_ours) {
    return fmt::format("\"{}\" belongs to user {}; wanted root or user {}", path, status.st_uid,
                       sys::effective_user());
  }
  const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & kOthersWrite) == 0 || is_sticky) return {};
  return fmt::format("\"{}\" can be written to by others (mode {:04o}): chmod go-w", path,
                     status.st_mode & 07777U);
}

std::string object_to_file(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return fmt::format("\"{}\" is no regular file", path);
  if (auto why = object_to_rights(path, status); !why.empty()) return why;
  const std::string folder = folder_of(path);
  const auto around = sys::stat(folder.c_str());
  if (!around) return fmt::format("\"{}\": {}", folder, around.error().code().message());
  return object_to_rights(folder, *around);
}

Expected<FoundLibrary, std::string> take(std::string path) {
  // A name that waits for a writer must not hold up the start.
  auto fd = sys::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd && fd.error().is_errno(ELOOP)) {
    return Refusal(fmt::format("\"{}\" is a symbolic link: name the file itself", path));
  }
  if (!fd) return Refusal(fmt::format("\"{}\": {}", path, fd.error().code().message()));
  const auto status = sys::fstat(fd->get());
  if (!status) return Refusal(fmt::format("\"{}\": {}", path, status.error().code().message()));
  if (auto why = object_to_file(path, *status); !why.empty()) return Refusal(std::move(why));
  return FoundLibrary{std::move(path), *std::move(fd)};
}

}  // namespace

Expected<FoundLibrary, std::string> find_library(const std::string& name,
                                                 const std::vector<std::string>& folders) {
  if (name.find('/') != std::string::npos) return take(name);
  for (const std::string& folder : folders) {
    std::string path = join(folder, name);
    const auto status = sys::stat(path.c_str());
    const bool is_missing =
        !status && (status.error().is_errno(ENOENT) || status.error().is_errno(ENOTDIR));
    if (!is_missing) return take(std::move(path));
  }
  if (folders.empty()) {
    return Refusal(fmt::format("\"{}\" has no '/', and there is no folder to look in", name));
  }
  return Refusal(fmt::format("there is no \"{}\" in \"{}\"", name, fmt::join(folders, "\" or \"")));
}

}  // namespace ssx
