#include "websocket/subprotocols.h"

#include <algorithm>
#include <array>
#include <span>

#include "http/field_rules.h"
#include "ssxrver/base/strings.h"

namespace ssx::websocket {
namespace {

using http::FieldName;

constexpr FieldName kField = FieldName::kSecWebSocketProtocol;

class Offered {
 public:
  Offered() noexcept {}  // NOLINT(modernize-use-equals-default): "= default" would zero the names

  [[nodiscard]] bool add(std::string_view name) noexcept {
    if (size_ == kSubprotocolsMax || !http::is_token(name) || holds(name)) return false;
    names_[size_++] = name;
    return true;
  }
  [[nodiscard]] bool holds(std::string_view name) const noexcept {
    const auto all = std::span(names_).first(size_);
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  std::array<std::string_view, kSubprotocolsMax> names_;
  std::size_t size_ = 0;
};

}  // namespace

Errc choose_subprotocol(const http::Fields& fields, const std::vector<std::string>& known,
                        std::string_view& chosen) noexcept {
  chosen = {};
  if (!fields.contains(kField)) return Errc::kOk;
  Offered offered;
  bool is_good = true;
  for (std::size_t i = fields.next(kField, 0); i < fields.size() && is_good;
       i = fields.next(kField, i + 1)) {
    for_each_part(fields[i].value, ',', [&offered, &is_good](std::string_view part) {
      const std::string_view name = trim(part);
      if (is_good && !name.empty()) is_good = offered.add(name);  // RFC 9110 5.6.1.2
    });
  }
  if (!is_good || offered.empty()) return Errc::kBadSubprotocols;
  const auto found = std::find_if(known.begin(), known.end(), [&offered](const std::string& name) {
    return offered.holds(name);
  });
  if (found != known.end()) chosen = *found;
  return Errc::kOk;
}

Errc check_subprotocol(const http::Fields& fields, const std::vector<std::string>& offered,
                       std::string_view& chosen) noexcept {
  chosen = {};
  const std::size_t line = fields.next(kField, 0);
  if (line == fields.size()) return Errc::kOk;
  const auto found = std::find(offered.begin(), offered.end(), fields[line].value);
  if (found == offered.end() || fields.next(kField, line + 1) < fields.size()) {
    return Errc::kUnaskedSubprotocol;
  }
  chosen = *found;
  return Errc::kOk;
}

}  // namespace ssx::websocket
