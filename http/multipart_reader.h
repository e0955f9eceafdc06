// A multipart/form-data body, part by part, for a coroutine (RFC 7578).
//
// Thread: loop-only
// Owner:  the handler's coroutine
// Life:   not longer than the request; a Part until the next one is asked for
// Bounds: MultipartLimits; one piece of the body, and behind it what of the last was not complete
//
//   auto reader = MultipartReader::create(request);
//   if (!reader) co_return answer_to_error(request, reader.error());
//   while (true) {
//     auto part = co_await reader->next();
//     if (!part) co_return answer_to_error(request, part.error());
//     if (*part == nullptr) break;  // that was the last one
//     auto size = co_await (*part)->save(folder + "/" + new_name(), 100 << 20);
//     if (!size) co_return answer_to_error(request, size.error());
//   }
//
// With BodyMode::kStream a body is never whole anywhere, and its client waits for who reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/multipart.h"
#include "http/request.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

class MultipartReader {
 public:
  class Part;

  /// Bounds are those of the server (`http.multipart`). kNotMultipart, kBadBoundary; kUnsupported
  /// outside of a coroutine handler.
  static Result<MultipartReader> create(const Request& request);

  /// Before the first next().
  MultipartReader(MultipartReader&&) = default;
  MultipartReader& operator=(MultipartReader&&) = delete;

  /// The next part; null behind the last one. What is unread of the one before is passed over. An
  /// error of Multipart::next stays: nothing more will come.
  [[nodiscard]] Task<Result<Part*>> next();

  class Part {
   public:
    [[nodiscard]] const std::string& name() const noexcept { return header().name; }
    [[nodiscard]] bool is_file() const noexcept { return header().has_filename; }
    /// As PartHeader::filename: a stranger's word.
    [[nodiscard]] const std::string& filename() const noexcept { return header().filename; }
    [[nodiscard]] const std::string& content_type() const noexcept { return header().content_type; }

    /// The next piece, valid until the next read; empty at the end of the part.
    [[nodiscard]] Task<Result<std::string_view>> read();
    /// All of it; kPartTooLarge above `size_max` bytes.
    [[nodiscard]] Task<Result<std::string>> text(std::size_t size_max);
    /// Writes it into a new file and says how long it was. kPartTooLarge above `size_max` bytes;
    /// EEXIST when the file is there. A file that did not become whole is removed, also when the
    /// coroutine is cancelled.
    [[nodiscard]] Task<Result<std::uint64_t>> save(std::string path, std::uint64_t size_max);

   private:
    friend class MultipartReader;
    [[nodiscard]] const PartHeader& header() const noexcept { return reader_->parser_.header(); }
    MultipartReader* reader_ = nullptr;
  };

 private:
  MultipartReader(const Body& body, Multipart parser) noexcept
      : body_(&body), parser_(std::move(parser)) {}

  /// Consumed events up to one that says something.
  Task<Result<Multipart::Event>> advance();

  const Body* body_;
  Multipart parser_;
  std::string kept_;  ///< what `unread_` looks into, when it is more than one piece
  std::string_view unread_;
  bool has_ended_ = false;  ///< the body
  bool in_part_ = false;
  bool is_done_ = false;
  Part part_;
};

}  // namespace ssx::http
