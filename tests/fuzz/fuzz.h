// What the fuzz targets share. A target defines LLVMFuzzerTestOneInput and asserts what must hold.
//
//   extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
//     const std::string_view bytes = ssx::fuzz::text(data, size);
//     for (const auto& pieces : ssx::fuzz::splits(bytes)) SSX_ASSERT(...);
//     return 0;
//   }
//
// Thread: one
// Owner:  -
// Life:   one input
// Bounds: at most 16 splits of an input
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ssx::fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

using Pieces = std::vector<std::string_view>;

/// Byte by byte, and cuts in three at places that the bytes themselves decide (so that a crash can
/// be repeated from the file alone).
inline std::vector<Pieces> splits(std::string_view bytes) {
  std::vector<Pieces> all(1);
  for (std::size_t i = 0; i < bytes.size(); ++i) all[0].push_back(bytes.substr(i, 1));
  std::uint64_t state = 0x9e3779b97f4a7c15 + bytes.size();
  for (const char byte : bytes) state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  for (int round = 0; round < 15 && !bytes.empty(); ++round) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::size_t first = (state >> 33) % (bytes.size() + 1);
    const std::size_t second = first + (state >> 17) % (bytes.size() - first + 1);
    all.push_back(
        {bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)});
  }
  return all;
}

}  // namespace ssx::fuzz
