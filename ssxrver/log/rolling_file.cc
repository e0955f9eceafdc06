#include "ssxrver/log/rolling_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/sys/file.h"

namespace ssx::log {
namespace {

constexpr unsigned kFileMode = 0640;
constexpr unsigned kFolderMode = 0755;
constexpr unsigned kCollisionsMax = 10'000;
constexpr std::chrono::hours kRetirementEvery{1};

void add(std::atomic<std::uint64_t>& counter, std::uint64_t count) {
  counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

std::string_view whole_lines(std::string_view text) { return text.substr(0, text.rfind('\n') + 1); }

/// These pass when somebody makes room; anything else may be the descriptor's own trouble.
bool is_want_of_room(const Error& reason) {
  return reason.is_errno(ENOSPC) || reason.is_errno(EDQUOT);
}

}  // namespace

RollingFile::RollingFile(Options options, LossLine loss_line, const Clock& clock)
    : options_(std::move(options)),
      loss_line_(std::move(loss_line)),
      clock_(clock),
      civil_(options_.zone),
      next_retirement_(clock.now() + kRetirementEvery) {
  pending_.reserve(kPendingMax + 1);  // never moves, so that the crash handler may look at it
}

RollingFile::~RollingFile() {
  if (!dirty() || write_out(true)) return;
  drop_pending();
  const std::string report = loss_line_(unreported_, failure_->reason);
  static_cast<void>(
      std::fwrite(report.data(), 1, report.size(), stderr));  // there is no other place
}

RollingFile::Counts RollingFile::counts() const noexcept {
  return {.written = written_.load(std::memory_order_relaxed),
          .lost = lost_.load(std::memory_order_relaxed),
          .files = files_.load(std::memory_order_relaxed),
          .failures = failures_.load(std::memory_order_relaxed),
          .removed = removed_.load(std::memory_order_relaxed)};
}

Result<void> RollingFile::open() { return open_new(); }

Result<void> RollingFile::ensure_folder() const {
  const std::string& folder = options_.folder;
  for (std::size_t slash = folder.find('/', 1); slash != std::string::npos;
       slash = folder.find('/', slash + 1)) {
    const auto made = sys::mkdir(folder.substr(0, slash).c_str(), kFolderMode);
    if (!made && !made.error().is_errno(EEXIST)) return made;
  }
  return {};
}

Result<void> RollingFile::open_new() {
  const WallTime now = clock_.wall_now();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND;
  bool folder_made = false;
  // Counts on from its own last name: a number that retention has freed would pass for an old file.
  if (const auto second = std::chrono::floor<std::chrono::seconds>(now); second != named_second_) {
    named_second_ = second;
    collision_ = 0;
  }
  while (collision_ <= kCollisionsMax) {
    std::string path = file_path(options_.folder, options_.base_name, now, collision_);
    auto opened = sys::open(path.c_str(), kFlags, kFileMode);
    if (opened) {
      ++collision_;
      fd_ = *std::move(opened);
      path_ = std::move(path);
      size_ = 0;
      day_ = civil_.day(now);
      torn_ = false;
      add(files_, 1);
      retire_old(now);
      return {};
    }
    if (opened.error().is_errno(EEXIST)) {
      ++collision_;
    } else if (opened.error().is_errno(ENOENT) && !folder_made) {
      SSX_TRY_VOID(ensure_folder());
      folder_made = true;
    } else {
      return fail(opened.error());
    }
  }
  return fail_errno(EEXIST, "open");
}

bool RollingFile::must_roll(std::size_t bytes, WallTime when) {
  const std::uint64_t used = size_ + pending_.size();
  const bool full = used != 0 && used + bytes > options_.roll_size;
  // Threads hand in their lines a little out of order: yesterday's straggler does not roll back.
  const bool new_day = options_.daily && civil_.day(when) > day_;
  if (!full && !new_day) return false;
  return !roll_failure_ || clock_.now() >= roll_failure_->retry_at;
}

void RollingFile::append(std::string_view line, WallTime when) {
  SSX_DCHECK(!line.empty() && line.back() == '\n' && line.size() <= kPendingMax, line.size());
  if (must_roll(line.size(), when) && write_out(false)) roll();
  if (pending_.size() + line.size() > kPendingMax && !write_out(false)) drop_pending();
  pending_.append(line);
  ++pending_lines_;
}

void RollingFile::roll() {
  if (const auto opened = open_new(); !opened) {
    note_failure(roll_failure_, opened.error());
    return;  // better too large a file than none
  }
  roll_failure_.reset();
}

void RollingFile::flush() { write_out(false); }

void RollingFile::reopen() {
  // Whoever asked wants to be rid of the old file now, whatever went wrong before.
  roll_failure_.reset();
  if (write_out(true)) roll();
}

void RollingFile::tick() {
  const TimePoint now = clock_.now();
  if (options_.keep.age.count() == 0 || now < next_retirement_) return;
  next_retirement_ = now + kRetirementEvery;
  retire_old(clock_.wall_now());
}

void RollingFile::retire_old(WallTime now) {
  add(removed_, retire(options_.folder, options_.base_name, path_, options_.keep, now));
}

bool RollingFile::write_out(bool even_before_retry) {
  if (failure_ && !even_before_retry && clock_.now() < failure_->retry_at) return false;
  if (!dirty() && fd_) return true;
  if (failure_ && !is_want_of_room(failure_->reason)) fd_.reset();
  if (!fd_) {
    if (const auto opened = open_new(); !opened) {
      note_failure(failure_, opened.error());
      return false;
    }
  }
  if (const auto done = write_pending(); !done) {
    note_failure(failure_, done.error());
    return false;
  }
  failure_.reset();
  return true;
}

Result<void> RollingFile::write_pending() {
  if (unreported_ != 0) {
    // The report is no line of a caller: it is counted neither as written nor as lost. It may be
    // empty.
    SSX_ASSERT(failure_.has_value());
    std::string report = loss_line_(unreported_, failure_->reason);
    std::uint64_t lines = 0;
    SSX_TRY_VOID(write_lines(report, lines));
    unreported_ = 0;
  }
  std::uint64_t lines = 0;
  const auto outcome = write_lines(pending_, lines);
  add(written_, lines);
  pending_lines_ -= lines;
  return outcome;
}

// A file that has been removed takes its lines along without any error: what was just written is
// gone, so writing it again to a new file neither loses nor doubles a line.
Result<void> RollingFile::write_lines(std::string& text, std::uint64_t& lines) {
  for (;;) {
    if (torn_) SSX_TRY_VOID(end_torn_line());
    std::size_t done = 0;
    const auto outcome = write_all(text, done);
    if (was_removed()) {
      SSX_TRY_VOID(open_new());
      continue;
    }
    const std::string_view kept = whole_lines(std::string_view(text).substr(0, done));
    size_ += kept.size();
    if (kept.size() < done) take_back(done - kept.size());
    lines = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), '\n'));
    text.erase(0, kept.size());
    return outcome;
  }
}

Result<void> RollingFile::write_all(std::string_view text, std::size_t& done) {
  while (done < text.size()) {
    SSX_TRY(const std::size_t count, sys::write(fd_.get(), as_bytes(text.substr(done))));
    if (count == 0) return fail_errno(EIO, "write");
    done += count;
  }
  return {};
}

/// The part of a line that a failed write left behind.
void RollingFile::take_back(std::size_t bytes) {
  if (sys::ftruncate(fd_.get(), size_)) return;
  torn_ = true;
  size_ += bytes;
}

Result<void> RollingFile::end_torn_line() {
  SSX_TRY_VOID(sys::write(fd_.get(), as_bytes("\n")));
  torn_ = false;
  ++size_;
  return {};
}

bool RollingFile::was_removed() const {
  const auto status = sys::fstat(fd_.get());
  return status && status->st_nlink == 0;
}

void RollingFile::note_failure(std::optional<Failure>& slot, const Error& reason) {
  add(failures_, 1);
  const Duration backoff = slot ? std::min<Duration>(slot->backoff * 2, kBackoffMax) : kBackoffMin;
  slot = Failure{reason, backoff, clock_.now() + backoff};
}

void RollingFile::drop_pending() {
  add(lost_, pending_lines_);
  unreported_ += pending_lines_;
  pending_lines_ = 0;
  pending_.clear();
}

}  // namespace ssx::log
