#include "http/middleware/compression.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "http/counters.h"
#include "http/fault.h"
#include "http/middleware/compressible.h"
#include "http/middleware/encoded_cache.h"
#include "http/middleware/encoder_pool.h"
#include "http/spare_memory.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/loop_owned.h"
#include "ssxrver/sys/file.h"

namespace ssx::http {
namespace {

using compress::Coding;
using compress::Flush;

/// What the pieces of a stream go through.
class Filter {
 public:
  Filter(BorrowedEncoder encoder, bool flushes) noexcept
      : encoder_(std::move(encoder)), flushes_(flushes) {}

  Result<std::string_view> operator()(std::string_view piece, PieceEnd end) {
    coded_.clear();
    SSX_TRY_VOID(encoder_->write(as_bytes(piece), flush_at(end), coded_));
    return std::string_view(coded_);
  }

 private:
  [[nodiscard]] Flush flush_at(PieceEnd end) const noexcept {
    if (end == PieceEnd::kBody) return Flush::kEnd;
    return flushes_ && end == PieceEnd::kWrite ? Flush::kSync : Flush::kNone;
  }

  BorrowedEncoder encoder_;
  const bool flushes_;
  std::string coded_;
};

// A file that came short ends early: less than promised.
Task<> send_file(BodyWriter& body, const FileSlice& file) {
  std::string piece;
  std::uint64_t done = 0;
  while (done < file.size) {
    const std::uint64_t wanted = std::min<std::uint64_t>(kCompressedWholeMax, file.size - done);
    piece.resize(static_cast<std::size_t>(wanted));
    const auto count =
        sys::pread(file.fd, std::as_writable_bytes(std::span(piece)), file.offset + done);
    if (!count || *count == 0) {
      if (file.keep) file.keep->file_came_short();
      co_return;
    }
    if (!co_await body.write(std::string_view(piece).substr(0, *count))) co_return;
    done += *count;
    co_await net::yield();
  }
}

/// The same body as a coroutine that writes it.
Response::BodyMaker make_stream(Response::Content content) {
  if (auto* stream = std::get_if<Response::Stream>(&content)) return std::move(stream->make);
  if (auto* file = std::get_if<FileSlice>(&content))
    return [slice = std::move(*file)](BodyWriter& body) { return send_file(body, slice); };
  if (auto* kept = std::get_if<Response::Kept>(&content)) {
    return
        [held = std::move(*kept)](BodyWriter& body) -> Task<> { co_await body.write(held.bytes); };
  }
  auto* const owned = std::get_if<std::string>(&content);
  std::string text =
      owned != nullptr ? std::move(*owned) : std::string(std::get<Response::View>(content).bytes);
  return [held = std::move(text)](BodyWriter& body) -> Task<> { co_await body.write(held); };
}

bool is_weak(std::string_view etag) noexcept { return etag.starts_with("W/"); }

void say_coded(Response& answer, Coding coding) {
  answer.own_fields().set("Content-Encoding", compress::to_string(coding));
  const auto etag = answer.field("ETag");
  if (etag && !is_weak(*etag)) answer.replace("ETag", "W/" + std::string(*etag));
  answer.replace("Accept-Ranges", "");
}

/// One whose bytes and fields are the same whenever they are those of the key.
std::optional<EncodedCache::Key> find_key(const Response& answer, Coding coding) {
  const auto* kept = std::get_if<Response::Kept>(&answer.content());
  if (kept == nullptr || kept->bytes.size() > EncodedCache::kBodyMax || !answer.fields().empty() ||
      !answer.content_type().empty())
    return std::nullopt;
  const auto etag = answer.field("ETag");
  if (kept->keep && (!etag || is_weak(*etag))) return std::nullopt;
  return EncodedCache::Key{*kept, coding, answer.prepared_fields()};
}

std::string_view text_of(const Response::Content& content) noexcept {
  if (const auto* owned = std::get_if<std::string>(&content)) return *owned;
  if (const auto* view = std::get_if<Response::View>(&content)) return view->bytes;
  if (const auto* kept = std::get_if<Response::Kept>(&content)) return kept->bytes;
  return {};
}

void replace_by(Response& answer, const LocalRef<EncodedCache::Body>& body) {
  answer.content() = Response::Kept{body->bytes, body};
  answer.prepared_fields(body->fields);
}

// The body becomes one that is compressed while it leaves.
void encode_stream(Response& answer, BorrowedEncoder encoder, Coding coding) {
  say_coded(answer, coding);
  const auto* const stream = answer.stream();
  const auto promised = stream != nullptr ? stream->length : std::optional(answer.body_size());
  Response::Stream coded;
  coded.make = [promised, filter = BodyFilter(Filter(std::move(encoder), stream != nullptr)),
                make = make_stream(std::move(answer.content()))](BodyWriter& body) mutable {
    body.set_filter(std::move(filter), promised);
    return make(body);
  };
  answer.content() = std::move(coded);
}

/// What a worker keeps for its next answers.
class Kept final : public SpareMemory::Holder {
 public:
  Kept(std::shared_ptr<EncoderPool> pool, std::uint32_t worker) noexcept
      : pool_(std::move(pool)), worker_(worker) {}

  /// Of whoever serves: it outlives what the worker keeps.
  void join(SpareMemory& memory, Counters& counters) noexcept {
    if (!memory.add(*this)) return;
    counters_ = &counters;
    pool_->watch(worker_, memory, counters.encoders_dropped);
  }

  EncodedCache cache;

 private:
  void give_up() noexcept override {
    pool_->drop_spare(worker_);
    counters_->encoded_dropped.add(cache.clear());
  }

  const std::shared_ptr<EncoderPool> pool_;
  const std::uint32_t worker_;
  Counters* counters_ = nullptr;
};

class Compressor {
 public:
  explicit Compressor(const CompressionOptions& options)
      : compressible_(options),
        pool_(std::make_shared<EncoderPool>(
            EncoderPool::Options{options.level, options.encoders_max})) {}

  void look_at(const Request& request, Response& answer);

 private:
  [[nodiscard]] bool encode(const Request& request, Response& answer, Coding coding);
  [[nodiscard]] EncodedCache& cache_of(const Request& request);

  const Compressible compressible_;
  const std::shared_ptr<EncoderPool> pool_;
  std::array<net::LoopOwned<Kept>, EncoderPool::kWorkersMax> kept_;
};

EncodedCache& Compressor::cache_of(const Request& request) {
  Kept& its = kept_.at(request.worker()).get(pool_, request.worker());
  SpareMemory* const memory = spare_memory_of(request);
  if (Counters* const counters = counters_of(request); memory != nullptr && counters != nullptr)
    its.join(*memory, *counters);
  return its.cache;
}

// False: it stays as it is.
bool Compressor::encode(const Request& request, Response& answer, Coding coding) {
  EncodedCache& cache = cache_of(request);
  const auto key = find_key(answer, coding);
  if (key) {
    if (const auto ready = cache.find(*key)) return replace_by(answer, ready), true;
  }
  auto encoder = BorrowedEncoder::take(*pool_, request.worker(), coding);
  if (!encoder) {
    if (Counters* const counters = counters_of(request)) counters->encoders_max_hit.add();
    return false;
  }
  const std::string_view text = text_of(answer.content());
  if (text.empty() || text.size() > kCompressedWholeMax) {
    encode_stream(answer, *std::move(encoder), coding);
    return true;
  }
  std::string coded;
  coded.reserve(text.size() / 2);
  const bool is_shorter =
      (*encoder)->write(as_bytes(text), Flush::kEnd, coded) && coded.size() < text.size();
  if (!is_shorter) return false;
  if (!key) {
    say_coded(answer, coding);
    answer.content() = std::move(coded);
    return true;
  }
  Response form;
  say_coded(form.content_type({}).prepared_fields(key->fields), coding);
  form.vary("Accept-Encoding");
  const LocalRef<EncodedCache::Body> body(new EncodedCache::Body);
  body->bytes = std::move(coded);
  body->fields = form.fields();
  cache.put(*key, body);
  replace_by(answer, body);
  return true;
}

// The client had it coded, and has named the weak ETag: that form has not changed.
void name_weak(const Request& request, Response& answer) {
  const auto etag = answer.field("ETag");
  const auto known = request.header(FieldName::kIfNoneMatch);
  if (!etag || !known || is_weak(*etag)) return;
  const std::string weak = "W/" + std::string(*etag);
  if (known->find(weak) == std::string_view::npos) return;
  answer.replace("ETag", weak).vary("Accept-Encoding");
}

void Compressor::look_at(const Request& request, Response& answer) {
  if (answer.status() == Status::kNotModified) return name_weak(request, answer);
  if (!compressible_.is_candidate(answer)) return;
  if (const auto coding = compressible_.choose(request.fields())) {
    const SpareMemory* const memory = spare_memory_of(request);
    Counters* const counters = counters_of(request);
    if (memory != nullptr && memory->is_out()) {
      if (counters != nullptr) counters->memory_not_compressed.add();
    } else if (encode(request, answer, *coding)) {
      if (counters != nullptr) counters->compressed.add();
    }
  }
  answer.vary("Accept-Encoding");
}

}  // namespace

Middleware compression(const CompressionOptions& options) {
  const auto compressor = std::make_shared<Compressor>(options);
  return Middleware::hooks(nullptr, [compressor](const Request& request, Response& answer) {
    compressor->look_at(request, answer);
  });
}

}  // namespace ssx::http
