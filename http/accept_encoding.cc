#include "http/accept_encoding.h"

#include <algorithm>
#include <optional>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::array<std::string_view, kContentCodingCount> kNames = {"identity", "gzip", "br",
                                                                      "zstd"};
constexpr std::uint16_t kFull = 1000;
constexpr std::uint16_t kLeast = 1;

// weight = OWS ";" OWS "q=" qvalue (RFC 9110 12.4.2)
std::optional<std::uint16_t> read_qvalue(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  std::uint16_t thousandths = text[0] == '1' ? kFull : 0;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  std::uint16_t unit = 100;
  for (const char c : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (c < '0' || c > '9') return std::nullopt;
    thousandths = static_cast<std::uint16_t>(thousandths + (c - '0') * unit);
    unit /= 10;
  }
  if (thousandths > kFull) return std::nullopt;
  return thousandths;
}

struct Member {
  std::string_view coding;
  std::uint16_t weight;
};

std::optional<Member> read_member(std::string_view text) noexcept {
  const auto semicolon = text.find(';');
  const std::string_view coding = trim(text.substr(0, semicolon));
  if (coding.empty()) return std::nullopt;
  if (semicolon == std::string_view::npos) return Member{coding, kFull};
  const std::string_view parameter = trim(text.substr(semicolon + 1));
  if (!ascii_iequals(parameter.substr(0, 2), "q=")) return std::nullopt;
  const auto weight = read_qvalue(parameter.substr(2));
  if (!weight) return std::nullopt;
  return Member{coding, *weight};
}

std::optional<std::size_t> index_of(std::string_view coding) noexcept {
  if (ascii_iequals(coding, "x-gzip")) coding = "gzip";  // RFC 9110 8.4.1.3
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (ascii_iequals(coding, kNames[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(ContentCoding coding) noexcept {
  return kNames[static_cast<std::size_t>(coding)];
}

AcceptEncoding AcceptEncoding::of(const Fields& fields) noexcept {
  std::array<std::optional<std::uint16_t>, kContentCodingCount> named;
  std::optional<std::uint16_t> any;
  const auto note = [](std::optional<std::uint16_t>& weight, std::uint16_t said) {
    if (!weight) weight = said;
  };
  for (std::size_t i = fields.next(FieldName::kAcceptEncoding, 0); i < fields.size();
       i = fields.next(FieldName::kAcceptEncoding, i + 1)) {
    for_each_part(fields[i].value, ',', [&](std::string_view part) {
      const auto member = read_member(part);
      if (!member) return;
      if (member->coding == "*") return note(any, member->weight);
      if (const auto index = index_of(member->coding)) note(named[*index], member->weight);
    });
  }
  AcceptEncoding accept;
  for (std::size_t i = 0; i < kContentCodingCount; ++i) {
    const bool is_identity = i == static_cast<std::size_t>(ContentCoding::kIdentity);
    const std::uint16_t unnamed = any.value_or(is_identity ? kLeast : 0);
    accept.weights_[i] = named[i].value_or(unnamed);
  }
  return accept;
}

}  // namespace ssx::http
