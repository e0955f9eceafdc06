// The names that a program on ssxrver needs, in one include and one namespace.
//
// Thread: -
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <array>
#include <span>

#include "http/client/client.h"
#include "http/cookie.h"
#include "http/event_writer.h"
#include "http/fault.h"
#include "http/files/files.h"
#include "http/form.h"
#include "http/middleware.h"
#include "http/middleware/basic_auth.h"
#include "http/middleware/bearer_token.h"
#include "http/middleware/compression.h"
#include "http/middleware/cors.h"
#include "http/middleware/htpasswd_auth.h"
#include "http/middleware/rate_limit.h"
#include "http/middleware/request_id.h"
#include "http/middleware/security_headers.h"
#include "http/middleware/signed_cookies.h"
#include "http/multipart_reader.h"
#include "http/request.h"
#include "http/response.h"
#include "ssxrver/app/app.h"
#include "ssxrver/app/json_body.h"
#include "ssxrver/base/log.h"
#include "ssxrver/coro/semaphore.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/coro/when_all.h"
#include "ssxrver/coro/when_any.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/net/tcp_stream.h"
#include "ssxrver/net/timeout.h"
#include "websocket/client/client.h"
#include "websocket/handlers.h"

namespace ssx {

// Requests and what answers them.
using http::answer_to_error;
using http::answer_to_overload;
using http::BodyMode;
using http::BodyWriter;
using http::Cookies;
using http::EventWriter;
using http::Files;
using http::Form;
using http::last_event_id;
using http::Method;
using http::MultipartReader;
using http::Request;
using http::Response;
using http::SameSite;
using http::ServerEvent;
using http::SetCookie;
using http::Status;

// What surrounds handlers.
using http::AsyncNext;
using http::AsyncTokenCheck;
using http::basic_auth;
using http::BasicAuthOptions;
using http::bearer_token;
using http::BearerOptions;
using http::compression;
using http::CompressionOptions;
using http::cors;
using http::CorsOptions;
using http::htpasswd_auth;
using http::Middleware;
using http::Next;
using http::rate_limit;
using http::RateLimitOptions;
using http::request_id;
using http::RequestIdOptions;
using http::security_headers;
using http::SecurityHeaderOptions;
using http::signed_cookie;
using http::SignedCookieOptions;
using http::SignedCookies;
using http::TokenCheck;

// The client.
using http::ClientField;
using http::ClientRequest;
using http::ClientResponse;
using http::RequestBody;
using http::UploadWriter;
using HttpClient = http::Client;
using HttpClientOptions = http::ClientOptions;

// WebSockets.
using websocket::BackpressurePolicy;
using websocket::CloseCode;
using websocket::Message;
using websocket::Opcode;
using websocket::Piece;
using websocket::PreparedMessage;
using websocket::reject;
using websocket::Sent;
using websocket::Upgrade;
using websocket::WebSocket;
using websocket::WebSocketBase;
using websocket::WebSocketHandle;
using WebSocketOptions = websocket::Options;

// Their client.
using websocket::ConnectFailure;
using WebSocketClient = websocket::Client;
using WebSocketClientAnswer = websocket::ClientAnswer;
using WebSocketClientHandlers = websocket::ClientHandlers;
using WebSocketClientOptions = websocket::ClientOptions;
using WebSocketClientProxy = websocket::ClientProxy;
using WebSocketClientSocket = websocket::ClientSocket;

// What a coroutine waits for.
using net::sleep_for;
using net::with_timeout;

using net::TcpStream;

}  // namespace ssx
