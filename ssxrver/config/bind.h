// Field tables: each key of an object bound to a field of a struct. In the manner of nginx's
// ngx_command_t, but typed: reader, writer, schema and documentation all come from the one line
//
//   table.key("max_events", &LoopOptions::max_events, Whole{{1, 65536}}, Reload::kRestart,
//             "events taken from the kernel in one turn");
//
// Thread: immutable once built
// Owner:  whoever built it; nested tables are shared
// Life:   a load, or the making of the documents
// Bounds: lists say how many entries they take
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ssxrver/config/facts.h"
#include "ssxrver/config/later.h"
#include "ssxrver/config/reader.h"

namespace ssx::config {

/// Reaches a field through several structs: in(&HttpOptions::timeouts, &Timeouts::header).
template <class First, class... Rest>
auto in(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return [first](auto& owner) -> auto& { return std::invoke(first, owner); };
  } else {
    return [first, next = in(rest...)](auto& owner) -> auto& {
      return next(std::invoke(first, owner));
    };
  }
}

/// Between the type that a kind reads and the type of the field.
template <class To, class From>
To convert(From&& from) {
  using Plain = std::remove_cvref_t<From>;
  if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<Plain>) {
    return static_cast<To>(from);
  } else if constexpr (requires { std::chrono::duration_cast<To>(from); }) {
    return std::chrono::duration_cast<To>(from);
  } else {
    return To(std::forward<From>(from));
  }
}

template <class Owner>
struct Field {
  Facts facts;
  std::function<void(Reader&, const json::Value&, Owner&)> read;
  std::function<json::Value(const Owner&)> write;
  std::function<void(Owner&)> harden;  ///< sets the default of `profile: hardened`; may be empty
  std::function<std::vector<Facts>(const Owner&, const Owner&)> children;  ///< may be empty
  /// The key belongs to some owners only ("root" to the handler "static"); empty: to all.
  std::function<bool(const Owner&)> applies;
  std::function<bool(const Owner&)> is_unset;  ///< then write() leaves the key out; empty: never
};

/// What the entries of Table::map() may be called, and how many there may be.
struct FreeNames {
  std::size_t count_max = 64;
  /// Says what is expected instead, or nullptr when the name is right.
  const char* (*objection)(const std::string& name) = nullptr;
};

template <class Owner>
class Table {
 public:
  /// What may still be said of a key, behind the line that adds it.
  template <class At>
  class Key {
   public:
    Key(Field<Owner>& field, At at) : field_(field), at_(std::move(at)) {}

    /// The default of `profile: hardened`.
    template <class T>
    Key& hardened(T value) {
      field_.harden = [at = at_, value](Owner& owner) {
        auto& target = std::invoke(at, owner);
        target = convert<std::remove_cvref_t<decltype(target)>>(value);
      };
      return *this;
    }
    /// Another spelling of the same key.
    Key& alias(std::string name) {
      field_.facts.alias = std::move(name);
      return *this;
    }
    Key& only_if(std::function<bool(const Owner&)> applies, std::string only_for) {
      field_.applies = std::move(applies);
      field_.facts.only_for = std::move(only_for);
      return *this;
    }

    /// The value of which means "not given": left out when written.
    Key& unset_if(std::function<bool(const Owner&)> is_unset) {
      field_.is_unset = std::move(is_unset);
      return *this;
    }

   private:
    Field<Owner>& field_;
    At at_;
  };

  /// A key of its own. `kind` is one of kinds.h; `at` a pointer to member, or in(...).
  template <class At, class Kind>
  Key<At> key(std::string name, At at, Kind kind, Reload reload, std::string why);

  /// A nested object with a struct of its own.
  template <class At, class Inner>
  Key<At> object(std::string name, At at, std::shared_ptr<const Table<Inner>> inner,
                 std::string why);
  /// A nested object whose keys are bound to this same Owner.
  void group(std::string name, Table inner, std::string why);
  /// The keys of another table, among those of this one.
  template <class At, class Inner>
  void merge(At at, const Table<Inner>& inner, std::function<bool(const Owner&)> applies,
             const std::string& only_for);
  /// A list of objects. `prepare` makes an entry with the defaults it inherits from the owner.
  template <class At, class Inner>
  void list(std::string name, At at, std::shared_ptr<const Table<Inner>> inner,
            std::function<Inner(const Owner&)> prepare, std::size_t count_max, Reload reload,
            std::string why);
  /// An object of objects, whose names are free; the field is a std::map of them.
  template <class At, class Inner>
  void map(std::string name, At at, std::shared_ptr<const Table<Inner>> inner,
           std::function<Inner(const Owner&)> prepare, const FreeNames& names, Reload reload,
           std::string why);
  /// Keys of capabilities to come: a JSON object of their documented defaults.
  void later(std::string_view defaults, Extra extra = Extra::kUnknown);
  /// Reads this key before the others, wherever it stands: they inherit from it.
  void read_first(std::string_view name) { first_ = name; }
  /// Called when all keys of an object have been read, for rules between keys.
  void check(std::function<void(Reader&, const json::Value&, Owner&)> rule) {
    rule_ = std::move(rule);
  }

  /// Called with all that write() has put down: it may take keys out.
  void trim(std::function<void(const Owner&, json::Value&)> trimming) {
    trim_ = std::move(trimming);
  }

  void read(Reader& reader, const json::Value& value, Owner& owner) const;
  [[nodiscard]] json::Value write(const Owner& owner) const;
  void harden(Owner& owner) const;
  /// `standard` and `hardened` are owners with the defaults of the two profiles.
  [[nodiscard]] std::vector<Facts> describe(const Owner& standard, const Owner& hardened) const;
  [[nodiscard]] const std::vector<Field<Owner>>& fields() const noexcept { return fields_; }

 private:
  void read_field(const Field<Owner>& field, Reader& reader, const json::Value& object,
                  Owner& owner) const;
  void read_value(const Field<Owner>& field, Reader& reader, std::string_view name,
                  const json::Value& value, Owner& owner) const;
  [[nodiscard]] std::vector<std::string_view> names() const;

  std::vector<Field<Owner>> fields_;
  std::string first_;
  std::function<void(Reader&, const json::Value&, Owner&)> rule_;
  std::function<void(const Owner&, json::Value&)> trim_;
};

template <class Owner>
template <class At, class Kind>
auto Table<Owner>::key(std::string name, At at, Kind kind, Reload reload, std::string why)
    -> Key<At> {
  using Target = std::remove_cvref_t<std::invoke_result_t<At, Owner&>>;
  using Read = typename decltype(kind.read(std::declval<Reader&>(),
                                           std::declval<const json::Value&>()))::value_type;
  Field<Owner> field;
  field.facts.name = std::move(name);
  field.facts.reload = reload;
  field.facts.why = std::move(why);
  kind.describe(field.facts);
  field.read = [at, kind](Reader& reader, const json::Value& value, Owner& owner) {
    if (auto result = kind.read(reader, value))
      std::invoke(at, owner) = convert<Target>(*std::move(result));
  };
  field.write = [at, kind](const Owner& owner) {
    return kind.write(convert<Read>(std::invoke(at, owner)));
  };
  fields_.push_back(std::move(field));
  return Key<At>(fields_.back(), at);
}

template <class Owner>
template <class At, class Inner>
auto Table<Owner>::object(std::string name, At at, std::shared_ptr<const Table<Inner>> inner,
                          std::string why) -> Key<At> {
  Field<Owner> field;
  field.facts.name = std::move(name);
  field.facts.type = "an object";
  field.facts.why = std::move(why);
  field.read = [at, inner](Reader& reader, const json::Value& value, Owner& owner) {
    inner->read(reader, value, std::invoke(at, owner));
  };
  field.write = [at, inner](const Owner& owner) { return inner->write(std::invoke(at, owner)); };
  field.harden = [at, inner](Owner& owner) { inner->harden(std::invoke(at, owner)); };
  field.children = [at, inner](const Owner& standard, const Owner& hardened) {
    return inner->describe(std::invoke(at, standard), std::invoke(at, hardened));
  };
  fields_.push_back(std::move(field));
  return Key<At>(fields_.back(), at);
}

template <class Owner>
void Table<Owner>::group(std::string name, Table inner, std::string why) {
  const auto itself = [](auto& owner) -> auto& { return owner; };
  object(std::move(name), itself, std::make_shared<const Table>(std::move(inner)), std::move(why));
}

template <class Owner>
template <class At, class Inner>
void Table<Owner>::merge(At at, const Table<Inner>& inner,
                         std::function<bool(const Owner&)> applies, const std::string& only_for) {
  for (const Field<Inner>& from : inner.fields()) {
    Field<Owner> field;
    field.facts = from.facts;
    field.applies = applies;
    field.facts.only_for = only_for;
    field.read = [at, read = from.read](Reader& reader, const json::Value& value, Owner& owner) {
      read(reader, value, std::invoke(at, owner));
    };
    field.write = [at, write = from.write](const Owner& owner) {
      return write(std::invoke(at, owner));
    };
    if (from.harden) {
      field.harden = [at, harden = from.harden](Owner& owner) { harden(std::invoke(at, owner)); };
    }
    if (from.children) {
      field.children = [at, children = from.children](const Owner& standard,
                                                      const Owner& hardened) {
        return children(std::invoke(at, standard), std::invoke(at, hardened));
      };
    }
    fields_.push_back(std::move(field));
  }
}

template <class Owner>
template <class At, class Inner>
void Table<Owner>::list(std::string name, At at, std::shared_ptr<const Table<Inner>> inner,
                        std::function<Inner(const Owner&)> prepare, std::size_t count_max,
                        Reload reload, std::string why) {
  Field<Owner> field;
  field.facts.name = std::move(name);
  field.facts.type = "a list of objects";
  field.facts.range = "at most " + std::to_string(count_max);
  field.facts.reload = reload;
  field.facts.why = std::move(why);
  field.facts.is_list = true;
  field.read = [at, inner, prepare, count_max, want = field.facts.type](
                   Reader& reader, const json::Value& value, Owner& owner) {
    const json::Array* items = value.array();
    if (items == nullptr) return static_cast<void>(reader.ill_typed(value, want));
    if (items->size() > count_max)
      return static_cast<void>(
          reader.out_of_range(value, "at most " + std::to_string(count_max) + " entries"));
    auto& entries = std::invoke(at, owner);
    entries.clear();
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Reader::Step step(reader, std::to_string(i));
      entries.push_back(prepare(owner));
      inner->read(reader, (*items)[i], entries.back());
    }
  };
  field.write = [at, inner](const Owner& owner) {
    json::Array items;
    for (const Inner& entry : std::invoke(at, owner)) items.push_back(inner->write(entry));
    return json::Value(std::move(items));
  };
  field.children = [inner, prepare](const Owner& standard, const Owner& hardened) {
    return inner->describe(prepare(standard), prepare(hardened));
  };
  fields_.push_back(std::move(field));
}

template <class Owner>
template <class At, class Inner>
void Table<Owner>::map(std::string name, At at, std::shared_ptr<const Table<Inner>> inner,
                       std::function<Inner(const Owner&)> prepare, const FreeNames& names,
                       Reload reload, std::string why) {
  Field<Owner> field;
  field.facts.name = std::move(name);
  field.facts.type = "an object of objects";
  field.facts.range = "at most " + std::to_string(names.count_max);
  field.facts.reload = reload;
  field.facts.why = std::move(why);
  field.facts.is_map = true;
  field.read = [at, inner, prepare, names, want = field.facts.type](
                   Reader& reader, const json::Value& value, Owner& owner) {
    const json::Object* members = value.object();
    if (members == nullptr) return static_cast<void>(reader.ill_typed(value, want));
    if (members->size() > names.count_max)
      return static_cast<void>(
          reader.out_of_range(value, "at most " + std::to_string(names.count_max) + " entries"));
    auto& entries = std::invoke(at, owner);
    entries.clear();
    for (const json::Member& member : *members) {
      const Reader::Step step(reader, member.key);
      if (const char* const want_name = names.objection(member.key); want_name != nullptr) {
        reader.error(member.value, "expected " + std::string(want_name));
        continue;
      }
      Inner& entry = entries.insert_or_assign(member.key, prepare(owner)).first->second;
      inner->read(reader, member.value, entry);
    }
  };
  field.write = [at, inner](const Owner& owner) {
    json::Value object{json::Object()};
    for (const auto& [key, entry] : std::invoke(at, owner)) object.set(key, inner->write(entry));
    return object;
  };
  field.children = [inner, prepare](const Owner& standard, const Owner& hardened) {
    return inner->describe(prepare(standard), prepare(hardened));
  };
  fields_.push_back(std::move(field));
}

template <class Owner>
void Table<Owner>::later(std::string_view defaults, Extra extra) {
  for (Facts& facts : describe_later(defaults)) {
    Field<Owner> field;
    field.read = [standard = facts.standard, extra](Reader& reader, const json::Value& value,
                                                    Owner&) {
      read_later(reader, value, standard, extra);
    };
    field.write = [standard = facts.standard](const Owner&) { return standard; };
    if (!facts.children.empty()) {
      field.children = [children = std::move(facts.children)](const Owner&, const Owner&) {
        return children;
      };
    }
    facts.children.clear();
    field.facts = std::move(facts);
    fields_.push_back(std::move(field));
  }
}

template <class Owner>
void Table<Owner>::read(Reader& reader, const json::Value& value, Owner& owner) const {
  if (value.object() == nullptr) return static_cast<void>(reader.ill_typed(value, "an object"));
  for (const bool now : {true, false}) {
    for (const Field<Owner>& field : fields_) {
      if ((field.facts.name == first_) == now) read_field(field, reader, value, owner);
    }
  }
  const auto known = names();
  for (const json::Member& member : *value.object()) {
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      reader.unknown_key(member, known);
  }
  if (rule_) rule_(reader, value, owner);
}

/// A key and its alias may both be there if they agree; -g wins over a file.
template <class Owner>
void Table<Owner>::read_field(const Field<Owner>& field, Reader& reader, const json::Value& object,
                              Owner& owner) const {
  const Facts& facts = field.facts;
  const json::Value* value = object.find(facts.name);
  const json::Value* other = facts.alias.empty() ? nullptr : object.find(facts.alias);
  if (value == nullptr && other == nullptr) return;
  const bool is_contest = value != nullptr && other != nullptr;
  if (is_contest && reader.is_override(*value) != reader.is_override(*other)) {
    (reader.is_override(*value) ? other : value) = nullptr;
  }
  Owner twin = owner;
  if (value != nullptr) read_value(field, reader, facts.name, *value, owner);
  if (other != nullptr)
    read_value(field, reader, facts.alias, *other, value != nullptr ? twin : owner);
  const bool is_both = value != nullptr && other != nullptr;
  if (is_both && !(field.write(owner) == field.write(twin))) {
    const Reader::Step step(reader, facts.alias);
    reader.error(*other, "is the same key as \"" + facts.name + "\", which has another value");
  }
}

template <class Owner>
void Table<Owner>::read_value(const Field<Owner>& field, Reader& reader, std::string_view name,
                              const json::Value& value, Owner& owner) const {
  const Reader::Step step(reader, name);
  if (field.applies && !field.applies(owner)) {
    return reader.error(value, "belongs to " + field.facts.only_for);
  }
  field.read(reader, value, owner);
}

template <class Owner>
json::Value Table<Owner>::write(const Owner& owner) const {
  json::Value object{json::Object()};
  for (const Field<Owner>& field : fields_) {
    const bool is_other = field.applies && !field.applies(owner);
    const bool is_unset = field.is_unset && field.is_unset(owner);
    if (!is_other && !is_unset) object.set(field.facts.name, field.write(owner));
  }
  if (trim_) trim_(owner, object);
  return object;
}

template <class Owner>
void Table<Owner>::harden(Owner& owner) const {
  for (const Field<Owner>& field : fields_) {
    if (field.harden) field.harden(owner);
  }
}

template <class Owner>
std::vector<Facts> Table<Owner>::describe(const Owner& standard, const Owner& hardened) const {
  std::vector<Facts> all;
  for (const Field<Owner>& field : fields_) {
    Facts facts = field.facts;
    facts.standard = field.write(standard);
    facts.hardened = field.write(hardened);
    facts.is_optional = field.is_unset && field.is_unset(standard);
    if (field.children) facts.children = field.children(standard, hardened);
    all.push_back(std::move(facts));
  }
  return all;
}

template <class Owner>
std::vector<std::string_view> Table<Owner>::names() const {
  std::vector<std::string_view> all;
  for (const Field<Owner>& field : fields_) {
    all.push_back(field.facts.name);
    if (!field.facts.alias.empty()) all.push_back(field.facts.alias);
  }
  return all;
}

}  // namespace ssx::config
