#include "http/error_pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "http/files/file_loader.h"
#include "http/files/mime_types.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/sys/file.h"

namespace ssx::http {
namespace {

// O_NONBLOCK: a FIFO must not wait for somebody to write into it.
constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

/// 404 for "404", 4 for "4xx".
std::optional<int> read_status(std::string_view text) noexcept {
  if (text == "4xx" || text == "5xx") return text[0] - '0';
  const auto status = parse_uint(text);
  if (text.size() != 3 || !status || *status < 400 || *status > 599) return std::nullopt;
  return static_cast<int>(*status);
}

struct Loaded {
  FileIdentity identity;
  std::string text;
};

Result<Loaded> load(const std::string& path) {
  SSX_TRY(const sys::UniqueFd fd, sys::open(path.c_str(), kFlags));
  SSX_TRY(const struct stat facts, sys::fstat(fd.get()));
  if ((facts.st_mode & S_IFMT) != S_IFREG) return fail_errno(EINVAL, "error page");
  Loaded loaded{identity_of(facts), {}};
  if (loaded.identity.size > ErrorPages::kPageMax) return fail_errno(EFBIG, "error page");
  loaded.text.resize(static_cast<std::size_t>(loaded.identity.size));
  std::size_t filled = 0;
  while (filled < loaded.text.size()) {
    const auto rest = std::as_writable_bytes(std::span(loaded.text)).subspan(filled);
    SSX_TRY(const std::size_t count, sys::pread(fd.get(), rest, filled));
    if (count == 0) break;  // became shorter: the next look at it will tell
    filled += count;
  }
  loaded.text.resize(filled);
  return loaded;
}

}  // namespace

std::string ErrorPages::find_problem(const Files& files) {
  for (const auto& [status, path] : files) {
    if (!read_status(status)) {
      return fmt::format("error_pages: \"{}\" is no status from 400 to 599, nor 4xx or 5xx",
                         status);
    }
    if (const auto loaded = load(path); !loaded) {
      return fmt::format("error_pages: the page of {}, \"{}\": {}", status, path,
                         loaded.error().code().message());
    }
  }
  return {};
}

ErrorPages::ErrorPages(const Files& files) {
  for (const auto& [key, path] : files) {
    const auto status = read_status(key);
    if (!status) continue;
    Entry entry;
    entry.status = *status;
    entry.path = path;
    look_again(entry, entry.checked);
    entries_.push_back(std::move(entry));
  }
}

LocalRef<ErrorPages::Page> ErrorPages::find(Status status, TimePoint now) {
  Entry* entry = find_entry(to_int(status));
  if (entry == nullptr) entry = find_entry(to_int(status) / 100);
  if (entry == nullptr) return {};
  if (now - entry->checked >= Duration(kTtl)) look_again(*entry, now);
  return entry->page;
}

bool ErrorPages::give(Response& response, TimePoint now) {
  const LocalRef<Page> page = find(response.status(), now);
  if (!page) return false;
  response.content() = Response::Kept{page->text, page};
  response.content_type(page->type);
  return true;
}

ErrorPages::Entry* ErrorPages::find_entry(int status) noexcept {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [status](const Entry& entry) { return entry.status == status; });
  return found == entries_.end() ? nullptr : &*found;
}

void ErrorPages::look_again(Entry& entry, TimePoint now) {
  entry.checked = now;
  const auto facts = sys::stat(entry.path.c_str());
  if (facts && entry.page && identity_of(*facts) == entry.identity) return;
  auto loaded = load(entry.path);
  if (!loaded) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "error page \"{}\": {}", entry.path,
                  loaded.error().message());
    return;
  }
  entry.identity = loaded->identity;
  entry.page = LocalRef<Page>(new Page);
  entry.page->text = std::move(loaded->text);
  entry.page->type = MimeTypes().of(entry.path);
}

}  // namespace ssx::http
