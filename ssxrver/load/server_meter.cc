#include "ssxrver/load/server_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/strings.h"
#include "ssxrver/load/read_file.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

constexpr std::size_t kProcFileMax = 64 << 10;

/// Empty when it has gone.
std::string read_proc(const std::string& path) {
  return read_file(path, kProcFileMax).value_or(std::string());
}

std::vector<std::string> threads_of(int process) {
  std::vector<std::string> folders;
  const std::string parent = fmt::format("/proc/{}/task", process);
  const auto names = sys::list_directory(parent.c_str());
  if (!names) return folders;
  for (const std::string& name : *names) folders.push_back(parent + "/" + name);
  return folders;
}

/// It, and those that it has started, and so on.
std::vector<int> family_of(int process) {
  std::vector<int> family{process};
  for (std::size_t i = 0; i < family.size(); ++i) {
    for (const std::string& thread : threads_of(family[i])) {
      for_each_part(read_proc(thread + "/children"), ' ', [&family](std::string_view part) {
        if (const auto child = parse_uint(part)) family.push_back(static_cast<int>(*child));
      });
    }
  }
  return family;
}

std::map<int, Duration> cpu_of(int process) {
  std::map<int, Duration> times;
  for (const int member : family_of(process)) {
    if (const auto time = sys::processor_time(member)) times[member] = *time;
  }
  return times;
}

// proc_pid_status(5): "VmRSS:      1234 kB".
std::uint64_t memory_of(int process, std::string_view name) {
  std::uint64_t sum = 0;
  for (const int member : family_of(process)) {
    for_each_part(read_proc(fmt::format("/proc/{}/status", member)), '\n', [&](auto line) {
      if (!line.starts_with(name)) return;
      line.remove_prefix(name.size());
      sum += parse_uint(trim(line.substr(0, line.find("kB")))).value_or(0) * 1024;
    });
  }
  return sum;
}

constexpr std::string_view kResident = "VmRSS:";
constexpr std::string_view kPeak = "VmHWM:";

}  // namespace

StartupResult<ServerMeter> ServerMeter::create(int process) {
  ServerMeter meter(process);
  meter.use_.resident_before = memory_of(process, kResident);
  if (meter.use_.resident_before == 0) {
    return fail_start(ExitCode::kUsage,
                      fmt::format("--pid {}: there is no such process on this machine", process));
  }
  return meter;
}

// Looking at many processes takes a while: the time between the looks is that of these times.
void ServerMeter::begin() {
  at_begin_ = cpu_of(process_);
  begun_ = SystemClock::instance().now();
}

void ServerMeter::end() {
  use_.span = SystemClock::instance().now() - begun_;
  const auto at_end = cpu_of(process_);
  for (const auto& [process, time] : at_end) {
    const auto before = at_begin_.find(process);
    const Duration used = before == at_begin_.end() ? time : time - before->second;
    use_.cpu += std::max(used, Duration::zero());  // a number may be another process's by now
  }
  use_.resident_after = memory_of(process_, kResident);
  use_.resident_peak = memory_of(process_, kPeak);
  // One that nobody has waited for yet has its clock, and no memory.
  use_.has_ended = !at_end.contains(process_) || use_.resident_after == 0;
}

}  // namespace ssx::load
