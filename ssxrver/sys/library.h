// Shared libraries that are loaded while the program runs, and the anonymous files that they are
// loaded from.
//
// Thread: any thread; the loader has one lock for all of them
// Owner:  a library stays loaded until close_library() has been called as often as open_library()
// Life:   each call stands alone; what a library's own constructors do is its business
// Bounds: the loader's; an error is its sentence, which names the file
#pragma once

#include <string>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::sys {

/// What the loader says when it refuses.
template <class T>
using LoaderResult = Expected<T, std::string>;

/// A file in memory that no path leads to. `name` is what /proc/self/maps shows, at most 249 bytes.
Result<UniqueFd> create_memory_file(const char* name);
/// Its bytes stay as they are from now on, whoever has the descriptor. EBUSY: the kernel holds one
/// of its pages, which passes.
Result<void> seal_memory_file(int fd);

/// Every symbol is bound at once, and none is seen by others (RTLD_NOW, RTLD_LOCAL). Runs the
/// library's constructors. The loader takes a name that it knows for the same library: give every
/// copy a name of its own.
LoaderResult<void*> open_library(const char* path);
LoaderResult<void*> find_symbol(void* library, const char* name);
/// It may stay mapped all the same: a thread_local with a destructor, or a symbol that is unique in
/// the process, keeps it.
LoaderResult<void> close_library(void* library);
/// Whether the loader has a library that was opened by this name, and will take the name for it.
[[nodiscard]] bool is_loaded(const char* path) noexcept;

}  // namespace ssx::sys
