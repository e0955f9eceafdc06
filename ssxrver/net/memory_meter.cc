#include "ssxrver/net/memory_meter.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ssxrver/base/strings.h"
#include "ssxrver/net/error.h"
#include "ssxrver/sys/file.h"

namespace ssx::net {
namespace {

constexpr std::size_t kFileMax = 4096;
constexpr std::uint64_t kPage = 4096;  // the unit of statm on every machine that we build for

// Version 1 says so when there is no limit: the largest number of whole pages.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;

// One read: these files are made when they are read.
Result<std::string> read_small(const std::string& path) {
  SSX_TRY(const sys::UniqueFd file, sys::open(path.c_str(), O_RDONLY));
  std::array<std::byte, kFileMax> bytes{};
  SSX_TRY(const std::size_t size, sys::read(file.get(), bytes));
  return std::string(as_text(ByteView(bytes).first(size)));
}

std::optional<std::uint64_t> read_limit(const std::string& path) {
  const auto text = read_small(path);
  if (!text) return std::nullopt;
  const auto bytes = parse_uint(std::string_view(*text).substr(0, text->find('\n')));
  return bytes && *bytes < kNoLimit ? bytes : std::nullopt;
}

void keep_least(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> found) {
  if (found) least = std::min(least.value_or(*found), *found);
}

// From the group itself up to the root of the hierarchy: each of them may have a limit.
std::optional<std::uint64_t> least_above(const std::string& mount, std::string_view group,
                                         const char* file) {
  std::optional<std::uint64_t> least;
  while (group.size() > 1) {
    keep_least(least, read_limit(mount + std::string(group) + file));
    group = group.substr(0, group.rfind('/'));
  }
  keep_least(least, read_limit(mount + file));
  return least;
}

bool names_memory(std::string_view controllers) {
  bool found = false;
  for_each_part(controllers, ',',
                [&found](std::string_view part) { found = found || part == "memory"; });
  return found;
}

}  // namespace

// proc_pid_statm(5): size, resident, shared (of files and shared memory), ..., in pages.
Result<std::uint64_t> resident_memory() {
  SSX_TRY(const std::string text, read_small("/proc/self/statm"));
  std::array<std::uint64_t, 3> pages{};
  std::size_t count = 0;
  for_each_part(text, ' ', [&pages, &count](std::string_view part) {
    if (count < pages.size()) pages[count++] = parse_uint(part).value_or(0);
  });
  return (pages[1] - std::min(pages[1], pages[2])) * kPage;
}

// cgroups(7): lines of "hierarchy:controllers:path"; version 2 has hierarchy 0 and no controllers.
std::optional<std::uint64_t> control_group_memory(const std::string& root) {
  const auto text = read_small(root + "/proc/self/cgroup");
  if (!text) return std::nullopt;
  std::optional<std::uint64_t> least;
  for_each_part(*text, '\n', [&root, &least](std::string_view line) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == line.npos ? first : first + 1);
    if (second == line.npos) return;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers.empty()) {
      keep_least(least, least_above(root + "/sys/fs/cgroup", group, "/memory.max"));
    } else if (names_memory(controllers)) {
      keep_least(least,
                 least_above(root + "/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes"));
    }
  });
  return least;
}

}  // namespace ssx::net
