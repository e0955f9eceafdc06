// The 101 that made a WebSocket, kept for whoever wants to read it.
//
// Thread: loop-only
// Owner:  whoever connects; moves
// Life:   any: it has its own copy
// Bounds: ClientOptions::parser
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/client/response_head.h"

namespace ssx::websocket {

class ClientAnswer {
 public:
  /// Of nobody: no field at all.
  ClientAnswer() = default;
  /// `bytes` are those that the parser has made `head` of.
  ClientAnswer(std::string_view bytes, const http::ResponseHead& head)
      : kept_(std::make_unique<Kept>(Kept{std::string(bytes), head})) {
    kept_->head.rebase(kept_->bytes.data());
  }

  /// 101; 0 when there was none.
  [[nodiscard]] int status() const noexcept { return kept_ == nullptr ? 0 : kept_->head.status; }
  [[nodiscard]] std::string_view reason() const noexcept {
    return kept_ == nullptr ? std::string_view() : kept_->head.reason;
  }
  /// The value of the first field of that name, in any case; empty when there is none.
  [[nodiscard]] std::string_view field(std::string_view name) const noexcept {
    if (kept_ == nullptr) return {};
    return kept_->head.fields.find(name).value_or(std::string_view());
  }
  /// Null when there was none.
  [[nodiscard]] const http::Fields* fields() const noexcept {
    return kept_ == nullptr ? nullptr : &kept_->head.fields;
  }

 private:
  struct Kept {
    std::string bytes;
    http::ResponseHead head;
  };
  std::unique_ptr<Kept> kept_;
};

}  // namespace ssx::websocket
