#include "ssxrver/db/mysql/client_library.h"

#include <string>

#include "ssxrver/sys/library.h"

namespace ssx::db::mysql {
namespace {

constexpr const char* kFile = "libmariadb.so.3";

/// What the first caller got, kept for all others.
const Result<ClientLibrary>& loaded_once() {
  static const Result<ClientLibrary> library = open_client_library(kFile);
  return library;
}

template <class Symbol>
sys::LoaderResult<void> find(void* library, const char* name, Symbol& symbol) {
  const auto found = sys::find_symbol(library, name);
  if (!found) return UnexpectedOf<std::string>(found.error());
  symbol = reinterpret_cast<Symbol>(*found);
  return {};
}

auto missing(const std::string& sentence) {
  return fail(Errc::kUnsupported, "load", 0, "the client library cannot be loaded: " + sentence);
}

}  // namespace

Result<ClientLibrary> open_client_library(const char* file) {
  const auto library = sys::open_library(file);
  if (!library) return missing(library.error());
  ClientLibrary symbols;
#define SSX_MYSQL_FIND(name) \
  if (auto found = find(*library, #name, symbols.name); !found) return missing(found.error());
  SSX_MYSQL_SYMBOLS(SSX_MYSQL_FIND)
#undef SSX_MYSQL_FIND
  return symbols;
}

Result<void> load_client_library() {
  const auto& library = loaded_once();
  if (!library) return fail(library.error());
  return {};
}

const ClientLibrary& client() noexcept { return *loaded_once(); }

}  // namespace ssx::db::mysql
