#include "http/files/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "http/date.h"
#include "http/target.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

using Entry = RootDirectory::Entry;
using Listing = RootDirectory::Listing;

constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; --line: #8884; --soft: #888; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--soft); }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
td:first-child { width: 100%; overflow-wrap: anywhere; }
td + td, th + th { text-align: right; white-space: nowrap; }
tbody tr:hover { background: #8881; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
p { color: var(--soft); font-size: .9rem; }
@media (max-width: 30rem) { td:last-child, th:last-child { display: none; } }
</style>)";

void append_html(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

// Everything but the unreserved characters of RFC 3986 2.3.
void append_link(std::string& out, std::string_view name) {
  constexpr std::string_view kUnreserved = "-._~";
  for (const char c : name) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || kUnreserved.find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

// The names are UTF-8 without controls (tidy_listing). U+2028 and "<" may stand in JSON, and
// whoever pastes it into a script need not care.
void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '<' || c == '>' || c == '&' || static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

struct Civil {
  int year;
  unsigned month, day;
  long hour, minute, second;
};

Civil to_civil(std::int64_t seconds) noexcept {
  using namespace std::chrono;  // NOLINT(google-build-using-namespace): the calendar's words
  const sys_seconds time{std::chrono::seconds(std::clamp(seconds, kDateMin, kDateMax))};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return {static_cast<int>(date.year()),     static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()), clock.hours().count(),
          clock.minutes().count(),           clock.seconds().count()};
}

// "1.4 MiB": three digits say enough, and the exact number is in its title.
std::string readable_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (size /= 1024; size >= 1024 && unit + 1 < kUnits.size(); size /= 1024) ++unit;
  return fmt::format("{:.{}f} {}", size, size < 10 ? 1 : 0, kUnits[unit]);
}

void append_row(std::string& out, const Entry& entry) {
  const std::string_view slash = entry.is_folder ? "/" : "";
  out += "<tr><td><a href=\"./";
  append_link(out, entry.name);
  out.append(slash).append("\">");
  append_html(out, entry.name);
  out.append(slash).append("</a></td>");
  if (entry.is_folder) {
    out += "<td>&ndash;</td>";
  } else {
    fmt::format_to(std::back_inserter(out), "<td title=\"{} bytes\">{}</td>", entry.size,
                   readable_size(entry.size));
  }
  const Civil time = to_civil(entry.modified);
  fmt::format_to(std::back_inserter(out), "<td>{:04}-{:02}-{:02} {:02}:{:02}</td></tr>\n",
                 time.year, time.month, time.day, time.hour, time.minute);
}

bool is_listed_before(const Entry& a, const Entry& b) noexcept {
  if (a.is_folder != b.is_folder) return a.is_folder;
  const auto order = [](char x, char y) {
    return static_cast<unsigned char>(ascii_lower(x)) < static_cast<unsigned char>(ascii_lower(y));
  };
  if (std::lexicographical_compare(a.name.begin(), a.name.end(), b.name.begin(), b.name.end(),
                                   order)) {
    return true;
  }
  const bool is_behind = std::lexicographical_compare(b.name.begin(), b.name.end(), a.name.begin(),
                                                      a.name.end(), order);
  return !is_behind && a.name < b.name;
}

// As somebody would have to ask for it: percent-encoded, whatever is in it.
bool can_be_asked_for(std::string_view name) {
  std::string path = "/";
  append_link(path, name);
  return check_path(path) == Errc::kOk;
}

}  // namespace

bool is_hidden_name(std::string_view segment) noexcept {
  return segment.starts_with('.') && segment != ".well-known";
}

void tidy_listing(Listing& listing, bool with_dotfiles) {
  std::erase_if(listing.entries, [with_dotfiles](const Entry& entry) {
    return (!with_dotfiles && is_hidden_name(entry.name)) || !can_be_asked_for(entry.name);
  });
  std::sort(listing.entries.begin(), listing.entries.end(), is_listed_before);
}

std::string make_html_listing(const ListingTitle& title, const Listing& listing) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  append_html(out, title.path);
  out.append("</title>\n").append(kStyle).append("</head>\n<body><h1>");
  append_html(out, title.path);
  out +=
      "</h1>\n<table><thead><tr><th>name</th><th>size</th><th>modified (UTC)</th></tr></thead>\n"
      "<tbody>\n";
  if (title.has_parent) out += "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n";
  for (const Entry& entry : listing.entries) append_row(out, entry);
  out += "</tbody></table>\n";
  if (listing.is_cut) out += "<p>There are more files here than this list shows.</p>\n";
  return out + "</body></html>\n";
}

std::string make_json_listing(const ListingTitle& title, const Listing& listing) {
  std::string out = "{\"path\": ";
  append_json(out, title.path);
  out.append(", \"truncated\": ").append(listing.is_cut ? "true" : "false");
  out += ", \"entries\": [";
  for (const Entry& entry : listing.entries) {
    if (&entry != listing.entries.data()) out += ',';
    out += "\n{\"name\": ";
    append_json(out, entry.name);
    out.append(", \"type\": ").append(entry.is_folder ? "\"directory\"" : "\"file\"");
    if (!entry.is_folder) fmt::format_to(std::back_inserter(out), ", \"size\": {}", entry.size);
    const Civil time = to_civil(entry.modified);
    fmt::format_to(std::back_inserter(out),
                   ", \"mtime\": \"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z\"}}", time.year, time.month,
                   time.day, time.hour, time.minute, time.second);
  }
  return out + "]}\n";
}

}  // namespace ssx::http
