#include "kubexms/base/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "kubexms/base/json/json_reader.h"
#include "kubexms/base/json/json_scanner.h"
#include "kubexms/base/json/json_text.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

namespace dom = simdjson::dom;

// A parser retains buffers of several times the text; larger buffers are freed after use.
constexpr size_t kKeepBuffersBelow = 1 << 20;

// Parses the text with Boost.JSON to locate the error: simdjson reports no position.
size_t FindErrorOffset(std::string_view text, int max_depth) {
  boost::json::parse_options options;
  options.max_depth = static_cast<size_t>(max_depth);
  boost::json::stream_parser parser({}, options);
  boost::json::error_code code;
  const size_t consumed = parser.write(text.data(), text.size(), code);
  if (!code) return text.size();
  return std::min(consumed, text.size());
}

// The offset of the first number out of range, found by parsing each number.
size_t FindNumberOutOfRange(std::string_view text) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    if (text[i] != '-' && !std::isdigit(static_cast<unsigned char>(text[i]))) continue;
    size_t end = text.find_first_not_of("+-.0123456789eE", i);
    if (end == std::string_view::npos) end = text.size();
    dom::parser parser;
    if (parser.parse(std::string(text.substr(i, end - i))).error() != simdjson::SUCCESS) return i;
    i = end - 1;
  }
  return text.size();
}

Error MakeParseError(std::string_view text, simdjson::error_code code, int max_depth) {
  const auto at = [&](size_t offset, std::string_view what) {
    return Error::BadRequest(fmt::format("{}: {}", DescribePosition(text, offset), what));
  };
  switch (code) {
    case simdjson::EMPTY: return Error::BadRequest("the JSON text is empty");
    case simdjson::NUMBER_ERROR:
      return at(FindNumberOutOfRange(text), "the number is malformed or out of range");
    case simdjson::DEPTH_ERROR:
      return at(FindErrorOffset(text, max_depth),
                fmt::format("nested deeper than {} levels", max_depth));
    case simdjson::UTF8_ERROR: return at(FindErrorOffset(text, max_depth), "invalid UTF-8");
    case simdjson::UNESCAPED_CHARS:
      return at(FindErrorOffset(text, max_depth), "a control character inside a string");
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY: return Error::RequestTooLarge("the JSON text is too large");
    default: {
      const size_t offset = FindErrorOffset(text, max_depth);
      return at(offset, offset >= text.size() ? "unexpected end of JSON input" : "malformed JSON");
    }
  }
}

// Builds a document from a text. Fails without an error if the text is malformed.
class DocumentBuilder {
 public:
  DocumentBuilder(std::string_view text, const JsonOptions& options)
      : options_(options), in_(text, options.max_depth) {
    stack_.reset(options.storage);
  }

  bool Build() { return PushValue(nullptr) && in_.Finish(); }
  Json Release() { return stack_.release(); }
  const std::optional<Error>& error() const { return error_; }

 private:
  // A path element, a member or an index, linked to its parent.
  struct Step {
    const Step* before;
    std::string_view key = {};
    size_t index = 0;
  };

  bool PushValue(const Step* path) {
    std::string_view text;
    bool value = false;
    switch (in_.Peek()) {
      case '{': return PushObject(path);
      case '[': return PushArray(path);
      case '"':
        if (!in_.ReadString(text)) return false;
        stack_.push_string(text);
        return true;
      case 't':
      case 'f':
        if (!in_.ReadBool(value)) return false;
        stack_.push_bool(value);
        return true;
      case 'n': stack_.push_null(); return in_.ReadNull();
      default: return PushNumber();
    }
  }

  bool PushNumber() {
    JsonScanner::Number number;
    if (!in_.ReadNumber(number)) return false;
    switch (number.form) {
      case JsonScanner::Number::Form::kInt64: stack_.push_int64(number.int64); break;
      case JsonScanner::Number::Form::kUint64: stack_.push_uint64(number.uint64); break;
      case JsonScanner::Number::Form::kDouble: stack_.push_double(number.real); break;
    }
    return true;
  }

  bool PushObject(const Step* path) {
    const size_t first_key = keys_.size();
    bool sorted = true;
    Step step{.before = path};
    for (bool more = in_.Enter('{'); more; more = in_.Next('}')) {
      std::string_view key;
      if (!in_.ReadKey(key)) return false;
      sorted = sorted && (keys_.size() == first_key || keys_.back() < key);
      keys_.push_back(key);
      stack_.push_key(key);
      step.key = key;
      if (!PushValue(&step)) return false;
    }
    const size_t count = keys_.size() - first_key;
    if (!in_.ok() || (!sorted && !CheckDuplicates(first_key, path))) return false;
    keys_.resize(first_key);
    stack_.push_object(count);
    return true;
  }

  bool PushArray(const Step* path) {
    Step step{.before = path};
    for (bool more = in_.Enter('['); more; more = in_.Next(']')) {
      if (!PushValue(&step)) return false;
      ++step.index;
    }
    stack_.push_array(step.index);
    return in_.ok();
  }

  // Sorted keys have no duplicates; other keys are sorted here.
  bool CheckDuplicates(size_t first_key, const Step* path) {
    const auto begin = keys_.begin() + static_cast<ptrdiff_t>(first_key);
    std::sort(begin, keys_.end());
    for (auto it = std::adjacent_find(begin, keys_.end()); it != keys_.end();
         it = std::adjacent_find(it + 1, keys_.end())) {
      std::string where = PrintPath(path);
      where += fmt::format("{}{}", where.empty() ? "" : ".", *it);
      if (options_.duplicates == nullptr) {
        error_ = Error::BadRequest(fmt::format("duplicate field \"{}\"", where));
        return false;
      }
      options_.duplicates->push_back(std::move(where));
    }
    return true;
  }

  // "spec.containers[0].image"
  static std::string PrintPath(const Step* path) {
    if (path == nullptr) return "";
    std::string text = PrintPath(path->before);
    if (path->key.data() == nullptr) return text + fmt::format("[{}]", path->index);
    return text + fmt::format("{}{}", text.empty() ? "" : ".", path->key);
  }

  const JsonOptions& options_;
  JsonScanner in_;
  boost::json::value_stack stack_;
  std::vector<std::string_view> keys_;
  std::optional<Error> error_;
};

// Copies the text with the padding that simdjson requires into a reusable buffer.
std::string_view WithPadding(std::string_view text, std::string& buffer) {
  buffer.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  buffer.assign(text);
  return buffer;
}

// The longest number is a double without exponent: 21 digits and a sign.
template <class Number, class... Format>
void AppendChars(TextBuffer& out, Number number, Format... format) {
  char* begin = out.Reserve(64);
  const auto end = std::to_chars(begin, begin + 64, number, format...);
  out.Commit(static_cast<size_t>(end.ptr - begin));
}

void AppendEscaped(char c, TextBuffer& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"': out.Append("\\\""); break;
    case '\\': out.Append("\\\\"); break;
    case '\n': out.Append("\\n"); break;
    case '\r': out.Append("\\r"); break;
    case '\t': out.Append("\\t"); break;
    default:
      out.Append("\\u00");
      out.Append(kHex[c >> 4]);
      out.Append(kHex[c & 15]);
  }
}

// Invalid UTF-8 becomes U+FFFD, as in Go, because parsers refuse it.
void AppendWithEscapes(std::string_view text, TextBuffer& out) {
  std::string repaired;
  if (!IsValidUtf8(text)) text = repaired = ToValidUtf8(text);
  const char* at = text.data();
  const char* end = at + text.size();
  out.Append('"');
  for (;;) {
    const char* special = json_internal::FindSpecial(at, end);
    out.Append({at, static_cast<size_t>(special - at)});
    if (special == end) break;
    AppendEscaped(*special, out);
    at = special + 1;
  }
  out.Append('"');
}

bool HasSortedKeys(dom::object object) {
  std::string_view previous;
  for (const auto [key, value] : object) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}

void AppendObject(dom::object object, TextBuffer& out) {
  bool first = true;
  const auto append = [&](std::string_view key, dom::element value) {
    if (!std::exchange(first, false)) out.Append(',');
    AppendJsonString(key, out);
    out.Append(':');
    AppendJson(value, out);
  };
  out.Append('{');
  if (HasSortedKeys(object)) {
    for (const auto [key, value] : object) append(key, value);
  } else {
    std::vector<std::pair<std::string_view, dom::element>> members;
    for (const auto [key, value] : object) members.emplace_back(key, value);
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, value] : members) append(key, value);
  }
  out.Append('}');
}

void NewLine(int indent, TextBuffer& out) {
  out.Append('\n');
  for (int i = 0; i < indent; ++i) out.Append("  ");
}

// Calls `visit(key, value)` for the members sorted by key.
template <class Visit>
void ForEachSorted(const JsonObject& object, Visit visit) {
  const auto less = [](const auto& a, const auto& b) { return a.key() < b.key(); };
  if (std::is_sorted(object.begin(), object.end(), less)) {
    for (const auto& member : object) visit(member.key(), member.value());
    return;
  }
  for (const auto* member : SortedMembers(object)) visit(member->key(), member->value());
}

void AppendIndented(const Json& value, int indent, TextBuffer& out) {
  if (const JsonObject* object = value.if_object(); object != nullptr && !object->empty()) {
    bool first = true;
    out.Append('{');
    ForEachSorted(*object, [&](std::string_view key, const Json& member) {
      if (!std::exchange(first, false)) out.Append(',');
      NewLine(indent + 1, out);
      AppendJsonString(key, out);
      out.Append(": ");
      AppendIndented(member, indent + 1, out);
    });
    NewLine(indent, out);
    out.Append('}');
  } else if (const JsonArray* array = value.if_array(); array != nullptr && !array->empty()) {
    bool first = true;
    out.Append('[');
    for (const Json& item : *array) {
      if (!std::exchange(first, false)) out.Append(',');
      NewLine(indent + 1, out);
      AppendIndented(item, indent + 1, out);
    }
    NewLine(indent, out);
    out.Append(']');
  } else {
    AppendJson(value, out);
  }
}

}  // namespace

Result<simdjson::dom::element> JsonReader::Read(std::string_view text, int max_depth) {
  thread_local dom::parser parser;
  thread_local std::string buffer;
  if (parser.capacity() > kKeepBuffersBelow && text.size() < kKeepBuffersBelow) {
    parser = dom::parser();
    buffer = std::string();
  }
  // simdjson refuses documents that reach its limit, hence + 1.
  const size_t depth_limit = static_cast<size_t>(max_depth) + 1;
  if (parser.capacity() < text.size() || parser.max_depth() != depth_limit) {
    const auto error = parser.allocate(std::max<size_t>(text.size(), 4096), depth_limit);
    if (error) return Error::RequestTooLarge("the JSON text is too large");
  }
  const std::string_view padded = WithPadding(text, buffer);
  dom::element root;
  const auto error = parser.parse(padded.data(), padded.size(), false).get(root);
  if (error) return MakeParseError(text, error, max_depth);
  return root;
}

Result<Json> ParseJson(std::string_view text, const JsonOptions& options) {
  DocumentBuilder builder(text, options);
  if (builder.Build()) return builder.Release();
  RETURN_IF_ERROR(JsonReader::Read(text, options.max_depth));
  return builder.error().value_or(Error::BadRequest("malformed JSON"));
}

void AppendJsonString(std::string_view text, TextBuffer& out) {
  const size_t size = text.size();
  char* to = out.Reserve(size + 2);
  if (!json_internal::CopyPlain(text, to + 1)) return AppendWithEscapes(text, out);
  to[0] = '"';
  to[size + 1] = '"';
  out.Commit(size + 2);
}

void AppendJsonNumber(int64_t number, TextBuffer& out) { AppendChars(out, number); }

void AppendJsonNumber(uint64_t number, TextBuffer& out) { AppendChars(out, number); }

void AppendJsonNumber(double number, TextBuffer& out) {
  if (!std::isfinite(number)) {
    out.Append("null");
    return;
  }
  if (number == 0) {  // also minus zero, which would be read back as the integer 0
    out.Append('0');
    return;
  }
  // Digits only as long as they can be read back as a 64-bit integer.
  const bool plain = std::fabs(number) >= 1e-6 && number >= -0x1p63 && number < 0x1p64;
  AppendChars(out, number, plain ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view text = out.view();
  if (!plain && text[text.size() - 3] == '-' && text[text.size() - 2] == '0') {
    const char digit = text.back();  // of 1e-07, which Go writes as 1e-7
    out.Truncate(text.size() - 2);
    out.Append(digit);
  }
}

std::string QuoteJson(std::string_view text) {
  TextBuffer out(text.size() + 2);
  AppendJsonString(text, out);
  return out.ToString();
}

void AppendJson(const JsonObject& object, TextBuffer& out) {
  bool first = true;
  out.Append('{');
  ForEachSorted(object, [&](std::string_view key, const Json& member) {
    if (!std::exchange(first, false)) out.Append(',');
    AppendJsonString(key, out);
    out.Append(':');
    AppendJson(member, out);
  });
  out.Append('}');
}

void AppendJson(const Json& value, TextBuffer& out) {
  switch (value.kind()) {
    case boost::json::kind::object: AppendJson(value.get_object(), out); break;
    case boost::json::kind::array: {
      bool first = true;
      out.Append('[');
      for (const Json& item : value.get_array()) {
        if (!std::exchange(first, false)) out.Append(',');
        AppendJson(item, out);
      }
      out.Append(']');
      break;
    }
    case boost::json::kind::string: AppendJsonString(AsView(value.get_string()), out); break;
    case boost::json::kind::int64: AppendJsonNumber(value.get_int64(), out); break;
    case boost::json::kind::uint64: AppendJsonNumber(value.get_uint64(), out); break;
    case boost::json::kind::double_: AppendJsonNumber(value.get_double(), out); break;
    case boost::json::kind::bool_: out.Append(value.get_bool() ? "true" : "false"); break;
    case boost::json::kind::null: out.Append("null"); break;
  }
}

void AppendJson(simdjson::dom::element element, TextBuffer& out) {
  switch (element.type()) {
    case dom::element_type::OBJECT: AppendObject(dom::object(element), out); break;
    case dom::element_type::ARRAY: {
      bool first = true;
      out.Append('[');
      for (const dom::element item : dom::array(element)) {
        if (!std::exchange(first, false)) out.Append(',');
        AppendJson(item, out);
      }
      out.Append(']');
      break;
    }
    case dom::element_type::STRING: AppendJsonString(std::string_view(element), out); break;
    case dom::element_type::INT64: AppendJsonNumber(int64_t(element), out); break;
    case dom::element_type::UINT64: AppendJsonNumber(uint64_t(element), out); break;
    case dom::element_type::DOUBLE: AppendJsonNumber(double(element), out); break;
    case dom::element_type::BOOL: out.Append(bool(element) ? "true" : "false"); break;
    case dom::element_type::NULL_VALUE: out.Append("null"); break;
  }
}

std::string WriteJson(const Json& value) {
  TextBuffer out;
  AppendJson(value, out);
  return out.ToString();
}

std::string WriteJson(const JsonObject& value) {
  TextBuffer out;
  AppendJson(value, out);
  return out.ToString();
}

std::string WriteJsonPretty(const Json& value) {
  TextBuffer out;
  AppendIndented(value, 0, out);
  out.Append('\n');
  return out.ToString();
}

bool JsonEqual(const Json& a, const Json& b) {
  if (const JsonObject* object = a.if_object()) {
    const JsonObject* other = b.if_object();
    if (other == nullptr || object->size() != other->size()) return false;
    return std::all_of(object->begin(), object->end(), [&](const auto& member) {
      const auto it = other->find(member.key());
      return it != other->end() && JsonEqual(member.value(), it->value());
    });
  }
  if (const JsonArray* array = a.if_array()) {
    const JsonArray* other = b.if_array();
    return other != nullptr &&
           std::equal(array->begin(), array->end(), other->begin(), other->end(), JsonEqual);
  }
  if (a.is_double() || b.is_double()) {
    if (!a.is_number() || !b.is_number()) return false;
    return a.to_number<double>() == b.to_number<double>();
  }
  return a == b;
}

std::vector<const JsonObject::value_type*> SortedMembers(const JsonObject& object) {
  std::vector<const JsonObject::value_type*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->key() < b->key(); });
  return members;
}

std::string_view JsonTypeName(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::object: return "object";
    case boost::json::kind::array: return "array";
    case boost::json::kind::string: return "string";
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return "integer";
    case boost::json::kind::double_: return "number";
    case boost::json::kind::bool_: return "boolean";
    case boost::json::kind::null: return "null";
  }
  return "null";
}

const Json* FindMember(const Json& value, std::string_view key) {
  const JsonObject* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

Json* FindMember(Json& value, std::string_view key) {
  JsonObject* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

std::string_view FindString(const Json& value, std::string_view key) {
  const Json* member = FindMember(value, key);
  const JsonString* text = member == nullptr ? nullptr : member->if_string();
  return text == nullptr ? std::string_view() : AsView(*text);
}

std::string DescribePosition(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, offset - line_start + 1);
}

}  // namespace kubexms
