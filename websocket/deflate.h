// The messages of one connection, compressed and back (RFC 7692 7.2), by what the handshake agreed
// on.
//
// Thread: loop-only
// Owner:  the session; made only when permessage-deflate was agreed on
// Life:   that of the connection; options and pool outlive it
// Bounds: Options::message_max and DeflateOptions of each message that comes; a context of each
//         direction at the most, and none between messages where none is kept
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/compress/message_deflater.h"
#include "ssxrver/compress/message_inflater.h"
#include "ssxrver/compress/step.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/deflate_pool.h"
#include "websocket/error.h"
#include "websocket/frame.h"
#include "websocket/options.h"

namespace ssx::websocket {

/// Virtual, so that a session that has none has no code of it.
class Deflate {
 public:
  Deflate(const DeflateParams& params, const Options& options, Role role,
          DeflatePool& pool) noexcept
      : params_(params), options_(options), pool_(pool), role_(role) {}
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;
  virtual ~Deflate();

  /// A piece of a message that came compressed, unmasked: as compress::MessageInflater::step, so
  /// that the message need not fit into memory. kBadDeflate, kMessageTooLong or kInflateRatio, and
  /// kHandlerFailed without memory; then the connection is to be closed.
  [[nodiscard]] virtual Result<compress::Step> inflate(ByteView in, MutableBytes out,
                                                       compress::Piece piece);

  /// Appends the message as its frame carries it, with RSV1 set. False, and nothing appended: send
  /// it as it is, because it is short, does not become shorter, or the budget is used up.
  [[nodiscard]] virtual bool deflate(ByteView message, std::string& out);

  /// deflate() may compress a message of this size.
  [[nodiscard]] virtual bool wants(std::size_t size) const noexcept;
  /// Sockets of the same kind may be sent the same compressed bytes: those that begin each message
  /// anew. Nothing for others.
  [[nodiscard]] virtual std::optional<unsigned> shared_kind() const noexcept;

  /// A context is there now.
  [[nodiscard]] bool has_inflater() const noexcept { return inflater_.has_value(); }
  [[nodiscard]] bool has_deflater() const noexcept { return deflater_.has_value(); }

 private:
  [[nodiscard]] bool keeps_inflater() const noexcept {
    return role_ == Role::kServer ? !params_.client_no_context_takeover
                                  : !params_.server_no_context_takeover;
  }
  [[nodiscard]] bool keeps_deflater() const noexcept {
    return role_ == Role::kServer ? !params_.server_no_context_takeover
                                  : !params_.client_no_context_takeover;
  }
  [[nodiscard]] compress::MessageDeflaterOptions deflater_options() const noexcept;
  [[nodiscard]] bool ensure_deflater();
  void give_back_inflater() noexcept;
  void give_back_deflater() noexcept;

  const DeflateParams params_;
  const Options& options_;
  DeflatePool& pool_;
  const Role role_;
  std::optional<compress::MessageInflater> inflater_;
  std::optional<compress::MessageDeflater> deflater_;
};

}  // namespace ssx::websocket
