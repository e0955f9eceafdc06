#include <fmt/format.h>

#include "http/body_stream.h"
#include "http/files/range.h"
#include "http/middleware/encoded_cache.h"
#include "http/middleware/encoder_pool.h"
#include "http/middleware/signed_cookies.h"
#include "http/multipart.h"
#include "http/route.h"
#include "ssxrver/app/json_body.h"
#include "ssxrver/config/text_values.h"
#include "tests/docs/limit_tables.h"

namespace ssx::config {
namespace {

using http::Errc;
using Cookies = http::SignedCookieOptions;

const Limit kRequest[] = {
    {"request line", "http.max_request_line", nullptr, "{}, close", Errc::kRequestLineTooLong,
     "`refused[kRequestLineTooLong]`"},
    {"request target", "http.max_uri_length", nullptr, "{}, close", Errc::kTargetTooLong,
     "`refused[kTargetTooLong]`"},
    {"path of a target, as it was sent", "http.max_path_length", nullptr, "{}, close",
     Errc::kPathTooLong, "`refused[kPathTooLong]`"},
    {"segments of a path", "http.max_path_segments", nullptr, "{}, close", Errc::kTooManySegments,
     "`refused[kTooManySegments]`"},
    {"method", "", [](const ServerConfig& c) { return show_size(c.http.parser.method_max); },
     "{}, close", Errc::kMethodTooLong, "`refused[kMethodTooLong]`"},
    {"whole head", "http.max_header_size", nullptr, "{}, close", Errc::kHeadTooLong,
     "`refused[kHeadTooLong]`"},
    {"one field line", "http.max_header_line", nullptr, "{}, close", Errc::kFieldLineTooLong,
     "`refused[kFieldLineTooLong]`"},
    {"field name", "",
     [](const ServerConfig& c) { return show_size(c.http.parser.field_name_max); }, "{}, close",
     Errc::kFieldNameTooLong, "`refused[kFieldNameTooLong]`"},
    {"fields", "http.max_header_count", nullptr, "{}, close", Errc::kTooManyFields,
     "`refused[kTooManyFields]`"},
    {"empty lines in front", "",
     [](const ServerConfig& c) { return std::to_string(c.http.parser.leading_crlf_max); },
     "{}, close", Errc::kLeadingLines, "`refused[kLeadingLines]`"},
    {"body", "http.max_body_size", nullptr, "{}, close", Errc::kBodyTooLarge,
     "`refused[kBodyTooLarge]`"},
    {"chunk extension, per chunk", "http.max_chunk_extension", nullptr, "{}, close",
     Errc::kChunkExtensionTooLong, "`refused[kChunkExtensionTooLong]`"},
    {"chunk framing", "",
     [](const ServerConfig& c) {
       return fmt::format("{} + {} x data", show_size(c.http.parser.chunk_overhead_base),
                          c.http.parser.chunk_overhead_ratio);
     },
     "{}, close", Errc::kChunkOverhead, "`refused[kChunkOverhead]`"},
    {"trailers", "http.max_trailer_size", nullptr, "{}, close", Errc::kTrailerTooLong,
     "`refused[kTrailerTooLong]`"},
    {"trailer fields", "",
     [](const ServerConfig& c) { return std::to_string(c.http.parser.trailer_count_max); },
     "{}, close", Errc::kTooManyTrailers, "`refused[kTooManyTrailers]`"},
    {"a body that a coroutine reads as it arrives", "",
     [](const ServerConfig&) { return show_size(http::BodyStream::kPendingMax); },
     "reading rests until the coroutine comes for more", Errc::kOk,
     "`cut_requests` where the peer gives up meanwhile"},
    {"pairs of a query or a form", "",
     [](const ServerConfig& c) { return std::to_string(c.http.query_params_max); },
     "the helper says so: {}", Errc::kTooManyParams, "`kTooManyParams`"},
    {"pairs of a Cookie field", "",
     [](const ServerConfig& c) { return std::to_string(c.http.cookie_pairs_max); },
     "the helper says so: {}", Errc::kTooManyCookies, "`kTooManyCookies`"},
    {"signed cookies", "SignedCookieOptions::names",
     [](const ServerConfig&) {
       return fmt::format("{} names of {} bytes", Cookies::kNamesMax, Cookies::kNameMax);
     },
     "`SignedCookies::create` says so", Errc::kBadCookie, "`kBadCookie`"},
    {"value of a signed cookie", "",
     [](const ServerConfig&) { return show_size(Cookies::kValueMax); },
     "set: the helper says so; sent: as if it were not there", Errc::kBadSignature,
     "`refused[kBadSignature]`"},
    {"values of signed cookies that are verified", "",
     [](const ServerConfig&) { return std::to_string(Cookies::kTriesMax); },
     "the rest is as if it were not there", Errc::kBadSignature, "`refused[kBadSignature]`"},
    {"age of a signed cookie", "SignedCookieOptions::max_age",
     [](const ServerConfig&) { return show_time(Cookies().max_age); }, "as if it were not there",
     Errc::kSignatureExpired, "`refused[kSignatureExpired]`"},
    {"parts of a multipart body", "http.multipart.max_parts", nullptr, "{}", Errc::kTooManyParts,
     "`kTooManyParts`"},
    {"a part that a handler reads whole or saves", "",
     [](const ServerConfig&) { return std::string("each call says it"); }, "{}",
     Errc::kPartTooLarge, "`kPartTooLarge`"},
    {"JSON of a body", "JsonBodyLimits::bytes_max",
     [](const ServerConfig&) { return show_size(JsonBodyLimits().bytes_max); }, "{}",
     Errc::kBodyTooLarge,
     "`refused[kBodyTooLarge]` above `http.max_body_size`; below it the helper says so"},
    {"depth of JSON of a body", "JsonBodyLimits::depth_max",
     [](const ServerConfig&) { return std::to_string(JsonBodyLimits().depth_max); }, "400",
     Errc::kOk, "`answers`"},
    {"header of a part", "http.multipart.max_part_header", nullptr, "{}", Errc::kPartHeaderTooLong,
     "`kPartHeaderTooLong`"},
    {"header fields of a part", "",
     [](const ServerConfig& c) { return std::to_string(c.http.multipart.part_fields_max); }, "{}",
     Errc::kTooManyPartFields, "`kTooManyPartFields`"},
    {"boundary of a multipart body", "",
     [](const ServerConfig&) { return std::to_string(http::Multipart::kBoundaryMax); }, "{}",
     Errc::kBadBoundary, "`kBadBoundary`"},
    {"filename of a part, without its folders", "",
     [](const ServerConfig&) { return std::to_string(http::Multipart::kFilenameMax); }, "{}",
     Errc::kFilenameTooLong, "`kFilenameTooLong`"},
    {"ranges", "http.static.ranges_max", nullptr, "200, the whole file", Errc::kOk,
     "`ranges_max_hit`"},
    {"ranges that overlap, or go backwards", "",
     [](const ServerConfig&) { return std::to_string(http::kDisorderMax); }, "200, the whole file",
     Errc::kOk, "`ranges_max_hit`"},
    {"a body that is decoded: what arrives and what is in it", "http.max_body_size", nullptr,
     "{}, close, while it is inflated", Errc::kBodyTooLarge, "`refused[kBodyTooLarge]`"},
    {"what is in a body per byte that arrived, above 64k", "http.compression.request_ratio_max",
     nullptr, "{}, close", Errc::kContentRatio, "`refused[kContentRatio]`"},
    {"codings of a body, where they are decoded", "",
     [](const ServerConfig&) { return std::string("gzip or deflate"); },
     "{} with Accept-Encoding, close", Errc::kUnknownContentCoding,
     "`refused[kUnknownContentCoding]`, `refused[kBadContentCoding]` where it is damaged"},
    {"answers that are being compressed, per I/O thread", "http.compression.encoders_max", nullptr,
     "they leave as they are", Errc::kOk, "`encoders_max_hit`"},
    {"kept for the next of them, per I/O thread", "limits.memory",
     [](const ServerConfig& c) {
       return fmt::format("{} encoders of each coding and {} bodies of {}, below {} %",
                          http::EncoderPool::kSpareMax, http::EncodedCache::kSlots,
                          show_size(http::EncodedCache::kBodyMax), c.memory.stop_percent);
     },
     "freed; from that share of memory on, answers leave as they are", Errc::kOk,
     "`encoders_dropped`, `encoded_dropped`, `memory_not_compressed`"},
    {"spooled bodies of all connections", "http.upload_tmp_total", nullptr, "{}, close",
     Errc::kSpoolFull, "`refused[kSpoolFull]`"},
    {"rewrites of a request", "",
     [](const ServerConfig&) { return std::to_string(http::Route::kRewritesMax); },
     "{}, a line in the log", Errc::kHandlerFailed, "`rewrites_hit`"},
    {"target of a rewrite", "http.max_uri_length", nullptr, "{}, close", Errc::kTargetTooLong,
     "`refused[kTargetTooLong]`"},
    {"path of a rewrite", "http.max_path_length", nullptr, "{}, close", Errc::kPathTooLong,
     "`refused[kPathTooLong]`"},
    {"segments of a rewrite", "http.max_path_segments", nullptr, "{}, close",
     Errc::kTooManySegments, "`refused[kTooManySegments]`"},
};

}  // namespace

std::span<const Limit> request_limits() { return kRequest; }

}  // namespace ssx::config
