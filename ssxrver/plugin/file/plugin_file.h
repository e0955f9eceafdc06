// The library of a plugin: found, looked at, copied, loaded, and asked what it is.
//
// The copy is private and in memory: whoever writes over the file harms nobody who runs it, and the
// same file can be loaded again beside its older self. Nothing can be done about a library whose
// own constructors end the process while the loader runs them; everything before that is looked at
// here, and what throws out of the query function is caught.
//
// Thread: one at a time; the loader has a lock of its own
// Owner:  whoever opened it
// Life:   open() .. close(), or its destruction; what the plugin gave lives as long
// Bounds: kSizeMax bytes of library; PluginDescription has those of what it says
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/json/schema_check.h"
#include "ssxrver/plugin/file/description.h"
#include "ssxrver/plugin/file/file_stamp.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx {

class PluginFile {
 public:
  static constexpr std::uint64_t kSizeMax = std::uint64_t{256} << 20;

  struct Checks {
    PluginNeeds needs;
    std::vector<std::string> search_path;  ///< for names without a '/'
    std::string sha256;                    ///< 64 hex digits; empty: not compared
  };

  /// `library` and the folders: see library_path.h. The error is a
  /// sentence with the path, what was wanted and what was found.
  static Expected<std::unique_ptr<PluginFile>, std::string> open(const std::string& library,
                                                                 const Checks& checks);
  /// The hash of what open() would load now: nothing of it runs, and `checks.sha256` is not
  /// compared.
  static Expected<std::string, std::string> read_sha256(const std::string& library,
                                                        const Checks& checks);

  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;
  ~PluginFile() { close(); }

  /// Where the file was found.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Of the bytes that are loaded, 64 hex digits.
  [[nodiscard]] const std::string& sha256() const noexcept { return sha256_; }
  /// Of the file, before it was read.
  [[nodiscard]] const FileStamp& stamp() const noexcept { return stamp_; }
  [[nodiscard]] const PluginDescription& description() const noexcept { return *description_; }
  /// Of the plugin's `config`; without one it takes whatever there is.
  [[nodiscard]] const std::optional<json::Schema>& schema() const noexcept { return schema_; }
  /// What the schema says against a config, each with its place.
  [[nodiscard]] std::vector<json::Violation> object_to(const json::Value& config) const;

  /// Gives the library back to the loader, unless the plugin does not say that it may be unloaded.
  /// False: it is mapped still, and stays so; its code may be run as before. Only the first call
  /// does anything.
  bool close();

 private:
  PluginFile() = default;
  /// Each gives the end of a sentence that begins with the path; empty: all is well.
  std::string copy(int from, std::string_view wanted_sha256);
  std::string load(const PluginNeeds& needs);
  std::string read_schema();

  std::string path_;
  std::string sha256_;
  FileStamp stamp_;
  sys::UniqueFd memory_;  ///< its number is the library's name: open as long as that is loaded
  void* library_ = nullptr;
  std::optional<PluginDescription> description_;
  std::optional<json::Schema> schema_;
};

}  // namespace ssx
