#include <algorithm>
#include <string>

#include "ssxrver/json/json.h"
#include "ssxrver/json/plain_text.h"

namespace ssx::json {
namespace {

constexpr std::size_t kTextExpected = 256;

void write_to(std::string& out, const Value& value, int indent, int level);

void new_line(std::string& out, int indent, int level) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
}

void write_object(std::string& out, const Object& members, int indent, int level) {
  out += '{';
  for (const Member& member : members) {
    if (&member != &members.front()) out += indent == kOneLine ? ", " : ",";
    new_line(out, indent, level + 1);
    append_quoted(out, member.key);
    out += indent == kCompact ? ":" : ": ";
    write_to(out, member.value, indent, level + 1);
  }
  if (!members.empty()) new_line(out, indent, level);
  out += '}';
}

/// A list of plain values stays on one line.
void write_array(std::string& out, const Array& items, int indent, int level) {
  const bool is_plain = std::all_of(items.begin(), items.end(), [](const Value& item) {
    return item.array() == nullptr && item.object() == nullptr;
  });
  if (is_plain && indent != kCompact) indent = kOneLine;
  out += '[';
  for (const Value& item : items) {
    if (&item != &items.front()) out += indent == kOneLine ? ", " : ",";
    new_line(out, indent, level + 1);
    write_to(out, item, indent, level + 1);
  }
  if (!items.empty()) new_line(out, indent, level);
  out += ']';
}

void write_to(std::string& out, const Value& value, int indent, int level) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      out += "null";
      return;
    case Value::Kind::kBool:
      out += *value.boolean() ? "true" : "false";
      return;
    case Value::Kind::kNegative:
      append_number(out, *value.negative());
      return;
    case Value::Kind::kNumber:
      append_number(out, *value.number());
      return;
    case Value::Kind::kReal:
      append_real(out, *value.real());
      return;
    case Value::Kind::kString:
      append_quoted(out, *value.string());
      return;
    case Value::Kind::kArray:
      write_array(out, *value.array(), indent, level);
      return;
    case Value::Kind::kObject:
      write_object(out, *value.object(), indent, level);
      return;
  }
}

}  // namespace

std::string write(const Value& value, int indent) {
  std::string out;
  out.reserve(kTextExpected);
  write_to(out, value, indent, 0);
  return out;
}

}  // namespace ssx::json
