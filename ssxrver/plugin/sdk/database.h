// A database of the configuration, from a plugin's coroutines.
//
// Thread: loop-only
// Owner:  the host has the pool
// Life:   that of the instance; Rows belong to whoever has them
// Bounds: those of the database's pool
//
//   auto users = co_await host.database().query("select name from users where id = ?", id);
//   if (!users) co_return Status::kServiceUnavailable;
//   for (const Row user : *users) greet(user.get<std::string_view>("name").value_or("?"));
//
//   auto stream = host.database().stream("select * from log");
//   for (;;) {
//     const auto batch = co_await stream.next();
//     if (!batch || batch->empty()) break;
//     ...
//   }
//
// error().status() says what kind of failure it is, error().code() (an ssxrver_db_code) which.
#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ssxrver/plugin/sdk/error.h"
#include "ssxrver/plugin/sdk/tables.h"
#include "ssxrver/plugin/sdk/wait.h"

namespace ssx::plugin {

class Row;

/// What a query gave.
class Rows {
 public:
  explicit Rows(ssxrver_rows* raw) noexcept : raw_(raw) {}
  Rows(Rows&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Rows& operator=(Rows&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  ~Rows() { reset(); }

  [[nodiscard]] std::size_t size() const noexcept { return db().row_count(raw_); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t column_count() const noexcept { return db().column_count(raw_); }
  [[nodiscard]] std::string_view column(std::size_t index) const noexcept {
    return internal::to_view(db().column_name(raw_, index));
  }
  [[nodiscard]] std::uint64_t affected() const noexcept { return db().affected(raw_); }
  [[nodiscard]] std::uint64_t last_insert_id() const noexcept { return db().last_insert_id(raw_); }

  class Iterator;
  /// Requires index < size().
  [[nodiscard]] Row operator[](std::size_t index) const noexcept;
  [[nodiscard]] Iterator begin() const noexcept;
  [[nodiscard]] Iterator end() const noexcept;

 private:
  friend class Row;
  static const ssxrver_db& db() noexcept { return *internal::tables.db; }
  void reset() noexcept {
    if (raw_ != nullptr) db().free_rows(std::exchange(raw_, nullptr));
  }

  ssxrver_rows* raw_;
};

namespace internal {

/// bool is no number to std::in_range.
template <class T>
using Wide = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

template <class T>
struct OptionalOf : std::false_type {};
template <class T>
struct OptionalOf<std::optional<T>> : std::true_type {
  using Value = T;
};

inline UnexpectedOf<Error> wrong_type() { return fail(SSXRVER_INVALID, "of another type"); }

/// A cell as a T: a number, text, or an optional of one of them. Nothing is lost.
template <class T>
[[nodiscard]] Result<T> convert(const ssxrver_value& value) {
  if constexpr (OptionalOf<T>::value) {
    if (value.kind == SSXRVER_NULL) return T();
    return convert<typename OptionalOf<T>::Value>(value).map([](auto found) { return T(found); });
  } else if (value.kind == SSXRVER_NULL) {
    return fail(SSXRVER_NOT_FOUND, "it is null");
  } else if constexpr (std::integral<T>) {
    const bool is_negative = value.kind == SSXRVER_INT && value.number.integer < 0;
    if (value.kind != SSXRVER_INT && value.kind != SSXRVER_UINT) return wrong_type();
    const bool fits = is_negative ? std::in_range<Wide<T>>(value.number.integer)
                                  : std::in_range<Wide<T>>(value.number.whole);
    if (!fits) return fail(SSXRVER_INVALID, "a number that does not fit");
    return static_cast<T>(value.number.integer);
  } else if constexpr (std::floating_point<T>) {
    if (value.kind == SSXRVER_REAL) return static_cast<T>(value.number.real);
    if (value.kind == SSXRVER_INT) return static_cast<T>(value.number.integer);
    if (value.kind == SSXRVER_UINT) return static_cast<T>(value.number.whole);
    return wrong_type();
  } else {
    static_assert(std::constructible_from<T, std::string_view>, "a number or a text");
    if (value.kind != SSXRVER_TEXT && value.kind != SSXRVER_BYTES) return wrong_type();
    return T(to_view(value.text));
  }
}

}  // namespace internal

/// One row; lives as long as the Rows it is of.
class Row {
 public:
  template <class T>
  [[nodiscard]] Result<T> get(std::size_t column) const {
    if (column >= rows_->column_count()) return fail(SSXRVER_NOT_FOUND, "no such column");
    ssxrver_value value{};
    Rows::db().value(rows_->raw_, index_, column, &value);
    return internal::convert<T>(value);
  }
  template <class T>
  [[nodiscard]] Result<T> get(std::string_view name) const {
    for (std::size_t i = 0; i < rows_->column_count(); ++i) {
      if (rows_->column(i) == name) return get<T>(i);
    }
    return fail(SSXRVER_NOT_FOUND, "no column \"" + std::string(name) + '"');
  }

 private:
  friend class Rows;
  Row(const Rows& rows, std::size_t index) noexcept : rows_(&rows), index_(index) {}

  const Rows* rows_;
  std::size_t index_;
};

class Rows::Iterator {
 public:
  Iterator(const Rows& rows, std::size_t index) noexcept : rows_(&rows), index_(index) {}
  Row operator*() const noexcept { return (*rows_)[index_]; }
  Iterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  bool operator==(const Iterator&) const = default;

 private:
  const Rows* rows_;
  std::size_t index_;
};

inline Row Rows::operator[](std::size_t index) const noexcept { return {*this, index}; }
inline Rows::Iterator Rows::begin() const noexcept { return {*this, 0}; }
inline Rows::Iterator Rows::end() const noexcept { return {*this, size()}; }

namespace internal {

inline ssxrver_value to_value(std::nullptr_t) noexcept { return {}; }
inline ssxrver_value to_value(std::string_view text) noexcept {
  ssxrver_value value{};
  value.kind = SSXRVER_TEXT;
  value.text = to_text(text);
  return value;
}
/// Stays bytes: no text of any character set.
inline ssxrver_value to_value(std::span<const std::byte> bytes) noexcept {
  ssxrver_value value{};
  value.kind = SSXRVER_BYTES;
  value.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return value;
}
template <std::integral T>
ssxrver_value to_value(T number) noexcept {
  ssxrver_value value{};
  if constexpr (std::is_signed_v<T> || std::same_as<T, bool>) {
    value.kind = SSXRVER_INT;
    value.number.integer = static_cast<std::int64_t>(number);
  } else {
    value.kind = SSXRVER_UINT;
    value.number.whole = number;
  }
  return value;
}
template <std::floating_point T>
ssxrver_value to_value(T number) noexcept {
  ssxrver_value value{};
  value.kind = SSXRVER_REAL;
  value.number.real = static_cast<double>(number);
  return value;
}
template <class T>
ssxrver_value to_value(const std::optional<T>& maybe) noexcept {
  return maybe ? to_value(*maybe) : ssxrver_value{};
}

/// A transaction of the host's; freed, it rolls back what was not committed.
class TransactionRef {
 public:
  TransactionRef() = default;
  explicit TransactionRef(ssxrver_transaction* raw) noexcept : raw_(raw) {}
  TransactionRef(TransactionRef&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  TransactionRef& operator=(TransactionRef&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~TransactionRef() {
    if (raw_ != nullptr) tables.db->free_transaction(raw_);
  }
  [[nodiscard]] ssxrver_transaction* get() const noexcept { return raw_; }

 private:
  ssxrver_transaction* raw_ = nullptr;
};

/// Of an operation that brings rows.
class RowsWait : protected HostWait {
 public:
  bool await_ready() const noexcept { return false; }
  Result<Rows> await_resume() {
    if (ended() == nullptr) return fail(status());
    ErrorText error;
    ssxrver_rows* const rows = tables.db->rows(ended(), error.out());
    if (rows == nullptr) return fail(status(), error.text(), error.code());
    return Rows(rows);
  }

 protected:
  RowsWait() noexcept = default;
  ~RowsWait() = default;
};

}  // namespace internal

/// One statement under way. Its values are views: what they look at lives until co_await returns,
/// as do the arguments of the call.
template <std::size_t Count>
class [[nodiscard]] QueryAwaiter final : public internal::RowsWait {
 public:
  QueryAwaiter(ssxrver_context* context, std::string_view database,
               ssxrver_transaction* transaction, std::string_view sql,
               std::array<ssxrver_value, Count> values) noexcept
      : context_(context),
        database_(database),
        transaction_(transaction),
        sql_(sql),
        values_(values) {}
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    if (internal::tables.db == nullptr) return suspend(handle, SSXRVER_UNSUPPORTED);
    return suspend(handle, internal::tables.db->query(context_, internal::to_text(database_),
                                                      transaction_, internal::to_text(sql_),
                                                      values_.data(), Count, waiter(), slot()));
  }

 private:
  ssxrver_context* context_;
  std::string_view database_;
  ssxrver_transaction* transaction_;
  std::string_view sql_;
  std::array<ssxrver_value, Count> values_;
};

/// Rolls back when it is destroyed without commit().
class Transaction {
 public:
  Transaction(ssxrver_context* context, internal::TransactionRef raw) noexcept
      : context_(context), raw_(std::move(raw)) {}

  template <class... Values>
  [[nodiscard]] auto query(std::string_view sql, const Values&... values) const {
    return QueryAwaiter<sizeof...(Values)>(context_, {}, raw_.get(), sql,
                                           {internal::to_value(values)...});
  }

  class [[nodiscard]] CommitAwaiter;
  [[nodiscard]] CommitAwaiter commit() noexcept;

 private:
  ssxrver_context* context_;
  internal::TransactionRef raw_;
};

class Transaction::CommitAwaiter final : private internal::HostWait {
 public:
  explicit CommitAwaiter(ssxrver_transaction* raw) noexcept : raw_(raw) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    return suspend(handle, internal::tables.db->commit(raw_, waiter(), slot()));
  }
  Result<void> await_resume() {
    if (status() == SSXRVER_OK) return {};
    if (ended() == nullptr) return fail(status());
    internal::ErrorText error;
    internal::tables.db->why(ended(), error.out());
    return fail(status(), error.text(), error.code());
  }

 private:
  ssxrver_transaction* raw_;
};

inline Transaction::CommitAwaiter Transaction::commit() noexcept {
  return CommitAwaiter(raw_.get());
}

class [[nodiscard]] BeginAwaiter final : private internal::HostWait {
 public:
  BeginAwaiter(ssxrver_context* context, std::string_view database) noexcept
      : context_(context), database_(database) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    if (internal::tables.db == nullptr) return suspend(handle, SSXRVER_UNSUPPORTED);
    return suspend(handle, internal::tables.db->begin(context_, internal::to_text(database_),
                                                      waiter(), slot()));
  }
  Result<Transaction> await_resume() {
    if (ended() == nullptr) return fail(status());
    internal::ErrorText error;
    ssxrver_transaction* const raw = internal::tables.db->transaction(ended(), error.out());
    if (raw == nullptr) return fail(status(), error.text(), error.code());
    return Transaction(context_, internal::TransactionRef(raw));
  }

 private:
  ssxrver_context* context_;
  std::string_view database_;
};

/// Rows of one query, batch by batch, however many they are. Destroyed, it gives up the rest.
class RowStream {
 public:
  class [[nodiscard]] NextAwaiter;

  /// `status`: what made it; if that failed, next() says so.
  RowStream(std::int32_t status, ssxrver_row_stream* raw) noexcept : raw_(raw), status_(status) {}
  RowStream(RowStream&& other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), status_(other.status_) {}
  RowStream& operator=(RowStream&& other) noexcept {
    std::swap(raw_, other.raw_);
    std::swap(status_, other.status_);
    return *this;
  }
  ~RowStream() {
    if (raw_ != nullptr) internal::tables.db->free_stream(raw_);
  }

  /// co_await gives a Result<Rows>; none: that was all.
  [[nodiscard]] NextAwaiter next() const noexcept;

 private:
  ssxrver_row_stream* raw_;
  std::int32_t status_;
};

class RowStream::NextAwaiter final : public internal::RowsWait {
 public:
  explicit NextAwaiter(const RowStream& stream) noexcept : stream_(stream) {}
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    if (stream_.raw_ == nullptr) return suspend(handle, stream_.status_);
    return suspend(handle, internal::tables.db->next(stream_.raw_, waiter(), slot()));
  }

 private:
  const RowStream& stream_;
};

inline RowStream::NextAwaiter RowStream::next() const noexcept { return NextAwaiter(*this); }

/// A name of `databases` in the configuration.
class Database {
 public:
  Database(ssxrver_context* context, std::string name)
      : context_(context), name_(std::move(name)) {}

  /// co_await gives a Result<Rows>. Every value is bound as a parameter ("?").
  template <class... Values>
  [[nodiscard]] auto query(std::string_view sql, const Values&... values) const {
    return QueryAwaiter<sizeof...(Values)>(context_, name_, nullptr, sql,
                                           {internal::to_value(values)...});
  }
  /// The query runs with the first next(). Every value is copied.
  template <class... Values>
  [[nodiscard]] RowStream stream(std::string_view sql, const Values&... values) const {
    if (internal::tables.db == nullptr) return {SSXRVER_UNSUPPORTED, nullptr};
    const std::array<ssxrver_value, sizeof...(Values)> given{internal::to_value(values)...};
    ssxrver_row_stream* raw = nullptr;
    const std::int32_t status =
        internal::tables.db->stream(context_, internal::to_text(name_), internal::to_text(sql),
                                    given.data(), given.size(), &raw);
    return {status, raw};
  }
  /// co_await gives a Result<Transaction>.
  [[nodiscard]] BeginAwaiter begin() const noexcept { return BeginAwaiter(context_, name_); }

 private:
  ssxrver_context* context_;
  std::string name_;
};

}  // namespace ssx::plugin
