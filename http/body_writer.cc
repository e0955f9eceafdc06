#include "http/body_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "http/field_rules.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"

namespace ssx::http {

void BodyWriter::open(net::Connection& connection, const char* label, Framing framing,
                      std::uint64_t length, UniqueFunction<void()> on_write) {
  connection_ = &connection;
  label_ = label;
  framing_ = framing;
  length_ = length;
  written_ = 0;
  on_write_ = std::move(on_write);
}

void BodyWriter::clear() noexcept {
  SSX_DCHECK(writer_ == nullptr);  // its coroutine is destroyed before the writer is reused
  connection_ = nullptr;
  trailers_.clear();
  on_write_.reset();
  filter_.reset();
  filtered_ = {};
  promised_.reset();
}

void BodyWriter::set_filter(BodyFilter filter, std::optional<std::uint64_t> promised) {
  SSX_ASSERT(written_ == 0 && framing_ != Framing::kLength);
  filter_ = std::move(filter);
  promised_ = promised;
}

bool BodyWriter::finish() {
  if (filter_) {
    if (promised_.value_or(0) > 0) return false;
    if (!filtered_.empty()) append(filtered_);  // of a write that was given up
    const auto rest = filter_({}, PieceEnd::kBody);
    if (!rest) return false;
    if (!rest->empty()) append(*rest);
  }
  if (framing_ == Framing::kLength) return written_ == length_;
  if (framing_ == Framing::kConnection) return true;
  OutQueue& out = connection_->out();
  out.append_copy(as_bytes("0\r\n"));
  out.append_copy(as_bytes(trailers_));
  out.append_copy(as_bytes("\r\n"));
  return true;
}

Result<void> BodyWriter::trailer(std::string_view name, std::string_view value) {
  if (framing_ != Framing::kChunked) return fail(ssx::Errc::kUnsupported, "trailer");
  if (!is_token(name) || !is_field_value(value) || !may_be_trailer(name))
    return fail(ssx::Errc::kInvalidArgument, "trailer");
  trailers_.append(name).append(": ").append(value).append("\r\n");
  return {};
}

// True: the writer has its result.
bool BodyWriter::try_write(WriteAwaiter& writer) {
  SSX_ASSERT(writer_ == nullptr || writer_ == &writer);  // one writer
  if (!connection_->is_open()) {
    writer.result_ = fail(ssx::Errc::kClosed, "body");
    return true;
  }
  if (filter_) return try_filtered(writer);
  if (framing_ == Framing::kLength && writer.rest_.size() > length_ - written_) {
    writer.result_ = fail(ssx::Errc::kOverflow, "body");
    return true;
  }
  queue_from(writer.rest_);
  return writer.rest_.empty();
}

// One piece per call: between two of a long write the others have their turn.
bool BodyWriter::try_filtered(WriteAwaiter& writer) {
  std::string_view& rest = writer.rest_;
  if (promised_ && !writer.begun_) {
    if (rest.size() > *promised_) {
      writer.result_ = fail(ssx::Errc::kOverflow, "body");
      return true;
    }
    *promised_ -= rest.size();
  }
  if (filtered_.empty() && (!writer.begun_ || !rest.empty())) {
    const std::string_view piece = rest.substr(0, kFilterPieceMax);
    rest.remove_prefix(piece.size());
    const auto made = filter_(piece, rest.empty() ? PieceEnd::kWrite : PieceEnd::kNothing);
    if (!made) {
      writer.result_ = fail(made.error());
      return true;
    }
    filtered_ = *made;
  }
  writer.begun_ = true;
  queue_from(filtered_);
  return filtered_.empty() && rest.empty();
}

// As much as there is room for.
void BodyWriter::queue_from(std::string_view& bytes) {
  const std::uint64_t high = connection_->table().options().output_high;
  const std::uint64_t unsent = connection_->unsent_bytes();
  const std::uint64_t room = unsent < high ? high - unsent : 0;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size()));
  if (count > 0) append(bytes.substr(0, count));
  bytes.remove_prefix(count);
}

void BodyWriter::append(std::string_view bytes) {
  on_write_();
  written_ += bytes.size();
  OutQueue& out = connection_->out();
  if (framing_ == Framing::kChunked) {
    std::array<char, 18> size{};
    char* const end = std::to_chars(size.data(), size.data() + 16, bytes.size(), 16).ptr;
    end[0] = '\r';
    end[1] = '\n';
    out.append_copy(as_bytes({size.data(), static_cast<std::size_t>(end - size.data()) + 2}));
  }
  out.append_copy(as_bytes(bytes));
  if (framing_ == Framing::kChunked) out.append_copy(as_bytes("\r\n"));
}

void BodyWriter::wait(WriteAwaiter& writer) noexcept {
  writer_ = &writer;
  look_again();
}

// on_drain comes only when a write was cut short. When the system took everything, nobody calls; so
// the queue is looked at after it has been sent, which is before this at the end of the turn.
void BodyWriter::look_again() noexcept { connection_->loop().at_turn_end(*this); }

void BodyWriter::push_on() {
  if (writer_ == nullptr) return;
  const bool is_open = connection_->is_open();
  if (is_open && connection_->unsent_bytes() > connection_->table().options().output_low) {
    if (!connection_->is_blocked()) look_again();
    return;
  }
  if (!try_write(*writer_)) return look_again();
  WriteAwaiter* const writer = std::exchange(writer_, nullptr);
  writer->waiting_ = false;
  connection_->loop().set_label(label_);
  writer->run();
}

BodyWriter::WriteAwaiter::~WriteAwaiter() {
  if (waiting_) body_.writer_ = nullptr;  // the coroutine was cancelled
}

void BodyWriter::WriteAwaiter::await_suspend(std::coroutine_handle<> handle) noexcept {
  set_handle(handle);
  waiting_ = true;
  body_.wait(*this);
}

}  // namespace ssx::http
