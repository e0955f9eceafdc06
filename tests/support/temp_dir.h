// A directory of its own for one test, gone with everything in it at the end of the scope.
//
// Thread: any thread
// Owner:  the test
// Life:   the scope
// Bounds: below $TMPDIR, or the system's place for temporary files
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace ssx::test {

class TempDir {
 public:
  TempDir() : path_((std::filesystem::temp_directory_path() / "ssxrver-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category());
  }
  ~TempDir() {
    std::error_code ignored;  // a test may have removed it, or taken its own rights away
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The path of a file in here, whether or not it exists.
  [[nodiscard]] std::string file(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

  /// Makes the file, and the folders above it, and returns its path.
  std::string write(std::string_view name, std::string_view text) const {
    std::string path = file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << text;
    EXPECT_TRUE(stream.flush().good()) << path;
    return path;
  }
  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream stream(file(name), std::ios::binary);
    EXPECT_TRUE(stream.good()) << file(name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::string path_;
};

}  // namespace ssx::test
