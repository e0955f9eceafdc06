#include "http/files/file_loader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "http/date.h"
#include "http/files/path_pattern.h"
#include "http/media_type.h"
#include "http/response.h"

namespace ssx::http {
namespace {

constexpr std::array kExtensions = {std::pair(ContentCoding::kBrotli, std::string_view("br")),
                                    std::pair(ContentCoding::kGzip, std::string_view("gz")),
                                    std::pair(ContentCoding::kZstd, std::string_view("zst"))};

std::int64_t to_ns(const timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_regular(const struct stat& facts) noexcept { return (facts.st_mode & S_IFMT) == S_IFREG; }

Result<std::string> read_whole(int fd, std::uint64_t size) {
  std::string content(static_cast<std::size_t>(size), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    SSX_TRY(const std::size_t count,
            sys::pread(fd, std::as_writable_bytes(std::span(content)).subspan(filled), filled));
    if (count == 0) break;  // became shorter: the next look at it will tell
    filled += count;
  }
  content.resize(filled);
  return content;
}

// They are sent as they are (Response::prepared_fields).
bool are_field_values(const StaticOptions& options) {
  Response check;
  for (const auto& [extension, type] : options.mime) check.set("Content-Type", type);
  for (const CacheRule& rule : options.cache_control) check.set("Cache-Control", rule.value);
  return check.bad_field().empty();
}

}  // namespace

FileIdentity identity_of(const struct stat& facts) noexcept {
  return {facts.st_dev, facts.st_ino, static_cast<std::uint64_t>(facts.st_size),
          to_ns(facts.st_mtim), to_ns(facts.st_ctim)};
}

Result<FileLoader> FileLoader::create(const StaticOptions& options) {
  if (!are_field_values(options)) return fail_errno(EINVAL, "field value");
  SSX_TRY(RootDirectory root, RootDirectory::open(options.root, options.follow_symlinks));
  FileLoader loader(options, std::move(root));
  for (const std::string& word : options.precompressed) {
    const auto* const known =
        std::find_if(kExtensions.begin(), kExtensions.end(),
                     [&word](const auto& pair) { return pair.second == word; });
    if (known == kExtensions.end()) return fail_errno(EINVAL, "precompressed");
    loader.encodings_.push_back({known->first, "." + word});
  }
  return loader;
}

Result<LocalRef<CachedFile>> FileLoader::load(std::string_view key, const std::string& name,
                                              RootDirectory::File opened, TimePoint now) const {
  LocalRef<CachedFile> file(new CachedFile);
  file->path = key;
  file->checked = now;
  const std::size_t memory_max = options_.open_file_cache.memory_max;
  SSX_TRY_VOID(fill(*file, std::move(opened), memory_max));
  for (Sibling& sibling : siblings_of(name, file->identity)) {
    Representation form;
    form.coding = sibling.coding;
    if (fill(form, std::move(sibling.opened), memory_max - file->memory()))
      file->encoded.push_back(std::move(form));
  }
  const bool varies =
      !file->encoded.empty() || (file->size() >= options_.compressed_min &&
                                 is_type_among(types_.of(name), options_.compressed_types));
  write_fields(*file, name, varies);
  for (Representation& form : file->encoded) write_fields(form, name, varies);
  return file;
}

bool FileLoader::is_current(const CachedFile& file, const std::string& name,
                            const struct stat& facts) const {
  if (!(file.identity == identity_of(facts))) return false;
  const auto siblings = siblings_of(name, file.identity);
  return std::equal(siblings.begin(), siblings.end(), file.encoded.begin(), file.encoded.end(),
                    [](const Sibling& sibling, const Representation& form) {
                      return sibling.coding == form.coding &&
                             identity_of(sibling.opened.facts) == form.identity;
                    });
}

// One that cannot be opened, whatever the reason, is not needed: the file itself is there.
std::vector<FileLoader::Sibling> FileLoader::siblings_of(const std::string& name,
                                                         const FileIdentity& file) const {
  std::vector<Sibling> found;
  const bool is_sibling =
      std::any_of(encodings_.begin(), encodings_.end(),
                  [&name](const Encoding& encoding) { return name.ends_with(encoding.extension); });
  if (is_sibling) return found;
  for (const Encoding& encoding : encodings_) {
    auto opened = root_.open_file(name + encoding.extension);
    if (!opened || !is_regular(opened->facts)) continue;
    if (identity_of(opened->facts).modified_ns < file.modified_ns) continue;
    found.push_back({encoding.coding, *std::move(opened)});
  }
  return found;
}

Result<void> FileLoader::fill(Representation& form, RootDirectory::File opened,
                              std::size_t memory_max) const {
  form.identity = identity_of(opened.facts);
  form.modified = opened.facts.st_mtim.tv_sec;
  if (form.size() > std::min(options_.open_file_cache.small_file_max, memory_max)) {
    form.fd = std::move(opened.fd);
    return {};
  }
  SSX_TRY(form.content, read_whole(opened.fd.get(), form.size()));
  form.identity.size = form.content.size();
  if (options_.sendfile && form.size() >= options_.sendfile_min) form.fd = std::move(opened.fd);
  return {};
}

void FileLoader::write_fields(Representation& form, std::string_view name, bool varies) const {
  form.fields = fmt::format("Content-Type: {}\r\n", types_.of(name));
  const bool is_encoded = form.coding != ContentCoding::kIdentity;
  if (is_encoded) form.fields += fmt::format("Content-Encoding: {}\r\n", to_string(form.coding));
  form.others_at = form.fields.size();
  if (options_.range) form.fields += "Accept-Ranges: bytes\r\n";
  form.validators_at = form.fields.size();
  if (options_.etag) {
    form.etag = fmt::format("\"{:x}-{:x}{}{}\"", form.identity.modified_ns, form.size(),
                            is_encoded ? "-" : "", is_encoded ? to_string(form.coding) : "");
    const DateText date = format_date(form.modified);
    form.fields += fmt::format("Last-Modified: {}\r\nETag: {}\r\n", view(date), form.etag);
  }
  if (varies) form.fields += "Vary: Accept-Encoding\r\n";
  const auto cache = find_cache_control(options_.cache_control, "/" + std::string(name));
  if (!cache.empty()) form.fields += fmt::format("Cache-Control: {}\r\n", cache);
}

}  // namespace ssx::http
