// Rows as values of C++: tuples, or structs that name their columns.
//
// Thread: values
// Owner:  -
// Life:   -
// Bounds: those of the Rows
//
//   const auto pairs = rows->as<std::tuple<std::int64_t, std::string>>();
//
//   struct User {
//     std::int64_t id = 0;
//     std::string name;
//     std::optional<std::string> note;
//     static constexpr auto db_columns() {
//       return std::tuple(db::column("id", &User::id), db::column("name", &User::name),
//                         db::column("note", &User::note));
//     }
//   };
//   const auto users = rows->as<User>();
//
// A tuple takes the columns in their order and needs as many; a struct takes those that it names,
// and leaves others alone.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ssxrver/db/rows.h"

namespace ssx::db {

/// Which column a member is.
template <class T, class Member>
struct Column {
  std::string_view name;
  Member T::*member;
};
template <class T, class Member>
constexpr Column<T, Member> column(std::string_view name, Member T::*member) {
  return {name, member};
}

template <class T>
concept NamesItsColumns = requires { T::db_columns(); } && std::default_initializable<T>;

namespace internal {

template <class T>
struct FromRow {
  static_assert(NamesItsColumns<T>, "a tuple, or a struct with db_columns()");
  static ssx::Result<T> make(const Row& row) {
    T made{};
    ssx::Result<void> end;
    const auto take = [&row, &made, &end](const auto& column) {
      using Member = std::remove_reference_t<decltype(made.*column.member)>;
      auto value = row.get<Member>(column.name);
      if (!value) {
        end = ssx::fail(value.error());
        return false;
      }
      made.*column.member = *std::move(value);
      return true;
    };
    std::apply([&take](const auto&... columns) { static_cast<void>((take(columns) && ...)); },
               T::db_columns());
    if (!end) return ssx::fail(end.error());
    return made;
  }
};

template <class... Ts>
struct FromRow<std::tuple<Ts...>> {
  static ssx::Result<std::tuple<Ts...>> make(const Row& row) {
    if (row.size() != sizeof...(Ts)) {
      return ssx::fail(make_error_code(Errc::kNoSuchColumn), "as");
    }
    return make(row, std::index_sequence_for<Ts...>());
  }
  template <std::size_t... Is>
  static ssx::Result<std::tuple<Ts...>> make(const Row& row, std::index_sequence<Is...>) {
    auto values = std::tuple(row.get<Ts>(Is)...);
    const Error* wrong = nullptr;
    static_cast<void>((look_at(std::get<Is>(values), wrong) && ...));
    if (wrong != nullptr) return ssx::fail(*wrong);
    return std::tuple<Ts...>(*std::move(std::get<Is>(values))...);
  }

 private:
  template <class T>
  static bool look_at(const ssx::Result<T>& value, const Error*& wrong) {
    if (!value) wrong = &value.error();
    return value.has_value();
  }
};

}  // namespace internal

template <class T>
ssx::Result<T> Row::as() const {
  return internal::FromRow<T>::make(*this);
}

template <class T>
ssx::Result<std::vector<T>> Rows::as() const {
  std::vector<T> all;
  all.reserve(size_);
  for (const Row row : *this) {
    auto one = row.as<T>();
    if (!one) return ssx::fail(one.error());
    all.push_back(*std::move(one));
  }
  return all;
}

}  // namespace ssx::db
