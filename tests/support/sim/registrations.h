// What the simulated kernel remembers about descriptors: edge-triggered registrations, and timers
// on a clock that a test turns. Only for the sources of this folder.
//
// Thread: any thread
// Owner:  static
// Life:   an entry lives until its descriptor is closed through ssx::sys
// Bounds: registrations of descriptors below kDescriptorsMax only
#pragma once

#include <cstdint>

namespace ssx::sim::internal {

inline constexpr int kDescriptorsMax = 4096;

void remember_registration(int epoll, int fd, std::uint32_t events, void* user) noexcept;
/// Called before the descriptor is closed: the number may have a new owner right after.
void forget_descriptor(int fd) noexcept;

}  // namespace ssx::sim::internal
