// The response to a request of the client, with its body whole or to be read piece by piece.
//
// Thread: loop-only (the client's loop)
// Owner:  whoever asked
// Life:   the views it hands out live as long as it does (read(): until the next one). Destroying
//         it before the end of the body ends the connection. It may outlive the Client, not the
//         Connections that the client was made with
// Bounds: ClientOptions::body_max for a whole body; a piece of read() is what has arrived
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/client_exchange.h"

namespace ssx::http {

class ClientResponse {
 public:
  explicit ClientResponse(std::unique_ptr<ClientExchange> exchange, std::uint64_t body_max) noexcept
      : exchange_(std::move(exchange)), body_max_(body_max) {}

  /// 200 .. 999.
  [[nodiscard]] int status() const noexcept { return exchange_->head().status; }
  [[nodiscard]] bool is_success() const noexcept { return status() >= 200 && status() < 300; }
  [[nodiscard]] std::string_view reason() const noexcept { return exchange_->head().reason; }
  [[nodiscard]] Version version() const noexcept { return exchange_->head().version; }
  [[nodiscard]] const Fields& fields() const noexcept { return exchange_->head().fields; }
  /// The value of the first field of that name, in any case; empty when there is none.
  [[nodiscard]] std::string_view field(std::string_view name) const noexcept {
    return fields().find(name).value_or(std::string_view());
  }
  /// What Content-Length says, also in answer to HEAD.
  [[nodiscard]] std::optional<std::uint64_t> content_length() const noexcept {
    return exchange_->head().content_length;
  }
  /// Who has answered: redirects may have led elsewhere.
  [[nodiscard]] const Url& url() const noexcept { return exchange_->asked().url; }

  /// The body, once it was read as a whole.
  [[nodiscard]] std::string_view body() const noexcept { return exchange_->body(); }
  [[nodiscard]] std::string take_body() noexcept { return std::move(exchange_->body()); }

  /// co_await gives the next piece, and an empty one at the end.
  [[nodiscard]] Task<Result<std::string_view>> read();
  /// Reads the rest into body().
  [[nodiscard]] Task<Result<void>> read_all();
  /// The fields behind a chunked body, once that was read to its end.
  [[nodiscard]] const std::vector<ClientField>& trailers() const noexcept {
    return exchange_->trailers();
  }

 private:
  std::unique_ptr<ClientExchange> exchange_;
  std::uint64_t body_max_;
  bool failed_ = false;
};

}  // namespace ssx::http
