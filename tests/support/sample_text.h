// Bytes to compress: text as people write it, and noise. The same in every run.
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace ssx::test {

/// Lines that resemble one another; another `seed` makes others.
inline std::string sample_text(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += "line " + std::to_string(random() % 1000) + "\n";
  text.resize(size);
  return text;
}

/// What no compressor makes shorter.
inline std::string sample_noise(std::size_t size) {
  std::mt19937 random(7);
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

}  // namespace ssx::test
