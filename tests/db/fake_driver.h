// A database of words: what a statement says is what its connection does.
//
//   REFUSE            kConstraint            LOSE        kConnectionLost, and kBroken
//   SLEEP ms          answers after so long  ROWS n      one column "n", 0 .. n-1
//   BEGIN, COMMIT, ROLLBACK                  WIDE n      one row with a text of n bytes
//   CONFLICT       kConflict                 FULL        kFull, and the transaction is undone
//   DEFINE         the transaction is committed
//
// Anything else answers with no rows and is noted in `log`.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/driver.h"
#include "ssxrver/net/awaitables.h"

namespace ssx::db {

class FakeDriver final : public Driver {
 public:
  class Session;

  enum class Connect : std::uint8_t { kOk, kRefused, kHangs };

  Task<Result<std::unique_ptr<Connection>>> connect() override;
  void discard(std::unique_ptr<Connection> connection) noexcept override;
  [[nodiscard]] const Dialect& dialect() const noexcept override {
    static constexpr Dialect kDialect{"fake", '"', "BEGIN"};
    return kDialect;
  }

  /// Sessions that exist.
  int open = 0;
  int connects = 0;  ///< attempts
  int pings = 0;
  int discards = 0;
  Connect next_connect = Connect::kOk;
  bool server_answers = true;  ///< to pings and resets
  bool has_hung_up = false;    ///< on every session that there is: seen without asking
  std::chrono::milliseconds reset_takes{0};
  std::chrono::milliseconds ping_takes{0};
  std::vector<std::string> log;
};

class FakeDriver::Session final : public Connection {
 public:
  Session(FakeDriver& driver, int number) : driver_(driver), number_(number) { ++driver_.open; }
  ~Session() override { --driver_.open; }

  Task<Result<Batch>> execute(Statement statement, BatchLimits limits) override {
    const std::string& sql = statement.sql;
    next_ = end_ = 0;
    if (sql == "REFUSE") co_return fail(Errc::kConstraint, "query", 19, "refused");
    if (sql == "CONFLICT") co_return fail(Errc::kConflict, "query", 1213, "deadlock");
    if (sql == "FULL") {
      in_transaction_ = false;
      co_return fail(Errc::kFull, "query", 13, "full");
    }
    if (sql == "LOSE") {
      is_lost_ = true;
      co_return fail(Errc::kConnectionLost, "query", 2013, "lost");
    }
    if (sql.starts_with("SLEEP ")) {
      co_await net::sleep_for(std::chrono::milliseconds(number_in(sql)));
    } else if (sql.starts_with("ROWS ")) {
      end_ = number_in(sql);
      co_return rows(limits);
    } else if (sql.starts_with("WIDE ")) {
      co_return wide(number_in(sql), limits);
    }
    if (sql == "BEGIN") in_transaction_ = true;
    if (sql == "COMMIT" || sql == "ROLLBACK" || sql == "DEFINE") in_transaction_ = false;
    driver_.log.push_back(std::to_string(number_) + ":" + sql);
    co_return Batch();
  }
  Task<Result<Batch>> fetch(BatchLimits limits) override {
    SSX_ASSERT(next_ < end_);
    driver_.log.push_back("fetch");
    co_return rows(limits);
  }
  Task<Result<void>> reset() override {
    if (driver_.reset_takes.count() > 0) co_await net::sleep_for(driver_.reset_takes);
    if (!driver_.server_answers) co_return fail(Errc::kConnectionLost, "reset");
    driver_.log.push_back(std::to_string(number_) + ":reset");
    in_transaction_ = false;
    next_ = end_ = 0;
    co_return Result<void>();
  }
  Task<Result<void>> ping() override {
    ++driver_.pings;
    if (driver_.ping_takes.count() > 0) co_await net::sleep_for(driver_.ping_takes);
    if (!driver_.server_answers) co_return fail(Errc::kConnectionLost, "ping");
    co_return Result<void>();
  }
  [[nodiscard]] State state() const noexcept override {
    if (is_lost_) return State::kBroken;
    return in_transaction_ || next_ < end_ ? State::kDirty : State::kClean;
  }
  [[nodiscard]] bool in_transaction() const noexcept override { return in_transaction_; }
  [[nodiscard]] bool has_gone() noexcept override { return driver_.has_hung_up; }

 private:
  static std::size_t number_in(std::string_view sql) {
    std::size_t number = 0;
    sql.remove_prefix(sql.find(' ') + 1);
    std::from_chars(sql.data(), sql.data() + sql.size(), number);
    return number;
  }
  static ColumnNames names(std::string name) {
    return std::make_shared<const std::vector<std::string>>(std::vector{std::move(name)});
  }
  Batch rows(const BatchLimits& limits) {
    RowsBuilder builder(limits, names("n"));
    const auto cell = [this](std::size_t) {
      return ValueView::of_int64(static_cast<std::int64_t>(next_));
    };
    while (next_ < end_ && builder.add_row(cell) == RowsBuilder::Added::kTaken) ++next_;
    return Batch(builder.take(), next_ < end_);
  }
  static Result<Batch> wide(std::size_t bytes, const BatchLimits& limits) {
    RowsBuilder builder(limits, names("text"));
    const std::string text(bytes, 'x');
    const auto added = builder.add_row([&text](std::size_t) { return ValueView::of_text(text); });
    if (added != RowsBuilder::Added::kTaken) return fail(Errc::kResultTooLarge, "query");
    return Batch(builder.take(), false);
  }

  FakeDriver& driver_;
  const int number_;
  bool is_lost_ = false;
  bool in_transaction_ = false;
  std::size_t next_ = 0;  ///< of the result that is open
  std::size_t end_ = 0;
};

inline Task<Result<std::unique_ptr<Connection>>> FakeDriver::connect() {
  const int number = ++connects;
  switch (next_connect) {
    case Connect::kRefused:
      co_return fail(Errc::kUnavailable, "connect", 2003, "refused");
    case Connect::kHangs:
      co_await net::sleep_for(std::chrono::hours(1));
      break;
    case Connect::kOk:
      break;
  }
  co_return std::make_unique<Session>(*this, number);
}

inline void FakeDriver::discard(std::unique_ptr<Connection> connection) noexcept {
  ++discards;
  connection.reset();
}

}  // namespace ssx::db
