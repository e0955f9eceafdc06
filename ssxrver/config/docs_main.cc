// ssxrver_config_docs [--check] ROOT: writes what is made from the tables into the source tree, or
// says which committed files are stale.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "ssxrver/config/json_file.h"
#include "ssxrver/config/schema.h"
#include "ssxrver/sys/file.h"

namespace ssx::config {
namespace {

struct Document {
  const char* path;
  std::string (*make)();
};

constexpr std::array<Document, 3> kDocuments{{{"conf/ssxrver.json", make_example},
                                              {"conf/ssxrver.schema.json", make_schema},
                                              {"docs/reference/config.md", make_reference}}};

bool is_fresh(const std::string& path, const std::string& text) {
  const auto committed = read_whole_file(path, kFileMax, true);
  const bool is_same = committed && committed->text == text;
  if (!is_same) fmt::print(stderr, "{} is stale: run ssxrver_config_docs\n", path);
  return is_same;
}

Result<void> write_file(const std::string& path, std::string_view text) {
  SSX_TRY(const sys::UniqueFd file, sys::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
  while (!text.empty()) {
    SSX_TRY(const std::size_t count, sys::write(file.get(), as_bytes(text)));
    text.remove_prefix(count);
  }
  return {};
}

bool was_written(const std::string& path, const std::string& text) {
  const auto written = write_file(path, text);
  if (!written) fmt::print(stderr, "{}: {}\n", path, written.error().message());
  return written.has_value();
}

int run(const std::string& root, bool check) {
  bool is_good = true;
  for (const Document& document : kDocuments) {
    const std::string path = root + "/" + document.path;
    const bool is_done =
        check ? is_fresh(path, document.make()) : was_written(path, document.make());
    is_good = is_done && is_good;
  }
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace ssx::config

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    fmt::print(stderr, "usage: ssxrver_config_docs [--check] ROOT\n");
    return 64;
  }
  return ssx::config::run(argv[argc - 1], check);
}
