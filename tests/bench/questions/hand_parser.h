// A request head read by hand: what parser_question.cc puts beside the product's Ragel machine.
//
// Thread: pure functions
// Owner:  -
// Life:   the views of `head` look into `bytes`
// Bounds: ParserLimits, as RequestParser's
//
// The same results and the same refusals, made with the product's own helpers for methods, names,
// framing and targets; by hand is what the machine does: finding the elements. It begins anew at
// every call, where the machine goes on from the byte it stopped at.
#pragma once

#include <string_view>

#include "http/head.h"
#include "http/options.h"
#include "http/request_parser.h"

namespace ssx::questions {

/// One byte at a time, by a table of 256.
[[nodiscard]] http::RequestParser::Parsed parse_by_hand(std::string_view bytes,
                                                        const http::ParserLimits& limits,
                                                        http::Head& head) noexcept;

/// With the scans of the product for AVX2; ask best_isa() first.
[[nodiscard]] http::RequestParser::Parsed parse_by_hand_avx2(std::string_view bytes,
                                                             const http::ParserLimits& limits,
                                                             http::Head& head) noexcept;

}  // namespace ssx::questions
