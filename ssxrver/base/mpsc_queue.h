// Many producers, one consumer, no lock: Vyukov's linked queue.
//
// Thread: push() any thread; pop() the one consumer
// Owner:  owns the values that were pushed and not yet popped
// Life:   outlives every producer
// Bounds: none of its own; one allocation per push (its user counts and limits)
#pragma once

#include <atomic>
#include <optional>
#include <utility>

namespace ssx {

template <class T>
class MpscQueue {
 public:
  MpscQueue() : head_(new Node), tail_(head_.load(std::memory_order_relaxed)) {}
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  ~MpscQueue() {
    while (pop()) {
    }
    delete tail_;
  }

  void push(T value) {
    Node* node = new Node(std::move(value));
    Node* previous = head_.exchange(node, std::memory_order_acq_rel);
    previous->next.store(node, std::memory_order_release);
  }

  /// Nothing when empty, and also while a producer stands between its two stores: that producer
  /// will signal after its push, so the consumer that is woken then finds the value.
  std::optional<T> pop() {
    Node* next = tail_->next.load(std::memory_order_acquire);
    if (next == nullptr) return std::nullopt;
    std::optional<T> value(std::move(next->value));
    next->value.reset();
    delete std::exchange(tail_, next);
    return value;
  }

 private:
  struct Node {
    Node() = default;
    explicit Node(T&& held) : value(std::move(held)) {}
    std::atomic<Node*> next{nullptr};
    std::optional<T> value;
  };

  // Producers and the consumer touch different cache lines.
  alignas(64) std::atomic<Node*> head_;
  alignas(64) Node* tail_;
};

}  // namespace ssx
