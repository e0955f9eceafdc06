#include "http/response.h"

#include <utility>

#include "http/field_rules.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
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

Response Response::stream(BodyMaker make) {
  Response response;
  response.body_ = Stream{std::move(make), std::nullopt};
  return response;
}

Response Response::stream(std::uint64_t length, BodyMaker make) {
  Response response;
  response.body_ = Stream{std::move(make), length};
  return response;
}

Response Response::redirect(std::string_view location, Status status) {
  Response response(status);
  response.set("Location", location);
  return response;
}

Response Response::pieces(std::vector<Piece> pieces) {
  Response response;
  response.body_ = std::move(pieces);
  return response;
}

Response& Response::content_type(std::string_view type) {
  if (!is_field_value(type)) bad_field_ = "Content-Type";
  content_type_ = type;
  return *this;
}

Response& Response::set(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value) || is_servers_field(name)) {
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
    std::uint64_t operator()(const Stream& stream) const { return stream.length.value_or(0); }
    std::uint64_t operator()(const std::vector<Piece>& pieces) const {
      std::uint64_t sum = 0;
      for (const Piece& piece : pieces) sum += std::visit(*this, piece);
      return sum;
    }
  };
  return std::visit(Size{}, body_);
}

}  // namespace ssx::http
