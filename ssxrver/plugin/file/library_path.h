// Which file a name of the configuration means, and whether others could have put it there: what is
// loaded runs with all rights of the program.
//
// Thread: any thread
// Owner:  the caller gets the open file
// Life:   one call
// Bounds: as many folders as are given
#pragma once

#include <string>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx {

struct FoundLibrary {
  std::string path;
  sys::UniqueFd fd;  ///< open for reading
};

/// `name`: a path, when it has a '/'; else a file in the first folder that has it. The file and its
/// folder belong to root or to this user, and no one else may write to them; a folder in which only
/// the owners of files may move them (the sticky bit) will do. No symbolic link. The error is a
/// sentence.
Expected<FoundLibrary, std::string> find_library(const std::string& name,
                                                 const std::vector<std::string>& folders);

}  // namespace ssx
