#include <fmt/format.h>

#include "ssxrver/config/schema.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/config/text_values.h"

namespace ssx::config {
namespace {

constexpr const char* kIntroduction = R"(# Configuration

`ssxrver -f FILE` reads one JSON file (default `./conf/ssxrver.json`). Every key has a default, so
the smallest file is `{}`. [conf/ssxrver.json](../../conf/ssxrver.json) shows all of them,
[conf/ssxrver.minimal.json](../../conf/ssxrver.minimal.json) a useful few, and
[conf/ssxrver.schema.json](../../conf/ssxrver.schema.json) teaches them to an editor. This page is
made from the tables that read the file (`ssxrver/config`); `ssxrver_config_docs` writes it.

## How a file is written

* `//` and `/* */` comments, trailing commas and a UTF-8 byte order mark are welcome. A file has at
  most 1 MiB and is nested at most 32 deep.
* **Switches** are `"on"` and `"off"`, or `true` and `false`.
* **Sizes** are numbers of bytes, or `"64k"`, `"64M"`, `"1G"` (powers of 1024).
* **Times** are `"10ms"`, `"5s"`, `"1m"`, `"2h"`, `"1d"`, and `0`, which switches most of them off.
  Only a key whose name ends in `_second` takes a bare number.
* **Rates** are `"1000/s burst 2000"` or `"60/m"`.
* Numbers may be written as text, too.
* `"${NAME}"` in a text is replaced by the environment variable, `"${NAME:-text}"` by `text` when
  the variable is unset or empty. A `${` that shall stay is written `$${`.
* **Secrets** may be `{"file": "PATH"}`: the content of the file, without the newline at its end.
* `"include": ["a.json", "b.json"]` reads other files first, in this order. They are looked up
  beside the file that includes them, then in the working directory. Objects are merged key by key;
  later files replace what earlier ones say, and the file that includes them has the last word.
* `-g key.path=value` on the command line wins over every file: `-g http.timeouts.idle=30s`,
  `-g 'blocks_ip=["10.0.0.0/8"]'`, `-g listeners.0.port=8080`. A key with a dot in it is reached by
  JSON pointer: `-g /custom/a.b=1`.
* Relative paths follow the working directory.

## When something is wrong

`ssxrver -t` reads everything, starts nothing, and lists all problems at once, each with file, line,
column and JSON pointer; the exit code is 78 (EX_CONFIG):

```
conf/ssxrver.json:4:3: /http/max_body_siz: unknown key; did you mean "max_body_size"?
conf/ssxrver.json:7:15: /loop/accept: expected "thread", "reuseport" or "exclusive", found 1
```

`"strict"` says what an unknown, duplicate or ill-typed key is: an `"error"` (the default), a
`"warn"`ing, or nothing (`"off"`); the key then counts as absent, and the last of two duplicates
counts. A value outside its range always stops the start.

`ssxrver -T` prints the effective configuration: clean JSON with every key, secrets masked. Read
again, it gives the same configuration.

## Profiles

`"profile": "hardened"` changes the defaults that are marked below to values for a server that
expects to be attacked. What the file says itself stays.

## When a change applies

| class | meaning |
|---|---|
| live | a reload takes it over |
| new connections | a reload takes it over for connections that come later |
| restart | needs a restart, or the upgrade to come |

This build has no reload yet: until it has, every change needs a restart.

## Files of 2021

A file of the first ssxrver runs unchanged: `port`, `worker_processes`, `http.max_body_size`,
`log.flush_second` and `log.roll_size` below 1 mean the default, and so does `task_processes` below
0; `log.ansync_started` keeps its spelling (`async_started` is the same key). Three things are
deliberately different: an address that cannot be read is an error instead of listening everywhere,
`worker_connections` counts connections instead of comparing descriptor numbers, and
`http.max_body_size` is enforced.
)";

std::string escape_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string show_default(const Facts& facts, const json::Value& value) {
  const bool is_size = facts.type == "a size" && value.number() != nullptr;
  const std::string text = is_size ? show_size(*value.number()) : json::write(value, -1);
  return fmt::format("`{}`", text);
}

std::string default_cell(const Facts& facts) {
  if (facts.has_entries() || facts.is_optional) return "none";
  std::string cell = show_default(facts, facts.standard);
  if (!(facts.standard == facts.hardened)) {
    cell += fmt::format("<br>hardened {}", show_default(facts, facts.hardened));
  }
  return cell;
}

std::string why_cell(const Facts& facts) {
  std::string cell = facts.why;
  if (!facts.only_for.empty()) cell += fmt::format(" (only {})", facts.only_for);
  if (!facts.alias.empty()) cell += fmt::format("; `{}` is the same key", facts.alias);
  return cell;
}

bool has_rows(const std::vector<Facts>& children) {
  for (const Facts& child : children) {
    if (child.is_built && (child.children.empty() || child.has_entries())) return true;
  }
  return false;
}

void add_rows(std::string& page, const std::vector<Facts>& children) {
  if (!has_rows(children)) return;
  page += "| key | type | range | default | a change is | why |\n|---|---|---|---|---|---|\n";
  for (const Facts& child : children) {
    if (!child.is_built || (!child.children.empty() && !child.has_entries())) continue;
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", child.name, escape_cell(child.type),
                        escape_cell(child.range), escape_cell(default_cell(child)),
                        to_text(child.reload), escape_cell(why_cell(child)));
  }
}

/// The keys that take one value only, in one sentence.
void add_later(std::string& page, const std::vector<Facts>& children) {
  std::string list;
  for (const Facts& child : children) {
    if (child.is_built) continue;
    list += list.empty() ? "" : ", ";
    list += fmt::format("`{}: {}`", child.name, json::write(child.standard, -1));
  }
  if (!list.empty())
    page += fmt::format("\nNot in this build, accepted at these values only: {}.\n", list);
}

/// One section for an object or for the entries of a list, then its built children.
void add_section(std::string& page, const std::string& title, const Facts& facts) {
  std::string why = facts.why;
  why.front() = static_cast<char>(why.front() - ('a' - 'A'));
  page += fmt::format("\n## {}\n\n{}.\n\n", title, why);
  add_rows(page, facts.children);
  add_later(page, facts.children);
}

void add_sections(std::string& page, const std::string& path, const std::vector<Facts>& children) {
  for (const Facts& child : children) {
    if (!child.is_built || child.children.empty()) continue;
    const std::string name = path + child.name;
    add_section(page,
                fmt::format("`{}`{}", name, child.has_entries() ? ": the keys of an entry" : ""),
                child);
    add_sections(page,
                 name + (child.is_list  ? "[]."
                         : child.is_map ? ".NAME."
                                        : "."),
                 child.children);
  }
}

}  // namespace

std::string make_reference() {
  const auto& top = server_facts().children;
  std::string page = kIntroduction;
  page += "\n## Top level\n\n";
  add_rows(page, top);
  add_sections(page, "", top);
  page +=
      "\n## Capabilities to come\n\nThese objects are known, and accepted at these values "
      "only:\n\n```json\n";
  json::Value later;
  for (const Facts& facts : top) {
    if (!facts.is_built) later.set(facts.name, facts.standard);
  }
  return page + json::write(later) + "\n```\n";
}

}  // namespace ssx::config
