// The border between the daemon and its plugins: C11, tables and views, no type of any library.
//
// Thread: each function says its own; where it says nothing, the loop on which the plugin was
//         called
// Owner:  memory is freed by the side that made it. A text or an array that is given is a view,
//         good until the call returns, unless something else is said
// Life:   what a host hands to create() lives until destroy() has returned
// Bounds: those of the configuration; the host checks what a plugin gives as it checks a peer
//
// Version: SSXRVER_ABI_MAJOR must be equal. The minor may differ either way: each table begins with
// its own size in bytes, and a side uses what the smaller of both sizes covers. New members come at
// the end of a table alone; what has another meaning gets another name.
//
// A plugin exports one symbol, ssxrver_plugin_query(). It is asked for its description first, and
// nothing else of it runs before that has been judged.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SSXRVER_ABI_MAJOR 1u
#define SSXRVER_ABI_MINOR 0u
#define SSXRVER_PLUGIN_MAGIC 0x31584e52565853ull  // "SXVRNX1", little-endian
#define SSXRVER_PLUGIN_QUERY "ssxrver_plugin_query"

// ---- values ---------------------------------------------------------------------------------

// Not terminated by 0. `data` may be null when `size` is 0.
typedef struct ssxrver_text {
  const char* data;
  size_t size;
} ssxrver_text;

typedef struct ssxrver_field {
  ssxrver_text name;
  ssxrver_text value;
} ssxrver_field;

// What a call gives: 0 and above are no errors.
typedef enum ssxrver_status {
  SSXRVER_OK = 0,
  SSXRVER_PENDING = 1,       // it ends later: the operation that was begun tells
  SSXRVER_END = 2,           // nothing more comes
  SSXRVER_ERROR = -1,        // a failure: `ssxrver_error` says which, where there is one
  SSXRVER_INVALID = -2,      // an argument that cannot be
  SSXRVER_NOT_FOUND = -3,    // nothing of that name
  SSXRVER_LIMIT = -4,        // a documented bound was reached
  SSXRVER_CLOSED = -5,       // it has ended
  SSXRVER_TIMED_OUT = -6,    // the deadline passed first
  SSXRVER_UNSUPPORTED = -7,  // not in this build, or not configured
  SSXRVER_UNAVAILABLE = -8,  // what it depends on is not there now: a database
  SSXRVER_WRONG_THREAD = -9  // to be called on a loop, or on this loop
} ssxrver_status;

// A sentence for people. The caller gives `text` and `capacity`; who fails writes at most
// `capacity` bytes and sets `size`.
typedef struct ssxrver_error {
  int32_t code;
  uint32_t capacity;
  uint32_t size;
  char* text;
} ssxrver_error;

typedef enum ssxrver_level {
  SSXRVER_TRACE = 0,
  SSXRVER_DEBUG = 1,
  SSXRVER_INFO = 2,
  SSXRVER_WARN = 3,
  SSXRVER_ERROR_LEVEL = 4,
  SSXRVER_FATAL = 5
} ssxrver_level;

// What only the host looks into.
typedef struct ssxrver_context ssxrver_context;    // of one instance of a plugin
typedef struct ssxrver_loop ssxrver_loop;          // of one worker
typedef struct ssxrver_request ssxrver_request;    // lives until its answer is complete
typedef struct ssxrver_exchange ssxrver_exchange;  // a request that waits for its answer
typedef struct ssxrver_writer ssxrver_writer;      // the body of an answer that streams
typedef struct ssxrver_socket ssxrver_socket;      // a WebSocket: on_open .. on_close
typedef struct ssxrver_upgrade ssxrver_upgrade;    // a handshake, inside of upgrade()
typedef struct ssxrver_wait ssxrver_wait;          // an operation of the host that is under way
typedef struct ssxrver_timer ssxrver_timer;
typedef struct ssxrver_counter ssxrver_counter;
typedef struct ssxrver_rows ssxrver_rows;
typedef struct ssxrver_transaction ssxrver_transaction;
typedef struct ssxrver_row_stream ssxrver_row_stream;

// Whom the host tells that an operation of its own has ended: once, on the loop that began it,
// never inside of the call that began it. Copied by that call.
typedef struct ssxrver_waiter {
  void (*done)(void* context, int32_t status);
  void* context;
} ssxrver_waiter;

// What a plugin gives with SSXRVER_PENDING: an operation of its own. The host calls `cancel`, which
// frees it, once at most, and never when the operation has told of its end.
typedef struct ssxrver_operation {
  void (*cancel)(void* state);
  void* state;
} ssxrver_operation;

// ---- http: interface "ssxrver.http", 1 -------------------------------------------------------

typedef enum ssxrver_body_kind {
  SSXRVER_BODY_NONE = 0,    // a status with content gets a short page
  SSXRVER_BODY_COPY = 1,    // copied before answer() returns
  SSXRVER_BODY_STATIC = 2,  // outlives the call: a literal. Looked at once, soon
  SSXRVER_BODY_OWNED = 3,   // the host calls release(owner) when it has been sent, on the loop
  SSXRVER_BODY_STREAM = 4,  // begin() is called when the head has left
  SSXRVER_BODY_FILE = 5     // `body` is the path of a file, sent without reading it into memory
} ssxrver_body_kind;

#define SSXRVER_LENGTH_UNKNOWN UINT64_MAX

typedef struct ssxrver_response {
  uint32_t size;  // sizeof(ssxrver_response) of whoever made it
  uint16_t status;
  uint8_t body_kind;          // ssxrver_body_kind
  uint8_t close;              // 1: the last answer of its connection
  ssxrver_text content_type;  // empty: none is sent; data null: text/plain; charset=utf-8
  const ssxrver_field* fields;
  size_t field_count;
  ssxrver_text body;
  void* owner;
  void (*release)(void* owner);
  // SSXRVER_BODY_STREAM: `owner` is its state; release(owner) comes in any case, once. Gives OK
  // when the body is complete, PENDING with `started` (stream_end() tells), or ERROR: the
  // connection is cut.
  int32_t (*begin)(void* owner, ssxrver_writer* writer, ssxrver_operation* started);
  uint64_t stream_length;  // or SSXRVER_LENGTH_UNKNOWN
} ssxrver_response;

// Of one route. Called on every worker at the same time.
typedef struct ssxrver_handler {
  uint32_t size;
  uint32_t flags;  // SSXRVER_HANDLER_...
  void* state;
  // OK: answer() has been called. PENDING (only with ..._LATER): answer() comes later, on this
  // loop, unless started->cancel() comes first. ERROR: fail() was called, or 500 it is.
  int32_t (*handle)(void* state, const ssxrver_request* request, ssxrver_exchange* exchange,
                    ssxrver_operation* started);
  void (*release)(void* state);  // when no request is under way any more; may be null
} ssxrver_handler;

#define SSXRVER_HANDLER_LATER 1u   // may give PENDING: a coroutine
#define SSXRVER_HANDLER_TASKS 2u   // runs on a task thread; not with LATER
#define SSXRVER_HANDLER_PIECES 4u  // reads its body as it comes; with LATER

// 0 and empty: as the configuration says.
typedef struct ssxrver_route_settings {
  uint32_t size;
  uint32_t reserved;
  ssxrver_text host;
  uint64_t body_max;  // bytes
  int64_t handler_timeout_ns;
} ssxrver_route_settings;

typedef struct ssxrver_http {
  uint32_t size;

  // In create() alone. `methods`: "GET", "GET POST", empty = every method. `pattern` is behind the
  // mount point of the instance. An error releases the handler before it returns.
  int32_t (*route)(ssxrver_context* context, ssxrver_text methods, ssxrver_text pattern,
                   const ssxrver_handler* handler, const ssxrver_route_settings* settings,
                   ssxrver_error* error);

  // Once for each exchange; `response` is read before it returns.
  void (*answer)(ssxrver_exchange* exchange, const ssxrver_response* response);
  // In place of answer(): 500, and the sentence in the log with plugin and route.
  void (*fail)(ssxrver_exchange* exchange, ssxrver_text sentence);

  // Views that live as long as the request.
  ssxrver_text (*method)(const ssxrver_request* request);
  ssxrver_text (*target)(const ssxrver_request* request);
  ssxrver_text (*path)(const ssxrver_request* request);
  ssxrver_text (*query)(const ssxrver_request* request);
  ssxrver_text (*route_name)(const ssxrver_request* request);
  uint32_t (*version)(const ssxrver_request* request);  // 10 or 11
  uint32_t (*worker)(const ssxrver_request* request);
  // False and nothing in `value`: there is none. The first line of that name, whatever its case.
  uint8_t (*header)(const ssxrver_request* request, ssxrver_text name, ssxrver_text* value);
  size_t (*field_count)(const ssxrver_request* request);
  ssxrver_field (*field)(const ssxrver_request* request, size_t index);
  uint8_t (*param)(const ssxrver_request* request, ssxrver_text name, ssxrver_text* value);
  uint8_t (*cookie)(const ssxrver_request* request, ssxrver_text name, ssxrver_text* value);
  uint8_t (*attribute)(const ssxrver_request* request, ssxrver_text name, ssxrver_text* value);
  void (*set_attribute)(const ssxrver_request* request, ssxrver_text name, ssxrver_text value);
  // "203.0.113.7:4711": at most `capacity` bytes; how long it is. Whom the socket is connected to;
  // who asked, as a trusted proxy says.
  size_t (*peer)(const ssxrver_request* request, char* text, size_t capacity);
  size_t (*client)(const ssxrver_request* request, char* text, size_t capacity);

  // The whole body. SSXRVER_LIMIT: it is in a file, read it by pieces; UNSUPPORTED: still to come.
  int32_t (*body)(const ssxrver_request* request, ssxrver_text* body);
  // The next piece, good until the next call. OK with `piece`, END, PENDING, or an error. PENDING:
  // `piece` is written before `waiter` is told, unless cancel() takes `wait` back.
  int32_t (*read)(const ssxrver_request* request, ssxrver_text* piece, ssxrver_waiter waiter,
                  ssxrver_wait** wait);

  // OK: queued. PENDING: so much is queued already that the rest of it waits for room. `bytes` stay
  // until `waiter` was told; the next write is for then.
  int32_t (*write)(ssxrver_writer* writer, ssxrver_text bytes, ssxrver_waiter waiter,
                   ssxrver_wait** wait);
  int32_t (*trailer)(ssxrver_writer* writer, ssxrver_text name, ssxrver_text value);
  // Of a stream that gave PENDING: it has ended, well (OK) or not.
  void (*stream_end)(ssxrver_writer* writer, int32_t status);
} ssxrver_http;

// ---- websocket: interface "ssxrver.websocket", 1 ---------------------------------------------

typedef enum ssxrver_opcode { SSXRVER_OP_TEXT = 1, SSXRVER_OP_BINARY = 2 } ssxrver_opcode;

typedef enum ssxrver_sent {
  SSXRVER_SENT_OK = 0,
  SSXRVER_SENT_ABOVE = 1,
  SSXRVER_SENT_DROPPED = 2,
  SSXRVER_SENT_CLOSED = 3
} ssxrver_sent;

typedef struct ssxrver_message {
  ssxrver_text payload;
  uint32_t opcode;  // ssxrver_opcode
  uint8_t begins;   // of pieces; both 1 for a whole message
  uint8_t ends;
} ssxrver_message;

// Names a socket on every thread; stale ones are counted no-ops.
typedef struct ssxrver_socket_id {
  uint64_t high;
  uint64_t low;
} ssxrver_socket_id;

// Callbacks of a route: all but upgrade may be null. `data` is what upgrade() gave to accept().
typedef struct ssxrver_socket_handler {
  uint32_t size;
  uint32_t flags;  // SSXRVER_SOCKET_...
  void* state;
  // OK: accept() has been called. END: answer() has been: no socket. ERROR: fail() was called, or
  // 500 it is.
  int32_t (*upgrade)(void* state, const ssxrver_request* request, ssxrver_exchange* exchange,
                     ssxrver_upgrade* upgrade);
  void (*open)(void* state, ssxrver_socket* socket, void* data);
  // PENDING (only with ..._LATER): the next message waits until message_end(). `message` lives as
  // long.
  int32_t (*message)(void* state, ssxrver_socket* socket, void* data,
                     const ssxrver_message* message, ssxrver_operation* started);
  void (*ping)(void* state, ssxrver_socket* socket, void* data, ssxrver_text payload);
  void (*pong)(void* state, ssxrver_socket* socket, void* data, ssxrver_text payload);
  void (*drain)(void* state, ssxrver_socket* socket, void* data);
  void (*backpressure)(void* state, ssxrver_socket* socket, void* data);
  void (*error)(void* state, ssxrver_socket* socket, void* data, ssxrver_text sentence);
  void (*close)(void* state, ssxrver_socket* socket, void* data, uint16_t code,
                ssxrver_text reason);
  // Of data that upgrade() made, whether or not the socket was ever open: the last call of it.
  void (*release_data)(void* state, void* data);
  void (*release)(void* state);
} ssxrver_socket_handler;

#define SSXRVER_SOCKET_LATER 1u   // message() may give PENDING
#define SSXRVER_SOCKET_PIECES 2u  // message() is given what comes of a message, as it comes

typedef struct ssxrver_websocket {
  uint32_t size;
  // In create() alone. `options`: a JSON object with keys of "websocket" of the configuration, or
  // empty. An error releases the handler before it returns.
  int32_t (*route)(ssxrver_context* context, ssxrver_text pattern,
                   const ssxrver_socket_handler* handler, ssxrver_text options,
                   ssxrver_error* error);
  // Inside of upgrade(): the socket's data, and fields of the 101.
  void (*accept)(ssxrver_upgrade* upgrade, void* data);
  void (*set_field)(ssxrver_upgrade* upgrade, ssxrver_text name, ssxrver_text value);
  // An ssxrver_sent.
  int32_t (*send)(ssxrver_socket* socket, uint32_t opcode, ssxrver_text payload);
  int32_t (*ping)(ssxrver_socket* socket, ssxrver_text payload);
  void (*close)(ssxrver_socket* socket, uint16_t code, ssxrver_text reason);
  void (*reset)(ssxrver_socket* socket);
  uint8_t (*is_open)(const ssxrver_socket* socket);
  uint64_t (*unsent_bytes)(const ssxrver_socket* socket);
  ssxrver_text (*subprotocol)(const ssxrver_socket* socket);
  size_t (*peer)(const ssxrver_socket* socket, char* text, size_t capacity);
  uint32_t (*worker)(const ssxrver_socket* socket);
  uint8_t (*subscribe)(ssxrver_socket* socket, ssxrver_text topic);
  uint8_t (*unsubscribe)(ssxrver_socket* socket, ssxrver_text topic);
  uint8_t (*is_subscribed)(const ssxrver_socket* socket, ssxrver_text topic);
  // To all who have subscribed but this one.
  void (*publish_others)(ssxrver_socket* socket, ssxrver_text topic, uint32_t opcode,
                         ssxrver_text payload);
  // The coroutine of a message has ended: OK, or ERROR. ERROR inside of any callback: it failed,
  // and why. Then 1011, and the sentence in the log.
  void (*message_end)(ssxrver_socket* socket, int32_t status, ssxrver_text sentence);

  // Any thread.
  void (*publish)(ssxrver_context* context, ssxrver_text topic, uint32_t opcode,
                  ssxrver_text payload);
  ssxrver_socket_id (*id)(const ssxrver_socket* socket);
  // An ssxrver_status. OK: on its way; LIMIT: so much is that nothing can be added.
  int32_t (*send_to)(ssxrver_context* context, ssxrver_socket_id id, uint32_t opcode,
                     ssxrver_text payload);
  int32_t (*close_by_id)(ssxrver_context* context, ssxrver_socket_id id, uint16_t code,
                         ssxrver_text reason);
} ssxrver_websocket;

// ---- loops, timers, tasks: interface "ssxrver.loop", 1 ---------------------------------------

typedef struct ssxrver_loops {
  uint32_t size;
  // The loop of the calling thread; null on others.
  ssxrver_loop* (*current)(ssxrver_context* context);
  uint32_t (*worker_count)(ssxrver_context* context);
  // Nanoseconds since some moment, as the loop has it.
  int64_t (*now)(ssxrver_context* context);
  // Ends once after `delay_ns`. For coroutines. `context` may be null: then it is nobody's lease.
  int32_t (*sleep)(ssxrver_context* context, int64_t delay_ns, ssxrver_waiter waiter,
                   ssxrver_wait** wait);
  // On the caller's loop, every `interval_ns` (0: once) from `delay_ns` on. release(state); then
  // `timer` names nothing, when it fired once, was cancelled, or its loop is left or has ended.
  int32_t (*timer)(ssxrver_context* context, int64_t delay_ns, int64_t interval_ns,
                   void (*fire)(void* state), void (*release)(void* state), void* state,
                   ssxrver_timer** timer);
  void (*cancel_timer)(ssxrver_timer* timer);
  // Any thread: run(state) on that worker's loop, later; release(state) in any case, also with an
  // error, as timer() and run_task() do. UNAVAILABLE: before create() or behind stop().
  int32_t (*post)(ssxrver_context* context, uint32_t worker, void (*run)(void* state),
                  void (*release)(void* state), void* state);
  // run(state) on a task thread, then `waiter` here: with LIMIT if the queue is full. release()
  // comes in any case, on one of both threads, when nobody touches it any more.
  int32_t (*run_task)(ssxrver_context* context, void (*run)(void* state),
                      void (*release)(void* state), void* state, ssxrver_waiter waiter,
                      ssxrver_wait** wait);
  // The waiter is not told any more.
  void (*cancel)(ssxrver_wait* wait);
} ssxrver_loops;

// ---- databases: interface "ssxrver.db", 1 ----------------------------------------------------

typedef enum ssxrver_value_kind {
  SSXRVER_NULL = 0,
  SSXRVER_INT = 1,
  SSXRVER_UINT = 2,
  SSXRVER_REAL = 3,
  SSXRVER_TEXT = 4,
  SSXRVER_BYTES = 5
} ssxrver_value_kind;

typedef struct ssxrver_value {
  uint32_t kind;  // ssxrver_value_kind
  uint32_t reserved;
  union {
    int64_t integer;
    uint64_t whole;
    double real;
  } number;
  ssxrver_text text;
} ssxrver_value;

// `code` of an ssxrver_error of this table, for what the status leaves open; 0: for another reason.
typedef enum ssxrver_db_code {
  SSXRVER_DB_NO_CONNECTION = 1,  // it has not run, and may later
  SSXRVER_DB_DISCONNECT = 2,     // nobody knows whether it has run; as of SSXRVER_TIMED_OUT
  SSXRVER_DB_SYNTAX = 3,         // or no such table or column, or more or fewer values than places
  SSXRVER_DB_CONSTRAINT = 4,     // unique, not null, foreign key, check
  SSXRVER_DB_CONFLICT = 5,       // locked, or a deadlock: the transaction is undone, try it again
  SSXRVER_DB_RESULT_SIZE = 6     // rows_max or bytes_max: stream() has no such bound
} ssxrver_db_code;

// Of a loop, as what it gives. One operation of a transaction or a stream at a time; one that is
// cancelled ends it, and what follows is SSXRVER_CLOSED. The end of a loop ends what began there.
typedef struct ssxrver_db {
  uint32_t size;
  // PENDING, or an error at once of what may not be. When `waiter` is told, rows() gives what came.
  // `database`: a name of the configuration. `transaction`: null = none. All of it is copied.
  int32_t (*query)(ssxrver_context* context, ssxrver_text database,
                   ssxrver_transaction* transaction, ssxrver_text sql, const ssxrver_value* values,
                   size_t value_count, ssxrver_waiter waiter, ssxrver_wait** wait);
  // Of a wait whose waiter was told, inside of that call, once; for any thread. Null: see `error`.
  ssxrver_rows* (*rows)(ssxrver_wait* wait, ssxrver_error* error);
  size_t (*row_count)(const ssxrver_rows* rows);
  size_t (*column_count)(const ssxrver_rows* rows);
  ssxrver_text (*column_name)(const ssxrver_rows* rows, size_t column);
  // A view that lives as long as the rows. SSXRVER_NULL where there is no such cell.
  void (*value)(const ssxrver_rows* rows, size_t row, size_t column, ssxrver_value* value);
  uint64_t (*affected)(const ssxrver_rows* rows);
  uint64_t (*last_insert_id)(const ssxrver_rows* rows);
  void (*free_rows)(ssxrver_rows* rows);
  // A transaction: begin() tells by `waiter`, then transaction() gives it, as rows() does. commit()
  // ends it, well or not; free_transaction(), any thread, rolls back what was not committed.
  int32_t (*begin)(ssxrver_context* context, ssxrver_text database, ssxrver_waiter waiter,
                   ssxrver_wait** wait);
  ssxrver_transaction* (*transaction)(ssxrver_wait* wait, ssxrver_error* error);
  int32_t (*commit)(ssxrver_transaction* transaction, ssxrver_waiter waiter, ssxrver_wait** wait);
  void (*free_transaction)(ssxrver_transaction* transaction);
  // Of a wait of this table whose waiter was told of a failure, inside of that call: why.
  void (*why)(ssxrver_wait* wait, ssxrver_error* error);
  // A result of any length: the first next() runs it. `waiter` is told of a batch for rows(), which
  // is empty at the end. free_stream(), on any thread, gives up the rest.
  int32_t (*stream)(ssxrver_context* context, ssxrver_text database, ssxrver_text sql,
                    const ssxrver_value* values, size_t value_count, ssxrver_row_stream** stream);
  int32_t (*next)(ssxrver_row_stream* stream, ssxrver_waiter waiter, ssxrver_wait** wait);
  void (*free_stream)(ssxrver_row_stream* stream);
} ssxrver_db;

// ---- the host -------------------------------------------------------------------------------

typedef struct ssxrver_host {
  uint32_t size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved;
  ssxrver_context* context;

  // "ssxrver.http", 1: a table, or null when this host has none of that name and version.
  const void* (*get_interface)(ssxrver_context* context, const char* name, uint32_t version);

  // Any thread.
  uint8_t (*log_enabled)(ssxrver_context* context, uint32_t level);
  void (*log)(ssxrver_context* context, uint32_t level, ssxrver_text line);

  // Any thread. The instance's own: it begins with ssxrver_plugin_<name>_. Same name, same counter;
  // null when the name is none or there are too many.
  ssxrver_counter* (*counter)(ssxrver_context* context, ssxrver_text name, ssxrver_text help);
  void (*count)(ssxrver_counter* counter, uint64_t amount);
  // All series of the daemon in the Prometheus text format, given to `take` in pieces.
  void (*scrape)(ssxrver_context* context, void (*take)(void* to, ssxrver_text piece), void* to);

  // The configuration of the instance by JSON pointer (RFC 6901), "" = all of it. OK and the value
  // as JSON text; a string comes without quotes when `plain` is 1. NOT_FOUND. Inside of
  // config_prepare(), and then until it is committed or aborted, of the new one. Views that live
  // as long as the instance, or until the second config_commit() from here.
  int32_t (*config)(ssxrver_context* context, ssxrver_text pointer, uint8_t plain,
                    ssxrver_text* value);
  ssxrver_text (*name)(ssxrver_context* context);
  ssxrver_text (*mount)(ssxrver_context* context);
} ssxrver_host;

// ---- the plugin ------------------------------------------------------------------------------

#define SSXRVER_PLUGIN_RELOADABLE 1u      // may be replaced while the daemon runs
#define SSXRVER_PLUGIN_UNLOADABLE 2u      // nothing of it stays when its last lease has ended
#define SSXRVER_PLUGIN_NEEDS_TASKS 4u     // task_processes must not be 0
#define SSXRVER_PLUGIN_SAME_TOOLCHAIN 8u  // `toolchain` must be that of the daemon

// All but create and destroy may be null. Each that gives a status writes why into `error`. The
// control thread calls them, but for loop_enter and loop_leave.
typedef struct ssxrver_plugin_entry {
  uint32_t size;
  int32_t (*create)(const ssxrver_host* host, void** instance, ssxrver_error* error);
  int32_t (*start)(void* instance, ssxrver_error* error);
  // On each worker's loop, before the first request of that loop, and behind the last.
  int32_t (*loop_enter)(void* instance, ssxrver_loop* loop, uint32_t worker, ssxrver_error* error);
  void (*loop_leave)(void* instance, ssxrver_loop* loop, uint32_t worker);
  // A new configuration in two phases: prepare() may refuse and changes nothing. UNSUPPORTED: only
  // a new instance can take it.
  int32_t (*config_prepare)(void* instance, ssxrver_text config, ssxrver_error* error);
  void (*config_commit)(void* instance);
  void (*config_abort)(void* instance);
  // No new work comes; what is under way has until the deadline.
  void (*drain)(void* instance, int64_t deadline_ns);
  // What the next generation is to be given; `take` is called once at most. END: nothing.
  int32_t (*export_state)(void* instance, uint32_t* version,
                          void (*take)(void* to, ssxrver_text state), void* to);
  int32_t (*import_state)(void* instance, uint32_t version, ssxrver_text state,
                          ssxrver_error* error);
  void (*stop)(void* instance);
  void (*destroy)(void* instance);
} ssxrver_plugin_entry;

typedef struct ssxrver_plugin_desc {
  uint64_t magic;  // SSXRVER_PLUGIN_MAGIC
  uint32_t size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t flags;  // SSXRVER_PLUGIN_...
  const char* name;
  const char* version;
  const char* vendor;
  const char* license;
  const char* summary;
  const char* build_id;
  const char* toolchain;  // compiler, standard, sanitizer: shown; enforced by SAME_TOOLCHAIN
  const char* required;   // interfaces, "ssxrver.http ssxrver.db"; else it is refused
  const char* optional;
  const char* config_schema;   // JSON Schema of its "config"; null = whatever there is
  uint32_t state_version_min;  // of import_state
  uint32_t state_version_max;
  const ssxrver_plugin_entry* entry;
} ssxrver_plugin_desc;

// OK and `*desc`, which stays for as long as the plugin is mapped; or UNSUPPORTED for a host of
// that version, and then `*desc` may be given all the same, so that an error can say more.
typedef int32_t (*ssxrver_plugin_query_fn)(uint32_t host_major, uint32_t host_minor,
                                           const ssxrver_plugin_desc** desc);

#ifdef __cplusplus
}
#endif
