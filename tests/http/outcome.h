// Everything that the parsers say about some bytes, as values to compare; for tests and fuzz
// targets.
//
// Thread: any thread
// Owner:  values
// Life:   they outlive the bytes
// Bounds: none of its own
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/chunked_decoder.h"
#include "http/request_parser.h"
#include "ssxrver/base/assert.h"

namespace ssx::http::test {

using Pieces = std::vector<std::string_view>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Everything that a parse says, without views.
struct Outcome {
  Progress progress = Progress::kNeedMore;
  Errc error = Errc::kOk;
  std::size_t head_size = 0;
  std::string method, target, path, query, host;
  Version version = Version::kHttp11;
  TargetForm form = TargetForm::kOrigin;
  bool path_is_normal = false, has_query = false, has_host = false, chunked = false;
  bool keep_alive = false, expect_continue = false, upgrade = false;
  std::optional<std::uint64_t> content_length;
  Pairs fields;

  bool operator==(const Outcome&) const = default;
};

inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << "progress " << static_cast<int>(outcome.progress) << ", \"" << to_string(outcome.error)
       << "\", head " << outcome.head_size << ", " << outcome.method << ' ' << outcome.target
       << ", host \"" << outcome.host << "\", " << outcome.fields.size() << " fields";
}

/// What two heads have in common.
template <class To, class Head>
void copy_head(To& outcome, const Head& head) {
  outcome.version = head.version;
  outcome.keep_alive = head.keep_alive;
  outcome.chunked = head.chunked;
  outcome.content_length = head.content_length;
  for (const Field field : head.fields) outcome.fields.emplace_back(field.name, field.value);
}

/// Gives parse(bytes) all that was received so far, piece by piece, as a session does: somewhere
/// else each time. Until it returns true.
template <class Parse>
void receive(const Pieces& pieces, const Parse& parse) {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  for (const std::string_view piece : pieces) {
    auto moved = std::make_unique<char[]>(size + piece.size());
    std::copy(bytes.get(), bytes.get() + size, moved.get());
    std::ranges::copy(piece, moved.get() + size);
    size += piece.size();
    bytes = std::move(moved);
    if (parse(std::string_view(bytes.get(), size))) return;
  }
}

/// How the parser ends a peer that sends `more` for ever, within `bytes_max` bytes.
template <class Parser, class Head>
Errc error_without_end(Parser& parser, Head& head, std::string bytes, char more,
                       std::size_t bytes_max) {
  auto parsed = parser.parse(bytes, head);
  while (parsed.progress == Progress::kNeedMore && bytes.size() < bytes_max) {
    bytes += more;
    parsed = parser.parse(bytes, head);
  }
  return parsed.error;
}

inline Outcome outcome_of(const RequestParser::Parsed& parsed, const Head& head) {
  Outcome outcome;
  outcome.progress = parsed.progress;
  outcome.error = parsed.error;
  outcome.head_size = parsed.head_size;
  if (parsed.progress != Progress::kDone) return outcome;
  outcome.method = head.method_text;
  outcome.target = head.target;
  outcome.path = head.path;
  outcome.query = head.query;
  outcome.host = head.host;
  outcome.form = head.form;
  outcome.path_is_normal = head.path_is_normal;
  outcome.has_query = head.has_query;
  outcome.has_host = head.has_host;
  outcome.expect_continue = head.expect_continue;
  outcome.upgrade = head.upgrade;
  copy_head(outcome, head);
  return outcome;
}

/// Piece by piece; parser and head are put aside as copies in between, as a session does.
inline Outcome parse_pieces(const Pieces& pieces, const ParserLimits& limits = {},
                            Isa isa = best_isa()) {
  RequestParser parser(limits, isa);
  auto head = std::make_unique<Head>();
  Outcome outcome;
  receive(pieces, [&](std::string_view bytes) {
    head = std::make_unique<Head>(*head);
    RequestParser copy = parser;
    const auto parsed = copy.parse(bytes, *head);
    if (parsed.progress != Progress::kNeedMore) outcome = outcome_of(parsed, *head);
    parser = copy;
    return parsed.progress != Progress::kNeedMore;
  });
  return outcome;
}

/// What a chunked body came to.
struct Body {
  Progress progress = Progress::kNeedMore;
  Errc error = Errc::kOk;
  std::size_t consumed = 0;  ///< of all bytes
  std::string data;

  bool operator==(const Body&) const = default;
};

inline void PrintTo(const Body& body, std::ostream* out) {
  *out << "progress " << static_cast<int>(body.progress) << ", \"" << to_string(body.error)
       << "\", consumed " << body.consumed << ", " << body.data.size() << " bytes";
}

inline Body decode_pieces(const Pieces& pieces, const ParserLimits& limits = {}) {
  ChunkedDecoder decoder(limits);
  Body body;
  for (std::string_view piece : pieces) {
    while (!piece.empty() && body.progress == Progress::kNeedMore) {
      const auto step = decoder.next(piece);
      body.progress = step.progress;
      body.error = step.error;
      body.data += step.data;
      // Where a refused body was refused does not count: it is never read on.
      body.consumed += step.progress == Progress::kFailed ? 0 : step.consumed;
      piece.remove_prefix(step.consumed);
    }
  }
  if (body.progress == Progress::kFailed) body.consumed = 0;
  SSX_ASSERT(decoder.body_size() == body.data.size(), decoder.body_size(), body.data.size());
  return body;
}

}  // namespace ssx::http::test
