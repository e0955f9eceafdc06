#include "ssxrver/log/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ssxrver/log/civil_time.h"
#include "ssxrver/sys/file.h"

namespace ssx::log {
namespace {

constexpr std::string_view kSuffix = ".log";
constexpr std::size_t kStampSize = 15;  // YYYYmmdd-HHMMSS

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Found {
  std::string name;
  unsigned long collision;
  std::uint64_t size;
  WallTime changed;
};

/// The number behind ".log", 0 when there is none.
unsigned long collision_of(std::string_view name) {
  const std::string digits(name.substr(name.rfind('.') + 1));
  return all_digits(digits) ? std::stoul(digits.substr(0, 9)) : 0;
}

std::vector<Found> list(const std::string& folder, std::string_view base) {
  std::vector<Found> files;
  auto names = sys::list_directory(folder.empty() ? "." : folder.c_str());
  if (!names) return files;
  for (std::string& name : *names) {
    if (!is_file_of(base, name)) continue;
    const auto status = sys::stat((folder + name).c_str());
    if (!status || !S_ISREG(status->st_mode)) continue;
    const unsigned long collision = collision_of(name);
    files.push_back({.name = std::move(name),
                     .collision = collision,
                     .size = static_cast<std::uint64_t>(status->st_size),
                     .changed = WallTime(std::chrono::seconds(status->st_mtim.tv_sec))});
  }
  // The stamp has a fixed width, so its text order is its age; the collisions count upwards.
  const std::size_t stamp_end = base.size() + 1 + kStampSize;
  std::sort(files.begin(), files.end(), [stamp_end](const Found& a, const Found& b) {
    const int order = a.name.compare(0, stamp_end, b.name, 0, stamp_end);
    return order != 0 ? order < 0 : a.collision < b.collision;
  });
  return files;
}

}  // namespace

std::string file_path(std::string_view folder, std::string_view base, WallTime when,
                      unsigned collision) {
  std::string path = fmt::format("{}{}.{}{}", folder, base, file_stamp(when), kSuffix);
  if (collision != 0) path += fmt::format(".{}", collision);
  return path;
}

std::string as_folder(std::string_view path) {
  std::string folder(path);
  if (!folder.empty() && folder.back() != '/') folder += '/';
  return folder;
}

bool is_file_of(std::string_view base, std::string_view name) {
  if (!name.starts_with(base)) return false;
  name.remove_prefix(base.size());
  if (name.size() < 1 + kStampSize + kSuffix.size() || name[0] != '.' || name[9] != '-')
    return false;
  if (!all_digits(name.substr(1, 8)) || !all_digits(name.substr(10, 6))) return false;
  name.remove_prefix(1 + kStampSize);
  if (!name.starts_with(kSuffix)) return false;
  name.remove_prefix(kSuffix.size());
  return name.empty() || (name[0] == '.' && all_digits(name.substr(1)));
}

std::size_t retire(const std::string& folder, std::string_view base, const std::string& current,
                   const Retention& keep, WallTime now) {
  if (keep.files == 0 && keep.bytes == 0 && keep.age.count() == 0) return 0;
  const std::vector<Found> files = list(folder, base);
  std::size_t count = files.size();
  std::uint64_t bytes = 0;
  for (const Found& file : files) bytes += file.size;
  std::size_t removed = 0;
  for (const Found& file : files) {
    const bool many = keep.files != 0 && count > keep.files;
    const bool large = keep.bytes != 0 && bytes > keep.bytes;
    const bool old = keep.age.count() != 0 && now - file.changed > keep.age;
    if (folder + file.name == current || !(many || large || old)) continue;
    if (!sys::unlink((folder + file.name).c_str())) continue;
    --count;
    bytes -= file.size;
    ++removed;
  }
  return removed;
}

}  // namespace ssx::log
