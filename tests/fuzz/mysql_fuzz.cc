// What a server of MySQL's protocol may say. Whatever it is, every operation of the driver ends,
// with a failure or with rows within their limits, and nothing of the client library crashes.
//
// The first byte says how the rest is sent: bit 0, as it is, else as packets that are cut at "~~"
// and get their heads here; bit 1, packet by packet, each when the client waits for it. The second
// chooses what is done after the login. Whoever connects is told the same from its beginning: the
// session, and the one that is made to end a statement of it.
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/db/mysql/mysql_driver.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/sys/unique_fd.h"
#include "tests/fuzz/fuzz.h"

namespace ssx::db::mysql {
namespace {

constexpr std::string_view kCut = "~~";
constexpr std::size_t kWireMax = 64U << 10U;  // fits into the socket
constexpr BatchLimits kLimits{.rows_max = 3, .bytes_max = 4096};

using Wire = std::vector<std::string>;

std::string packet(std::string_view payload) {
  std::string bytes;
  for (unsigned shift = 0; shift < 24; shift += 8) {
    bytes += static_cast<char>(payload.size() >> shift & 0xffU);
  }
  return bytes.append(1, '\0').append(payload);  // the library does not look at the number
}

Wire packets(std::string_view text) {
  Wire all;
  for (;;) {
    const auto end = text.find(kCut);
    all.push_back(packet(text.substr(0, end)));
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + kCut.size());
  }
}

Wire wire_of(unsigned how, std::string_view text) {
  text = text.substr(0, kWireMax);
  Wire wire = (how & 1U) != 0 ? Wire{std::string(text)} : packets(text);
  if ((how & 2U) != 0) return wire;
  std::string whole;
  for (const std::string& piece : wire) whole += piece;
  return {std::move(whole)};
}

/// Its side of the socket, on the same thread: it speaks when nobody else has anything to do.
class Server {
 public:
  Server() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    SSX_ASSERT(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    SSX_ASSERT(::listen(listener_.get(), 8) == 0);
  }
  ~Server() { std::filesystem::remove(path_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void begin(Wire wire) {
    wire_ = std::move(wire);
    client_.reset();
  }
  /// One step on; false: there is none, everything was said and heard.
  bool step() {
    if (!client_) return take_client();
    if (hear() == 0) {
      client_.reset();
      return true;
    }
    if (said_ > wire_.size()) return false;
    if (said_ == wire_.size()) {
      ::shutdown(client_.get(), SHUT_WR);
    } else {
      const std::string& piece = wire_[said_];
      static_cast<void>(::send(client_.get(), piece.data(), piece.size(), kNow));
    }
    ++said_;
    return true;
  }

 private:
  static constexpr int kNow = MSG_DONTWAIT | MSG_NOSIGNAL;

  bool take_client() {
    client_.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    said_ = 0;
    return static_cast<bool>(client_);
  }
  /// 0: the client has gone.
  ssize_t hear() {
    char bytes[4096];
    ssize_t size = 0;
    while ((size = ::recv(client_.get(), bytes, sizeof bytes, kNow)) > 0) {
    }
    return size;
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("ssxrver-fuzz-" + std::to_string(::getpid()));
  const sys::UniqueFd listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  sys::UniqueFd client_;
  Wire wire_;
  std::size_t said_ = 0;  ///< pieces, and the end
};

template <class T>
Task<> keep(Task<T> task, std::optional<T>& into) {
  into.emplace(co_await std::move(task));
}

class Client {
 public:
  Client() {
    log::set_level(log::Level::kFatal);
    MysqlOptions options;
    options.unix_socket = server_.path();
    options.user = "anybody";
    options.password = "secret";
    options.database = "anything";
    const PoolOptions pool{.connect_timeout = std::chrono::hours(1),
                           .statement_cache = 1,
                           .bytes_max = kLimits.bytes_max,
                           .statement_bytes_max = 1024};
    driver_ = *MysqlDriver::create(options, pool, nullptr);
  }

  void hear(unsigned what, Wire wire) {
    server_.begin(std::move(wire));
    auto made = finish(driver_->connect());
    if (made) {
      connection_ = *std::move(made);
      converse(what);
      loop_->post([this] { driver_->discard(std::move(connection_)); });
    }
    do loop_->run_until_idle();
    while (server_.step());
  }

 private:
  template <class T>
  T finish(Task<T> task) {
    std::optional<T> result;
    net::spawn(*loop_, keep(std::move(task), result), &net::log_failure);
    for (loop_->run_until_idle(); !result; loop_->run_until_idle())
      SSX_ASSERT(server_.step(), "it waits, and nothing will come");
    return *std::move(result);
  }

  void converse(unsigned what) {
    execute(Statement("SELECT ?, ?", 7, "seven"), what);
    if ((what & 1U) != 0) execute(Statement("SELECT ?, ?", nullptr, -1.5), what);
    if ((what & 2U) != 0) check(finish(connection_->ping()));
    if ((what & 4U) != 0) check(finish(connection_->reset()));
    if ((what & 8U) != 0) execute(Statement("CALL several()"), what);
    if ((what & 16U) != 0) execute(Statement("START TRANSACTION"), what);
    static_cast<void>(connection_->has_gone());
  }
  void execute(Statement statement, unsigned what) {
    auto batch = finish(connection_->execute(std::move(statement), kLimits));
    constexpr int kBatchesMax = 16;
    for (int left = kBatchesMax; check(batch) && batch->more && left > 0; --left) {
      if ((what & 32U) != 0) return;  // the rest is not wanted
      batch = finish(connection_->fetch(kLimits));
    }
  }

  template <class T>
  bool check(const Result<T>& result) {
    if (result) {
      if constexpr (std::is_same_v<T, Batch>) check_rows(result->rows);
      return true;
    }
    SSX_ASSERT(result.error().error().code(), "a failure without a code");
    SSX_ASSERT(!(result.error() == Errc::kConnectionLost) ||
               connection_->state() == Connection::State::kBroken);
    return false;
  }
  static void check_rows(const Rows& rows) {
    SSX_ASSERT(rows.size() <= kLimits.rows_max);
    std::size_t bytes = 0;
    std::ptrdiff_t zeros = 0;
    for (const Row row : rows) {
      SSX_ASSERT(row.size() == rows.columns().size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        const ValueView value = row[i];
        if (value.type() != Type::kText && value.type() != Type::kBytes) continue;
        bytes += value.text().size();
        zeros += std::ranges::count(value.text(), '\0');  // each byte is looked at
      }
    }
    SSX_ASSERT(bytes <= kLimits.bytes_max && std::cmp_less_equal(zeros, bytes), bytes, zeros);
  }

  Server server_;
  std::unique_ptr<net::EventLoop> loop_ = *net::EventLoop::create();
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace
}  // namespace ssx::db::mysql

/// Unused frames of coroutines hang on each other in memory that is poisoned (FramePool), and no
/// leak is one of them.
extern "C" const char* __lsan_default_options() { return "use_poisoned=1"; }  // NOLINT: its name
/// For as many columns as a server announces the library takes room before it has seen one. Where
/// there is none that is an error to it, as here beyond this bound; it writes only what has come.
extern "C" const char* __asan_default_options() {  // NOLINT: its name
  return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  using namespace ssx::db::mysql;  // NOLINT(google-build-using-namespace): the target's own
  static Client client;
  client.hear(data[1], wire_of(data[0], ssx::fuzz::text(data + 2, size - 2)));
  return 0;
}
