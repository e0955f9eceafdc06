#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ssxrver/base/strings.h"
#include "ssxrver/config/schema.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

constexpr std::size_t kColumns = 100;

constexpr const char* kHead =
    R"(// Every key of ssxrver with its default. A file needs only what differs from it, as
// ssxrver.minimal.json shows. docs/reference/config.md tells more; `ssxrver -t` checks a file,
// `ssxrver -T` prints what is in force. ssxrver_config_docs makes this file from the tables that
// read it. Two values are not the default: http.root_path and http.routes.
)";
/// The site links to the documents, and to a chat.
constexpr std::array kRoutes{R"({"match": "/docs/*", "handler": "static", "root": "docs/",)",
                             R"( "mime": {"md": "text/plain; charset=utf-8"}},)",
                             R"({"match": "/chat/{room}", "handler": "websocket:chat",)",
                             R"( "history": 50, "max_message_size": "16k"},)",
                             R"({"match": "/*", "handler": "static"})"};
constexpr const char* kLaterOne = "not in this build: this value only";
constexpr const char* kLaterMany = "not in this build: these values only";

class Example {
 public:
  std::string make();

 private:
  void comment(const std::string& margin, std::string_view first, const std::string& text);
  void line(const std::string& margin, const std::string& text, const std::string& note);
  void members(const std::string& margin, const std::vector<Facts>& children);
  void member(const std::string& margin, const Facts& facts, const char* comma);
  void list(const std::string& margin, const Facts& facts, const char* comma);
  void later(const std::string& margin, const Facts& facts, const char* comma);

  std::string page_;
};

/// What a reader of the file needs beside the value: why, the other words, the range.
std::string note_of(const Facts& facts) {
  std::string note = facts.why;
  const auto add = [&note](const std::string& more) { note += (note.empty() ? "" : "; ") + more; };
  const bool is_switch = facts.type == "\"on\" or \"off\"";
  if (facts.type.starts_with('"') && !is_switch) add(facts.type);
  if (!facts.range.empty()) add(facts.range);
  return note;
}

std::string value_of(const Facts& facts) {
  return facts.name == "root_path" ? "\"html/\"" : json::write(facts.standard, -1);
}

/// A comment of as many lines as it needs.
void Example::comment(const std::string& margin, std::string_view first, const std::string& text) {
  std::string row = margin + "// " + std::string(first);
  const std::size_t indent = row.size();
  for_each_part(text, ' ', [&](std::string_view word) {
    if (row.size() + 1 + word.size() > kColumns) {
      page_ += row + "\n";
      row = margin + "//" + std::string(indent - margin.size(), ' ');
    } else if (row.size() > indent) {
      row += ' ';
    }
    row += word;
  });
  row.resize(row.find_last_not_of(' ') + 1);
  page_ += row + "\n";
}

/// The note stands behind the text where there is room, else above it.
void Example::line(const std::string& margin, const std::string& text, const std::string& note) {
  const bool fits = margin.size() + text.size() + 5 + note.size() <= kColumns;
  if (!note.empty() && !fits) comment(margin, "", note);
  page_ += margin + text + (fits && !note.empty() ? "  // " + note : "") + "\n";
}

void Example::list(const std::string& margin, const Facts& facts, const char* comma) {
  page_ += "\n";
  comment(margin, "", facts.why);
  page_ += fmt::format("{}\"{}\": {}\n", margin, facts.name, facts.is_map ? '{' : '[');
  comment(margin + "  ", "", "The keys of an entry:");
  for (const Facts& child : facts.children) {
    auto note = child.is_built ? note_of(child) : kLaterOne;
    if (!child.only_for.empty()) note += fmt::format(" ({})", child.only_for);
    comment(margin + "  ", "  ", fmt::format("\"{}\": {}  {}", child.name, value_of(child), note));
  }
  if (facts.name == "routes") {
    for (const char* route : kRoutes) page_ += fmt::format("{}  {}\n", margin, route);
  }
  page_ += fmt::format("{}{}{}\n", margin, facts.is_map ? '}' : ']', comma);
}

void Example::later(const std::string& margin, const Facts& facts, const char* comma) {
  const auto flat = fmt::format("\"{}\": {}{}", facts.name, json::write(facts.standard, -1), comma);
  if (margin.size() + flat.size() <= kColumns) return line(margin, flat, kLaterOne);
  page_ += "\n";
  comment(margin, "", kLaterMany);
  std::string value = json::write(facts.standard, 2);
  for (std::size_t at = 0; (at = value.find('\n', at)) != value.npos; ++at) {
    value.insert(at + 1, margin);
  }
  page_ += fmt::format("{}\"{}\": {}{}\n", margin, facts.name, value, comma);
}

void Example::member(const std::string& margin, const Facts& facts, const char* comma) {
  if (!facts.is_built) return later(margin, facts, comma);
  if (facts.has_entries()) return list(margin, facts, comma);
  if (facts.children.empty()) {
    const auto text = fmt::format("\"{}\": {}{}", facts.name, value_of(facts), comma);
    return line(margin, text, note_of(facts));
  }
  page_ += "\n";
  comment(margin, "", facts.why);
  page_ += fmt::format("{}\"{}\": {{\n", margin, facts.name);
  members(margin + "  ", facts.children);
  page_ += fmt::format("{}}}{}\n", margin, comma);
}

void Example::members(const std::string& margin, const std::vector<Facts>& children) {
  for (const Facts& child : children) {
    member(margin, child, &child == &children.back() ? "" : ",");
  }
}

std::string Example::make() {
  page_ = kHead;
  page_ += "{\n";
  members("  ", server_facts().children);
  return page_ + "}\n";
}

}  // namespace

std::string make_example() { return Example().make(); }

}  // namespace ssx::config
