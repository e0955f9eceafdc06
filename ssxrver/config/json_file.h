// From files to one tree: the file, what it includes, the -g options on top, ${...} expanded.
//
// Thread: any thread
// Owner:  the caller
// Life:   one load
// Bounds: kFileMax bytes a file, kFilesMax files, includes kIncludeDepthMax deep, JSON 32 deep
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/config/report.h"

namespace ssx::config {

inline constexpr std::size_t kFileMax = 1 << 20;
inline constexpr std::size_t kFilesMax = 64;
inline constexpr std::size_t kIncludeDepthMax = 8;

struct FileContent {
  std::string text;
  unsigned mode = 0;  ///< permission bits
};
/// A whole file of at most `bytes_max` bytes. Only a regular one when `must_be_regular`: a pipe
/// may stand for the main file, but nothing that is included may keep the start waiting.
Result<FileContent> read_whole_file(const std::string& path, std::size_t bytes_max,
                                    bool must_be_regular);
/// "cannot be read: No such file or directory", "is not a regular file", "is too long"
[[nodiscard]] std::string why_unreadable(const Error& error);

/// The merged tree. Included files come first, in their order, and the file that includes them has
/// the last word; objects are merged key by key, everything else is replaced. `overrides` are
/// "key.path=value" or "/json/pointer=value", the value JSON or plain text.
/// Only a main file that cannot be read fails at once; all else goes into `problems`.
StartupResult<json::Value> read_document(const std::string& path,
                                         const std::vector<std::string>& overrides,
                                         Sources& sources, Problems& problems);

/// The same for a text that is in memory already, named `name` in messages.
json::Value read_text(const std::string& name, FileContent content,
                      const std::vector<std::string>& overrides, Sources& sources,
                      Problems& problems);

/// A text that `read_document` turns back into `text`: "${" becomes "$${".
[[nodiscard]] std::string escape_expansion(const std::string& text);

}  // namespace ssx::config
