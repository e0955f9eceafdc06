#include "http/middleware/compressible.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "http/media_type.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

using compress::Coding;

ContentCoding to_content_coding(Coding coding) noexcept {
  switch (coding) {
    case Coding::kGzip:
      return ContentCoding::kGzip;
    case Coding::kBrotli:
      return ContentCoding::kBrotli;
    case Coding::kZstd:
      return ContentCoding::kZstd;
  }
  return ContentCoding::kIdentity;
}

struct IsLongEnough {
  std::uint64_t min;
  bool operator()(const std::monostate&) const { return false; }
  bool operator()(const std::string& text) const { return text.size() >= min; }
  bool operator()(const Response::View& view) const { return view.bytes.size() >= min; }
  bool operator()(const Response::Kept& kept) const { return kept.bytes.size() >= min; }
  bool operator()(const FileSlice& file) const { return file.size >= min; }
  bool operator()(const Response::Stream& stream) const {
    return stream.length.value_or(min) >= min;
  }
  bool operator()(const std::vector<Response::Piece>&) const { return false; }  // parts of a file
  bool operator()(const Response::Switch&) const { return false; }
};

bool says_no_transform(std::string_view cache_control) {
  bool found = false;
  for_each_part(cache_control, ',', [&found](std::string_view part) {
    found = found || ascii_iequals(trim(part), "no-transform");
  });
  return found;
}

/// What the fields of an answer say about its content.
class ContentFacts {
 public:
  std::string_view type;
  bool is_fixed = false;  ///< those bytes and no others

  /// Lines that end with CRLF each. Most are of other fields, as their first letters say.
  void look_at(std::string_view lines) {
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\r'));
      const char letter = ascii_lower(lines.front());
      if (letter == 'c' || letter == 'r') look_at_line(line);
      lines.remove_prefix(std::min(lines.size(), line.size() + 2));
    }
  }

 private:
  void look_at_line(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) note(line.substr(0, colon), trim(line.substr(colon + 1)));
  }

  void note(std::string_view name, std::string_view value) {
    const auto is = [name](std::string_view other) { return ascii_iequals(name, other); };
    if (is("Content-Type")) {
      type = value;
    } else if (is("Cache-Control")) {
      is_fixed = is_fixed || says_no_transform(value);
    } else {
      is_fixed = is_fixed || is("Content-Encoding") || is("Content-Range") ||
                 is("Content-Digest") || is("Repr-Digest");
    }
  }
};

}  // namespace

Compressible::Compressible(const CompressionOptions& options)
    : min_size_(options.min_size), types_(options.types) {
  const auto use = [this](bool wanted, Coding coding) {
    if (wanted && compress::is_available(coding)) codings_.push_back(coding);
  };
  use(options.brotli, Coding::kBrotli);
  use(options.zstd, Coding::kZstd);
  use(options.gzip, Coding::kGzip);
}

bool Compressible::is_candidate(const Response& answer) const noexcept {
  if (codings_.empty() || !std::visit(IsLongEnough{min_size_}, answer.content())) return false;
  if (answer.status() == Status::kPartialContent || forbids_content(answer.status())) return false;
  ContentFacts facts;
  facts.type = answer.content_type();
  facts.look_at(answer.prepared_fields());
  facts.look_at(answer.fields());
  return !facts.is_fixed && is_type_among(facts.type, types_);
}

std::optional<Coding> Compressible::choose(const Fields& asked) const noexcept {
  if (!asked.contains(FieldName::kAcceptEncoding)) return std::nullopt;
  const AcceptEncoding accept = AcceptEncoding::of(asked);
  std::optional<Coding> best;
  unsigned best_weight = 0;
  for (const Coding coding : codings_) {
    const ContentCoding named = to_content_coding(coding);
    if (!accept.prefers(named) || accept.weight(named) <= best_weight) continue;
    best = coding;
    best_weight = accept.weight(named);
  }
  return best;
}

}  // namespace ssx::http
