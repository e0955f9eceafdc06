// What a client asks for.
//
// Thread: a value; it is moved into the client's loop
// Owner:  whoever asks, then the exchange
// Life:   until the response is complete: redirects and repetitions need it
// Bounds: none of its own; a streamed body waits while ConnectionOptions::output_high bytes do
//
// Nothing in it can break framing: method, URL, names and values are checked before a byte is sent,
// and the fields that frame the message or name its host are the client's to write.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

class ClientConnection;

/// Takes a streamed body, piece by piece.
class UploadWriter {
 public:
  /// `length`: as announced; without one, the body goes in chunks. The connection must outlive it.
  UploadWriter(ClientConnection& connection, std::optional<std::uint64_t> length) noexcept
      : connection_(connection), chunked_(!length), left_(length.value_or(0)) {}
  UploadWriter(const UploadWriter&) = delete;
  UploadWriter& operator=(const UploadWriter&) = delete;

  /// Waits while too much waits to be sent. An error: nobody takes the rest of the body, e.g.
  /// because the response is there already. kBodyNotAsAnnounced: more than the length.
  [[nodiscard]] Task<Result<void>> write(std::string_view bytes);

  /// Ends the body; the client calls it. kBodyNotAsAnnounced: less than the length.
  [[nodiscard]] Result<void> finish();

 private:
  ClientConnection& connection_;
  const bool chunked_;
  std::uint64_t left_;  ///< of the length
};

/// A text kept whole, or a coroutine that writes.
class RequestBody {
 public:
  /// It may fail: then the exchange does, with the same error. It runs on the client's loop, beside
  /// the reading of the response, and is cancelled when nobody takes the rest.
  using Stream = std::function<Task<Result<void>>(UploadWriter&)>;

  RequestBody() = default;
  RequestBody(std::string text);  // NOLINT(google-explicit-constructor): a text is a body
  RequestBody(const char* text) : RequestBody(std::string(text)) {}  // NOLINT: so is a literal
  /// Without `length` in chunks.
  static RequestBody streamed(Stream stream, std::optional<std::uint64_t> length = std::nullopt);

  [[nodiscard]] bool is_streamed() const noexcept { return stream_ != nullptr; }
  [[nodiscard]] bool is_empty() const noexcept { return !is_streamed() && text().empty(); }
  /// Nothing: in chunks.
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept;
  [[nodiscard]] std::string_view text() const noexcept {
    return text_ ? std::string_view(text_->text) : std::string_view();
  }
  /// Holds the text.
  [[nodiscard]] LocalRef<LocalShared> keep() const noexcept { return text_; }
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

 private:
  struct Text final : LocalShared {
    explicit Text(std::string given) noexcept : text(std::move(given)) {}
    const std::string text;
  };
  LocalRef<Text> text_;
  Stream stream_;
  std::optional<std::uint64_t> length_;
};

struct ClientField {
  std::string name;
  std::string value;
  bool operator==(const ClientField&) const = default;
};

struct ClientRequest {
  std::string method = "GET";
  std::string url = {};
  std::vector<ClientField> fields = {};
  RequestBody body = {};
  /// Sends "Expect: 100-continue" with a body, which then waits for the server's word or for
  /// ClientTimeouts::expect.
  bool expect_continue = false;

  // What this request wants otherwise than ClientOptions.
  std::optional<std::chrono::milliseconds> total = {};
  std::optional<std::size_t> redirects_max = {};
  std::optional<std::uint64_t> body_max = {};
};

}  // namespace ssx::http
