#include "ssxrver/log/async_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/log/raw_writer.h"
#include "ssxrver/sys/process.h"

namespace ssx::log {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNap{2};
constexpr unsigned kNapsBeforeParking = 16;
constexpr std::size_t kLinesPerTurn = 4096;
constexpr std::size_t kLinesWorthStaying = 1024;
constexpr std::chrono::seconds kReportEvery{1};
constexpr int kStderr = 2;

}  // namespace

AsyncBackend::AsyncBackend(const LogOptions& options, Output& output, const Clock& clock,
                           Doorbell bell, Doorbell crash_done)
    : options_(options),
      output_(output),
      clock_(clock),
      bell_(std::move(bell)),
      crash_done_(std::move(crash_done)),
      buffers_(options.buffers),
      report_lost_after_(clock.now()) {}

Result<std::unique_ptr<AsyncBackend>> AsyncBackend::start(const LogOptions& options, Output& output,
                                                          const Clock& clock) {
  SSX_TRY(auto bell, Doorbell::create());
  SSX_TRY(auto crash_done, Doorbell::create());
  TickClock::choose_source();
  std::unique_ptr<AsyncBackend> backend(
      new AsyncBackend(options, output, clock, std::move(bell), std::move(crash_done)));
  SSX_TRY_VOID(backend->launch());
  return backend;
}

Result<void> AsyncBackend::launch() {
  RingHub::instance().open(options_, bell_);
  SSX_TRY(thread_, Thread::start("ssx-log", std::nullopt, [this] { run(); }));
  // A file at RLIMIT_FSIZE is an error like a full disk, not a reason to die.
  SSX_TRY_VOID(sys::ignore_signal(SIGXFSZ));
  set_backend(&RingHub::backend());
  if (!options_.fatal_signals) return {};
  attach_thread();
  while (thread_id_.load(std::memory_order_acquire) == 0) thread_id_.wait(0);
  crash_hooks_ = {.wake = &bell_,
                  .finished = &crash_done_,
                  .back_end_thread = thread_id_.load(std::memory_order_acquire),
                  .write_raw = &AsyncBackend::write_raw,
                  .context = this};
  SSX_TRY_VOID(install_crash_handler(crash_hooks_));
  handles_crashes_ = true;
  return {};
}

AsyncBackend::~AsyncBackend() { stop(); }

void AsyncBackend::stop() {
  set_backend(nullptr);
  stopping_.store(true, std::memory_order_seq_cst);
  bell_.ring();
  thread_.join();
  if (handles_crashes_) remove_crash_handler();
  RingHub::instance().close();
}

void AsyncBackend::reopen() {
  reopen_.store(true, std::memory_order_seq_cst);
  bell_.ring();
}

void AsyncBackend::run() {
  sigset_t all;
  sigfillset(&all);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigdelset(&all, signal);
  // Signals belong to the threads that wait for them.
  static_cast<void>(sys::block_signals(all));
  RingHub::instance().serve_from_this_thread();
  RingHub::backend().attach();
  thread_id_.store(sys::thread_id(), std::memory_order_release);
  thread_id_.notify_all();

  while (!stopping_.load(std::memory_order_seq_cst)) {
    serve_requests();
    const std::size_t lines = turn();
    idle_turns_ = lines == 0 ? idle_turns_ + 1 : 0;
    report_lost(lines == 0);
    flush_if_due();
    if (lines < kLinesWorthStaying && buffers_.empty()) rest();
  }
  finish();
}

void AsyncBackend::serve_requests() {
  // In this order: reopen() before flush() by one thread means that the flush finds the new file.
  const std::uint64_t wanted = RingHub::instance().flush_wanted();
  if (reopen_.exchange(false, std::memory_order_seq_cst)) output_.reopen();
  if (wanted != flush_served_) {
    drain();
    report_lost(true);
    const bool clean = output_.flush();
    flush_served_ = wanted;
    RingHub::instance().flush_done(wanted, clean);
  }
  serve_crash();
}

void AsyncBackend::finish() {
  serve_requests();
  drain();
  // Closed only now: a thread that waits for room gets it as long as the rings are emptied.
  RingHub::instance().close();
  drain();
  RingList& rings = RingHub::instance().rings();
  for (ThreadRing* ring = rings.first(); ring != nullptr;) {
    ThreadRing* const next = ring->next_in_list;
    rings.remove(*ring);
    ring->leave();
    ring = next;
  }
  report_lost(true);
  output_.flush();
}

std::size_t AsyncBackend::turn() {
  ticks_.synchronise();
  if (collect(TickClock::stamp())) RingHub::instance().announce_room();
  const std::size_t lines = write_some();
  output_.tick();
  return lines;
}

void AsyncBackend::rest() {
  if (idle_turns_ <= kNapsBeforeParking) {
    doze(RingHub::BackEnd::kNapping, kNap);
    return;
  }
  // The first look comes soon: a thread that read the old state may be about to publish a line.
  // The later ones wait long, but for the same reason not for ever.
  milliseconds time = idle_turns_ == kNapsBeforeParking + 1 ? kNap : options_.flush;
  if (flush_at_) {
    const auto left = std::chrono::ceil<milliseconds>(*flush_at_ - clock_.now());
    time = std::clamp(left, milliseconds(1), time);
  }
  if (!doze(RingHub::BackEnd::kParked, time)) return;
  // One line seldom comes alone. Reading along while a thread writes would cost it a cache miss per
  // line, so a burst gets a moment to pass; a ring that fills up ends it.
  idle_turns_ = 0;
  doze(RingHub::BackEnd::kNapping, kNap);
}

/// True when somebody rang.
bool AsyncBackend::doze(RingHub::BackEnd state, milliseconds time) {
  RingHub& hub = RingHub::instance();
  hub.set_state(state);
  const bool asked = hub.flush_wanted() != flush_served_ || stopping_.load() || reopen_.load() ||
                     (pending_crash().signal != 0 && !crash_served_);
  const bool rung = !asked && bell_.wait(time);
  hub.set_state(RingHub::BackEnd::kAwake);
  return rung;
}

/// Finds the oldest record of every ring; lets go of rings that will not get another.
void AsyncBackend::look_at_rings(std::uint64_t cutoff) {
  RingHub& hub = RingHub::instance();
  cursors_.clear();
  std::uint64_t lost = hub.take_unplaced();
  for (ThreadRing* ring = hub.rings().first(); ring != nullptr;) {
    ThreadRing* const next = ring->next_in_list;
    // Asked before front(): what a thread wrote before it ended must be seen.
    const bool last = ring->closed();
    const RecordHeader* const record = ring->front();
    lost += ring->take_lost();
    if (record != nullptr) {
      if (record->stamp <= cutoff) cursors_.push_back({record->stamp, ring});
    } else if (last) {
      hub.rings().remove(*ring);
      ring->leave();
    }
    ring = next;
  }
  lost_.store(lost_.load(std::memory_order_relaxed) + lost, std::memory_order_relaxed);
}

// Lines younger than `cutoff` stay: a thread may still be about to publish an older one, and the
// file is to be in the order of time.
bool AsyncBackend::collect(std::uint64_t cutoff) {
  constexpr auto kLater = [](const Cursor& a, const Cursor& b) { return a.stamp > b.stamp; };
  look_at_rings(cutoff);
  std::make_heap(cursors_.begin(), cursors_.end(), kLater);
  bool collected = false;
  while (!cursors_.empty()) {
    std::pop_heap(cursors_.begin(), cursors_.end(), kLater);
    ThreadRing& ring = *cursors_.back().ring;
    const std::uint64_t others = cursors_.size() > 1 ? cursors_.front().stamp : cutoff;
    const RecordHeader* record = ring.front();
    do {
      if (!take(*record)) return collected;
      collected = true;
      ring.pop();
      record = ring.front();
    } while (record != nullptr && record->stamp <= others);
    cursors_.pop_back();
    if (record != nullptr && record->stamp <= cutoff) {
      cursors_.push_back({record->stamp, &ring});
      std::push_heap(cursors_.begin(), cursors_.end(), kLater);
    }
  }
  return collected;
}

bool AsyncBackend::take(const RecordHeader& record) {
  if (buffers_.add(record)) return true;
  if (options_.overflow != Overflow::kDropOldest) return false;  // the rings fill up instead
  const std::uint64_t lines = buffers_.drop_oldest();
  lost_.store(lost_.load(std::memory_order_relaxed) + lines, std::memory_order_relaxed);
  return buffers_.add(record);
}

std::size_t AsyncBackend::write_some() {
  std::size_t lines = 0;
  for (; lines < kLinesPerTurn && !buffers_.empty(); ++lines) {
    const RecordHeader& record = buffers_.front();
    flush_now_ |= record.site->level >= options_.flush_level && record.site->stream == 0;
    try {
      output_.write(record, reinterpret_cast<const std::byte*>(&record + 1),
                    ticks_.wall(record.stamp));
    } catch (const std::exception&) {  // no memory for this line; the next may be shorter
      lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    buffers_.pop();
  }
  return lines;
}

/// Everything that was logged before this was called.
void AsyncBackend::drain() {
  ticks_.synchronise();
  const std::uint64_t cutoff = TickClock::stamp();
  bool collected = true;
  while (collected || !buffers_.empty()) {
    collected = collect(cutoff);
    write_some();
    if (collected) RingHub::instance().announce_room();
  }
}

void AsyncBackend::flush_if_due() {
  const TimePoint now = clock_.now();
  if (!flush_at_ && output_.dirty()) flush_at_ = now + options_.flush;
  if (!flush_now_ && (!flush_at_ || now < *flush_at_)) return;
  flush_now_ = false;
  flush_at_.reset();
  if (!output_.flush()) flush_at_ = now + RollingFile::kBackoffMin;
}

/// While lines are being lost there is one report per second, and one when it is over.
void AsyncBackend::report_lost(bool now) {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (lost == lost_reported_ || (!now && clock_.now() < report_lost_after_)) return;
  output_.note(Level::kWarn, fmt::format("{} lines lost: they came faster than they were written",
                                         lost - lost_reported_));
  lost_reported_ = lost;
  report_lost_after_ = clock_.now() + kReportEvery;
}

void AsyncBackend::serve_crash() {
  if (!handles_crashes_ || crash_served_) return;
  const Crash crash = pending_crash();
  if (crash.signal == 0) return;
  crash_served_ = true;
  drain();
  report_lost(true);
  output_.note(Level::kFatal, fmt::format("{} in thread {}, address {:#x}",
                                          signal_name(crash.signal), crash.thread, crash.address));
  output_.flush();
  crash_done_.ring();
}

void AsyncBackend::write_raw(void* self) noexcept {
  const auto& backend = *static_cast<const AsyncBackend*>(self);
  const RollingFile* const file = backend.output_.file();
  const bool has_file = file != nullptr && file->descriptor_for_crash() >= 0;
  RawWriter raw(has_file ? file->descriptor_for_crash() : kStderr);
  const Crash crash = pending_crash();
  raw.crash(signal_name(crash.signal), crash.thread, crash.address);
  if (file != nullptr) raw.lines(file->pending_for_crash());
  const auto write = [&raw](const RecordHeader& record) {
    raw.record(record, reinterpret_cast<const std::byte*>(&record + 1));
  };
  backend.buffers_.for_each(write);
  for (ThreadRing* ring = RingHub::instance().rings().first(); ring != nullptr;
       ring = ring->next_in_list) {
    std::uint64_t position = ring->head_for_crash();
    while (const RecordHeader* const record = ring->next_for_crash(position)) write(*record);
  }
}

}  // namespace ssx::log
