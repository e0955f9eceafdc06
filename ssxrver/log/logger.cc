#include "ssxrver/log/logger.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/log/async_backend.h"
#include "ssxrver/log/output.h"
#include "ssxrver/sys/process.h"

namespace ssx::log {
namespace {

// As the facade's back end these outlive every logger: a thread may be on its way in.
constinit std::atomic<bool> installed{false};
constinit Mutex console_mutex;
constinit Output* console_output SSX_GUARDED_BY(console_mutex) = nullptr;

/// Formats and writes in the thread that logs.
void commit_at_once(const Slot& slot) noexcept {
  RecordHeader& header = *header_of(slot);
  header.thread = static_cast<std::uint32_t>(sys::thread_id());
  {
    const MutexLock lock(console_mutex);
    if (console_output != nullptr) {
      try {
        console_output->write(header, slot.arguments, WallTime(Duration(header.stamp)));
        console_output->flush();
      } catch (const std::exception&) {
        // No memory for this line.
      }
      free_record(slot);
      return;
    }
  }
  write_to_stderr(slot);
}

constexpr Backend kAtOnce{make_record, commit_at_once, nullptr};

template <std::size_t... kNumbers>
constexpr auto stream_sites(std::index_sequence<kNumbers...>) {
  return std::array{Site{.file = "",
                         .module = "",
                         .format = "",
                         .types = nullptr,
                         .format_size = 0,
                         .line = 0,
                         .module_size = 0,
                         .arguments = 0,
                         .level = Level::kInfo,
                         .stream = static_cast<std::uint8_t>(kNumbers)}...};
}
constexpr auto kStreamSites = stream_sites(std::make_index_sequence<kLineFilesMax + 1>());

void write_line(void* context, std::string_view line) noexcept {
  internal::write_text(*static_cast<const Site*>(context), line, 0);
}

void set_levels(const LogOptions& options) {
  clear_module_levels();
  for (const auto& [module, level] : options.levels) {
    const bool set = set_module_level(module, level);
    SSX_ASSERT(set, module);  // validate() has counted them
  }
  set_level(options.level);
  set_line_max(options.line_max);
}

}  // namespace

class Logger::Impl {
 public:
  Impl(const LogOptions& options, const Clock& clock) : output_(options, clock) {}

  ~Impl() {
    set_backend(nullptr);
    backend_.reset();
    const MutexLock lock(console_mutex);
    console_output = nullptr;
  }

  Result<void> start(const LogOptions& options, const Clock& clock) {
    if (options.async) {
      SSX_TRY(backend_, AsyncBackend::start(options, output_, clock));
      return {};
    }
    const MutexLock lock(console_mutex);
    console_output = &output_;
    set_backend(&kAtOnce);
    return {};
  }

  Output& output() noexcept { return output_; }
  AsyncBackend* backend() noexcept { return backend_.get(); }

 private:
  Output output_;
  std::unique_ptr<AsyncBackend> backend_;
};

Logger::Logger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Logger::~Logger() {
  impl_.reset();
  installed.store(false);
}

StartupResult<std::unique_ptr<Logger>> Logger::install(const LogOptions& options,
                                                       const Clock& clock) {
  if (const auto valid = validate(options); !valid) {
    return fail_start(ExitCode::kConfig, fmt::format("{}: out of range", valid.error().where()));
  }
  if (installed.exchange(true)) {
    return fail_start(ExitCode::kSoftware, "log: a logger is installed already");
  }
  auto impl = std::make_unique<Impl>(options, clock);
  auto started = impl->output().open();
  if (!started) {
    installed.store(false);
    const std::string& folder = impl->output().folder();
    return fail_start(
        ExitCode::kCannotCreate,
        fmt::format("log: no file can be made in {}: {}; change log.path, or the folder's rights",
                    folder.empty() ? "./" : folder, started.error().code().message()));
  }
  started = impl->start(options, clock);
  if (!started) {
    impl.reset();
    installed.store(false);
    return fail_start(ExitCode::kSystem, fmt::format("log: {}", started.error().message()));
  }
  set_levels(options);
  return std::unique_ptr<Logger>(new Logger(std::move(impl)));
}

bool Logger::flush(Duration time) {
  if (impl_->backend() != nullptr) return RingHub::instance().flush(time);
  const MutexLock lock(console_mutex);
  return impl_->output().flush();
}

void Logger::reopen() {
  if (impl_->backend() != nullptr) return impl_->backend()->reopen();
  const MutexLock lock(console_mutex);
  impl_->output().reopen();
}

Result<LineSink> Logger::open_lines(const LineFileOptions& options) {
  SSX_TRY(const std::uint8_t number, impl_->output().add_lines(options));
  // The sites are constants; the pointer is only written through by nobody.
  return LineSink(write_line, const_cast<Site*>(&kStreamSites[number]));
}

LogStats Logger::stats() const noexcept {
  const RollingFile::Counts counts = impl_->output().counts();
  const AsyncBackend* const backend = impl_->backend();
  return {.written = counts.written,
          .lost_overflow = backend == nullptr ? 0 : backend->lost(),
          .lost_file = counts.lost,
          .files = counts.files,
          .file_failures = counts.failures,
          .cut = impl_->output().cut(),
          .files_removed = counts.removed};
}

}  // namespace ssx::log
