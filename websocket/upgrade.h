// What on_upgrade answers: the data of a new socket, or that there will be none.
//
// Thread: a value
// Owner:  whoever holds it
// Life:   from the handshake's request to its answer
// Bounds: -
//
//   .on_upgrade = [](const Request& request) -> Upgrade<Member> {
//     auto name = request.query("name");
//     if (!name) return reject(Status::kBadRequest);
//     return Member{*std::move(name)};
//   }
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/response.h"
#include "http/status.h"

namespace ssx::websocket {

/// The answer that a client gets instead of a WebSocket: a status of 400 or more.
struct Rejection {
  http::Response answer;
};

[[nodiscard]] inline Rejection reject(http::Response answer) { return {std::move(answer)}; }
[[nodiscard]] inline Rejection reject(http::Status status) { return {http::Response(status)}; }

template <class T>
class Upgrade {
 public:
  Upgrade(T data) : outcome_(std::move(data)) {}  // NOLINT: `return data;` is the point
  Upgrade(Rejection rejection) : outcome_(std::move(rejection)) {}  // NOLINT: as above

  /// A field for the 101.
  Upgrade& set(std::string_view name, std::string_view value) {
    fields_.emplace_back(name, value);
    return *this;
  }

  [[nodiscard]] bool is_rejected() const noexcept {
    return std::holds_alternative<Rejection>(outcome_);
  }
  [[nodiscard]] T take_data() { return std::get<T>(std::move(outcome_)); }
  [[nodiscard]] http::Response take_answer() {
    return std::get<Rejection>(std::move(outcome_)).answer;
  }
  void add_fields_to(http::Response& answer) const {
    for (const auto& [name, value] : fields_) answer.set(name, value);
  }

 private:
  std::variant<T, Rejection> outcome_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace ssx::websocket
