// The calls of ssxrver/sys by name, each with the error that a test gets unless it asks for
// another.
//
// Thread: immutable
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

// X(enumerator, function, usual error). Error 0: only a mistake of ours makes the call fail (EBADF,
// EINVAL), which is an assertion's business, so fail_at_nth and random pass it over.
#define SSX_SIM_FILE_CALLS(X)                     \
  X(kClose, close, EIO)                           \
  X(kOpen, open, EMFILE)                          \
  X(kOpenAt, open_at, EMFILE)                     \
  X(kOpenBeneath, open_beneath, EMFILE)           \
  X(kRead, read, EIO)                             \
  X(kPread, pread, EIO)                           \
  X(kWrite, write, ENOSPC)                        \
  X(kPwrite, pwrite, ENOSPC)                      \
  X(kStat, stat, EACCES)                          \
  X(kFstat, fstat, EIO)                           \
  X(kStatAt, stat_at, EACCES)                     \
  X(kRename, rename, EACCES)                      \
  X(kUnlink, unlink, EACCES)                      \
  X(kMkdir, mkdir, EACCES)                        \
  X(kChmod, chmod, EACCES)                        \
  X(kFsync, fsync, EIO)                           \
  X(kFtruncate, ftruncate, EIO)                   \
  X(kChdir, chdir, EACCES)                        \
  X(kGetcwd, getcwd, ENOENT)                      \
  X(kRealpath, realpath, EACCES)                  \
  X(kListDirectory, list_directory, EACCES)       \
  X(kListOpenDirectory, list_open_directory, EIO) \
  X(kOpenTemporary, open_temporary, EMFILE)       \
  X(kLockExclusive, lock_exclusive, EWOULDBLOCK)  \
  X(kDuplicate, duplicate, EMFILE)                \
  X(kSetNonBlocking, set_non_blocking, 0)         \
  X(kSetCloseOnExec, set_close_on_exec, 0)

#define SSX_SIM_SOCKET_CALLS(X)                   \
  X(kSocket, socket, EMFILE)                      \
  X(kBind, bind, EADDRINUSE)                      \
  X(kListen, listen, EADDRINUSE)                  \
  X(kAccept, accept, EMFILE)                      \
  X(kConnect, connect, ECONNREFUSED)              \
  X(kLocalAddress, local_address, ENOBUFS)        \
  X(kPeerAddress, peer_address, ENOTCONN)         \
  X(kTakeSocketError, take_socket_error, ENOBUFS) \
  X(kIsReadable, is_readable, ENOMEM)             \
  X(kUnacknowledged, unacknowledged, 0)           \
  X(kSetOption, set_option, ENOMEM)               \
  X(kSetOptionText, set_option_text, ENOENT)      \
  X(kGetOption, get_option, ENOPROTOOPT)          \
  X(kSetLingerReset, set_linger_reset, ENOMEM)    \
  X(kReceive, receive, ECONNRESET)                \
  X(kSend, send, EPIPE)                           \
  X(kSendVector, send_vector, EPIPE)              \
  X(kSendFile, send_file, EIO)                    \
  X(kShutdownWrite, shutdown_write, ENOTCONN)     \
  X(kShutdownRead, shutdown_read, ENOTCONN)       \
  X(kIgnoreNew, ignore_new_connections, ENOMEM)   \
  X(kReceiveBatch, receive_batch, ECONNREFUSED)   \
  X(kSendBatch, send_batch, ENOBUFS)              \
  X(kSocketPair, socket_pair, EMFILE)

#define SSX_SIM_EVENT_CALLS(X)                \
  X(kEpollCreate, epoll_create, EMFILE)       \
  X(kEpollAdd, epoll_add, ENOSPC)             \
  X(kEpollModify, epoll_modify, 0)            \
  X(kEpollRemove, epoll_remove, 0)            \
  X(kEpollWait, epoll_wait, 0)                \
  X(kEventfdCreate, eventfd_create, EMFILE)   \
  X(kEventfdSignal, eventfd_signal, 0)        \
  X(kEventfdTake, eventfd_take, 0)            \
  X(kTimerfdCreate, timerfd_create, EMFILE)   \
  X(kTimerfdArm, timerfd_arm, 0)              \
  X(kTimerfdDisarm, timerfd_disarm, 0)        \
  X(kTimerfdTake, timerfd_take, 0)            \
  X(kSignalfdCreate, signalfd_create, EMFILE) \
  X(kSignalfdTake, signalfd_take, 0)

#define SSX_SIM_PROCESS_CALLS(X)                \
  X(kProcessId, process_id, 0)                  \
  X(kParentProcessId, parent_process_id, 0)     \
  X(kThreadId, thread_id, 0)                    \
  X(kEffectiveUser, effective_user, 0)          \
  X(kFileLimit, file_limit, 0)                  \
  X(kSetFileLimit, set_file_limit, EPERM)       \
  X(kProcessorTime, processor_time, ESRCH)      \
  X(kDaemonize, daemonize, EAGAIN)              \
  X(kSetUmask, set_umask, 0)                    \
  X(kKill, kill, ESRCH)                         \
  X(kQueueSignal, queue_signal, ESRCH)          \
  X(kSignalThread, signal_thread, ESRCH)        \
  X(kSignalLater, signal_later, EAGAIN)         \
  X(kBlockSignals, block_signals, 0)            \
  X(kIgnoreSignal, ignore_signal, 0)            \
  X(kSetSignalAction, set_signal_action, 0)     \
  X(kSetAlternateStack, set_alternate_stack, 0) \
  X(kAllowedCores, allowed_cores, EPERM)        \
  X(kPinThread, pin_thread, EINVAL)             \
  X(kWaitForTurn, wait_for_turn, EPERM)         \
  X(kYieldThread, yield_thread, 0)              \
  X(kNameThread, name_thread, 0)                \
  X(kRandomBytes, random_bytes, ENOSYS)         \
  X(kEnvironment, environment, 0)               \
  X(kUnsetEnvironment, unset_environment, 0)    \
  X(kIsTerminal, is_terminal, 0)

#define SSX_SIM_MEMORY_CALLS(X) X(kWillWrite, will_write, 0)

#define SSX_SIM_LIBRARY_CALLS(X)                   \
  X(kCreateMemoryFile, create_memory_file, EMFILE) \
  X(kSealMemoryFile, seal_memory_file, EBUSY)      \
  X(kOpenLibrary, open_library, ENOMEM)            \
  X(kFindSymbol, find_symbol, ENOENT)              \
  X(kCloseLibrary, close_library, 0)               \
  X(kIsLoaded, is_loaded, 0)
#define SSX_SIM_NAME_CALLS(X) X(kResolveName, resolve_name, ENOMEM)

#define SSX_SIM_CALLS(X)   \
  SSX_SIM_FILE_CALLS(X)    \
  SSX_SIM_SOCKET_CALLS(X)  \
  SSX_SIM_EVENT_CALLS(X)   \
  SSX_SIM_PROCESS_CALLS(X) \
  SSX_SIM_MEMORY_CALLS(X)  \
  SSX_SIM_LIBRARY_CALLS(X) \
  SSX_SIM_NAME_CALLS(X)

namespace ssx::sim {

enum class Call : std::uint8_t {
#define SSX_SIM_ENUMERATOR(enumerator, function, error) enumerator,
  SSX_SIM_CALLS(SSX_SIM_ENUMERATOR)
#undef SSX_SIM_ENUMERATOR
};

#define SSX_SIM_ONE(enumerator, function, error) +1
inline constexpr std::size_t kCallCount = 0 SSX_SIM_CALLS(SSX_SIM_ONE);
#undef SSX_SIM_ONE

/// The function's name in ssx::sys, which is also the where() of its errors.
[[nodiscard]] const char* name(Call call) noexcept;
[[nodiscard]] int usual_error(Call call) noexcept;
/// Calls that say EAGAIN when a non-blocking socket has nothing, or no room.
[[nodiscard]] bool may_say_again(Call call) noexcept;

}  // namespace ssx::sim
