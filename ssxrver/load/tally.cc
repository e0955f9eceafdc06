#include "ssxrver/load/tally.h"

#include <numeric>

namespace ssx::load {

std::string_view to_string(Failure failure) noexcept {
  constexpr std::array<std::string_view, kFailures> kNames{"connect",   "reset",   "closed",
                                                           "malformed", "timeout", "status"};
  return kNames[static_cast<std::size_t>(failure)];
}

void Tally::add(const Tally& other) noexcept {
  carried += other.carried;
  requests += other.requests;
  answered += other.answered;
  unfinished += other.unfinished;
  unsent += other.unsent;
  connects += other.connects;
  standing += other.standing;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  for (std::size_t i = 0; i < kFailures; ++i) failures[i] += other.failures[i];
  note_refusal(other.refusal);
  latency.add(other.latency);
}

std::uint64_t Tally::failed() const noexcept {
  return std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
}

}  // namespace ssx::load
