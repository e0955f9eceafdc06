#include "ssxrver/load/read_file.h"

#include <algorithm>
#include <cerrno>
#include <span>

#include "ssxrver/base/bytes.h"
#include "ssxrver/sys/file.h"

namespace ssx::load {
namespace {

constexpr std::size_t kStep = 1 << 20;

}  // namespace

// What fstat() says of the size does not hold for files that are made when they are read.
Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  SSX_TRY(const sys::UniqueFd file, sys::open(path.c_str(), O_RDONLY));
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + std::min(kStep, bytes_max + 1 - size));
    SSX_TRY(const std::size_t got,
            sys::read(file.get(), std::as_writable_bytes(std::span(text).subspan(size))));
    text.resize(size + got);
    if (got == 0) return text;
    if (text.size() > bytes_max) return fail(Error::from_errno(EFBIG, "read"));
  }
}

}  // namespace ssx::load
