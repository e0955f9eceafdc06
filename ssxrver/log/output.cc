#include "ssxrver/log/output.h"

#include <fmt/format.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/base_sink.h>

#include <cstring>
#include <exception>
#include <utility>

#include "ssxrver/sys/process.h"

namespace ssx::log {
namespace {

/// Lines come to the sinks finished; what is left is to say where the level stands.
class FinishedLine final : public spdlog::formatter {
 public:
  explicit FinishedLine(const LineFormatter::Range& level) : level_(level) {}
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    message.color_range_start = level_.start;
    message.color_range_end = level_.end;
    to.append(message.payload.data(), message.payload.data() + message.payload.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<FinishedLine>(level_);
  }

 private:
  const LineFormatter::Range& level_;
};

class RollingFileSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit RollingFileSink(RollingFile& file) : file_(file) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    file_.append({message.payload.data(), message.payload.size()},
                 std::chrono::time_point_cast<Duration>(message.time));
  }
  void flush_() override { file_.flush(); }

 private:
  RollingFile& file_;
};

spdlog::level::level_enum spdlog_level(Level level) {
  return static_cast<spdlog::level::level_enum>(level);
}

}  // namespace

class Output::Sinks {
 public:
  void add_console() {
    auto console = std::make_unique<spdlog::sinks::ansicolor_stdout_sink_st>();
    console->set_formatter(std::make_unique<FinishedLine>(level_));
    sinks_.push_back(std::move(console));
  }
  void add_file(RollingFile& file) { sinks_.push_back(std::make_unique<RollingFileSink>(file)); }

  void write(const Line& line, std::string_view finished, LineFormatter::Range level) {
    using TimePoint = spdlog::log_clock::time_point;
    level_ = level;
    spdlog::details::log_msg message(std::chrono::time_point_cast<TimePoint::duration>(line.time),
                                     {line.file, static_cast<int>(line.line), ""},
                                     {line.module.data(), line.module.size()},
                                     spdlog_level(line.level), {finished.data(), finished.size()});
    message.thread_id = line.thread;
    for (const auto& sink : sinks_) {
      if (sink->should_log(message.level)) sink->log(message);
    }
  }
  void flush() {
    for (const auto& sink : sinks_) sink->flush();
  }

 private:
  LineFormatter::Range level_;
  std::vector<std::unique_ptr<spdlog::sinks::sink>> sinks_;
};

Output::Output(const LogOptions& options, const Clock& clock)
    : options_(options),
      clock_(clock),
      folder_(as_folder(options.path)),
      formatter_(options),
      sinks_(std::make_unique<Sinks>()) {
  if (!options_.async || options_.console) sinks_->add_console();
}

// The files of line sinks go first: what they lose at the end is for the log to tell.
Output::~Output() {
  {
    const MutexLock lock(lines_mutex_);
    for (auto& slot : lines_) slot.store(nullptr, std::memory_order_release);
    lines_owned_.clear();
  }
  for (const std::string& text : notes_) note(Level::kWarn, text);
  if (!notes_.empty()) sinks_->flush();
}

std::unique_ptr<RollingFile> Output::make_file(std::string folder, std::string base_name,
                                               RollingFile::LossLine loss_line) const {
  const Retention keep{.files = options_.max_files,
                       .bytes = options_.total_size,
                       .age = std::chrono::hours(24) * options_.max_age_days};
  return std::make_unique<RollingFile>(RollingFile::Options{.folder = std::move(folder),
                                                            .base_name = std::move(base_name),
                                                            .roll_size = options_.roll_size,
                                                            .daily = options_.daily,
                                                            .zone = options_.time,
                                                            .keep = keep},
                                       std::move(loss_line), clock_);
}

Result<void> Output::open() {
  if (!options_.async) return {};
  file_ = make_file(folder_, options_.base_name, [this](std::uint64_t lines, const Error& reason) {
    return loss_line(lines, reason);
  });
  SSX_TRY_VOID(file_->open());
  sinks_->add_file(*file_);
  return {};
}

Result<std::uint8_t> Output::add_lines(const LineFileOptions& options) {
  const MutexLock lock(lines_mutex_);
  if (lines_owned_.size() == kLineFilesMax) return fail(Errc::kOverflow, "line files");
  const std::size_t slash = options.path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::string folder = options.path.substr(0, name);
  if (!folder.starts_with('/')) folder = folder_ + folder;
  if (name == options.path.size()) return fail(Errc::kInvalidArgument, "log.access.path");
  // Readers of such a file expect one form of line; what is missing is told in the log.
  auto file = make_file(
      std::move(folder), options.path.substr(name),
      [this, path = options.path](std::uint64_t lines, const Error& reason) {
        notes_.push_back(fmt::format("{} lines lost in {}: {}", lines, path, reason.message()));
        return std::string();
      });
  SSX_TRY_VOID(file->open());
  lines_owned_.push_back(std::move(file));
  const auto number = static_cast<std::uint8_t>(lines_owned_.size());
  lines_[number].store(lines_owned_.back().get(), std::memory_order_release);
  return number;
}

template <class Visit>
void Output::each_file(Visit visit) const {
  if (file_ != nullptr) visit(*file_);
  for (const auto& slot : lines_) {
    if (RollingFile* const file = slot.load(std::memory_order_acquire)) visit(*file);
  }
}

void Output::write(const RecordHeader& record, const std::byte* arguments, WallTime when) {
  const Site& site = *record.site;
  message_.clear();
  format_message(record, arguments, message_);
  if (site.stream != 0) {
    line_.clear();
    formatter_.append_plain(message_, record.cut, line_);
    // No file: it belonged to a logger that has gone.
    if (RollingFile* const file = lines_[site.stream].load(std::memory_order_acquire)) {
      file->append(line_, when);
    }
    return;
  }
  if (record.suppressed != 0) {
    fmt::format_to(std::back_inserter(message_), " ({} more like this)", record.suppressed);
  }
  hand_on({.time = when,
           .level = site.level,
           .thread = record.thread,
           .module = {site.module, site.module_size},
           .file = site.file,
           .line = site.line,
           .message = message_,
           .cut = record.cut});
}

Line Output::own_line(Level level, std::string_view message,
                      const std::source_location& where) const {
  const char* const slash = std::strrchr(where.file_name(), '/');
  return {.time = clock_.wall_now(),
          .level = level,
          .thread = static_cast<std::uint32_t>(sys::thread_id()),
          .module = "log",
          .file = slash == nullptr ? where.file_name() : slash + 1,
          .line = where.line(),
          .message = message};
}

void Output::note(Level level, std::string_view message, std::source_location where) {
  hand_on(own_line(level, message, where));
}

void Output::hand_on(const Line& line) {
  line_.clear();
  formatter_.append(line, line_);
  sinks_->write(line, line_, formatter_.level_range());
}

/// Runs inside RollingFile while line_ is being appended, so it has a formatter of its own.
std::string Output::loss_line(std::uint64_t lines, const Error& reason) const {
  const std::string message = fmt::format("{} lines lost here: {}", lines, reason.message());
  std::string line;
  LineFormatter(options_).append(own_line(Level::kWarn, message, std::source_location::current()),
                                 line);
  return line;
}

bool Output::flush() {
  each_file([](RollingFile& file) { file.flush(); });
  for (const std::string& text : std::exchange(notes_, {})) note(Level::kWarn, text);
  sinks_->flush();
  return !dirty();
}

void Output::reopen() {
  each_file([](RollingFile& file) { file.reopen(); });
}

void Output::tick() {
  each_file([](RollingFile& file) { file.tick(); });
}

bool Output::dirty() const noexcept {
  bool dirty = false;
  each_file([&dirty](const RollingFile& file) { dirty |= file.dirty(); });
  return dirty;
}

RollingFile::Counts Output::counts() const noexcept {
  RollingFile::Counts sum;
  each_file([&sum](const RollingFile& file) {
    const RollingFile::Counts one = file.counts();
    sum.written += one.written;
    sum.lost += one.lost;
    sum.files += one.files;
    sum.failures += one.failures;
    sum.removed += one.removed;
  });
  return sum;
}

}  // namespace ssx::log
