#include "websocket/deflate_negotiation.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "tests/websocket/field_lines.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kField = "Sec-WebSocket-Extensions";

constexpr DeflateOptions kAll{
    .mode = DeflateMode::kBoth, .server_context_takeover = true, .client_context_takeover = true};

/// What the server answers; empty when it declines.
std::string answer_to(std::string_view offers, const DeflateOptions& options,
                      std::optional<DeflateParams>* agreed = nullptr) {
  const test::FieldLines lines({{kField, offers}});
  Extensions extensions;
  EXPECT_EQ(extensions.parse(lines.fields()), Errc::kOk) << offers;
  std::string answer = "what stood there";
  const auto params = accept_deflate(extensions, options, answer);
  EXPECT_EQ(params.has_value(), !answer.empty()) << offers;
  if (agreed != nullptr) *agreed = params;
  return answer;
}

std::string shown(const std::optional<DeflateParams>& params) {
  if (!params) return "none";
  return std::string(params->server_no_context_takeover ? "S" : "s") +
         (params->client_no_context_takeover ? "C" : "c") +
         std::to_string(params->server_max_window_bits) + "," +
         std::to_string(params->client_max_window_bits);
}

// RFC 7692 7.1: a server that would lend everything.
TEST(DeflateNegotiation, AnswersEachParameter) {
  const struct {
    std::string_view offer;
    std::string_view answer;  // behind "permessage-deflate"
    std::string_view params;
  } rows[] = {
      {"", "", "sc15,15"},
      {"; client_max_window_bits", "", "sc15,15"},
      {"; server_no_context_takeover", "; server_no_context_takeover", "Sc15,15"},
      {"; client_no_context_takeover", "; client_no_context_takeover", "sC15,15"},
      {"; server_max_window_bits=10", "; server_max_window_bits=10", "sc10,15"},
      {"; server_max_window_bits=15", "; server_max_window_bits=15", "sc15,15"},
      {"; server_max_window_bits=9", "; server_max_window_bits=9", "sc9,15"},
      {"; client_max_window_bits=9", "; client_max_window_bits=9", "sc15,9"},
      {"; client_max_window_bits=\"12\"", "; client_max_window_bits=12", "sc15,12"},
      {"; Server_Max_Window_Bits=11; CLIENT_MAX_WINDOW_BITS=10",
       "; server_max_window_bits=11; client_max_window_bits=10", "sc11,10"},
      {"; client_max_window_bits=13; client_no_context_takeover; server_max_window_bits=14; "
       "server_no_context_takeover",
       "; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=14; "
       "client_max_window_bits=13",
       "SC14,13"}};
  for (const auto& row : rows) {
    std::optional<DeflateParams> params;
    EXPECT_EQ(answer_to("permessage-deflate" + std::string(row.offer), kAll, &params),
              "permessage-deflate" + std::string(row.answer));
    EXPECT_EQ(shown(params), row.params) << row.offer;
  }
}

TEST(DeflateNegotiation, LendsNoMoreThanTheOptionsSay) {
  DeflateOptions options{.mode = DeflateMode::kBoth};
  EXPECT_EQ(answer_to("permessage-deflate; client_max_window_bits", options),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
  options.server_max_window_bits = 11;
  options.client_max_window_bits = 12;
  std::optional<DeflateParams> params;
  EXPECT_EQ(answer_to("permessage-deflate; client_max_window_bits", options, &params),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            "server_max_window_bits=11; client_max_window_bits=12");
  EXPECT_EQ(shown(params), "SC11,12");
  // 7.1.2.2: without client_max_window_bits in the offer the answer must not have it.
  EXPECT_EQ(answer_to("permessage-deflate", options), "");
  options.client_max_window_bits = 15;
  EXPECT_NE(answer_to("permessage-deflate", options), "");
}

TEST(DeflateNegotiation, ToOnlyReceiveKeepsNothingForSending) {
  DeflateOptions options = kAll;
  options.mode = DeflateMode::kReceive;
  EXPECT_EQ(answer_to("permessage-deflate", options),
            "permessage-deflate; server_no_context_takeover");
  options.mode = DeflateMode::kOff;
  EXPECT_EQ(answer_to("permessage-deflate", options), "");
}

TEST(DeflateNegotiation, B12BadParametersDeclineTheirOffer) {
  const std::string_view bad[] = {"server_max_window_bits",
                                  "server_max_window_bits=7",
                                  "server_max_window_bits=8",
                                  "server_max_window_bits=16",
                                  "server_max_window_bits=09",
                                  "server_max_window_bits=015",
                                  "server_max_window_bits=1",
                                  "server_max_window_bits=0",
                                  "server_max_window_bits=-9",
                                  "server_max_window_bits=+9",
                                  "server_max_window_bits=9x",
                                  "server_max_window_bits=10.0",
                                  "server_max_window_bits=4294967305",
                                  "server_max_window_bits=18446744073709551625",
                                  "client_max_window_bits=7",
                                  "client_max_window_bits=8",
                                  "client_max_window_bits=16",
                                  "client_max_window_bits=09",
                                  "client_max_window_bits=true",
                                  "server_no_context_takeover=1",
                                  "client_no_context_takeover=true",
                                  "server_no_context_takeover; server_no_context_takeover",
                                  "client_no_context_takeover; client_no_context_takeover",
                                  "server_max_window_bits=10; server_max_window_bits=10",
                                  "client_max_window_bits=10; client_max_window_bits=10",
                                  "client_max_window_bits; client_max_window_bits",
                                  "client_max_window_bits; client_max_window_bits=10",
                                  "client_max_window_bits=10; client_max_window_bits",
                                  "x-unknown",
                                  "server_max_window_bits=10; x-unknown=1"};
  for (const std::string_view params : bad) {
    const std::string offer = "permessage-deflate; " + std::string(params);
    EXPECT_EQ(answer_to(offer, kAll), "") << offer;
    // RFC 7692 7.1.1: the next one may do.
    EXPECT_EQ(answer_to(offer + ", permessage-deflate; server_max_window_bits=10", kAll),
              "permessage-deflate; server_max_window_bits=10")
        << offer;
  }
}

TEST(DeflateNegotiation, B12TakesTheFirstOfferThatWillDo) {
  EXPECT_EQ(answer_to("x-webkit-deflate-frame, permessage-bzip2; a=b, permessage-deflate", kAll),
            "permessage-deflate");
  EXPECT_EQ(answer_to("permessage-deflate; client_no_context_takeover, permessage-deflate", kAll),
            "permessage-deflate; client_no_context_takeover");
  EXPECT_EQ(answer_to("permessage-deflate-2, xpermessage-deflate, permessage", kAll), "");
}

TEST(DeflateNegotiation, B12EveryWindowIsTakenOrDeclined) {
  for (int server = 0; server <= 20; ++server) {
    for (int client = 0; client <= 20; ++client) {
      std::optional<DeflateParams> params;
      const std::string offer =
          "permessage-deflate; server_max_window_bits=" + std::to_string(server) +
          "; client_max_window_bits=" + std::to_string(client);
      static_cast<void>(answer_to(offer, kAll, &params));
      const bool is_good = server >= 9 && server <= 15 && client >= 9 && client <= 15;
      EXPECT_EQ(shown(params),
                is_good ? "sc" + std::to_string(server) + "," + std::to_string(client) : "none");
    }
  }
}

TEST(DeflateNegotiation, OffersWhatTheOptionsSay) {
  EXPECT_EQ(offer_deflate({.mode = DeflateMode::kOff}), "");
  EXPECT_EQ(offer_deflate(kAll), "permessage-deflate; client_max_window_bits");
  EXPECT_EQ(offer_deflate({.mode = DeflateMode::kReceive}),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            "client_max_window_bits");
  EXPECT_EQ(offer_deflate({.mode = DeflateMode::kBoth,
                           .server_context_takeover = true,
                           .client_context_takeover = true,
                           .server_max_window_bits = 10,
                           .client_max_window_bits = 9}),
            "permessage-deflate; server_max_window_bits=10; client_max_window_bits=9");
}

/// What a client makes of an answer: its parameters, "none", or "refused".
std::string taken(std::string_view answer, const DeflateOptions& options) {
  const test::FieldLines lines({{kField, answer}});
  Extensions extensions;
  EXPECT_EQ(extensions.parse(lines.fields()), Errc::kOk) << answer;
  std::optional<DeflateParams> agreed = DeflateParams();
  const Errc error = check_deflate_answer(extensions, options, agreed);
  EXPECT_EQ(error == Errc::kOk, agreed.has_value()) << answer;
  return error == Errc::kUnaskedExtension ? "refused" : shown(agreed);
}

TEST(DeflateNegotiation, AClientTakesWhatItsOfferAllows) {
  const struct {
    std::string_view answer;
    std::string_view params;
  } rows[] = {{"permessage-deflate", "sc15,15"},
              {"permessage-deflate; server_no_context_takeover", "Sc15,15"},
              {"permessage-deflate; client_no_context_takeover", "sC15,15"},
              {"permessage-deflate; server_max_window_bits=8", "sc9,15"},
              {"permessage-deflate; server_max_window_bits=15", "sc15,15"},
              {"permessage-deflate; client_max_window_bits=10", "sc15,10"},
              {"permessage-deflate; client_max_window_bits=8", "sc15,8"}};
  for (const auto& row : rows) EXPECT_EQ(taken(row.answer, kAll), row.params) << row.answer;
}

TEST(DeflateNegotiation, B12AClientRefusesWhatIsNoAnswerToItsOffer) {
  const std::string_view rows[] = {"permessage-bzip2",
                                   "permessage-deflate, permessage-deflate",
                                   "permessage-deflate, x",
                                   "permessage-deflate; x",
                                   "permessage-deflate; client_max_window_bits",
                                   "permessage-deflate; client_max_window_bits=16",
                                   "permessage-deflate; client_max_window_bits=7",
                                   "permessage-deflate; server_max_window_bits=16",
                                   "permessage-deflate; server_max_window_bits",
                                   "permessage-deflate; server_no_context_takeover=1",
                                   "permessage-deflate; server_no_context_takeover; "
                                   "server_no_context_takeover"};
  for (const std::string_view row : rows) EXPECT_EQ(taken(row, kAll), "refused") << row;
  EXPECT_EQ(taken("permessage-deflate", {.mode = DeflateMode::kOff}), "refused");

  DeflateOptions options = kAll;
  options.server_max_window_bits = 10;
  options.client_max_window_bits = 11;
  EXPECT_EQ(taken("permessage-deflate", options), "refused");
  EXPECT_EQ(taken("permessage-deflate; server_max_window_bits=11", options), "refused");
  EXPECT_EQ(taken("permessage-deflate; server_max_window_bits=10", options), "sc10,11");
  EXPECT_EQ(
      taken("permessage-deflate; server_max_window_bits=9; client_max_window_bits=12", options),
      "refused");
  EXPECT_EQ(
      taken("permessage-deflate; server_max_window_bits=9; client_max_window_bits=11", options),
      "sc9,11");
  options = kAll;
  options.server_context_takeover = false;
  EXPECT_EQ(taken("permessage-deflate", options), "refused");
}

TEST(DeflateNegotiation, AClientMayGetNothing) {
  Extensions extensions;
  std::optional<DeflateParams> agreed = DeflateParams();
  EXPECT_EQ(check_deflate_answer(extensions, kAll, agreed), Errc::kOk);
  EXPECT_FALSE(agreed.has_value());
}

// Whatever two sides of ours are told, both come to the same.
TEST(DeflateNegotiation, BothSidesAgreeWhateverTheirOptions) {
  int agreements = 0;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto options = [bits](unsigned shift, DeflateMode mode) {
      return DeflateOptions{.mode = mode,
                            .server_context_takeover = (bits >> shift & 1) != 0,
                            .client_context_takeover = (bits >> shift & 2) != 0,
                            .server_max_window_bits = (bits >> shift & 4) != 0 ? 10 : 15,
                            .client_max_window_bits = (bits >> shift & 8) != 0 ? 12 : 15};
    };
    const DeflateOptions client = options(0, DeflateMode::kBoth);
    std::optional<DeflateParams> params;
    const std::string answer =
        answer_to(offer_deflate(client), options(4, DeflateMode::kBoth), &params);
    ASSERT_TRUE(params);
    EXPECT_EQ(taken(answer, client), shown(params)) << answer;
    ++agreements;
  }
  EXPECT_EQ(agreements, 256);
}

}  // namespace
}  // namespace ssx::websocket
