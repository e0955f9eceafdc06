// docs/examples/plugins/metrics_page.cc over a host in memory: what a page makes of a hostile text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ssxrver/plugin/abi.h"
#include "tests/plugin/sdk/fake_host.h"

extern "C" std::int32_t ssxrver_plugin_metrics_page_query(std::uint32_t, std::uint32_t,
                                                          const ssxrver_plugin_desc** desc);

namespace ssx::plugin {
namespace {

using testing::HasSubstr;
using testing::Not;

class MetricsPage : public testing::Test {
 protected:
  MetricsPage() {
    const ssxrver_plugin_desc* desc = nullptr;
    ssxrver_plugin_metrics_page_query(SSXRVER_ABI_MAJOR, SSXRVER_ABI_MINOR, &desc);
    entry = desc->entry;
    EXPECT_EQ(entry->create(&host.host(), &instance, nullptr), SSXRVER_OK);
  }
  ~MetricsPage() override { entry->destroy(instance); }

  const FakeAnswer& ask(std::size_t route, std::string query) {
    host.query = std::move(query);
    ssxrver_operation started{};
    const ssxrver_handler& handler = host.routes.at(route).handler;
    EXPECT_EQ(handler.handle(handler.state, host.request(), host.exchange(), &started), SSXRVER_OK);
    return host.answer;
  }
  std::string page(std::string query = "") { return ask(0, std::move(query)).body; }

  FakeHost host;
  const ssxrver_plugin_entry* entry = nullptr;
  void* instance = nullptr;
};

TEST_F(MetricsPage, EscapesWhatOthersHaveNamed) {
  host.metrics =
      "# HELP a <script>&'\"\n# TYPE a counter\na{b=\"</td><img src=x>\"} 1\nc{d=\"&lt;\"} 2\n";
  const std::string html = page();
  EXPECT_THAT(html, HasSubstr("<th colspan=\"2\">&lt;script&gt;&amp;'&quot;</th>"));
  EXPECT_THAT(html, HasSubstr("<td>a{b=&quot;&lt;/td&gt;&lt;img src=x&gt;&quot;}</td><td>1</td>"));
  EXPECT_THAT(html, HasSubstr("<td>c{d=&quot;&amp;lt;&quot;}</td><td>2</td>"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
}

TEST_F(MetricsPage, SaysAHelpOnceAndWhatIsZeroToWhoAsks) {
  host.metrics = "# HELP a Of a.\na{b=\"1\"} 0\na{b=\"2\"} 7\na{b=\"3\"} 8\n# HELP z Of z.\nz 0\n";
  const std::string html = page();
  EXPECT_EQ(html.find("Of a."), html.rfind("Of a."));
  EXPECT_THAT(html, HasSubstr("Of a.</th></tr>\n<tr><td>a{b=&quot;2&quot;}</td><td>7</td></tr>\n"));
  EXPECT_THAT(html, Not(HasSubstr("Of z.")));
  EXPECT_THAT(page("all=1"), HasSubstr("Of z.</th></tr>\n<tr><td>z</td><td>0</td></tr>\n"));
}

TEST_F(MetricsPage, BearsWhatIsNoLineOfMetrics) {
  for (const char* text : {"", "\n", "#", "# HELP", "# HELP a", "a", "\n\n#\n a\n"}) {
    host.metrics = text;
    EXPECT_THAT(page(), HasSubstr("<table>\n")) << text;
  }
}

TEST_F(MetricsPage, GivesTheTextAsItIs) {
  host.metrics = "a{b=\"<&>\"} 1\n";
  const FakeAnswer& answer = ask(1, "");
  EXPECT_EQ(answer.body, host.metrics);
  EXPECT_EQ(answer.content_type, "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace
}  // namespace ssx::plugin
