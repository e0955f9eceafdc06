#include "http/response.h"

#include <algorithm>
#include <array>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::array<std::string_view, 6> kReserved = {
    "connection", "content-length", "date", "server", "transfer-encoding", "keep-alive"};

constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPunctuation.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte == '\t';
  });
}

bool is_reserved(std::string_view name) noexcept {
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [name](std::string_view reserved) { return ascii_iequals(name, reserved); });
}

}  // namespace

Response Response::permanent(std::string_view body) {
  Response response;
  response.body_ = Kept{body, {}};
  return response;
}

Response Response::kept(std::string_view body, LocalRef<LocalShared> keep) {
  Response response;
  response.body_ = Kept{body, std::move(keep)};
  return response;
}

Response Response::file(FileSlice slice) {
  Response response;
  response.body_ = std::move(slice);
  return response;
}

Response& Response::content_type(std::string_view type) {
  if (!is_field_value(type)) bad_field_ = "Content-Type";
  content_type_ = type;
  return *this;
}

Response& Response::set(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value) || is_reserved(name)) {
    bad_field_ = name.empty() ? "(a field without a name)" : name.substr(0, 64);
    return *this;
  }
  if (ascii_iequals(name, "content-type")) content_type_ = {};  // the line below says it
  fields_.append(name).append(": ").append(trim(value)).append("\r\n");
  return *this;
}

std::uint64_t Response::body_size() const noexcept {
  struct Size {
    std::uint64_t operator()(const std::monostate&) const { return 0; }
    std::uint64_t operator()(const std::string& text) const { return text.size(); }
    std::uint64_t operator()(const View& view) const { return view.bytes.size(); }
    std::uint64_t operator()(const Kept& kept) const { return kept.bytes.size(); }
    std::uint64_t operator()(const FileSlice& file) const { return file.size; }
  };
  return std::visit(Size{}, body_);
}

}  // namespace ssx::http
