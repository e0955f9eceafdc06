// when_any(): several Tasks at once; the first that finishes wins and the others are cancelled.
//
// Thread: one thread, that of the awaiter; a child cannot move to another loop
// Owner:  the awaiting frame; destroying it cancels the children, the last one first
// Life:   nothing runs before co_await, once: what these functions return can only be awaited
// Bounds: as many children as were given, and at least one (asserted). Of a vector one array, else
//         no allocation but the frames
//
//   const auto won = co_await when_any(ask(a), ask(b));              // a std::variant
//   const auto won = co_await when_any(std::move(tasks));            // won.index, won.value
//
// They start in order: when one finishes without having waited, those after it never run. Whoever
// throws first has finished first, and the awaiter gets that. The others are destroyed before the
// awaiter continues; one that is on the stack then goes on until it waits
// (docs/internals/coroutines.md). A time that runs out is net::with_timeout()'s.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/coro/task_group.h"

namespace ssx {

/// The one of a vector of Tasks that was first; `value` is a std::monostate for Task<void>.
template <class T>
struct FirstOf {
  FirstOf(std::size_t which, T&& given) : index(which), value(std::move(given)) {}
  std::size_t index;
  T value;
};

namespace internal {

struct AnyRule {
  template <class Value>
  static bool settles(const Value&) noexcept {
    return true;
  }
  template <class... Ts>
  static std::variant<ValueOf<Ts>...> outcome(const TaskGroup& group,
                                              std::tuple<GroupChild<AnyRule, Ts>...>& children) {
    return pick<std::variant<ValueOf<Ts>...>>(group.first(), children,
                                              std::index_sequence_for<Ts...>());
  }
  template <class T>
  static FirstOf<ValueOf<T>> outcome(const TaskGroup& group,
                                     std::vector<GroupChild<AnyRule, T>>& children) {
    return {group.first(), std::move(children[group.first()].value())};
  }

 private:
  template <class Variant, class Children, std::size_t... Is>
  static Variant pick(std::size_t first, Children& children, std::index_sequence<Is...>) {
    std::optional<Variant> won;
    const auto take = [&won, first](auto index, auto& child) {
      if (index != first) return;
      won.emplace(std::in_place_index<decltype(index)::value>, std::move(child.value()));
    };
    (take(std::integral_constant<std::size_t, Is>(), std::get<Is>(children)), ...);
    return *std::move(won);
  }
};

}  // namespace internal

/// Gives a std::variant: its index() is that of the task, void is std::monostate.
template <class T, class... Ts>
[[nodiscard]] auto when_any(Task<T> task, Task<Ts>... tasks) {
  return internal::TaskTuple<internal::AnyRule, T, Ts...>(std::move(task), std::move(tasks)...);
}
/// Gives a FirstOf. Requires one task at least: of none, none is ever first.
template <class T>
[[nodiscard]] auto when_any(std::vector<Task<T>> tasks) {
  SSX_ASSERT(!tasks.empty());
  return internal::TaskList<internal::AnyRule, T>(std::move(tasks));
}

}  // namespace ssx
