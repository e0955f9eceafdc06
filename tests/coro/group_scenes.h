// Three children that end in every way, at once or when an event comes, in every order of the
// events: what a group of Tasks has to make of it, and that it leaves nothing behind.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"
#include "tests/coro/event.h"

namespace ssx::scenes {

enum class End { kValueNow, kValueLater, kErrorNow, kErrorLater, kThrowNow, kThrowLater };

inline bool is_later(End end) {
  return end == End::kValueLater || end == End::kErrorLater || end == End::kThrowLater;
}
inline bool is_error(End end) { return end == End::kErrorNow || end == End::kErrorLater; }
inline bool is_throw(End end) { return end == End::kThrowNow || end == End::kThrowLater; }

inline constexpr std::size_t kChildren = 3;
using Ends = std::array<End, kChildren>;
using Order = std::array<std::size_t, kChildren>;

/// What is left of a child in the awaiter's answer: 1, e1 or t1.
inline std::string text_of(const Result<int>& result) {
  return result ? std::to_string(*result) : std::string("e") + result.error().where();
}
inline std::string text_of(const Ends& ends, std::size_t child) {
  const End end = ends[child];
  return (is_error(end) ? "e" : is_throw(end) ? "t" : "") + std::to_string(child);
}

/// What the children and the awaiter of one scene use.
struct Stage {
  std::array<Event, kChildren> events;
  std::shared_ptr<int> held = std::make_shared<int>(0);  ///< each child has one
  std::vector<std::size_t> started;
  std::string answer;

  [[nodiscard]] bool is_empty() const {
    return held.use_count() == 1 && std::all_of(events.begin(), events.end(),
                                                [](const Event& e) { return e.waiting() == 0; });
  }
};

inline Task<Result<int>> child(Stage& stage, End end, std::size_t index, std::shared_ptr<int>) {
  static constexpr std::array<const char*, kChildren> kNames{"0", "1", "2"};
  stage.started.push_back(index);
  if (is_later(end)) co_await stage.events[index];
  if (is_throw(end)) throw std::runtime_error("t" + std::to_string(index));
  if (is_error(end)) co_return fail(Errc::kClosed, kNames[index]);
  co_return static_cast<int>(index);
}
inline Task<Result<int>> child(Stage& stage, const Ends& ends, std::size_t index) {
  return child(stage, ends[index], index, stage.held);
}
inline std::vector<Task<Result<int>>> all_children(Stage& stage, const Ends& ends) {
  std::vector<Task<Result<int>>> tasks;
  for (std::size_t i = 0; i < kChildren; ++i) tasks.push_back(child(stage, ends, i));
  return tasks;
}

/// What has to come out.
struct Expected {
  std::optional<std::size_t> settled_by;
  std::size_t fired = 0;  ///< events until the awaiter continues
  std::vector<std::size_t> started;
};
inline Expected expect(const Ends& ends, const Order& order, bool (*settles)(End)) {
  Expected expected;
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < kChildren; ++i) {
    expected.started.push_back(i);
    if (is_later(ends[i])) {
      pending.push_back(i);
    } else if (settles(ends[i])) {
      expected.settled_by = i;
      return expected;
    }
  }
  for (const std::size_t i : order) {
    if (pending.empty()) break;
    ++expected.fired;
    if (std::erase(pending, i) == 0 || !settles(ends[i])) continue;
    expected.settled_by = i;
    break;
  }
  return expected;
}

/// A group under test: the coroutine that awaits it and writes stage.answer, and what it shall be.
struct Subject {
  Task<> (*await)(Stage& stage, Ends ends);
  bool (*settles)(End end);
  /// The answer of a group that no child has settled.
  std::string (*all)(const Ends& ends);
};

inline void play(const Subject& subject, const Ends& ends, const Order& order) {
  const auto expected = expect(ends, order, subject.settles);
  Stage stage;
  Noted noted;
  auto task = subject.await(stage, ends);
  bool done = task.start(noted);
  std::size_t fired = 0;
  while (!done && fired < kChildren) {
    EXPECT_EQ(stage.answer, "");
    stage.events[order[fired++]].fire();
    done = noted.times > 0;
  }
  EXPECT_TRUE(done);
  EXPECT_EQ(fired, expected.fired);
  EXPECT_EQ(stage.started, expected.started);
  EXPECT_EQ(stage.answer,
            expected.settled_by ? text_of(ends, *expected.settled_by) : subject.all(ends));
  EXPECT_TRUE(stage.is_empty());
  for (Event& event : stage.events) event.fire();
  EXPECT_LE(noted.times, 1);
}

/// The same, and the awaiter is destroyed after so many events.
inline void cancel(const Subject& subject, const Ends& ends, const Order& order,
                   std::size_t after) {
  Stage stage;
  Noted noted;
  auto task = subject.await(stage, ends);
  if (task.start(noted)) return;
  for (std::size_t i = 0; i < after; ++i) stage.events[order[i]].fire();
  task.reset();
  EXPECT_TRUE(stage.is_empty());
  EXPECT_EQ(stage.answer == "", noted.times == 0);
}

inline void play_all(const Subject& subject) {
  constexpr std::array kEnds{End::kValueNow,   End::kValueLater, End::kErrorNow,
                             End::kErrorLater, End::kThrowNow,   End::kThrowLater};
  for (const End first : kEnds) {
    for (const End second : kEnds) {
      for (const End third : kEnds) {
        const Ends ends{first, second, third};
        Order order{0, 1, 2};
        do {
          SCOPED_TRACE(text_of(ends, 0) + text_of(ends, 1) + text_of(ends, 2));
          play(subject, ends, order);
          for (std::size_t after = 0; after <= kChildren; ++after) {
            cancel(subject, ends, order, after);
          }
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
  }
}

}  // namespace ssx::scenes
