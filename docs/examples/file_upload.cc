// Takes files of any size while a page shows how far they are:  file_upload [PORT [FOLDER]]
//
// A body is written as it arrives, so that memory does not grow with it, and a client that is
// faster than the disk is made to wait. One that goes away half-way leaves nothing behind.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

namespace fs = std::filesystem;
using ssx::Request;
using ssx::Response;
using ssx::Status;

/// A file that is there under its name only when all of it has been written.
class NewFile {
 public:
  explicit NewFile(fs::path name) : name_(std::move(name)), part_(name_.string() + ".part") {
    stream_.open(part_, std::ios::binary | std::ios::trunc);
  }
  ~NewFile() {
    std::error_code ignored;
    if (!kept_) fs::remove(part_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool write(std::string_view bytes) {
    return !!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  bool keep() {
    stream_.close();
    std::error_code failed;
    if (stream_) fs::rename(part_, name_, failed);
    kept_ = stream_.good() && !failed;
    return kept_;
  }

 private:
  fs::path name_;
  fs::path part_;
  std::ofstream stream_;
  bool kept_ = false;
};

ssx::Task<Response> take(const fs::path& folder, const Request& request) {
  const std::string name(request.param("rest"));
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos)
    co_return Status::kForbidden;
  NewFile file(folder / name);
  while (true) {
    const auto piece = co_await request.body().read();
    if (!piece || !file.write(*piece)) co_return Status::kInsufficientStorage;
    if (piece->empty()) break;
  }
  if (!file.keep()) co_return Status::kInsufficientStorage;
  Response taken(name + ": " + std::to_string(request.body().size) + " bytes\n");
  taken.status(Status::kCreated);
  co_return taken;
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = argc > 2 ? argv[2] : fs::temp_directory_path() / "ssxrver-uploads";
  fs::create_directories(folder);
  ssx::App app;
  app.put("/files/*", [&folder](const Request& request) { return take(folder, request); },
          {.body = ssx::BodyMode::kStream, .body_max = 64ULL << 30});
  app.files("/files/*", folder.string());
  app.files("/*", SSX_EXAMPLE_PAGES "/file_upload");
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}
