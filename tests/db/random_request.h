// Requests made of what a request may have, in places where it may and where it may not stand.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/table_schema.h"
#include "ssxrver/json/json.h"
#include "tests/db/attacks.h"

namespace ssx::db {

class RandomRequest {
 public:
  /// `wrong`: of a hundred things, how many are not what they should be.
  RandomRequest(const DatabaseSchema& schema, std::uint32_t seed, int wrong)
      : schema_(schema), random_(seed), wrong_(wrong) {}

  enum class Kind : std::uint8_t { kSelect, kInsert, kUpdate, kRemove };

  json::Value make(Kind kind) {
    table_ = &schema_.tables()[below(schema_.tables().size())];
    json::Value request;
    request.set("tableName", name(table_->name()));
    switch (kind) {
      case Kind::kSelect:
        if (chance(50)) request.set("what", what());
        if (chance(70)) add_condition(request, 0);
        if (chance(40)) request.set("order", order());
        if (chance(40)) request.set("limit", count());
        if (chance(40) && request.find("limit") != nullptr) request.set("offset", count());
        break;
      case Kind::kInsert:
        request.set("data", chance(50) ? row() : rows());
        break;
      case Kind::kUpdate:
        request.set("set", row());
        add_end(request);
        break;
      case Kind::kRemove:
        add_end(request);
        break;
    }
    if (is_wrong()) request.set(anything_text(), anything(0));
    return request;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  bool chance(int of_hundred) { return static_cast<int>(below(100)) < of_hundred; }
  bool is_wrong() { return chance(wrong_); }
  std::string anything_text() { return std::string(kAttacks[below(kAttacks.size())]); }
  json::Value anything(int depth) {
    switch (below(depth < 3 ? 9 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return chance(50);
      case 2:
        return static_cast<int>(below(2000)) - 1000;
      case 3:
        return static_cast<double>(below(1000)) / 8;
      case 4:
        return ~std::uint64_t{0};
      case 7: {
        json::Array items;
        for (std::size_t i = below(4); i > 0; --i) items.push_back(anything(depth + 1));
        return items;
      }
      case 8: {
        json::Value object = json::Object();
        for (std::size_t i = below(4); i > 0; --i) object.set(anything_text(), anything(depth + 1));
        return object;
      }
      default:
        return anything_text();
    }
  }
  json::Value name(const std::string& right) {
    return is_wrong() ? anything(0) : json::Value(right);
  }
  std::string key(const std::string& right) { return is_wrong() ? anything_text() : right; }
  const ColumnSchema& column() { return table_->columns()[below(table_->columns().size())]; }

  json::Value value(ColumnKind kind) {
    if (is_wrong()) return anything(0);
    if (chance(10)) return nullptr;
    return of_kind(kind);
  }
  json::Value of_kind(ColumnKind kind) {
    switch (kind) {
      case ColumnKind::kInteger:
        return static_cast<int>(below(12)) - 2;
      case ColumnKind::kReal:
        return static_cast<double>(below(40)) / 4 - 2;
      case ColumnKind::kDecimal:
        return std::to_string(below(9)) + ".5";
      case ColumnKind::kText:
      case ColumnKind::kAny:
        return words_[below(words_.size())];
      case ColumnKind::kBytes:
        return chance(50) ? "AAEC" : "Jw==";
      case ColumnKind::kOpaque:
        return nullptr;
    }
    return nullptr;
  }
  json::Value values(ColumnKind kind, std::size_t size) {
    json::Array items;
    for (std::size_t i = 0; i < size; ++i)
      items.push_back(is_wrong() ? anything(0) : of_kind(kind));
    return items;
  }

  json::Value what() {
    if (is_wrong()) return anything(0);
    json::Array items;
    for (const ColumnSchema& each : table_->columns()) {
      if (chance(60)) items.push_back(name(each.name));
    }
    return items;
  }
  json::Value order() {
    if (is_wrong()) return anything(0);
    json::Array items;
    for (const ColumnSchema& each : table_->columns()) {
      if (!chance(30)) continue;
      json::Value pair;
      pair.set(key(each.name), name(chance(50) ? "asc" : "desc"));
      items.push_back(chance(50) ? name(each.name) : pair);
    }
    return items;
  }
  json::Value count() { return is_wrong() ? anything(0) : json::Value(below(6)); }

  void add_end(json::Value& request) {
    if (chance(70)) add_condition(request, 0);
    if (chance(20)) request.set("all", is_wrong() ? anything(0) : json::Value(chance(50)));
  }
  void add_condition(json::Value& to, int depth) {
    if (chance(70)) add_data(to);
    if (depth > 3) return;
    for (const auto* group : {"and", "or"}) {
      if (!chance(25)) continue;
      json::Array items;
      for (std::size_t i = 1 + below(3); i > 0; --i) items.push_back(nested(depth + 1));
      to.set(group, is_wrong() ? anything(0) : json::Value(items));
    }
    if (chance(20)) to.set("not", nested(depth + 1));
  }
  json::Value nested(int depth) {
    json::Value condition = json::Object();
    add_condition(condition, depth);
    if (condition.object()->empty() && !is_wrong()) add_data(condition);
    return condition;
  }
  void add_data(json::Value& to) {
    static constexpr auto kOps =
        std::to_array<const char*>({"=", "!=", "<>", "<", "<=", ">", ">=", "like", "not like", "in",
                                    "not in", "between", "not between"});
    json::Value data = json::Object();
    json::Array ops;
    for (std::size_t i = 1 + below(3); i > 0; --i) {
      const ColumnSchema& each = column();
      if (data.find(each.name) != nullptr) continue;
      std::size_t op = below(kOps.size());
      const bool is_text = each.kind == ColumnKind::kText || each.kind == ColumnKind::kAny;
      if ((op == 7 || op == 8) && !is_text) op = 0;
      if (each.kind == ColumnKind::kOpaque) op %= 2;
      json::Value operand = of_kind(each.kind);
      if (op < 2) operand = value(each.kind);
      if (op == 9 || op == 10) operand = values(each.kind, 1 + below(4));
      if (op > 10) operand = values(each.kind, 2);
      data.set(key(each.name), std::move(operand));
      ops.push_back(name(kOps[op]));
    }
    to.set("data", is_wrong() ? anything(0) : std::move(data));
    to.set("op", std::move(ops));
  }
  json::Value row() {
    if (is_wrong()) return anything(0);
    json::Value made = json::Object();
    for (const ColumnSchema& each : table_->columns()) {
      if (chance(60)) made.set(key(each.name), value(each.kind));
    }
    return made;
  }
  json::Value rows() {
    json::Array made = {row()};
    for (std::size_t i = below(4); i > 0; --i) made.push_back(is_wrong() ? row() : made.front());
    return made;
  }

  const DatabaseSchema& schema_;
  std::mt19937 random_;
  const int wrong_;
  const TableSchema* table_ = nullptr;
  const std::vector<std::string> words_ = {"a",  "b",   "ab",  "abc", "b%",
                                           "%b", "_b%", "\\%", "zz",  ""};
};

}  // namespace ssx::db
