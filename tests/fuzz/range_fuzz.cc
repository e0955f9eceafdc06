// Range, If-Range and the conditions (K09 of the abuse tests): every slice lies inside the file,
// all of them together are at most `ranges_max` files, and what is decided agrees with the rules.
//
// The first line of an input is "SIZE RANGES_MAX", the second the value of Range; what follows are
// field lines.
#include "http/files/range.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "http/accept_encoding.h"
#include "http/files/conditional.h"
#include "http/files/partial.h"
#include "http/request_parser.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::http;
using Verdict = RangeSet::Verdict;

constexpr std::string_view kEtag = "\"tag\"";
constexpr std::int64_t kModified = 784111777;

std::string_view take_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  return line;
}

void check_ranges(const RangeSet& set, std::uint64_t size, std::size_t ranges_max) {
  if (set.verdict() == Verdict::kUnsatisfiable) SSX_ASSERT(set.ranges().empty());
  if (set.verdict() != Verdict::kPartial) return;
  SSX_ASSERT(!set.ranges().empty());
  SSX_ASSERT(set.ranges().size() <= ranges_max);
  // The parts of a file come to three times its size at the most; no file is a third of 2^64.
  if (size > UINT64_MAX / (kDisorderMax + 1)) return;
  std::uint64_t sum = 0;
  for (const ByteRange& range : set.ranges()) {
    SSX_ASSERT(range.size > 0 && range.size <= size && range.first <= size - range.size);
    SSX_ASSERT(range.size <= UINT64_MAX - sum);
    sum += range.size;
  }
  SSX_ASSERT(sum / ranges_max <= size, sum, size);
  SSX_ASSERT(sum / (kDisorderMax + 1) <= size, sum, size);
}

/// The bytes of a part, which must lie in the content.
std::string_view bytes_of(const Response::Kept& kept, const std::string& content) {
  const std::less_equal<> order;
  SSX_ASSERT(order(content.data(), kept.bytes.data()));
  SSX_ASSERT(order(kept.bytes.data() + kept.bytes.size(), content.data() + content.size()));
  return kept.bytes;
}

void check_answer(const RangeSet& set, std::size_t size) {
  const ssx::LocalRef<CachedFile> file(new CachedFile);
  file->content.resize(size);
  for (std::size_t i = 0; i < size; ++i) file->content[i] = static_cast<char>(i * 31 % 251);
  file->identity.size = size;
  file->fields = "Content-Type: x\r\n";
  file->others_at = file->fields.size();
  Response answer = make_partial(*file, file, set, false);
  SSX_ASSERT(answer.bad_field().empty());
  if (set.verdict() == Verdict::kUnsatisfiable) {
    SSX_ASSERT(answer.status() == Status::kRangeNotSatisfiable);
    return;
  }
  SSX_ASSERT(answer.status() == Status::kPartialContent);
  std::vector<std::string_view> parts;
  if (const auto* kept = std::get_if<Response::Kept>(&answer.content())) {
    parts.push_back(bytes_of(*kept, file->content));
  } else {
    for (const auto& piece : std::get<std::vector<Response::Piece>>(answer.content())) {
      if (const auto* part = std::get_if<Response::Kept>(&piece))
        parts.push_back(bytes_of(*part, file->content));
    }
  }
  SSX_ASSERT(parts.size() == set.ranges().size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ByteRange& range = set.ranges()[i];
    SSX_ASSERT(parts[i] == std::string_view(file->content).substr(range.first, range.size));
  }
}

void check_conditions(const Fields& fields) {
  const Validators current{kEtag, kModified};
  const bool holds = if_range_holds(fields, current, kModified + 10);
  if (!fields.contains(FieldName::kIfRange)) {
    SSX_ASSERT(holds);
  } else if (const auto value = *fields.find(FieldName::kIfRange); value.ends_with('"')) {
    SSX_ASSERT(!holds || value == kEtag);
  }
  SSX_ASSERT(!fields.contains(FieldName::kIfRange) ||
             !if_range_holds(fields, {"W/\"tag\"", kModified}, kModified));
  const bool has_match = fields.contains(FieldName::kIfMatch);
  const bool has_unmodified = fields.contains(FieldName::kIfUnmodifiedSince);
  const bool has_none_match = fields.contains(FieldName::kIfNoneMatch);
  const bool has_modified = fields.contains(FieldName::kIfModifiedSince);
  const Precondition read = evaluate(fields, Method::kGet, current);
  const Precondition written = evaluate(fields, Method::kPut, current);
  SSX_ASSERT(read == evaluate(fields, Method::kHead, current));
  SSX_ASSERT(written != Precondition::kNotModified);
  if (read == Precondition::kFailed) SSX_ASSERT(has_match || has_unmodified);
  if (read == Precondition::kNotModified) SSX_ASSERT(has_none_match || has_modified);
  if (written == Precondition::kFailed) SSX_ASSERT(has_match || has_unmodified || has_none_match);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view list = fields[i].value;
    if (matches_any(list, kEtag, Comparison::kStrong)) SSX_ASSERT(matches_any(list, kEtag));
    SSX_ASSERT(!matches_any(list, "W/\"tag\"", Comparison::kStrong) || ssx::trim(list) == "*");
  }
  const AcceptEncoding accept = AcceptEncoding::of(fields);
  for (const auto coding : {ContentCoding::kIdentity, ContentCoding::kGzip, ContentCoding::kBrotli,
                            ContentCoding::kZstd}) {
    SSX_ASSERT(accept.weight(coding) <= 1000);
    SSX_ASSERT(!accept.prefers(coding) || accept.weight(coding) > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = ssx::fuzz::text(data, size);
  const std::string_view numbers = take_line(bytes);
  const auto space = numbers.find(' ');
  const std::uint64_t file_size = ssx::parse_uint(numbers.substr(0, space)).value_or(1000);
  const std::string_view most =
      space == std::string_view::npos ? std::string_view() : numbers.substr(space + 1);
  const std::size_t ranges_max = ssx::parse_uint(most).value_or(16) % RangeSet::kMax + 1;
  // Sizes are those of files: off_t.
  const std::uint64_t bounded = file_size & INT64_MAX;

  const RangeSet set = parse_range(take_line(bytes), bounded, ranges_max);
  check_ranges(set, bounded, ranges_max);
  const bool has_answer =
      set.verdict() == Verdict::kPartial || set.verdict() == Verdict::kUnsatisfiable;
  if (has_answer && bounded <= 4096) check_answer(set, static_cast<std::size_t>(bounded));

  std::string request = "GET / HTTP/1.1\r\nHost: a\r\n";
  while (!bytes.empty()) request.append(take_line(bytes)).append("\r\n");
  request += "\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  if (parser.parse(request, head).progress == Progress::kDone) check_conditions(head.fields);
  return 0;
}
