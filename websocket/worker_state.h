// What the WebSockets of one worker share.
//
// Thread: loop-only (counters: any thread may read)
// Owner:  Service
// Life:   that of the server
// Bounds: kSpareMax blocks of at most kSpareBytesMax are kept for reuse, and a LargeSpare
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/lazy.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/pubsub/topic_table.h"
#include "websocket/byte_budget.h"
#include "websocket/close_code.h"
#include "websocket/counters.h"
#include "websocket/deflate.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/deflate_pool.h"
#include "websocket/frame.h"
#include "websocket/large_spare.h"
#include "websocket/mask_keys.h"
#include "websocket/message.h"
#include "websocket/message_buffer.h"
#include "websocket/options.h"
#include "websocket/prepared.h"
#include "websocket/route_here.h"
#include "websocket/shared_message.h"
#include "websocket/underway.h"
#include "websocket/unsent_meter.h"
#include "websocket/utf8.h"

namespace ssx::net {
class Connections;
}

namespace ssx::websocket {

class Service;
class Session;

/// A message that is put together, or that a coroutine handles; or a piece of one.
struct MessageBlock {
  /// Tells the session that the coroutine has ended.
  class Done final : public Continuation {
   public:
    using Tell = void (Session::*)();
    Done() noexcept : Continuation(&call) {}
    void set(Session& session, Tell tell) noexcept {
      session_ = &session;
      tell_ = tell;
    }

   private:
    static void call(Continuation& self) noexcept;
    Session* session_ = nullptr;
    Tell tell_ = nullptr;
  };

  MessageBuffer buffer;
  Message message;     ///< what a coroutine is given, by reference perhaps
  Piece piece;         ///< the same, where pieces are taken; or what `coded` has
  std::string coded;   ///< compressed bytes that wait until a coroutine is done
  bool holds = false;  ///< there is more to be inflated, of `coded` or without it
  Utf8Validator utf8;
  TimePoint began;
  Task<> handler;
  Done done;
};

class WorkerState {
 public:
  static constexpr std::size_t kSpareMax = 16;
  static constexpr std::size_t kSpareBytesMax = 256 << 10;
  static constexpr std::size_t kPostedEach = 256;  ///< what the mailbox has, without the bytes

  /// `unsent_max`: this worker's share of it.
  WorkerState(Service& service, std::uint32_t index, std::uint64_t unsent_max);
  ~WorkerState();

  [[nodiscard]] std::unique_ptr<MessageBlock> take_block();
  void give_back(std::unique_ptr<MessageBlock> block) noexcept;
  [[nodiscard]] std::unique_ptr<Underway> take_underway();
  /// It is over, or its session is.
  void give_back(std::unique_ptr<Underway> underway) noexcept;

  /// The one of this worker, as long as a session has it.
  [[nodiscard]] LocalRef<RouteHere> here(std::shared_ptr<const Route> route);
  /// The last session of it has gone.
  void forget(const RouteHere& here) noexcept;
  /// Sessions are among these connections from now on.
  void serves(net::Connections& connections) noexcept { connections_ = &connections; }
  /// `buffer` is about to hold `size` bytes: it may go on in memory that a message has left.
  void prepare(MessageBuffer& buffer, std::size_t size) {
    if (size > buffer.capacity() && size > kSpareBytesMax && large_) [[unlikely]]
      large_->lend(buffer);
  }
  /// A message has been handled; `loop`: this worker's.
  void keep_if_large(MessageBuffer& buffer, net::EventLoop& loop);

  /// What the sockets of this worker are sent. The same object for the same message, so that a loop
  /// over many of them makes one.
  [[nodiscard]] LocalRef<SharedMessage> share(const PreparedMessage& message);
  /// To who has subscribed here, but not to `except`, and to the other workers that have some.
  void publish(std::string_view topic, const PreparedMessage& message, const Session* except);
  /// To those of this worker. What a handler publishes meanwhile (on_close of one who reads too
  /// slowly) is delivered behind it, so that all get both in the same order.
  void deliver(std::string_view topic, const PreparedMessage& message, const Session* except);

  [[nodiscard]] pubsub::TopicTable& topics();
  [[nodiscard]] std::unique_ptr<Deflate> make_deflate(const DeflateParams& params,
                                                      const Options& options, Role role);

  /// This worker's share of ServiceOptions::unsent_max is used up.
  [[nodiscard]] bool has_too_much_unsent(TimePoint now);
  /// `coded`, with nothing in it.
  [[nodiscard]] std::string& empty_coded() noexcept;

  /// Closes every WebSocket; kGoingAway when the server ends.
  void close_all(CloseCode code);
  /// Null when there is none.
  [[nodiscard]] Session* first_session_for_test();

  Counters counters;
  UnsentMeter unsent;
  /// Of what other threads have posted here, kPostedEach with each; of unsent_max.
  const std::shared_ptr<ByteBudget> posted;
  MaskKeys mask_keys;
  std::string coded;  ///< the message that is being sent, compressed

 private:
  struct Publication {
    std::string topic;
    PreparedMessage message;
    const Session* except;  ///< alive as long as its turn lasts
  };

  /// Calls visit(Session&) for each that has not ended. It may do as it likes.
  template <class Visit>
  void for_each_session(Visit&& visit);
  void deliver_one(std::string_view topic, const PreparedMessage& message, const Session* except);

  Service& service_;
  const std::uint32_t index_;
  // A program without topics, or without permessage-deflate, has no code of them.
  Lazy<pubsub::TopicTable> topics_;
  Lazy<DeflatePool> deflate_pool_;
  bool is_delivering_ = false;
  std::vector<Publication> published_meanwhile_;
  LocalRef<SharedMessage> shared_;  ///< the latest; none that is large
  std::vector<std::unique_ptr<MessageBlock>> spare_;
  std::vector<std::unique_ptr<Underway>> spare_underway_;
  std::vector<RouteHere*> here_;             ///< those that sessions have
  net::Connections* connections_ = nullptr;  ///< null: there was no session yet
  LocalRef<LargeSpare> large_;               ///< null: there was no large message yet
};

}  // namespace ssx::websocket
