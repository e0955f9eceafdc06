#include "http/files/partial.h"

#include <fmt/core.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/sys/process.h"

namespace ssx::http {
namespace {

using Piece = Response::Piece;

Piece part_of(const Representation& form, const LocalRef<LocalShared>& keep, const ByteRange& range,
              bool zero_copy) {
  if (!form.is_in_memory()) {
    return FileSlice{form.fd.get(), range.first, range.size, keep, zero_copy};
  }
  return Response::Kept{
      std::string_view(form.content)
          .substr(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.size)),
      keep};
}

// Nobody who writes a file may know what will stand between its parts.
Result<std::string> make_boundary() {
  std::array<std::uint64_t, 2> lot{};
  SSX_TRY_VOID(sys::random_bytes(std::as_writable_bytes(std::span(lot))));
  return fmt::format("{:016x}{:016x}", lot[0], lot[1]);
}

Response make_single(const Representation& form, const LocalRef<LocalShared>& keep,
                     const ByteRange& range, bool zero_copy) {
  Piece part = part_of(form, keep, range, zero_copy);
  auto* const kept = std::get_if<Response::Kept>(&part);
  Response response = kept != nullptr ? Response::kept(kept->bytes, std::move(kept->keep))
                                      : Response::file(std::move(std::get<FileSlice>(part)));
  response.content_type({}).prepared_fields(form.fields);
  response.set("Content-Range", content_range(range, form.size()));
  return response;
}

Response make_multiple(const Representation& form, const LocalRef<LocalShared>& keep,
                       std::span<const ByteRange> ranges, bool zero_copy) {
  const auto boundary = make_boundary();
  if (!boundary) return Status::kServiceUnavailable;
  std::vector<Piece> pieces;
  pieces.reserve(ranges.size() * 2 + 1);
  std::string_view before;
  for (const ByteRange& range : ranges) {
    pieces.emplace_back(fmt::format("{}--{}\r\n{}Content-Range: {}\r\n\r\n", before, *boundary,
                                    form.content_fields(), content_range(range, form.size())));
    pieces.push_back(part_of(form, keep, range, zero_copy));
    before = "\r\n";
  }
  pieces.emplace_back(fmt::format("\r\n--{}--\r\n", *boundary));
  Response response = Response::pieces(std::move(pieces));
  response.content_type({}).prepared_fields(form.other_fields());
  response.set("Content-Type", "multipart/byteranges; boundary=" + *boundary);
  return response;
}

}  // namespace

Response make_partial(const Representation& form, const LocalRef<LocalShared>& keep,
                      const RangeSet& asked, bool zero_copy) {
  if (asked.verdict() == RangeSet::Verdict::kUnsatisfiable) {
    Response refused(Status::kRangeNotSatisfiable);
    refused.set("Content-Range", unsatisfied_range(form.size()));
    return refused;
  }
  const auto ranges = asked.ranges();
  Response response = ranges.size() == 1 ? make_single(form, keep, ranges.front(), zero_copy)
                                         : make_multiple(form, keep, ranges, zero_copy);
  if (response.status() == Status::kOk) response.status(Status::kPartialContent);
  return response;
}

}  // namespace ssx::http
