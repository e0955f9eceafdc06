#include "websocket/deflate_negotiation.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kName = "permessage-deflate";
constexpr std::string_view kServerNoTakeover = "server_no_context_takeover";
constexpr std::string_view kClientNoTakeover = "client_no_context_takeover";
constexpr std::string_view kServerBits = "server_max_window_bits";
constexpr std::string_view kClientBits = "client_max_window_bits";

constexpr int kBitsMin = 8;   // that may be said
constexpr int kBitsLent = 9;  // the smallest window of zlib's
constexpr int kBitsMax = 15;

// What was said, in an offer or in an answer.
struct Said {
  bool server_no_takeover = false;
  bool client_no_takeover = false;
  bool client_bits_alone = false;  // without a value
  std::optional<int> server_bits;
  std::optional<int> client_bits;

  [[nodiscard]] bool has_client_bits() const noexcept { return client_bits_alone || client_bits; }
};

// 8 .. 15 in decimal without a leading zero (7.1.2).
std::optional<int> read_bits(std::string_view text) noexcept {
  if (text.starts_with('0') || text.size() > 2) return std::nullopt;
  const auto bits = parse_uint(text);
  if (!bits || *bits < kBitsMin || *bits > kBitsMax) return std::nullopt;
  return static_cast<int>(*bits);
}

bool read_flag(const ExtensionParam& param, bool& flag) noexcept {
  const bool is_good = !flag && !param.has_value;
  flag = true;
  return is_good;
}

bool read_window(const ExtensionParam& param, std::optional<int>& bits) noexcept {
  if (bits || !param.has_value) return false;
  bits = read_bits(param.value);
  return bits.has_value();
}

bool read_param(const ExtensionParam& param, Said& said) noexcept {
  if (ascii_iequals(param.name, kServerNoTakeover)) {
    return read_flag(param, said.server_no_takeover);
  }
  if (ascii_iequals(param.name, kClientNoTakeover)) {
    return read_flag(param, said.client_no_takeover);
  }
  if (ascii_iequals(param.name, kServerBits)) return read_window(param, said.server_bits);
  if (!ascii_iequals(param.name, kClientBits) || said.has_client_bits()) return false;
  if (param.has_value) return read_window(param, said.client_bits);
  return read_flag(param, said.client_bits_alone);
}

// Nothing when it is another extension, or a parameter is none of RFC 7692.
std::optional<Said> read(const Extension& extension) noexcept {
  if (!ascii_iequals(extension.name, kName)) return std::nullopt;
  Said said;
  const bool is_good =
      std::all_of(extension.params.begin(), extension.params.end(),
                  [&said](const ExtensionParam& param) { return read_param(param, said); });
  if (!is_good) return std::nullopt;
  return said;
}

void append_bits(std::string& text, std::string_view name, int bits) {
  text.append("; ").append(name).append("=").append(std::to_string(bits));
}

void append_flags(std::string& text, bool server_no_takeover, bool client_no_takeover) {
  if (server_no_takeover) text.append("; ").append(kServerNoTakeover);
  if (client_no_takeover) text.append("; ").append(kClientNoTakeover);
}

void check_options(const DeflateOptions& options) {
  SSX_ASSERT(
      options.server_max_window_bits >= kBitsLent && options.server_max_window_bits <= kBitsMax,
      options.server_max_window_bits);
  SSX_ASSERT(
      options.client_max_window_bits >= kBitsLent && options.client_max_window_bits <= kBitsMax,
      options.client_max_window_bits);
}

std::optional<DeflateParams> agree(const Said& offer, const DeflateOptions& options) noexcept {
  // Without the parameter the client's window is not ours to choose (7.1.2.2).
  if (options.client_max_window_bits < kBitsMax && !offer.has_client_bits()) return std::nullopt;
  DeflateParams params{
      // Who never compresses keeps no context, and the client need not keep one for it.
      .server_no_context_takeover = offer.server_no_takeover || !options.server_context_takeover ||
                                    options.mode == DeflateMode::kReceive,
      .client_no_context_takeover = offer.client_no_takeover || !options.client_context_takeover,
      .server_max_window_bits =
          std::min(options.server_max_window_bits, offer.server_bits.value_or(kBitsMax)),
      .client_max_window_bits =
          std::min(options.client_max_window_bits, offer.client_bits.value_or(kBitsMax))};
  if (std::min(params.server_max_window_bits, params.client_max_window_bits) < kBitsLent) {
    return std::nullopt;
  }
  return params;
}

// The same of an answer, from the client's side; nothing when it does not fit our offer.
std::optional<DeflateParams> take_answer(const Said& answer,
                                         const DeflateOptions& options) noexcept {
  const bool is_bounded = options.server_max_window_bits < kBitsMax;
  if (answer.client_bits_alone) return std::nullopt;
  if (!options.server_context_takeover && !answer.server_no_takeover) return std::nullopt;
  if (is_bounded && !answer.server_bits) return std::nullopt;
  const int server_bits = answer.server_bits.value_or(kBitsMax);
  const int client_bits = answer.client_bits.value_or(options.client_max_window_bits);
  if (is_bounded && server_bits > options.server_max_window_bits) return std::nullopt;
  if (client_bits > options.client_max_window_bits) return std::nullopt;
  return DeflateParams{
      .server_no_context_takeover = answer.server_no_takeover,
      // Nobody asks for a context that is kept: it is left as soon as one side wants that.
      .client_no_context_takeover = answer.client_no_takeover || !options.client_context_takeover,
      .server_max_window_bits = std::max(server_bits, kBitsLent),  // a larger one reads it, too
      .client_max_window_bits = client_bits};
}

}  // namespace

std::optional<DeflateParams> accept_deflate(const Extensions& offers, const DeflateOptions& options,
                                            std::string& answer) {
  answer.clear();
  if (options.mode == DeflateMode::kOff) return std::nullopt;
  check_options(options);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const auto offer = read(offers[i]);
    if (!offer) continue;
    const auto params = agree(*offer, options);
    if (!params) continue;
    answer = kName;
    append_flags(answer, params->server_no_context_takeover, params->client_no_context_takeover);
    if (offer->server_bits || params->server_max_window_bits < kBitsMax) {
      append_bits(answer, kServerBits, params->server_max_window_bits);
    }
    if (params->client_max_window_bits < kBitsMax) {
      append_bits(answer, kClientBits, params->client_max_window_bits);
    }
    return params;
  }
  return std::nullopt;
}

std::string offer_deflate(const DeflateOptions& options) {
  if (options.mode == DeflateMode::kOff) return {};
  check_options(options);
  std::string offer(kName);
  append_flags(offer, !options.server_context_takeover, !options.client_context_takeover);
  if (options.server_max_window_bits < kBitsMax) {
    append_bits(offer, kServerBits, options.server_max_window_bits);
  }
  if (options.client_max_window_bits < kBitsMax) {
    append_bits(offer, kClientBits, options.client_max_window_bits);
  } else {
    offer.append("; ").append(kClientBits);  // the server may choose
  }
  return offer;
}

Errc check_deflate_answer(const Extensions& answer, const DeflateOptions& options,
                          std::optional<DeflateParams>& agreed) {
  agreed.reset();
  if (answer.size() == 0) return Errc::kOk;
  if (answer.size() > 1 || options.mode == DeflateMode::kOff) return Errc::kUnaskedExtension;
  check_options(options);
  if (const auto said = read(answer[0])) agreed = take_answer(*said, options);
  return agreed ? Errc::kOk : Errc::kUnaskedExtension;
}

}  // namespace ssx::websocket
