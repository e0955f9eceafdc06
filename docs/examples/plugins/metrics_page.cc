// What the daemon counts, as a page for people and as a text for Prometheus: a plugin.
//
//   {"name": "metrics", "library": "metrics_page.so", "mount": "/metrics-page",
//    "config": {"refresh": 5}}
//
//   http://127.0.0.1:4507/metrics-page             ?all=1: what is 0 as well
//   http://127.0.0.1:4507/metrics-page/metrics     for Prometheus
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/plugin/plugin.h"

namespace {

namespace sdk = ssx::plugin;

constexpr std::string_view kTextType = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}"
    "th{text-align:left;padding:1em 0 0;font-weight:600}"
    "td{border-bottom:1px solid #ccc;overflow-wrap:anywhere}"
    "td+td{text-align:right;font-variant-numeric:tabular-nums}";

/// Help and labels hold what plugins and configurations have named.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
  return part;
}

/// The rows of a table: each family under its help, one row for each series.
class Rows {
 public:
  explicit Rows(bool with_zeros) : with_zeros_(with_zeros) {}

  void add(std::string_view line) {
    constexpr std::string_view kHelp = "# HELP ";
    if (line.starts_with(kHelp)) {
      line.remove_prefix(kHelp.size());
      take_until(line, ' ');
      help_ = line;
    } else if (!line.empty() && line.front() != '#') {
      add_series(line.substr(0, line.rfind(' ')), line.substr(line.rfind(' ') + 1));
    }
  }
  [[nodiscard]] const std::string& html() const noexcept { return html_; }

 private:
  void add_series(std::string_view name, std::string_view value) {
    if (value == "0" && !with_zeros_) return;
    if (!help_.empty()) html_ += "<tr><th colspan=\"2\">" + escaped(help_) + "</th></tr>\n";
    help_ = {};  // once for all series of the family
    html_ += "<tr><td>" + escaped(name) + "</td><td>" + escaped(value) + "</td></tr>\n";
  }

  const bool with_zeros_;
  std::string_view help_;
  std::string html_;
};

class Page {
 public:
  explicit Page(sdk::Host& host)
      : host_(host),
        title_(escaped(host.name())),
        path_(escaped(host.mount())),
        refresh_(host.config().integer("refresh", 5)) {}

  [[nodiscard]] sdk::Response show(const sdk::Request& request) const {
    Rows rows(request.query("all").has_value());
    const std::string text = host_.metrics_text();
    std::string_view rest = text;
    while (!rest.empty()) rows.add(take_until(rest, '\n'));
    std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
    if (refresh_ > 0) {
      html += "<meta http-equiv=\"refresh\" content=\"" + std::to_string(refresh_) + "\">\n";
    }
    html.append("<title>").append(title_).append("</title><style>").append(kStyle);
    html.append("</style></head>\n<body><h1>").append(title_).append("</h1>\n<p><a href=\"");
    html.append(path_).append("\">what is not 0</a> · <a href=\"").append(path_);
    html.append("?all=1\">all</a> · <a href=\"").append(path_).append("/metrics\">text</a></p>\n");
    html.append("<table>\n").append(rows.html()).append("</table></body></html>\n");
    return sdk::Response::html(std::move(html)).set("Cache-Control", "no-store");
  }
  [[nodiscard]] sdk::Response text() const {
    return sdk::Response::text(host_.metrics_text())
        .content_type(kTextType)
        .set("Cache-Control", "no-store");
  }

 private:
  const sdk::Host& host_;
  const std::string title_;
  const std::string path_;
  const std::int64_t refresh_;
};

void set_up(sdk::Host& host) {
  const auto page = std::make_shared<const Page>(host);
  host.get("", [page](const sdk::Request& request) { return page->show(request); });
  host.get("/metrics", [page](const sdk::Request&) { return page->text(); });
}

}  // namespace

SSX_PLUGIN("metrics_page", "1.0.0", set_up, .summary = "What the daemon counts, as a page",
           .config_schema = R"({
             "type": "object",
             "properties": {"refresh": {"type": "integer", "minimum": 0, "maximum": 3600}},
             "additionalProperties": false
           })")
