// The values of the border as this side has them: texts as views, requests as requests. (i)
//
// Thread: any
// Owner:  -
// Life:   views live as long as what they look at
// Bounds: -
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "http/request.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/copy_table.h"

/// What only this side looks into: a plugins::Instance.
struct ssxrver_context {};

namespace ssx::plugins {

[[nodiscard]] inline std::string_view to_view(ssxrver_text text) noexcept {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
[[nodiscard]] inline ssxrver_text to_text(std::string_view view) noexcept {
  return {view.data(), view.size()};
}

// A plugin is given the request itself, under another name: it lives as long as the border says,
// and nothing has to be made for it.
[[nodiscard]] inline const ssxrver_request* to_border(const http::Request& request) noexcept {
  return reinterpret_cast<const ssxrver_request*>(&request);
}
[[nodiscard]] inline const http::Request& request_of(const ssxrver_request* request) noexcept {
  return *reinterpret_cast<const http::Request*>(request);
}

/// As much of `whole` as there is room for; how long that is.
inline std::size_t write_text(std::string_view whole, char* text, std::size_t capacity) noexcept {
  const std::size_t size = text == nullptr ? 0 : std::min(whole.size(), capacity);
  if (size > 0) std::memcpy(text, whole.data(), size);
  return size;
}

/// Says why, as far as there is room. Gives `status`, for the caller to return.
inline std::int32_t say(ssxrver_error* error, std::int32_t status, std::string_view sentence) {
  if (error == nullptr) return status;
  error->code = status;
  error->size = 0;
  if (error->text == nullptr) return status;
  error->size = static_cast<std::uint32_t>(std::min<std::size_t>(sentence.size(), error->capacity));
  std::memcpy(error->text, sentence.data(), error->size);
  return status;
}

/// "a documented bound was reached", for sentences.
[[nodiscard]] std::string_view to_words(std::int32_t status) noexcept;

}  // namespace ssx::plugins
