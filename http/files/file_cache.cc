#include "http/files/file_cache.h"

namespace ssx::http {

std::size_t CachedFile::memory() const noexcept {
  std::size_t sum = content.size();
  for (const Representation& form : encoded) sum += form.content.size();
  return sum;
}

FileCache::~FileCache() {
  while (by_age_.pop_front() != nullptr) {
  }
}

CachedFile* FileCache::find(std::string_view path) noexcept {
  const auto found = files_.find(path);
  if (found == files_.end()) {
    counters_.misses.add();
    return nullptr;
  }
  CachedFile& file = *found->second;
  counters_.hits.add();
  if (by_age_.next(file) != nullptr) {  // not the youngest already
    static_cast<ListHook<CachedFileAge>&>(file).unlink();
    by_age_.push_back(file);
  }
  return &file;
}

void FileCache::insert(const LocalRef<CachedFile>& file) {
  erase(file->path);
  const std::size_t memory = file->memory();
  if (options_.max == 0 || memory > options_.memory_max) return;
  while (files_.size() >= options_.max || memory_ + memory > options_.memory_max) evict_oldest();
  memory_ += memory;
  by_age_.push_back(*file);
  files_.emplace(file->path, file);
}

void FileCache::erase(std::string_view path) {
  if (const auto found = files_.find(path); found != files_.end()) remove(found);
}

void FileCache::remove(Map::iterator at) {
  CachedFile& file = *at->second;
  memory_ -= file.memory();
  static_cast<ListHook<CachedFileAge>&>(file).unlink();
  files_.erase(at);
}

void FileCache::evict_oldest() {
  remove(files_.find(std::string_view(by_age_.front()->path)));
  counters_.evicted.add();
}

}  // namespace ssx::http
