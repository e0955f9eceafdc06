// The log facade that every layer uses: SSX_LOG_INFO("{} of {}", done, all).
//
// A call below SSX_LOG_FLOOR costs nothing, a call below the level of the moment one relaxed load.
// What passes is not formatted here: the arguments are copied (log_record.h) into room that the
// installed back end gives, and formatted later. ssxrver/log installs one; without it WARN and
// above go to stderr. The format string is checked against the arguments when the call is compiled.
//
// FATAL does not end the process. Its line is on disk when the call returns (or a second has
// passed); what happens next is the caller's decision.
//
// Thread: any thread
// Owner:  the back end's table belongs to ssxrver/log and is never freed
// Life:   usable before main and after every other object has gone
// Bounds: 16 arguments; log.line_max bytes of text in one line; 32 modules with a level of their
// own
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "ssxrver/base/log_record.h"

#define SSX_LEVEL_TRACE 0
#define SSX_LEVEL_DEBUG 1
#define SSX_LEVEL_INFO 2
#define SSX_LEVEL_WARN 3
#define SSX_LEVEL_ERROR 4
#define SSX_LEVEL_FATAL 5
#define SSX_LEVEL_OFF 6

// The lowest level that is compiled in; the CMake variable of the same name sets it.
#ifndef SSX_LOG_FLOOR
#ifdef NDEBUG
#define SSX_LOG_FLOOR SSX_LEVEL_DEBUG
#else
#define SSX_LOG_FLOOR SSX_LEVEL_TRACE
#endif
#endif

namespace ssx::log {

inline constexpr std::size_t kModuleLevelsMax = 32;
inline constexpr std::size_t kModuleNameMax = 31;

/// "INFO" or "info" to Level::kInfo.
[[nodiscard]] std::optional<Level> parse_level(std::string_view name) noexcept;
[[nodiscard]] std::string_view to_string(Level level) noexcept;

/// The level of every module that has none of its own. Starts as WARN.
void set_level(Level level) noexcept;
[[nodiscard]] Level level() noexcept;

/// A level for the lines of one module: the folder below ssxrver/ (`net`, `log`), else the top
/// folder
/// (`http`), else the source's own folder. False when kModuleLevelsMax modules have one already, or
/// the name is longer than kModuleNameMax.
[[nodiscard]] bool set_module_level(std::string_view module, Level level) noexcept;
void clear_module_levels() noexcept;

/// Text beyond this many bytes in one line is cut; the back end marks the cut.
void set_line_max(std::size_t bytes) noexcept;
[[nodiscard]] std::size_t line_max() noexcept;

/// Room for one record, as a back end hands it out. `arguments` is null when the line is dropped.
struct Slot {
  std::byte* arguments = nullptr;
  std::atomic<std::uint64_t>* tail = nullptr;  ///< published with `next` when no `commit` is wanted
  std::uint64_t next = 0;
  bool commit = false;  ///< call Backend::commit instead of storing `tail`
};

/// SEAM: where lines go. Three functions, and no state of their own: a caller may be inside one
/// while another back end is being installed.
struct Backend {
  Slot (*reserve)(const Site& site, std::uint32_t bytes, RecordFlags flags) noexcept;
  void (*commit)(const Slot& slot) noexcept;
  void (*attach)() noexcept;  ///< prepares the calling thread; may be null
};

/// Null: back to WARN and above on stderr.
void set_backend(const Backend* backend) noexcept;

/// For the start of a thread: whatever the back end needs to report that this thread has crashed.
void attach_thread() noexcept;

/// One line on stderr, as without a back end. Frees the record.
void write_to_stderr(const Slot& slot) noexcept;

/// For back ends that take a line where it is made: the record in a block of its own, handed to
/// `consume` in commit(). `Backend{make_record, +[](const Slot& s) noexcept { ... }, nullptr}`
Slot make_record(const Site& site, std::uint32_t bytes, RecordFlags flags) noexcept;
[[nodiscard]] RecordHeader* header_of(const Slot& slot) noexcept;
void free_record(const Slot& slot) noexcept;

/// Lets one line through per interval; counts the others. For what a peer could repeat at will.
class RateGate {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  // NOLINTNEXTLINE(modernize-use-equals-default): GCC 12 makes none for a line below SSX_LOG_FLOOR
  constexpr RateGate() noexcept {}

  /// True: write the line, and say that `suppressed` like it were not written.
  [[nodiscard]] bool admit(Nanoseconds now, Nanoseconds interval,
                           std::uint32_t& suppressed) noexcept;
  [[nodiscard]] bool admit(Nanoseconds interval, std::uint32_t& suppressed) noexcept;

 private:
  std::atomic<std::int64_t> next_{INT64_MIN};
  std::atomic<std::uint32_t> suppressed_{0};
};

namespace internal {
extern std::atomic<std::uint8_t> level_floor;    // the lowest level that any module lets through
extern std::atomic<std::uint32_t> module_count;  // modules with a level of their own
extern std::atomic<std::uint32_t> text_max;
extern std::atomic<const Backend*> backend;

/// The second look, only where some module has a level of its own.
[[nodiscard]] bool module_admits(const Site& site) noexcept;

/// A line that is finished: its message is `text`.
void write_text(const Site& site, std::string_view text, std::uint32_t suppressed) noexcept;

/// A line with arguments that have no encoding: it is formatted here.
void write_formatted(const Site& site, fmt::string_view format, fmt::format_args arguments,
                     std::uint32_t suppressed) noexcept;

template <class... W>
void write_record(const Site& site, RecordFlags flags, const W&... wires) noexcept {
  const std::size_t bytes = (std::size_t{0} + ... + encoded_size(wires));
  const Backend* const table = backend.load(std::memory_order_acquire);
  const Slot slot = table->reserve(site, static_cast<std::uint32_t>(bytes), flags);
  if (slot.arguments == nullptr) return;
  [[maybe_unused]] std::byte* at = slot.arguments;
  ((at = encode(at, wires)), ...);
  if (slot.commit) [[unlikely]] {
    table->commit(slot);
  } else {
    slot.tail->store(slot.next, std::memory_order_release);
  }
}

// Apart from write_encoded(), so that there the sizes of literals are constants.
template <class... W>
[[gnu::cold, gnu::noinline]] void write_shortened(const Site& site, RecordFlags flags,
                                                  const W&... wires) noexcept {
  std::size_t room = text_max.load(std::memory_order_relaxed);
  flags.cut = true;
  const std::tuple kept{shorten(wires, room)...};
  std::apply([&](const auto&... parts) { write_record(site, flags, parts...); }, kept);
}

template <class... W>
void write_encoded(const Site& site, RecordFlags flags, const W&... wires) noexcept {
  if constexpr ((kIsText<W> || ...)) {
    if ((text_size(wires) + ...) > text_max.load(std::memory_order_relaxed)) [[unlikely]] {
      return write_shortened(site, flags, wires...);
    }
  }
  write_record(site, flags, wires...);
}

template <class... W>
void write_wires(const Site& site, std::uint32_t suppressed, const W&... wires) noexcept {
  if constexpr ((kEncodable<W> && ...)) {
    write_encoded(site, {.suppressed = suppressed}, wires...);
  } else {
    write_formatted(site, {site.format, site.format_size}, fmt::make_format_args(wires...),
                    suppressed);
  }
}

template <class... Args>
void write(const Site& site, std::uint32_t suppressed, const Args&... args) noexcept {
  static_assert(sizeof...(Args) <= kArgumentsMax, "a log line takes at most 16 arguments");
  if (module_count.load(std::memory_order_relaxed) != 0 && !module_admits(site)) [[unlikely]]
    return;
  write_wires(site, suppressed, to_wire(args)...);
}
}  // namespace internal

/// One relaxed load: true when some module may write at this level.
[[nodiscard]] inline bool enabled(Level level) noexcept {
  return static_cast<std::uint8_t>(level) >= internal::level_floor.load(std::memory_order_relaxed);
}

}  // namespace ssx::log

#define SSX_LOG_SITE_(number, format, ...)                                                \
  ::ssx::log::internal::make_site<decltype(::ssx::log::internal::wires_of(__VA_ARGS__))>( \
      static_cast<::ssx::log::Level>(number), __FILE__, __LINE__, format)

#define SSX_LOG_AT_(number, format, ...)                                              \
  do {                                                                                \
    if constexpr ((number) >= SSX_LOG_FLOOR) {                                        \
      if (::ssx::log::enabled(static_cast<::ssx::log::Level>(number))) [[unlikely]] { \
        static constexpr auto ssx_log_site =                                          \
            SSX_LOG_SITE_(number, format __VA_OPT__(, ) __VA_ARGS__);                 \
        ::ssx::log::internal::write(ssx_log_site, 0 __VA_OPT__(, ) __VA_ARGS__);      \
      }                                                                               \
    }                                                                                 \
  } while (false)

#define SSX_LOG_TRACE(...) SSX_LOG_AT_(SSX_LEVEL_TRACE, __VA_ARGS__)
#define SSX_LOG_DEBUG(...) SSX_LOG_AT_(SSX_LEVEL_DEBUG, __VA_ARGS__)
#define SSX_LOG_INFO(...) SSX_LOG_AT_(SSX_LEVEL_INFO, __VA_ARGS__)
#define SSX_LOG_WARN(...) SSX_LOG_AT_(SSX_LEVEL_WARN, __VA_ARGS__)
#define SSX_LOG_ERROR(...) SSX_LOG_AT_(SSX_LEVEL_ERROR, __VA_ARGS__)
#define SSX_LOG_FATAL(...) SSX_LOG_AT_(SSX_LEVEL_FATAL, __VA_ARGS__)

/// SSX_LOG_RATED(WARN, std::chrono::seconds(1), "accept: {}", error): at most one line per interval
/// from this place, whatever the number of threads; the next line tells how many it stands for.
#define SSX_LOG_RATED(level, interval, format, ...)                                              \
  do {                                                                                           \
    if constexpr (SSX_LEVEL_##level >= SSX_LOG_FLOOR) {                                          \
      if (::ssx::log::enabled(static_cast<::ssx::log::Level>(SSX_LEVEL_##level))) [[unlikely]] { \
        static constinit ::ssx::log::RateGate ssx_log_gate;                                      \
        static constexpr auto ssx_log_site =                                                     \
            SSX_LOG_SITE_(SSX_LEVEL_##level, format __VA_OPT__(, ) __VA_ARGS__);                 \
        std::uint32_t ssx_log_suppressed = 0;                                                    \
        if (ssx_log_gate.admit(interval, ssx_log_suppressed)) {                                  \
          ::ssx::log::internal::write(ssx_log_site,                                              \
                                      ssx_log_suppressed __VA_OPT__(, ) __VA_ARGS__);            \
        }                                                                                        \
      }                                                                                          \
    }                                                                                            \
  } while (false)
