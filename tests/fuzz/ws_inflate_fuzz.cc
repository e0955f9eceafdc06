// Compressed messages behind one another: what comes out is what zlib alone makes of them, however
// they are cut, and never more than the limit.
//
// An input is a byte of choices, and messages: two bytes for the size of each, then its bytes.
#include <zlib.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/compress/message_inflater.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::compress;

constexpr std::size_t kOutputMax = 1 << 16;
constexpr std::size_t kMessagesMax = 8;

struct Outcome {
  std::string text;
  bool is_good = false;
};

/// Documented calls alone: a final block is passed by giving zlib its window as a dictionary.
class Reference {
 public:
  Reference() { SSX_ASSERT(::inflateInit2(&stream_, -15) == Z_OK); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() { ::inflateEnd(&stream_); }

  Outcome read(std::string message) {
    message.append("\0\0\xFF\xFF", 4);
    if (has_ended_) pass_final_block({});
    Outcome outcome;
    stream_.next_in = reinterpret_cast<Bytef*>(message.data());
    stream_.avail_in = static_cast<uInt>(message.size());
    outcome.is_good = read_blocks(outcome.text);
    history_ += outcome.text;
    return outcome;
  }
  void forget() {
    ::inflateReset(&stream_);
    history_.clear();
    has_ended_ = false;
  }

 private:
  bool read_blocks(std::string& text) {
    std::array<char, 999> room;
    while (text.size() <= kOutputMax) {
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = room.size();
      const int answer = ::inflate(&stream_, Z_NO_FLUSH);
      text.append(room.data(), room.size() - stream_.avail_out);
      if (answer == Z_STREAM_END) {
        has_ended_ = true;
        if (stream_.avail_in <= 4) return stream_.avail_in == 4;
        pass_final_block(text);
        continue;
      }
      if (answer != Z_OK && answer != Z_BUF_ERROR) return false;
      if (stream_.avail_out != 0) return (stream_.data_type & 128) != 0;
    }
    return false;
  }
  void pass_final_block(const std::string& text) {
    const std::string all = history_ + text;
    const std::string window = all.substr(all.size() - std::min<std::size_t>(all.size(), 32768));
    const auto in = stream_.next_in;
    const auto size = stream_.avail_in;
    ::inflateReset(&stream_);
    stream_.next_in = in;
    stream_.avail_in = size;
    if (!window.empty()) {
      SSX_ASSERT(::inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(window.data()),
                                        static_cast<uInt>(window.size())) == Z_OK);
    }
    has_ended_ = false;
  }

  z_stream stream_{};
  std::string history_;
  bool has_ended_ = false;
};

std::optional<ssx::compress::Errc> read(MessageInflater& inflater, const ssx::fuzz::Pieces& pieces,
                                        std::string& text) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece piece = i + 1 == pieces.size() ? Piece::kLast : Piece::kMore;
    const auto done = inflater.read(ssx::as_bytes(pieces[i]), piece, text);
    if (!done) return static_cast<Errc>(done.error().code().value());
  }
  return std::nullopt;
}

std::vector<std::string> messages_of(std::string_view bytes) {
  std::vector<std::string> messages;
  while (bytes.size() >= 2 && messages.size() < kMessagesMax) {
    const std::size_t size = static_cast<unsigned char>(bytes[0]) * std::size_t{256} +
                             static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    messages.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return messages;
}

/// The `way`-th way to cut it; the whole when there are not so many.
ssx::fuzz::Pieces cut(const std::string& message, std::size_t way) {
  if (message.empty() || way == 0) return {message};
  const auto all = ssx::fuzz::splits(message);
  return all[(way - 1) % all.size()];
}

void check(const std::vector<std::string>& messages, bool forgets, std::size_t way) {
  Reference reference;
  MessageInflater inflater =
      MessageInflater::create(15, {.output_max = kOutputMax, .ratio_max = 0}).value();
  for (const std::string& message : messages) {
    const Outcome expected = reference.read(message);
    std::string text;
    const auto error = read(inflater, cut(message, way), text);
    SSX_ASSERT(text.size() <= kOutputMax, text.size());
    if (expected.text.size() > kOutputMax) {
      SSX_ASSERT(error == Errc::kTooLarge);
    } else if (expected.is_good) {
      SSX_ASSERT(!error && text == expected.text, text.size(), expected.text.size());
    } else {
      SSX_ASSERT(error == Errc::kCorrupt);
    }
    if (error) return;
    if (!forgets) continue;
    inflater.forget();
    reference.forget();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto messages = messages_of(ssx::fuzz::text(data + 1, size - 1));
  for (std::size_t way = 0; way < 6; ++way) check(messages, data[0] % 2 != 0, way);
  return 0;
}
