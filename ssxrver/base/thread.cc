#include "ssxrver/base/thread.h"

#include <pthread.h>
#include <sched.h>

#include <system_error>
#include <utility>

#include "ssxrver/base/log.h"

namespace ssx {
namespace {

void pin_to(unsigned core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

}  // namespace

Result<Thread> Thread::start(std::string name, std::optional<unsigned> core,
                             UniqueFunction<void()> body) {
  Thread started;
  try {
    started.thread_ = std::thread([name = std::move(name), core, body = std::move(body)]() mutable {
      pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
      if (core) pin_to(*core);
      log::attach_thread();
      body();
    });
  } catch (const std::system_error& error) {  // the one exception of std::thread
    return fail_errno(error.code().value(), "thread");
  }
  return started;
}

}  // namespace ssx
