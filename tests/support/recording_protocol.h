// A Protocol that writes down what happens to it, and does in each callback what the test says.
//
//   Record record;
//   Hooks hooks{.on_data = [](net::Connection& c, InBuffer& in) {
//   c.out().append_copy(in.readable()); }}; connections.adopt(..., record_into(record, hooks));
//   EXPECT_EQ(record.told(), "open data(5) close");
//
// Thread: loop-only
// Owner:  the Connection; the Record is the test's
// Life:   that of a Protocol
// Bounds: -
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/connection.h"
#include "ssxrver/net/protocol.h"

namespace ssx::test {

struct Record {
  std::vector<std::string> events;
  std::string data;  ///< what was consumed, when no on_data hook consumes it
  std::optional<Error> reason;
  net::Connection* connection = nullptr;  ///< null once it has ended
  int closes = 0;
  int destroyed = 0;  ///< protocols
  /// A protocol that outlives its record, or its record's contents, writes nothing more.
  std::shared_ptr<const int> token = std::make_shared<const int>(0);

  /// "open data(3) end close"
  [[nodiscard]] std::string told() const {
    std::string text;
    for (const std::string& event : events) text += (text.empty() ? "" : " ") + event;
    return text;
  }
  [[nodiscard]] std::size_t count(std::string_view event) const {
    return static_cast<std::size_t>(std::ranges::count(events, event));
  }
  [[nodiscard]] bool ended_with(std::error_code code) const { return reason && *reason == code; }
};

/// What to do beside writing down. Without on_data everything is consumed into Record::data;
/// without on_end the Protocol's own is called.
struct Hooks {
  std::function<void(net::Connection&)> on_open = nullptr;
  std::function<void(net::Connection&, InBuffer&)> on_data = nullptr;
  std::function<void(net::Connection&)> on_end = nullptr;
  std::function<void(net::Connection&)> on_drain = nullptr;
  std::function<void(net::Connection&)> on_deadline = nullptr;
  std::function<void(net::Connection&)> on_close = nullptr;
};

class RecordingProtocol final : public net::Protocol {
 public:
  RecordingProtocol(Record& record, Hooks hooks)
      : record_(record), token_(record.token), hooks_(std::move(hooks)) {}
  ~RecordingProtocol() override {
    if (!token_.expired()) ++record_.destroyed;
  }

  void on_open(net::Connection& connection) override {
    if (!token_.expired()) record_.connection = &connection;
    note(connection, "open");
    if (hooks_.on_open) hooks_.on_open(connection);
  }
  void on_data(net::Connection& connection, InBuffer& in) override {
    EXPECT_FALSE(in.empty());
    note(connection, "data(" + std::to_string(in.size()) + ")");
    if (hooks_.on_data) return hooks_.on_data(connection, in);
    if (!token_.expired()) record_.data += in.text();
    in.consume(in.size());
  }
  void on_end(net::Connection& connection) override {
    note(connection, "end");
    hooks_.on_end ? hooks_.on_end(connection) : Protocol::on_end(connection);
  }
  void on_drain(net::Connection& connection) override {
    EXPECT_FALSE(connection.is_blocked());
    note(connection, "drain");
    if (hooks_.on_drain) hooks_.on_drain(connection);
  }
  void on_deadline(net::Connection& connection) override {
    note(connection, "deadline");
    if (hooks_.on_deadline) hooks_.on_deadline(connection);
  }
  void on_close(net::Connection& connection, const Error& reason) override {
    EXPECT_EQ(connection.state(), net::Connection::State::kClosed);
    EXPECT_FALSE(std::exchange(closed_, true));
    note(connection, "close");
    if (!token_.expired()) {
      ++record_.closes;
      record_.reason = reason;
      record_.connection = nullptr;
    }
    if (hooks_.on_close) hooks_.on_close(connection);
  }

 private:
  void note(net::Connection& connection, std::string event) {
    if (token_.expired()) return;
    EXPECT_TRUE(record_.connection == nullptr || record_.connection == &connection) << event;
    record_.events.push_back(std::move(event));
  }

  Record& record_;
  const std::weak_ptr<const int> token_;
  const Hooks hooks_;
  bool closed_ = false;
};

[[nodiscard]] inline std::unique_ptr<net::Protocol> record_into(Record& record, Hooks hooks = {}) {
  return std::make_unique<RecordingProtocol>(record, std::move(hooks));
}

/// Sends back what arrives.
[[nodiscard]] inline Hooks echo_hooks() {
  return {.on_data = [](net::Connection& connection, InBuffer& in) {
    connection.out().append_copy(in.readable());
    in.consume(in.size());
  }};
}

}  // namespace ssx::test
