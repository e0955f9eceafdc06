#include "ssxrver/plugin/file/plugin_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "ssxrver/base/digest.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/plugin/file/elf_head.h"
#include "ssxrver/plugin/file/library_path.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/library.h"

namespace ssx {
namespace {

using Refusal = UnexpectedOf<std::string>;

constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kMemoryNameMax = 200;  // of the kernel's 249
constexpr int kSealAttempts = 5;

std::string hex(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Result<void> write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    SSX_TRY(const std::size_t count, sys::write(fd, bytes));
    bytes = bytes.subspan(count);
  }
  return {};
}

struct Copied {
  FileStamp stamp;
  std::uint64_t size = 0;
  std::string sha256;
  std::vector<std::byte> head;
};

/// What is compared and looked at is what was copied, whatever happens to the file meanwhile. No
/// `to`: it is only looked at.
Result<Copied> copy_bytes(int from, std::optional<int> to) {
  SSX_TRY(const struct stat status, sys::fstat(from));
  if (std::cmp_greater(status.st_size, PluginFile::kSizeMax)) return fail_errno(EFBIG, "copy");
  Copied copied;
  copied.stamp = FileStamp::of(status);
  Sha256 hash;
  std::vector<std::byte> piece(kPiece);
  for (;;) {
    SSX_TRY(const std::size_t count, sys::read(from, piece));
    if (count == 0) break;
    const ByteView bytes(piece.data(), count);
    copied.size += count;
    if (copied.size > PluginFile::kSizeMax) return fail_errno(EFBIG, "copy");
    const std::size_t wanted = std::min(count, kElfHeadSize - copied.head.size());
    copied.head.insert(copied.head.end(), bytes.begin(), bytes.begin() + std::ptrdiff_t(wanted));
    hash.update(bytes);
    if (to) SSX_TRY_VOID(write_all(*to, bytes));
  }
  copied.sha256 = hex(hash.finish());
  return copied;
}

/// What moves pages about may hold one for a moment, and no page that is held is sealed: the
/// kernel has waited for about 0.15 s each time that it says so.
Result<void> seal(int memory) {
  for (int attempt = 1;; ++attempt) {
    auto sealed = sys::seal_memory_file(memory);
    if (sealed || !sealed.error().is_errno(EBUSY) || attempt == kSealAttempts) return sealed;
  }
}

/// The loader's sentence begins with the name that it was given, which says nothing to anybody.
std::string without_name(std::string said, std::string_view name) {
  while (true) {
    const auto at = said.find(name);
    if (at == std::string::npos) return said;
    const bool has_colon = said.compare(at + name.size(), 2, ": ") == 0;
    said.erase(at, name.size() + (has_colon ? 2 : 0));
  }
}

std::string loader_name(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

}  // namespace

Expected<std::unique_ptr<PluginFile>, std::string> PluginFile::open(const std::string& library,
                                                                    const Checks& checks) {
  auto found = find_library(library, checks.search_path);
  if (!found) return Refusal(std::move(found).error());
  std::unique_ptr<PluginFile> file(new PluginFile);
  file->path_ = std::move(found->path);
  const auto refuse = [&file](const std::string& why) {
    return Refusal(fmt::format("\"{}\" {}", file->path_, why));
  };
  if (auto why = file->copy(found->fd.get(), checks.sha256); !why.empty()) return refuse(why);
  if (auto why = file->load(checks.needs); !why.empty()) return refuse(why);
  if (auto why = file->read_schema(); !why.empty()) return refuse(why);
  return file;
}

Expected<std::string, std::string> PluginFile::read_sha256(const std::string& library,
                                                           const Checks& checks) {
  const auto found = find_library(library, checks.search_path);
  if (!found) return Refusal(found.error());
  auto read = copy_bytes(found->fd.get(), std::nullopt);
  if (read) return std::move(read->sha256);
  return Refusal(fmt::format("\"{}\" cannot be read: {}", found->path, read.error().message()));
}

std::vector<json::Violation> PluginFile::object_to(const json::Value& config) const {
  return schema_ ? schema_->check(config) : std::vector<json::Violation>();
}

std::string PluginFile::copy(int from, std::string_view wanted_sha256) {
  const auto name = path_.substr(path_.rfind('/') + 1).substr(0, kMemoryNameMax);
  auto memory = sys::create_memory_file(name.c_str());
  if (!memory) return fmt::format("cannot be copied: {}", memory.error().message());
  memory_ = *std::move(memory);
  const auto copied = copy_bytes(from, memory_.get());
  if (!copied && copied.error().is_errno(EFBIG)) {
    return fmt::format("has more than {} MiB", kSizeMax >> 20);
  }
  if (!copied) return fmt::format("cannot be copied: {}", copied.error().message());
  sha256_ = copied->sha256;
  stamp_ = copied->stamp;
  if (!wanted_sha256.empty() && !ascii_iequals(wanted_sha256, sha256_)) {
    return fmt::format("has the SHA-256 {}, wanted {}", sha256_, wanted_sha256);
  }
  if (auto why = object_to_elf(copied->head, copied->size); !why.empty()) return why;
  if (const auto sealed = seal(memory_.get()); !sealed) {
    return fmt::format("cannot be copied: {}", sealed.error().message());
  }
  return {};
}

std::string PluginFile::load(const PluginNeeds& needs) {
  const std::string name = loader_name(memory_.get());
  const auto library = sys::open_library(name.c_str());
  if (!library) return "cannot be loaded: " + without_name(library.error(), name);
  library_ = *library;
  const auto symbol = sys::find_symbol(library_, SSXRVER_PLUGIN_QUERY);
  if (!symbol) {
    return fmt::format("is no plugin: it does not export {}", SSXRVER_PLUGIN_QUERY);
  }
  const ssxrver_plugin_desc* given = nullptr;
  std::int32_t answer = SSXRVER_ERROR;
  try {
    const auto query = reinterpret_cast<ssxrver_plugin_query_fn>(*symbol);
    answer = query(SSXRVER_ABI_MAJOR, SSXRVER_ABI_MINOR, &given);
  } catch (const std::exception& thrown) {
    return fmt::format("throws out of {}(): {}", SSXRVER_PLUGIN_QUERY, thrown.what());
  } catch (...) {
    return fmt::format("throws out of {}()", SSXRVER_PLUGIN_QUERY);
  }
  auto judged = PluginDescription::judge(answer, given, needs);
  if (!judged) return std::move(judged).error();
  description_ = *std::move(judged);
  return {};
}

std::string PluginFile::read_schema() {
  const std::string_view text = description_->config_schema();
  if (text.empty()) return {};
  const auto document = json::parse(text);
  if (!document) {
    const auto at = json::locate(text, document.error().origin.offset);
    return fmt::format("(\"{}\") has a config_schema that is no JSON: line {}, column {}: {}",
                       description_->name(), at.line, at.column, document.error().text);
  }
  auto schema = json::Schema::compile(document->root);
  if (!schema) {
    return fmt::format("(\"{}\") has a config_schema that cannot be used: {}", description_->name(),
                       schema.error());
  }
  schema_ = *std::move(schema);
  return {};
}

bool PluginFile::close() {
  if (library_ == nullptr) return true;
  // Of a library that was no plugin nothing has run but its constructors.
  const bool may_go = !description_ || description_->has(SSXRVER_PLUGIN_UNLOADABLE);
  schema_.reset();
  description_.reset();
  void* const library = std::exchange(library_, nullptr);
  if (may_go && sys::close_library(library) &&
      !sys::is_loaded(loader_name(memory_.get()).c_str())) {
    memory_.reset();
    return true;
  }
  (void)memory_.release();  // the loader knows it by this number: nobody else may get it
  return false;
}

}  // namespace ssx
