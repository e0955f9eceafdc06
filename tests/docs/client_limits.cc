#include "http/client/options.h"
#include "ssxrver/config/text_values.h"
#include "tests/docs/limit_tables.h"

namespace ssx::config {
namespace {

using http::Errc;
using Client = http::ClientOptions;

const Limit kClient[] = {
    {"whole head of a response", "ClientOptions::parser",
     [](const ServerConfig&) { return show_size(Client().parser.head_max); }, "error, close",
     Errc::kOk, "`failed[kHeadTooLong]`"},
    {"status line", "ClientOptions::parser",
     [](const ServerConfig&) { return show_size(Client().parser.request_line_max); },
     "error, close", Errc::kOk, "`failed[kStatusLineTooLong]`"},
    {"a body that is kept whole", "ClientOptions::body_max",
     [](const ServerConfig&) { return show_size(Client().body_max); }, "error, close", Errc::kOk,
     "`failed[kResponseTooLarge]`"},
    {"1xx before a response", "ClientOptions::interim_max",
     [](const ServerConfig&) { return std::to_string(Client().interim_max); }, "error, close",
     Errc::kOk, "`failed[kTooManyInterim]`"},
    {"redirects followed", "ClientOptions::redirects_max",
     [](const ServerConfig&) { return std::to_string(Client().redirects_max); }, "error", Errc::kOk,
     "`failed[kTooManyRedirects]`"},
    {"body of a redirect that is read over", "ClientOptions::redirect_body_max",
     [](const ServerConfig&) { return show_size(Client().redirect_body_max); }, "close, followed",
     Errc::kOk, "`redirect_body_max_hit`"},
    {"connections to a host", "ClientOptions::connections_per_host",
     [](const ServerConfig&) { return std::to_string(Client().connections_per_host); },
     "the request waits", Errc::kOk, "`waited`"},
    {"requests that wait for a host", "ClientOptions::waiting_per_host",
     [](const ServerConfig&) { return std::to_string(Client().waiting_per_host); }, "error",
     Errc::kOk, "`failed[kTooManyWaiting]`"},
    {"kept connections of a host", "ClientOptions::idle_per_host",
     [](const ServerConfig&) { return std::to_string(Client().idle_per_host); }, "closed",
     Errc::kOk, "`idle_per_host_hit`"},
    {"kept connections of all hosts", "ClientOptions::idle_max",
     [](const ServerConfig&) { return std::to_string(Client().idle_max); }, "the oldest is closed",
     Errc::kOk, "`idle_max_hit`"},
    {"how long one is kept", "ClientOptions::idle_time",
     [](const ServerConfig&) { return show_time(Client().idle_time); }, "closed", Errc::kOk,
     "`idle_timeouts`"},
    {"look-up, place and connection", "ClientTimeouts::connect",
     [](const ServerConfig&) { return show_time(Client().timeouts.connect); }, "error", Errc::kOk,
     "`failed[kConnectTimedOut]`"},
    {"head of a response", "ClientTimeouts::head",
     [](const ServerConfig&) { return show_time(Client().timeouts.head); }, "error, close",
     Errc::kOk, "`failed[kResponseHeadTimedOut]`"},
    {"no byte of a request's body taken", "ClientTimeouts::idle",
     [](const ServerConfig&) { return show_time(Client().timeouts.idle); }, "error, close",
     Errc::kOk, "`failed[kUploadTimedOut]`"},
    {"no byte of a response's body", "ClientTimeouts::idle",
     [](const ServerConfig&) { return show_time(Client().timeouts.idle); }, "error, close",
     Errc::kOk, "`failed[kResponseBodyTimedOut]`"},
    {"the whole exchange", "ClientTimeouts::total",
     [](const ServerConfig&) { return show_time(Client().timeouts.total); }, "error, close",
     Errc::kOk, "`failed[kExchangeTimedOut]`"},
};

}  // namespace

std::span<const Limit> client_limits() { return kClient; }

}  // namespace ssx::config
