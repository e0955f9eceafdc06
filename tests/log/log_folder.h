// A folder for the log files of one test, and what stands in them.
//
// Thread: the test's
// Owner:  the test
// Life:   removes the folder at the end
// Bounds: -
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace ssx::log {

class LogFolder {
 public:
  [[nodiscard]] const std::string& path() const { return folder_.path(); }

  /// Names of the files, in the order in which they were made.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(path())) return names;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      const auto key = [](const std::string& name) {
        const std::size_t log = name.rfind(".log");
        const std::size_t number = std::min(log == std::string::npos ? log : log + 5, name.size());
        return std::pair(name.substr(0, log), std::atoi(name.c_str() + number));
      };
      return key(a) < key(b);
    });
    return names;
  }

  [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }

  /// All files, one after the other.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& name : files()) all += read(name);
    return all;
  }

  [[nodiscard]] std::vector<std::string> lines() const { return split(text()); }

  [[nodiscard]] static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

 private:
  test::TempDir folder_;
};

}  // namespace ssx::log
