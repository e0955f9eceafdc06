// One request on one connection, and the response to it.
//
// Thread: loop-only
// Owner:  the client, then the ClientResponse
// Life:   from the request to the last byte of the response; destroying it before ends the
//         connection, and at the end the connection goes back to the pool by itself
// Bounds: ClientOptions: parser, timeouts, interim_max, body_max; one read of the system and what
//         ClientConnection holds back are in memory, whatever the length of the response
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/chunked_decoder.h"
#include "http/client/client_request.h"
#include "http/client/connection_pool.h"
#include "http/client/response_parser.h"
#include "http/client/upload.h"
#include "http/url.h"
#include "ssxrver/base/in_buffer.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

class ClientExchange {
 public:
  /// What is asked for, redirects followed so far.
  struct Asked {
    Url url;
    std::string method;
    std::vector<ClientField> fields;
    RequestBody body;
    bool expect_continue = false;
    bool to_proxy = false;
  };

  /// How often a body that is being sent is looked at.
  static constexpr Duration kLook = std::chrono::seconds(1);

  /// `until`: the end of its time.
  ClientExchange(LocalRef<ConnectionPool> pool, Asked asked, TimePoint until);
  ClientExchange(const ClientExchange&) = delete;
  ClientExchange& operator=(const ClientExchange&) = delete;

  /// Sends the request, and reads to the end of the response's head. A streamed body may still be
  /// on its way then: an answer below 300 does not stop it.
  [[nodiscard]] Task<Result<void>> perform(ConnectionPool::Lease lease);

  /// The next piece of the body, or nothing at its end. It is good until the next read().
  [[nodiscard]] Task<Result<std::string_view>> read();
  /// The rest of the body becomes body(). kResponseTooLarge: longer than `most`.
  [[nodiscard]] Task<Result<void>> read_whole(std::uint64_t most);
  /// Reads over at most that much, and ends the connection when more comes.
  [[nodiscard]] Task<> discard(std::size_t most);

  [[nodiscard]] const Asked& asked() const noexcept { return asked_; }
  [[nodiscard]] const ResponseHead& head() const noexcept { return head_; }
  [[nodiscard]] std::string& body() noexcept { return body_; }
  /// Complete when the body is.
  [[nodiscard]] const std::vector<ClientField>& trailers() const noexcept { return trailers_; }
  /// Nobody has seen a byte of a streamed body.
  [[nodiscard]] bool body_is_untouched() const noexcept { return !body_started_; }
  /// perform() failed because the connection ended without a byte of a response.
  [[nodiscard]] bool ended_silently() const noexcept { return ended_silently_; }
  [[nodiscard]] ConnectionPool& pool() const noexcept { return *pool_; }

 private:
  [[nodiscard]] ClientConnection& connection() const noexcept { return *lease_.connection(); }
  [[nodiscard]] const ClientOptions& options() const noexcept { return pool_->options(); }
  [[nodiscard]] TimePoint now() const noexcept { return pool_->loop().now(); }

  void send_head();
  void start_upload();
  std::optional<Result<void>> take_heads();
  std::optional<Result<void>> take_interim();
  void begin_body();
  Errc next_piece();
  Errc next_chunk();
  void finish_body();
  void collect_trailers();
  [[nodiscard]] bool is_sending() const noexcept;
  [[nodiscard]] Duration patience(Duration phase) const noexcept;
  Errc judge_time(Errc standing_still, Duration phase);
  [[nodiscard]] Error connection_ended(const Error& how);
  Unexpected give_up(const Error& error);

  const LocalRef<ConnectionPool> pool_;
  const Asked asked_;
  const TimePoint until_;

  ConnectionPool::Lease lease_;
  std::unique_ptr<Upload> upload_;
  ResponseParser parser_;
  ChunkedDecoder chunks_;
  ResponseHead head_;
  std::string head_text_;  ///< what the views of head_ look into
  InBuffer in_;            ///< taken from the connection
  std::size_t given_ = 0;  ///< of in_, by the last read()
  std::string_view piece_;
  std::uint64_t left_ = 0;  ///< of a body with a length
  std::string body_;
  std::string trailer_text_;
  std::vector<ClientField> trailers_;
  std::size_t interim_ = 0;
  TimePoint progress_at_;        ///< when something was last seen to move
  std::uint64_t seen_sent_ = 0;  ///< sent_bytes() then
  bool expecting_ = false;       ///< the body waits for 100 (Continue)
  bool body_started_ = false;
  bool body_due_ = false;  ///< the request announced a body that was never sent
  bool something_came_ = false;
  bool ended_silently_ = false;
  bool complete_ = false;
  std::optional<Error> error_;
};

}  // namespace ssx::http
