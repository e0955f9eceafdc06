#include "ssxrver/config/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx::config {
namespace {

/// Puts `over` on top of `base`.
void merge(json::Value& base, json::Value over) {
  json::Object* into = base.object();
  json::Object* from = over.object();
  if (into == nullptr || from == nullptr) {
    base = std::move(over);
    return;
  }
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < into->size(); ++i) places.emplace((*into)[i].key, i);
  for (json::Member& member : *from) {
    if (const auto place = places.find(member.key); place != places.end()) {
      (*into)[place->second].origin = member.origin;
      merge((*into)[place->second].value, std::move(member.value));
    } else {
      into->push_back(std::move(member));
    }
  }
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return c == '_' || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
  };
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [is_letter](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// What stands between "${" and "}".
Expected<std::string, std::string> expand_variable(std::string_view inside) {
  const auto colon = inside.find(":-");
  const std::string name(inside.substr(0, colon));
  if (!is_name(name)) {
    return UnexpectedOf<std::string>(
        "expected ${NAME} or ${NAME:-default}; a plain \"${\" is written \"$${\"");
  }
  std::string value = sys::environment(name.c_str());
  if (value.empty() && colon == inside.npos) {
    return UnexpectedOf<std::string>(fmt::format(
        "the environment variable {0} is not set; ${{{0}:-default}} gives it a default", name));
  }
  if (value.empty()) return std::string(inside.substr(colon + 2));
  if (!json::is_utf8(value)) {
    return UnexpectedOf<std::string>(fmt::format("the environment variable {} is not UTF-8", name));
  }
  return value;
}

/// The text with "${NAME}" replaced and "$${" made "${".
Expected<std::string, std::string> expand(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.starts_with("$${")) {
      out += "${";
      text.remove_prefix(3);
    } else if (text.starts_with("${")) {
      const auto end = std::min(text.find('}'), text.size());
      auto value =
          expand_variable(end == text.size() ? std::string_view() : text.substr(2, end - 2));
      if (!value) return value;
      out += *value;
      text.remove_prefix(end == text.size() ? end : end + 1);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

/// Reads files, and notes what is wrong with them.
class DocumentReader {
 public:
  DocumentReader(Sources& sources, Problems& problems) : sources_(sources), problems_(problems) {}

  json::Value read(std::string name, FileContent content, std::size_t depth);
  void apply_override(const std::string& assignment, json::Value& root);
  void expand_all(json::Value& value, const std::string& pointer);

 private:
  json::Value parse(std::uint32_t source);
  json::Value read_includes(const std::string& name, const json::Value& list, std::size_t depth);
  void include(const std::string& from, const json::Value& file, std::size_t depth,
               json::Value& into);
  void note_duplicates(const json::Document& document);
  void set(json::Value& root, const std::vector<std::string>& path, json::Value value);

  Sources& sources_;
  Problems& problems_;
  std::size_t files_ = 0;
};

void DocumentReader::note_duplicates(const json::Document& document) {
  for (const json::Duplicate& duplicate : document.duplicates) {
    const auto first = json::locate(sources_.at(duplicate.first).text, duplicate.first.offset);
    problems_.add_slip(duplicate.origin, duplicate.pointer,
                       fmt::format("duplicate key; it stands in line {}, column {} already",
                                   first.line, first.column));
  }
}

/// An empty object when the text is no JSON object; the problem is noted.
json::Value DocumentReader::parse(std::uint32_t source) {
  json::Value nothing{json::Object()};
  nothing.origin.source = source;
  auto document = json::parse(sources_.at(nothing.origin).text, source,
                              {.bytes_max = kFileMax, .depth_max = 32});
  if (!document) {
    problems_.add_error(document.error().origin, "", document.error().text);
    return nothing;
  }
  note_duplicates(*document);
  if (document->root.object() == nullptr) {
    problems_.add_error(document->root.origin, "", "expected an object: { \"key\": value, ... }");
    return nothing;
  }
  return std::move(document->root);
}

json::Value DocumentReader::read(std::string name, FileContent content, std::size_t depth) {
  ++files_;
  const auto source = sources_.add({name, std::move(content.text), content.mode, false});
  json::Value own = parse(source);
  json::Object& members = *own.object();
  const auto list = std::find_if(members.begin(), members.end(), [](const json::Member& member) {
    return member.key == "include";
  });
  if (list == members.end()) return own;
  json::Value root = read_includes(name, list->value, depth);
  members.erase(list);
  merge(root, std::move(own));
  return root;
}

json::Value DocumentReader::read_includes(const std::string& name, const json::Value& list,
                                          std::size_t depth) {
  json::Value root{json::Object()};
  root.origin = list.origin;
  if (list.array() == nullptr) {
    problems_.add_slip(list.origin, "/include", "expected a list of file names");
    return root;
  }
  for (const json::Value& file : *list.array()) include(name, file, depth, root);
  return root;
}

/// Beside the file that includes, else from the working directory.
void DocumentReader::include(const std::string& from, const json::Value& file, std::size_t depth,
                             json::Value& into) {
  const auto fail = [this, &file](std::string text) {
    problems_.add_error(file.origin, "/include", std::move(text));
  };
  if (file.string() == nullptr) {
    return problems_.add_slip(file.origin, "/include", "expected a list of file names");
  }
  if (depth == kIncludeDepthMax)
    return fail(
        fmt::format("included more than {} deep; does a file include itself?", kIncludeDepthMax));
  if (files_ >= kFilesMax) return fail(fmt::format("more than {} files", kFilesMax));
  auto path = expand(*file.string());
  if (!path) return fail(path.error());
  const auto slash = from.rfind('/');
  const bool is_beside = slash != from.npos && !path->starts_with('/');
  std::string name = is_beside ? from.substr(0, slash + 1) + *path : *path;
  auto content = read_whole_file(name, kFileMax, true);
  if (!content && is_beside) {
    if (auto second = read_whole_file(*path, kFileMax, true)) {
      content = std::move(second);
      name = *path;
    }
  }
  if (!content) return fail(fmt::format("\"{}\" {}", name, why_unreadable(content.error())));
  merge(into, read(name, *std::move(content), depth + 1));
}

/// "a.b.0" or "/a/b/0", in steps.
std::vector<std::string> path_steps(std::string_view path) {
  std::vector<std::string> steps;
  const bool is_pointer = path.starts_with('/');
  if (is_pointer) path.remove_prefix(1);
  for_each_part(path, is_pointer ? '/' : '.', [&steps, is_pointer](std::string_view part) {
    std::string step;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool is_escape = is_pointer && part[i] == '~' && i + 1 < part.size();
      if (is_escape && (part[i + 1] == '0' || part[i + 1] == '1')) {
        step += part[++i] == '0' ? '~' : '/';
      } else {
        step += part[i];
      }
    }
    steps.push_back(std::move(step));
  });
  return steps;
}

json::Value& find_or_add(json::Value& object, const std::string& key, const json::Origin& origin) {
  if (json::Value* present = object.find(key)) return *present;
  json::Value& added = object.set(key, json::Value());
  added.origin = origin;
  object.object()->back().origin = origin;
  return added;
}

void DocumentReader::set(json::Value& root, const std::vector<std::string>& path,
                         json::Value value) {
  const json::Origin origin = value.origin;
  json::Value* at = &root;
  std::string pointer;
  for (const std::string& step : path) {
    pointer += json::pointer_step(step);
    if (at->is_null()) *at = json::Value(json::Object());  // made on the way
    if (json::Array* items = at->array()) {
      const auto index = parse_uint(step);
      if (!index || *index > items->size()) {
        return problems_.add_error(origin, pointer,
                                   fmt::format("expected an index 0 .. {}", items->size()));
      }
      if (*index == items->size()) items->emplace_back().origin = origin;
      at = &(*items)[*index];
    } else if (at->object() == nullptr) {
      return problems_.add_error(origin, pointer, "what is above this key holds no keys");
    } else {
      at = &find_or_add(*at, step, origin);
    }
  }
  *at = std::move(value);
}

void DocumentReader::apply_override(const std::string& assignment, json::Value& root) {
  const auto equals = assignment.find('=');
  const auto key = std::string_view(assignment).substr(0, equals);
  const std::string text = equals == assignment.npos ? "" : assignment.substr(equals + 1);
  const auto source = sources_.add({"-g " + assignment, text, 0600, true});
  const json::Origin origin{source, 0};
  if (equals == assignment.npos || trim(key).empty()) {
    return problems_.add_error(origin, "", "expected -g key.path=value, for instance -g port=8080");
  }
  auto document = json::parse(text, source);
  json::Value value = document ? std::move(document->root) : json::Value(text);
  if (document) note_duplicates(*document);
  if (!json::is_utf8(text)) return problems_.add_error(origin, "", "the value is not UTF-8");
  value.origin = origin;
  set(root, path_steps(trim(key)), std::move(value));
}

void DocumentReader::expand_all(json::Value& value, const std::string& pointer) {
  if (std::string* text = value.string()) {
    if (text->find("${") == text->npos) return;
    if (auto expanded = expand(*text)) {
      *text = *std::move(expanded);
    } else {
      problems_.add_error(value.origin, pointer, expanded.error());
    }
  } else if (json::Array* items = value.array()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      expand_all((*items)[i], pointer + json::pointer_step(std::to_string(i)));
    }
  } else if (json::Object* members = value.object()) {
    for (json::Member& member : *members) {
      expand_all(member.value, pointer + json::pointer_step(member.key));
    }
  }
}

}  // namespace

Result<FileContent> read_whole_file(const std::string& path, std::size_t bytes_max,
                                    bool must_be_regular) {
  const int flags = must_be_regular ? O_RDONLY | O_NONBLOCK : O_RDONLY;
  SSX_TRY(const sys::UniqueFd file, sys::open(path.c_str(), flags));
  SSX_TRY(const auto status, sys::fstat(file.get()));
  if (must_be_regular && !S_ISREG(status.st_mode))
    return fail(Errc::kUnsupported, "read_whole_file");
  FileContent content;
  content.mode = static_cast<unsigned>(status.st_mode) & 07777;
  std::array<std::byte, 16384> chunk;
  while (true) {
    SSX_TRY(const std::size_t count, sys::read(file.get(), chunk));
    if (count == 0) return content;
    content.text += as_text(ByteView(chunk).first(count));
    if (content.text.size() > bytes_max) return fail(Errc::kOverflow, "read_whole_file");
  }
}

std::string why_unreadable(const Error& error) {
  if (error == Errc::kUnsupported) return "is not a regular file";
  if (error == Errc::kOverflow) return "is too long";
  return "cannot be read: " + error.code().message();
}

json::Value read_text(const std::string& name, FileContent content,
                      const std::vector<std::string>& overrides, Sources& sources,
                      Problems& problems) {
  DocumentReader reader(sources, problems);
  json::Value root = reader.read(name, std::move(content), 0);
  for (const std::string& assignment : overrides) reader.apply_override(assignment, root);
  reader.expand_all(root, "");
  return root;
}

StartupResult<json::Value> read_document(const std::string& path,
                                         const std::vector<std::string>& overrides,
                                         Sources& sources, Problems& problems) {
  auto content = read_whole_file(path, kFileMax, false);
  if (!content) {
    return fail_start(ExitCode::kNoInput,
                      fmt::format("the configuration \"{}\" {}; name another with -f FILE", path,
                                  why_unreadable(content.error())));
  }
  return read_text(path, *std::move(content), overrides, sources, problems);
}

std::string escape_expansion(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "${") == 0) out += '$';
    out += text[i];
  }
  return out;
}

}  // namespace ssx::config
