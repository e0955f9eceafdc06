// A doubly linked list whose links live inside the elements: no allocation, O(1) unlink.
//
// Thread: one thread at a time (as its owner)
// Owner:  elements are owned elsewhere; the list only links them
// Life:   an element unlinks itself in its destructor
// Bounds: none of its own; two pointers per element
#pragma once

#include <cstddef>

#include "ssxrver/base/assert.h"

namespace ssx {

/// Derive from it: `class Connection : public ListHook<struct DirtyTag>`. The tag tells several
/// lists apart.
template <class Tag = void>
class ListHook {
 public:
  ListHook() noexcept = default;
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;
  ~ListHook() { unlink(); }

  [[nodiscard]] bool is_linked() const noexcept { return next_ != nullptr; }
  void unlink() noexcept {
    if (next_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

 private:
  template <class, class>
  friend class IntrusiveList;
  ListHook* next_ = nullptr;
  ListHook* previous_ = nullptr;
};

template <class T, class Tag = void>
class IntrusiveList {
 public:
  IntrusiveList() noexcept { head_.next_ = head_.previous_ = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() {
    while (pop_front() != nullptr) {
    }
    head_.next_ = head_.previous_ = nullptr;
  }

  [[nodiscard]] bool empty() const noexcept { return head_.next_ == &head_; }

  void push_back(T& element) noexcept { link_before(head_, element); }
  void push_front(T& element) noexcept { link_before(*head_.next_, element); }

  /// The first element, or null.
  [[nodiscard]] T* front() noexcept { return empty() ? nullptr : element_of(head_.next_); }
  /// The element after `element`, or null.
  [[nodiscard]] T* next(T& element) noexcept {
    Hook* following = static_cast<Hook&>(element).next_;
    return following == &head_ ? nullptr : element_of(following);
  }
  T* pop_front() noexcept {
    T* element = front();
    if (element != nullptr) static_cast<Hook*>(element)->unlink();
    return element;
  }

  /// Moves every element of `other` to the end of this list.
  void splice_back(IntrusiveList& other) noexcept {
    if (other.empty()) return;
    Hook* first = other.head_.next_;
    Hook* last = other.head_.previous_;
    other.head_.next_ = other.head_.previous_ = &other.head_;
    first->previous_ = head_.previous_;
    head_.previous_->next_ = first;
    last->next_ = &head_;
    head_.previous_ = last;
  }

 private:
  using Hook = ListHook<Tag>;

  static T* element_of(Hook* hook) noexcept { return static_cast<T*>(hook); }
  void link_before(Hook& place, T& element) noexcept {
    Hook& hook = element;
    SSX_DCHECK(!hook.is_linked());
    hook.next_ = &place;
    hook.previous_ = place.previous_;
    place.previous_->next_ = &hook;
    place.previous_ = &hook;
  }

  Hook head_;
};

}  // namespace ssx
