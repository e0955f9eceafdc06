#include "ssxrver/base/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "ssxrver/base/mutex.h"

namespace ssx::log {
namespace {

constexpr std::array<std::string_view, 7> kLevelNames{"TRACE", "DEBUG", "INFO", "WARN",
                                                      "ERROR", "FATAL", "OFF"};

struct ModuleLevel {
  std::array<char, kModuleNameMax> name;
  std::uint8_t size;
  std::atomic<std::uint8_t> level;
  [[nodiscard]] std::string_view text() const noexcept { return {name.data(), size}; }
};

// Entries are written before module_count lets readers see them; only their level changes later.
struct Levels {
  Mutex mutex;
  std::atomic<std::uint8_t> common{static_cast<std::uint8_t>(Level::kWarn)};
  std::array<ModuleLevel, kModuleLevelsMax> modules{};

  void publish_floor() SSX_REQUIRES(mutex) {
    std::uint8_t lowest = common.load(std::memory_order_relaxed);
    const auto count = internal::module_count.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) {
      lowest = std::min(lowest, modules[i].level.load(std::memory_order_relaxed));
    }
    internal::level_floor.store(lowest, std::memory_order_relaxed);
  }
};

constinit Levels levels;

std::string with_time(const RecordHeader& header, const std::byte* arguments) {
  std::string message;
  format_message(header, arguments, message);
  if (header.suppressed != 0) message += fmt::format(" ({} more like this)", header.suppressed);
  const std::size_t seconds = header.stamp / 1'000'000'000;
  std::string line =
      fmt::format("{}.{:03} {} {}:{}: ", seconds, header.stamp / 1'000'000 % 1000,
                  to_string(header.site->level), header.site->file, header.site->line);
  append_escaped(message, line);
  line += '\n';
  return line;
}

Slot reserve_for_stderr(const Site& site, std::uint32_t bytes, RecordFlags flags) noexcept {
  if (site.level < Level::kWarn) return {};
  return make_record(site, bytes, flags);
}

constexpr Backend kStderr{reserve_for_stderr, write_to_stderr, nullptr};

}  // namespace

namespace internal {
constinit std::atomic<std::uint8_t> level_floor{static_cast<std::uint8_t>(Level::kWarn)};
constinit std::atomic<std::uint32_t> module_count{0};
constinit std::atomic<std::uint32_t> text_max{8192};
constinit std::atomic<const Backend*> backend{&kStderr};

bool module_admits(const Site& site) noexcept {
  const auto count = module_count.load(std::memory_order_acquire);
  const std::string_view module(site.module, site.module_size);
  std::uint8_t lowest = levels.common.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i) {
    if (levels.modules[i].text() == module) {
      lowest = levels.modules[i].level.load(std::memory_order_relaxed);
      break;
    }
  }
  return static_cast<std::uint8_t>(site.level) >= lowest;
}

void write_formatted(const Site& site, fmt::string_view format, fmt::format_args arguments,
                     std::uint32_t suppressed) noexcept {
  fmt::memory_buffer text;
  try {
    fmt::vformat_to(std::back_inserter(text), format, arguments);
  } catch (const std::exception& problem) {  // the formatter of a type that we do not know
    text.clear();
    text.append(format);
    text.append(std::string_view(" ["));
    text.append(std::string_view(problem.what()));
    text.append(std::string_view("]"));
  }
  write_text(site, {text.data(), text.size()}, suppressed);
}

void write_text(const Site& site, std::string_view text, std::uint32_t suppressed) noexcept {
  write_encoded(site, {.formatted = true, .suppressed = suppressed}, text);
}
}  // namespace internal

std::optional<Level> parse_level(std::string_view name) noexcept {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (std::equal(name.begin(), name.end(), kLevelNames[i].begin(), kLevelNames[i].end(),
                   [&](char a, char b) { return upper(a) == b; })) {
      return static_cast<Level>(i);
    }
  }
  return std::nullopt;
}

std::string_view to_string(Level level) noexcept {
  return kLevelNames[std::min<std::size_t>(static_cast<std::size_t>(level),
                                           kLevelNames.size() - 1)];
}

void set_level(Level level) noexcept {
  MutexLock lock(levels.mutex);
  levels.common.store(static_cast<std::uint8_t>(level), std::memory_order_relaxed);
  levels.publish_floor();
}

Level level() noexcept { return static_cast<Level>(levels.common.load(std::memory_order_relaxed)); }

bool set_module_level(std::string_view module, Level level) noexcept {
  if (module.size() > kModuleNameMax) return false;
  MutexLock lock(levels.mutex);
  const auto count = internal::module_count.load(std::memory_order_relaxed);
  const auto end = levels.modules.begin() + count;
  auto entry = std::find_if(levels.modules.begin(), end,
                            [&](const ModuleLevel& known) { return known.text() == module; });
  if (entry == levels.modules.end()) return false;
  if (entry == end) {
    std::copy(module.begin(), module.end(), entry->name.begin());
    entry->size = static_cast<std::uint8_t>(module.size());
  }
  entry->level.store(static_cast<std::uint8_t>(level), std::memory_order_relaxed);
  if (entry == end) internal::module_count.store(count + 1, std::memory_order_release);
  levels.publish_floor();
  return true;
}

void clear_module_levels() noexcept {
  MutexLock lock(levels.mutex);
  internal::module_count.store(0, std::memory_order_relaxed);
  levels.publish_floor();
}

void set_line_max(std::size_t bytes) noexcept {
  internal::text_max.store(static_cast<std::uint32_t>(bytes), std::memory_order_relaxed);
}

std::size_t line_max() noexcept { return internal::text_max.load(std::memory_order_relaxed); }

void set_backend(const Backend* backend) noexcept {
  internal::backend.store(backend == nullptr ? &kStderr : backend, std::memory_order_release);
}

void attach_thread() noexcept {
  const Backend* const table = internal::backend.load(std::memory_order_acquire);
  if (table->attach != nullptr) table->attach();
}

void write_to_stderr(const Slot& slot) noexcept {
  const std::string line = with_time(*header_of(slot), slot.arguments);
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));  // there is nobody to tell
  free_record(slot);
}

Slot make_record(const Site& site, std::uint32_t bytes, RecordFlags flags) noexcept {
  void* const block = std::malloc(sizeof(RecordHeader) + bytes);
  if (block == nullptr) return {};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  auto* const header = new (block)
      RecordHeader{.site = &site,
                   .stamp = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count()),
                   .bytes = bytes,
                   .suppressed = flags.suppressed,
                   .thread = 0,
                   .cut = flags.cut,
                   .formatted = flags.formatted};
  return {.arguments = reinterpret_cast<std::byte*>(header + 1), .commit = true};
}

RecordHeader* header_of(const Slot& slot) noexcept {
  return reinterpret_cast<RecordHeader*>(slot.arguments) - 1;
}

void free_record(const Slot& slot) noexcept { std::free(header_of(slot)); }

bool RateGate::admit(Nanoseconds now, Nanoseconds interval, std::uint32_t& suppressed) noexcept {
  std::int64_t next = next_.load(std::memory_order_relaxed);
  // One thread wins the exchange; the losers of the same moment count as held back.
  if (now.count() < next ||
      !next_.compare_exchange_strong(next, (now + interval).count(), std::memory_order_relaxed)) {
    suppressed_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  suppressed = suppressed_.exchange(0, std::memory_order_relaxed);
  return true;
}

bool RateGate::admit(Nanoseconds interval, std::uint32_t& suppressed) noexcept {
  return admit(std::chrono::steady_clock::now().time_since_epoch(), interval, suppressed);
}

}  // namespace ssx::log
