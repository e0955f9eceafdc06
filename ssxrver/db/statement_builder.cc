#include "ssxrver/db/statement_builder.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/db/comparison.h"
#include "ssxrver/db/condition_reader.h"
#include "ssxrver/db/request_place.h"
#include "ssxrver/db/statement_writer.h"

namespace ssx::db {

using internal::check_members;
using internal::ConditionReader;
using internal::find_column;
using internal::Place;
using internal::refuse;
using internal::StatementWriter;
using internal::too_much;

namespace {

using Names = std::vector<std::string_view>;
using Columns = std::vector<const ColumnSchema*>;

/// A limit and its range.
struct Range {
  std::string_view name;
  std::size_t StatementLimits::*value;
  std::size_t least;
  std::size_t most;
};
constexpr auto kRanges = std::to_array<Range>({
    {"columns_max", &StatementLimits::columns_max, 1, 1000},
    {"conditions_max", &StatementLimits::conditions_max, 1, 500},
    {"depth_max", &StatementLimits::depth_max, 0, 32},
    {"list_max", &StatementLimits::list_max, 1, 65535},
    {"rows_max", &StatementLimits::rows_max, 1, 65535},
    {"values_max", &StatementLimits::values_max, 1, 65535},
});

Names with_condition(Names own) {
  const auto more = ConditionReader::members();
  own.insert(own.end(), more.begin(), more.end());
  return own;
}

/// One request on its way to a statement.
class Request {
 public:
  Request(const DatabaseSchema& schema, const StatementLimits& limits, const Dialect& dialect,
          const json::Value& request)
      : schema_(schema), limits_(limits), request_(request), out_(dialect, limits.values_max) {}

  Result<Statement> select() {
    if (auto end = open(with_condition({"tableName", "what", "order", "limit", "offset"})); !end) {
      return fail(std::move(end).error());
    }
    return finish({&Request::write_what, &Request::write_where, &Request::write_order,
                   &Request::write_limit});
  }
  Result<Statement> insert() {
    if (auto end = open({"tableName", "data"}); !end) return fail(std::move(end).error());
    return finish({&Request::write_rows});
  }
  Result<Statement> update() {
    if (auto end = open(with_condition({"tableName", "set", "all"})); !end) {
      return fail(std::move(end).error());
    }
    return finish({&Request::write_set, &Request::write_where_or_all});
  }
  Result<Statement> remove() {
    if (auto end = open(with_condition({"tableName", "all"})); !end) {
      return fail(std::move(end).error());
    }
    return finish({&Request::write_delete, &Request::write_where_or_all});
  }

 private:
  using Part = Result<void> (Request::*)();

  /// The request is an object of these members, and names a table.
  Result<void> open(const Names& members);
  Result<Statement> finish(std::initializer_list<Part> parts) {
    for (const Part part : parts) {
      if (auto end = (this->*part)(); !end) return fail(std::move(end).error());
    }
    return out_.take();
  }

  Result<void> write_what();
  Result<void> write_where();
  Result<void> write_order();
  Result<void> write_limit();
  Result<void> write_rows();
  Result<void> write_row(const json::Value& row, const Columns& columns, const Place& place);
  Result<void> write_set();
  Result<void> write_delete();
  Result<void> write_where_or_all();

  Result<Columns> read_what(const json::Value* what) const;
  Result<Columns> columns_of(const json::Value& row, const Place& place) const;
  Result<void> write_ordered(const json::Value& item, std::vector<bool>& used, const Place& place);
  Result<void> bind_count(std::string_view member);

  const DatabaseSchema& schema_;
  const StatementLimits& limits_;
  const json::Value& request_;
  const Place place_;
  const TableSchema* table_ = nullptr;
  StatementWriter out_;
};

Result<void> Request::open(const Names& members) {
  const json::Object* object = request_.object();
  if (object == nullptr) {
    return refuse(place_, fmt::format("{} is no object; expected {{\"tableName\": ...}}",
                                      json::show(request_)));
  }
  if (auto end = check_members(*object, members, place_); !end) return end;
  const Place place(place_, "tableName");
  const json::Value* name = request_.find("tableName");
  if (name == nullptr || name->string() == nullptr) {
    return refuse(place, fmt::format("{} is no name; expected that of a table",
                                     name == nullptr ? "nothing" : json::show(*name)));
  }
  table_ = schema_.find(*name->string());
  if (table_ != nullptr) return {};
  return refuse(place, fmt::format("no table {}{}", internal::shown(*name->string()),
                                   internal::hint(*name->string(), schema_.table_names())));
}

// ---- select

Result<Columns> Request::read_what(const json::Value* what) const {
  const Place place(place_, "what");
  const json::Array* items = what == nullptr ? nullptr : what->array();
  if (what != nullptr && (items == nullptr || items->empty())) {
    return refuse(place, fmt::format("{} is no list of columns; expected names in [], or [\"*\"]",
                                     json::show(*what)));
  }
  Columns columns;
  const bool is_all =
      items == nullptr || (items->size() == 1 && items->front() == json::Value("*"));
  if (is_all) {
    for (const ColumnSchema& column : table_->columns()) columns.push_back(&column);
    return columns;
  }
  if (items->size() > limits_.columns_max) {
    return too_much(place, limits_.columns_max, "columns", "columns_max");
  }
  std::vector<bool> used(table_->columns().size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Place here(place, i);
    const auto* name = (*items)[i].string();
    if (name == nullptr) {
      return refuse(
          here, fmt::format("{} is no name; expected that of a column", json::show((*items)[i])));
    }
    const auto column = find_column(*table_, *name, here);
    if (!column) return fail(column.error());
    if (used[table_->index_of(**column)]) return refuse(here, "the column is there twice");
    used[table_->index_of(**column)] = true;
    columns.push_back(*column);
  }
  return columns;
}

Result<void> Request::write_what() {
  const auto columns = read_what(request_.find("what"));
  if (!columns) return fail(columns.error());
  out_.add("SELECT ");
  for (std::size_t i = 0; i < columns->size(); ++i) {
    if (i > 0) out_.add(", ");
    out_.add(*(*columns)[i]);
  }
  out_.add(" FROM ");
  out_.add(*table_);
  return {};
}

Result<void> Request::write_where() {
  if (!ConditionReader::has_condition(request_)) return {};
  out_.add(" WHERE ");
  return ConditionReader(*table_, limits_, out_).read(request_, place_);
}

Result<void> Request::write_order() {
  const json::Value* order = request_.find("order");
  if (order == nullptr) return {};
  const Place place(place_, "order");
  const json::Array* items = order->array();
  if (items == nullptr || items->empty()) {
    return refuse(place, fmt::format("{} is no order; expected columns in []", json::show(*order)));
  }
  if (items->size() > limits_.columns_max) {
    return too_much(place, limits_.columns_max, "columns", "columns_max");
  }
  std::vector<bool> used(table_->columns().size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (i == 0) {
      out_.add(" ORDER BY ");
    } else {
      out_.add(", ");
    }
    if (auto end = write_ordered((*items)[i], used, Place(place, i)); !end) return end;
  }
  return {};
}

/// "name", or {"name": "desc"}.
Result<void> Request::write_ordered(const json::Value& item, std::vector<bool>& used,
                                    const Place& place) {
  const json::Object* pair = item.object();
  const bool is_pair = pair != nullptr && pair->size() == 1;
  const std::string* name = is_pair ? &pair->front().key : item.string();
  if (name == nullptr) {
    return refuse(place,
                  fmt::format("{} is no order; expected the name of a column, or {{\"name\": "
                              "\"desc\"}}",
                              json::show(item)));
  }
  const auto column = find_column(*table_, *name, place);
  if (!column) return fail(column.error());
  if (used[table_->index_of(**column)]) return refuse(place, "the column is there twice");
  used[table_->index_of(**column)] = true;
  out_.add(**column);
  if (!is_pair || pair->front().value == json::Value("asc")) return {};
  if (pair->front().value != json::Value("desc")) {
    return refuse(Place(place, *name),
                  fmt::format("{} is no direction; expected \"asc\" or \"desc\"",
                              json::show(pair->front().value)));
  }
  out_.add(" DESC");
  return {};
}

Result<void> Request::bind_count(std::string_view member) {
  const Place place(place_, member);
  const json::Value& count = *request_.find(member);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (count.number() == nullptr || *count.number() > kMost) {
    return refuse(place, fmt::format("{} is no count; expected a whole number of at least 0",
                                     json::show(count)));
  }
  if (out_.bind(*count.number())) return {};
  return too_much(place, limits_.values_max, "values", "values_max");
}

Result<void> Request::write_limit() {
  const bool has_offset = request_.find("offset") != nullptr;
  if (request_.find("limit") == nullptr) {
    if (has_offset) return refuse(Place(place_, "offset"), "an offset without \"limit\"");
    return {};
  }
  out_.add(" LIMIT ");
  if (auto end = bind_count("limit"); !end || !has_offset) return end;
  out_.add(" OFFSET ");
  return bind_count("offset");
}

// ---- insert

Result<Columns> Request::columns_of(const json::Value& row, const Place& place) const {
  const json::Object* members = row.object();
  if (members == nullptr || members->empty()) {
    return refuse(
        place, fmt::format("{} is no row; expected {{\"column\": value, ...}}", json::show(row)));
  }
  if (members->size() > limits_.columns_max) {
    return too_much(place, limits_.columns_max, "columns", "columns_max");
  }
  Columns columns;
  std::vector<bool> used(table_->columns().size());
  for (const json::Member& member : *members) {
    const Place here(place, member.key);
    const auto column = find_column(*table_, member.key, here);
    if (!column) return fail(column.error());
    if (used[table_->index_of(**column)]) return refuse(here, "the column is there twice");
    used[table_->index_of(**column)] = true;
    columns.push_back(*column);
  }
  return columns;
}

/// A row may have its columns in another order than the first; not others, and not fewer.
Result<void> Request::write_row(const json::Value& row, const Columns& columns,
                                const Place& place) {
  const auto own = columns_of(row, place);
  if (!own) return fail(own.error());
  std::vector<const json::Value*> values(table_->columns().size());
  for (std::size_t i = 0; i < own->size(); ++i) {
    values[table_->index_of(*(*own)[i])] = &(*row.object())[i].value;
  }
  out_.add("(");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_.add(", ");
    const json::Value* value = values[table_->index_of(*columns[i])];
    if (value == nullptr) {
      return refuse(place, fmt::format("no \"{}\", which the first row has", columns[i]->name));
    }
    const Place here(place, columns[i]->name);
    if (auto end = bind_value(out_, limits_, *columns[i], *value, here); !end) return end;
  }
  out_.add(")");
  if (own->size() == columns.size()) return {};
  return refuse(place,
                fmt::format("{} columns; the first row has {}", own->size(), columns.size()));
}

Result<void> Request::write_rows() {
  const Place place(place_, "data");
  const json::Value* data = request_.find("data");
  const json::Array* rows = data == nullptr ? nullptr : data->array();
  if (data == nullptr || (rows == nullptr && data->object() == nullptr) ||
      (rows != nullptr && rows->empty())) {
    return refuse(place,
                  fmt::format("{} is no row; expected {{\"column\": value, ...}}, or several "
                              "in []",
                              data == nullptr ? "nothing" : json::show(*data)));
  }
  if (rows != nullptr && rows->size() > limits_.rows_max) {
    return too_much(place, limits_.rows_max, "rows", "rows_max");
  }
  const Place first_place = rows == nullptr ? place : Place(place, 0);
  const auto columns = columns_of(rows == nullptr ? *data : rows->front(), first_place);
  if (!columns) return fail(columns.error());
  out_.add("INSERT INTO ");
  out_.add(*table_);
  out_.add(" (");
  for (std::size_t i = 0; i < columns->size(); ++i) {
    if (i > 0) out_.add(", ");
    out_.add(*(*columns)[i]);
  }
  out_.add(") VALUES ");
  if (rows == nullptr) return write_row(*data, *columns, place);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    if (i > 0) out_.add(", ");
    if (auto end = write_row((*rows)[i], *columns, Place(place, i)); !end) return end;
  }
  return {};
}

// ---- update and delete

Result<void> Request::write_set() {
  const Place place(place_, "set");
  const json::Value* set = request_.find("set");
  if (set == nullptr) {
    return refuse(place, "nothing is no change; expected {\"column\": value, ...}");
  }
  const auto columns = columns_of(*set, place);
  if (!columns) return fail(columns.error());
  out_.add("UPDATE ");
  out_.add(*table_);
  out_.add(" SET ");
  for (std::size_t i = 0; i < columns->size(); ++i) {
    if (i > 0) out_.add(", ");
    const ColumnSchema& column = *(*columns)[i];
    out_.add(column);
    out_.add(" = ");
    const json::Value& value = (*set->object())[i].value;
    if (auto end = bind_value(out_, limits_, column, value, Place(place, column.name)); !end) {
      return end;
    }
  }
  return {};
}

Result<void> Request::write_delete() {
  out_.add("DELETE FROM ");
  out_.add(*table_);
  return {};
}

Result<void> Request::write_where_or_all() {
  const Place place(place_, "all");
  const json::Value* all = request_.find("all");
  if (all != nullptr && all->boolean() == nullptr) {
    return refuse(place, fmt::format("{} is neither true nor false", json::show(*all)));
  }
  const bool is_all = all != nullptr && *all->boolean();
  const bool has_condition = ConditionReader::has_condition(request_);
  if (is_all && has_condition) return refuse(place, "every row, and a condition");
  if (is_all) return {};
  if (has_condition) return write_where();
  return refuse(place_,
                "no condition; expected \"data\", \"and\", \"or\" or \"not\", or \"all\": "
                "true for every row");
}

}  // namespace

Result<StatementBuilder> StatementBuilder::create(DatabaseSchema schema, const Dialect& dialect,
                                                  const StatementLimits& limits) {
  for (const Range& range : kRanges) {
    const std::size_t value = limits.*range.value;
    if (value >= range.least && value <= range.most) continue;
    return fail(
        Errc::kOutOfRange, "build", 0,
        fmt::format("{} is {}; expected {} to {}", range.name, value, range.least, range.most));
  }
  return StatementBuilder(std::move(schema), dialect, limits);
}

Result<Statement> StatementBuilder::select(const json::Value& request) const {
  return Request(schema_, limits_, dialect_, request).select();
}
Result<Statement> StatementBuilder::insert(const json::Value& request) const {
  return Request(schema_, limits_, dialect_, request).insert();
}
Result<Statement> StatementBuilder::update(const json::Value& request) const {
  return Request(schema_, limits_, dialect_, request).update();
}
Result<Statement> StatementBuilder::remove(const json::Value& request) const {
  return Request(schema_, limits_, dialect_, request).remove();
}

}  // namespace ssx::db
