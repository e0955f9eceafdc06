#include "ssxrver/json/json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "ssxrver/base/strings.h"
#include "ssxrver/json/plain_text.h"

namespace ssx::json {
namespace {

using Library = nlohmann::json;

/// Of an object that a program makes: fewer are not worth a second try.
constexpr std::size_t kMembersExpected = 8;

UnexpectedOf<SyntaxError> fail_at(Origin origin, std::string text) {
  return UnexpectedOf<SyntaxError>(SyntaxError{origin, std::move(text)});
}

Origin make_origin(std::uint32_t source, std::size_t offset) {
  return {source, static_cast<std::uint32_t>(offset)};
}

/// Walks the text and tells how far the library has read: its callbacks carry no position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  std::size_t* count_;
};

/// Builds the tree from the library's events. `text` is the blanked text.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, std::uint32_t source, std::size_t depth_max)
      : text_(text), source_(source), depth_max_(depth_max) {}

  std::size_t* consumed() { return &consumed_; }
  Document take_document() { return {std::move(root_), std::move(duplicates_)}; }
  SyntaxError take_error() { return std::move(error_); }

  // The names and signatures below are the library's.
  bool null() { return add(Value()); }
  bool boolean(bool value) { return add(Value(value)); }
  bool number_integer(Library::number_integer_t value) { return add(Value(std::int64_t{value})); }
  bool number_unsigned(Library::number_unsigned_t value) {
    return add(Value(std::uint64_t{value}));
  }
  bool number_float(Library::number_float_t value, const std::string&) { return add(Value(value)); }
  bool string(std::string& value) { return add(Value(std::move(value))); }
  bool binary(Library::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Value(Object())); }
  bool start_array(std::size_t) { return open(Value(Array())); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name);
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& why);

 private:
  struct Frame {
    Value value;
    std::string key;  // of the member being read
    Origin key_origin;
    std::unordered_map<std::string, std::size_t> places;
  };

  Origin next_token() const;
  bool add(Value value);
  bool open(Value empty);
  bool close();
  void attach(Value value);
  std::string pointer() const;

  std::string_view text_;
  std::uint32_t source_;
  std::size_t depth_max_;
  std::size_t consumed_ = 0;  // bytes the library has taken: up to one behind a number
  std::size_t cursor_ = 0;    // the same at the previous event
  std::vector<Frame> frames_;
  Value root_;
  std::vector<Duplicate> duplicates_;
  SyntaxError error_;
};

/// Where the token of the current event began: the first byte behind the previous one that is
/// neither space nor separator.
Origin TreeBuilder::next_token() const {
  const auto at = text_.find_first_not_of(" \t\r\n,:", cursor_);
  return make_origin(source_, std::min(at, text_.size()));
}

bool TreeBuilder::add(Value value) {
  value.origin = next_token();
  cursor_ = consumed_;
  attach(std::move(value));
  return true;
}

bool TreeBuilder::open(Value empty) {
  empty.origin = next_token();
  cursor_ = consumed_;
  if (frames_.size() == depth_max_) {
    error_ = {empty.origin, "nested more than " + std::to_string(depth_max_) + " deep"};
    return false;
  }
  frames_.push_back(Frame{std::move(empty), {}, {}, {}});
  return true;
}

bool TreeBuilder::close() {
  cursor_ = consumed_;
  auto value = std::move(frames_.back().value);
  frames_.pop_back();
  attach(std::move(value));
  return true;
}

void TreeBuilder::attach(Value value) {
  if (frames_.empty()) {
    root_ = std::move(value);
    return;
  }
  Frame& frame = frames_.back();
  if (Array* items = frame.value.array()) {
    items->push_back(std::move(value));
    return;
  }
  Object& members = *frame.value.object();
  const auto [place, is_new] = frame.places.try_emplace(frame.key, members.size());
  if (is_new) {
    members.push_back(Member{frame.key, std::move(value), frame.key_origin});
  } else {
    members[place->second].value = std::move(value);
    members[place->second].origin = frame.key_origin;
  }
}

bool TreeBuilder::key(std::string& name) {
  Frame& frame = frames_.back();
  frame.key_origin = next_token();
  cursor_ = consumed_;
  frame.key = std::move(name);
  if (const auto earlier = frame.places.find(frame.key); earlier != frame.places.end()) {
    const Origin first = (*frame.value.object())[earlier->second].origin;
    duplicates_.push_back({frame.key_origin, first, pointer()});
  }
  return true;
}

std::string TreeBuilder::pointer() const {
  std::string path;
  for (const Frame& frame : frames_) {
    const Array* items = frame.value.array();
    path += pointer_step(items != nullptr ? std::to_string(items->size()) : frame.key);
  }
  return path;
}

/// The library's sentence without its number, its own position and the bytes it read last.
std::string clean_reason(std::string_view what) {
  if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
  if (const auto dash = what.find(" - "); dash != what.npos) what.remove_prefix(dash + 3);
  std::string reason(what);
  if (const auto last = reason.find("; last read: '"); last != reason.npos) {
    const auto expected = reason.rfind("; expected ");
    const bool has_expected = expected != reason.npos && expected > last;
    reason.erase(last, has_expected ? expected - last : reason.npos);
  }
  return reason;
}

bool ascii_is_alnum(char c) {
  return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

/// The first byte of the word around `offset`: "invalid literal" is noticed in its middle.
std::size_t word_start(std::string_view text, std::size_t offset) {
  const auto is_word = [](char c) { return ascii_is_alnum(c) || c == '_'; };
  while (offset > 0 && is_word(text[offset]) && is_word(text[offset - 1])) --offset;
  return offset;
}

/// Where the token began that the library complains about, having read `position` bytes.
std::size_t complaint_offset(std::string_view text, std::string_view reason, std::size_t position,
                             std::size_t token_size) {
  if (position == 0 || position > text.size()) return text.size();
  const auto is = [reason](std::string_view start) { return reason.starts_with(start); };
  if (is("unexpected string") || is("unexpected number") || is("number overflow")) {
    return position - std::min(position, token_size);
  }
  if (is("invalid literal") || is("unexpected true") || is("unexpected false") ||
      is("unexpected null")) {
    return word_start(text, position - 1);
  }
  return position - 1;
}

bool TreeBuilder::parse_error(std::size_t position, const std::string& token,
                              const nlohmann::detail::exception& why) {
  std::string reason = clean_reason(why.what());
  const std::size_t offset = complaint_offset(text_, reason, position, token.size());
  if (reason.starts_with("unexpected end of input") && !frames_.empty()) {
    const auto open = locate(text_, frames_.back().value.origin.offset);
    reason += frames_.back().value.array() != nullptr ? "; the '[' of line " : "; the '{' of line ";
    reason +=
        std::to_string(open.line) + ", column " + std::to_string(open.column) + " is not closed";
  }
  error_ = {make_origin(source_, offset), std::move(reason)};
  return false;
}

/// The pre-pass: a copy of the text that is edited in place.
class Blanker {
 public:
  Blanker(std::string_view text, std::uint32_t source) : text_(text), source_(source) {}

  Expected<std::string, SyntaxError> run();

 private:
  void blank(std::size_t from, std::size_t to);
  void skip_string();
  bool skip_comment();
  void note(char c);

  static constexpr std::size_t kNone = std::string::npos;

  std::string text_;
  std::uint32_t source_;
  std::size_t at_ = 0;
  std::size_t comma_ = kNone;  // a comma that follows a value and has nothing behind it yet
  bool after_value_ = false;
};

void Blanker::blank(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (text_[i] != '\n' && text_[i] != '\r') text_[i] = ' ';
  }
}

/// From the opening quote to behind the closing one. A line end stops it too: the library will
/// refuse the string there.
void Blanker::skip_string() {
  for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    if (text_[at_] == '\\') {
      ++at_;
    } else if (text_[at_] == '"') {
      break;
    }
  }
  at_ = std::min(at_ + 1, text_.size());
}

/// False when the comment has no end.
bool Blanker::skip_comment() {
  const bool is_line = text_[at_ + 1] == '/';
  std::size_t end = is_line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
  if (end == kNone && !is_line) return false;
  end = is_line ? std::min(end, text_.size()) : end + 2;
  blank(at_, end);
  at_ = end;
  return true;
}

/// One byte outside strings and comments.
void Blanker::note(char c) {
  if (c == ' ' || c == '\t' || c == '\r' || c == '\n') return;
  if (c == ',') {
    comma_ = after_value_ ? at_ : kNone;
    after_value_ = false;
    return;
  }
  const bool closes = c == '}' || c == ']';
  if (closes && comma_ != kNone) blank(comma_, comma_ + 1);
  comma_ = kNone;
  after_value_ = c != '{' && c != '[' && c != ':';
}

Expected<std::string, SyntaxError> Blanker::run() {
  if (text_.starts_with("\xEF\xBB\xBF")) blank(0, 3);
  if (const auto nul = text_.find('\0'); nul != kNone) {
    return fail_at(make_origin(source_, nul), "a NUL byte does not belong into JSON");
  }
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '"') {
      note(c);
      skip_string();
    } else if (c == '/' && (next == '/' || next == '*')) {
      if (!skip_comment()) return fail_at(make_origin(source_, at_), "this comment has no end");
    } else {
      note(c);
      ++at_;
    }
  }
  return std::move(text_);
}

}  // namespace

// Here and not in the header: Member must be complete wherever a Value is made or ends.
Value::Value() = default;
Value::Value(std::nullptr_t) {}
Value::Value(bool value) : data_(value) {}
Value::Value(double value) : data_(value) {}
Value::Value(std::string value) : data_(std::move(value)) {}
Value::Value(Array items) : data_(std::move(items)) {}
Value::Value(Object members) : data_(std::move(members)) {}
Value::Value(Whole value) : data_(value.bits) {
  if (value.is_negative) data_ = static_cast<std::int64_t>(value.bits);
}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

bool operator==(const Value& a, const Value& b) noexcept { return a.data_ == b.data_; }

const Value* Value::find(std::string_view key) const noexcept {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [key](const Member& member) { return member.key == key; });
  return found == members->end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view key) noexcept {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Object();
  if (Value* present = find(key)) return *present = std::move(value);
  Object& members = std::get<Object>(data_);
  if (members.capacity() == 0) members.reserve(kMembersExpected);
  members.push_back(Member{std::string(key), std::move(value)});
  return members.back().value;
}

Expected<Document, SyntaxError> parse(std::string_view text, std::uint32_t source,
                                      const ParseLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return fail_at(make_origin(source, limits.bytes_max),
                   "longer than " + std::to_string(limits.bytes_max) + " bytes");
  }
  Expected<std::string, SyntaxError> blanked =
      limits.strict ? std::string(text) : blank_comments(text, source);
  if (!blanked) return UnexpectedOf<SyntaxError>(std::move(blanked).error());
  TreeBuilder builder(*blanked, source, limits.depth_max);
  const char* begin = blanked->data();
  CountingIterator first(begin, builder.consumed());
  CountingIterator last(begin + blanked->size(), builder.consumed());
  if (!Library::sax_parse(first, last, &builder)) {
    return UnexpectedOf<SyntaxError>(builder.take_error());
  }
  return builder.take_document();
}

void append_real(std::string& out, double number) { out += Library(number).dump(); }

std::string quote(std::string_view text) {
  return Library(text).dump(-1, ' ', false, Library::error_handler_t::replace);
}

bool is_utf8(std::string_view text) {
  try {
    (void)Library(text).dump();
    return true;
  } catch (const Library::type_error&) {
    return false;
  }
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

LineColumn locate(std::string_view text, std::size_t offset) noexcept {
  const auto before = text.substr(0, offset);
  const auto newline = before.rfind('\n');
  auto line = newline == before.npos ? before : before.substr(newline + 1);
  if (newline == before.npos && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  LineColumn place;
  place.line += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  place.column += static_cast<std::size_t>(std::count_if(line.begin(), line.end(), is_first_byte));
  return place;
}

Expected<std::string, SyntaxError> blank_comments(std::string_view text, std::uint32_t source) {
  return Blanker(text, source).run();
}

}  // namespace ssx::json
