// when_all(), when_all_ok(): several Tasks at once; the first failure cancels the others.
//
// Thread: one thread, that of the awaiter; a child cannot move to another loop
// Owner:  the awaiting frame; destroying it cancels the children, the last one first
// Life:   nothing runs before co_await, once: what these functions return can only be awaited
// Bounds: as many children as were given (a Semaphore bounds what they do at once). Of a vector
//         one array, else no allocation but the frames
//
//   const auto [user, orders] = co_await when_all(load_user(id), load_orders(id));
//   const auto pages = co_await when_all(std::move(tasks));           // vector<Task<T>>: vector<T>
//   const auto both = co_await when_all_ok(read(a), read(b));         // Task<Result<T>>: a Result
//
// All start at once, in order. What a Task threw is thrown in the awaiter; for when_all_ok() an
// error ends it likewise, and is the Result. The others are destroyed before the awaiter continues,
// those that had not begun without having run; only the first failure is heard of. A child that is
// on the stack when another fails goes on until it waits (docs/internals/coroutines.md).
#pragma once

#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/coro/task_group.h"

namespace ssx {
namespace internal {

struct AllRule {
  template <class Value>
  static bool settles(const Value&) noexcept {
    return false;
  }
  template <class... Ts>
  static std::tuple<ValueOf<Ts>...> outcome(const TaskGroup&,
                                            std::tuple<GroupChild<AllRule, Ts>...>& children) {
    return std::apply(
        [](auto&... child) { return std::tuple<ValueOf<Ts>...>(std::move(child.value())...); },
        children);
  }
  template <class T>
  static auto outcome(const TaskGroup&, std::vector<GroupChild<AllRule, T>>& children) {
    if constexpr (!std::is_void_v<T>) {
      std::vector<T> values;
      values.reserve(children.size());
      for (auto& child : children) values.push_back(std::move(child.value()));
      return values;
    }
  }
};

struct AllOkRule {
  template <class T>
  static bool settles(const Result<T>& result) noexcept {
    return !result.has_value();
  }
  template <class... Ts>
  static Result<std::tuple<ValueOf<Ts>...>> outcome(
      const TaskGroup& group, std::tuple<GroupChild<AllOkRule, Result<Ts>>...>& children) {
    return std::apply(
        [&group](auto&... child) -> Result<std::tuple<ValueOf<Ts>...>> {
          if (!group.settled()) return std::tuple<ValueOf<Ts>...>(taken(child.value())...);
          std::optional<Error> first;
          std::size_t index = 0;
          const auto look_at = [&](const auto& result) {
            if (index++ == group.first()) first = result.error();
          };
          (look_at(child.value()), ...);
          return fail(*first);
        },
        children);
  }
  template <class T>
  static auto outcome(const TaskGroup& group,
                      std::vector<GroupChild<AllOkRule, Result<T>>>& children)
      -> Result<std::conditional_t<std::is_void_v<T>, void, std::vector<ValueOf<T>>>> {
    if (group.settled()) return fail(children[group.first()].value().error());
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      std::vector<T> values;
      values.reserve(children.size());
      for (auto& child : children) values.push_back(taken(child.value()));
      return values;
    }
  }

 private:
  template <class T>
  static ValueOf<T> taken([[maybe_unused]] Result<T>& result) {
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return *std::move(result);
    }
  }
};

}  // namespace internal

/// Gives a std::tuple of what they return, void as std::monostate.
template <class... Ts>
[[nodiscard]] auto when_all(Task<Ts>... tasks) {
  return internal::TaskTuple<internal::AllRule, Ts...>(std::move(tasks)...);
}
/// Gives a vector in the order of the tasks; nothing for Task<void>. None at all: at once.
template <class T>
[[nodiscard]] auto when_all(std::vector<Task<T>> tasks) {
  return internal::TaskList<internal::AllRule, T>(std::move(tasks));
}

/// For tasks that return Results: gives a Result of the tuple, or the first error.
template <class... Ts>
[[nodiscard]] auto when_all_ok(Task<Result<Ts>>... tasks) {
  return internal::TaskTuple<internal::AllOkRule, Result<Ts>...>(std::move(tasks)...);
}
/// A Result of the vector, of Task<Result<void>> a Result<void>.
template <class T>
[[nodiscard]] auto when_all_ok(std::vector<Task<Result<T>>> tasks) {
  return internal::TaskList<internal::AllOkRule, Result<T>>(std::move(tasks));
}

}  // namespace ssx
