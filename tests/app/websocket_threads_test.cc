// Sockets that other threads send to while their peers come and go.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/ssxrver.h"
#include "tests/support/full_size.h"
#include "tests/support/raw_client.h"
#include "tests/websocket/frames.h"

namespace ssx {
namespace {

using test::RawClient;
using websocket::WebSocketHandle;
using websocket::test::closing;
using websocket::test::show;
using websocket::test::text;

constexpr std::string_view kHandshake =
    "GET /ws HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

class WebSocketThreads : public testing::Test {
 protected:
  void serve(websocket::Handlers<> handlers) {
    app.workers(2).ws("/ws", std::move(handlers)).listen(0);
    port = app.start()->port();
  }
  RawClient open() {
    RawClient client = RawClient::tcp(port);
    client.send(kHandshake);
    EXPECT_EQ(client.read_response().status, 101);
    return client;
  }
  void end() {
    app.stop();
    app.wait();
  }

  App app;
  std::uint16_t port = 0;
};

TEST_F(WebSocketThreads, E01MaySendWhileThePeerCloses) {
  const int senders = test::full_size(4, 64);
  const int messages = test::full_size(3000, 1000000);
  std::mutex mutex;
  std::vector<WebSocketHandle> handles;
  std::atomic<int> opened{0};
  std::atomic<int> closed{0};
  serve({.on_open =
             [&](auto& socket) {
               ++opened;
               const std::lock_guard lock(mutex);
               handles.push_back(socket.handle());
               if (handles.size() > 16) handles.erase(handles.begin());
             },
         .on_message = [](auto& socket, const Message& message) { socket.send(message); },
         .on_close = [&](auto&, CloseCode, std::string_view) { ++closed; }});
  std::atomic<int> sending{senders};
  std::vector<std::thread> threads;
  for (int i = 0; i < senders; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(static_cast<unsigned>(i));
      for (int k = 0; k < messages; ++k) {
        std::vector<WebSocketHandle> some;
        {
          const std::lock_guard lock(mutex);
          if (!handles.empty()) some.push_back(handles[random() % handles.size()]);
        }
        for (const WebSocketHandle& handle : some) {
          EXPECT_TRUE(handle.send("from a thread"));
          if (k % 50 == 0) handle.close();
        }
        if (k % 16 == 0) std::this_thread::yield();
      }
      --sending;
    });
  }
  // Half of the peers say goodbye; the others are gone without a word.
  for (int i = 0; sending > 0; ++i) {
    RawClient client = open();
    client.send(text("hello"));
    (void)client.read(2);
    if (i % 2 == 0) {
      client.send(closing(1000));
      (void)client.read_to_end();
    }
  }
  for (std::thread& thread : threads) thread.join();
  end();
  EXPECT_EQ(opened, closed);
  EXPECT_GT(opened, 0);
}

TEST_F(WebSocketThreads, E04WhatComesTooLateIsCounted) {
  std::atomic<bool> is_closed{false};
  std::mutex mutex;
  std::vector<WebSocketHandle> handles;
  serve({.on_open =
             [&](auto& socket) {
               const std::lock_guard lock(mutex);
               handles.push_back(socket.handle());
             },
         .on_close = [&](auto&, CloseCode, std::string_view) { is_closed = true; }});
  {
    RawClient client = open();
    client.send(closing(1000));
    (void)client.read_to_end();
  }
  while (!is_closed) std::this_thread::yield();
  bool called = false;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(handles[0].post([&called](auto&) { called = true; }));
  end();
  EXPECT_FALSE(called);
  EXPECT_FALSE(handles[0].send("the worker has ended"));
  std::uint64_t late = 0;
  for (unsigned worker = 0; worker < 2; ++worker) {
    late += app.websockets().worker(worker).counters.posted_late.value();
    late += app.server().workers()[worker]->counters().stale_ids.value();
  }
  EXPECT_EQ(late, 10U);
}

}  // namespace
}  // namespace ssx
