// What docs/guide/plugins.md shows: a plugin's own, beside docs/examples/plugins.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "ssxrver/plugin/plugin.h"

namespace {

namespace sdk = ssx::plugin;

sdk::Task<sdk::Result<void>> pay(const sdk::Database& database, std::int64_t from, std::int64_t to,
                                 std::int64_t cents) {
  auto change = co_await database.begin();
  if (!change) co_return sdk::fail(change.error());
  const auto taken = co_await change->query(
      "UPDATE account SET cents = cents - ? WHERE id = ? AND cents >= ?", cents, from, cents);
  if (!taken) co_return sdk::fail(taken.error());
  if (taken->affected() == 0) co_return sdk::fail(SSXRVER_INVALID, "not so much is there");
  const auto given =
      co_await change->query("UPDATE account SET cents = cents + ? WHERE id = ?", cents, to);
  if (!given) co_return sdk::fail(given.error());
  co_return co_await change->commit();
}

}  // namespace

void set_up_accounts(sdk::Host& host);
void set_up_accounts(sdk::Host& host) {
  host.post("/pay/{from}/{to}", [&host](const sdk::Request& request) -> sdk::Task<sdk::Response> {
    const auto from = request.param_as<std::int64_t>("from");
    const auto to = request.param_as<std::int64_t>("to");
    const auto cents = request.query_as<std::int64_t>("cents");
    if (!from || !to || !cents || *cents <= 0) co_return sdk::Status::kBadRequest;
    const sdk::Database bank = host.database("bank");
    const auto paid = co_await pay(bank, *from, *to, *cents);
    if (!paid) co_return sdk::Status::kConflict;
    co_return "paid\n";
  });
}

void set_up_prices(sdk::Host& host);
void set_up_prices(sdk::Host& host) {
  struct Prices {
    std::atomic<std::int64_t> cents{};
    std::int64_t next{};  // of the control thread alone
  };
  const auto prices = std::make_shared<Prices>();
  prices->cents = host.config().integer("cents", 100);
  host.on_config(
      [&host, prices] {  // throws: it is refused, and nothing has changed
        prices->next = host.config().integer("cents", 100);
      },
      [prices] { prices->cents = prices->next; });
  host.get("/price", [prices](const sdk::Request&) -> sdk::Response {
    return std::to_string(prices->cents.load());
  });
}
