#include "kubexms/base/json/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "kubexms/base/json/yaml_scalar.h"

namespace kubexms {

// Records the position of each node while a document is read.
class YamlPositionsBuilder {
 public:
  explicit YamlPositionsBuilder(bool enabled) : enabled_(enabled) {}

  // Begins a node with a key, or an item of a sequence. Returns the argument of End().
  size_t Begin(YamlPosition position, const std::string* key) {
    if (!enabled_) return 0;
    auto& nodes = positions_.nodes_;
    nodes.push_back(
        {position, 0, static_cast<uint32_t>(positions_.keys_.size()),
         key == nullptr ? YamlPositions::kItemOfSequence : static_cast<uint32_t>(key->size())});
    if (key != nullptr) positions_.keys_ += *key;
    return nodes.size() - 1;
  }

  void End(size_t node) {
    if (enabled_) positions_.nodes_[node].end = static_cast<uint32_t>(positions_.nodes_.size());
  }

  YamlPositions Take() { return std::exchange(positions_, {}); }

 private:
  const bool enabled_;
  YamlPositions positions_;
};

namespace {

YamlPosition PositionOf(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

std::string Describe(YamlPosition position) {
  return fmt::format("line {}, column {}", position.line, position.column);
}

Error ErrorAt(const yaml_mark_t& mark, std::string_view what) {
  return Error::BadRequest(fmt::format("{}: {}", Describe(PositionOf(mark)), what));
}

// The character at a position, or zero after the end. Columns count characters, not bytes.
char CharacterAt(std::string_view text, const yaml_mark_t& mark) {
  size_t at = 0;
  for (size_t line = 0; line < mark.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return 0;
    ++at;
  }
  for (size_t column = 0; column < mark.column && at < text.size(); ++column) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  return at < text.size() ? text[at] : '\0';
}

Error MakeSyntaxError(std::string_view text, const yaml_parser_t& parser) {
  const std::string_view problem = parser.problem == nullptr ? "malformed YAML" : parser.problem;
  if (parser.error == YAML_MEMORY_ERROR) return Error::RequestTooLarge("the YAML is too large");
  if (parser.error == YAML_READER_ERROR) {
    const bool control = problem.find("control characters") != std::string_view::npos;
    return Error::BadRequest(
        fmt::format("{}: {}", DescribePosition(text, parser.problem_offset),
                    control ? "a control character is not allowed here" : "invalid UTF-8"));
  }
  std::string message(problem);
  if (CharacterAt(text, parser.problem_mark) == '\t') {
    message += "; replace the tab by spaces";
  }
  if (parser.context != nullptr) {
    message += fmt::format(" ({} that begins at {})", parser.context,
                           Describe(PositionOf(parser.context_mark)));
  }
  return ErrorAt(parser.problem_mark, message);
}

// Owns one event of libyaml.
class Event {
 public:
  Event() { event_.type = YAML_NO_EVENT; }
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  yaml_event_t* Reset() {
    yaml_event_delete(&event_);
    return &event_;
  }

  yaml_event_type_t type() const { return event_.type; }
  const yaml_mark_t& mark() const { return event_.start_mark; }

  std::string_view text() const {
    const auto& scalar = event_.data.scalar;
    return {reinterpret_cast<const char*>(scalar.value), scalar.length};
  }
  bool plain() const { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }
  std::string_view anchor() const { return View(AnchorField()); }
  std::string_view tag() const { return View(TagField()); }

 private:
  static std::string_view View(const yaml_char_t* text) {
    return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
  }
  const yaml_char_t* AnchorField() const {
    switch (event_.type) {
      case YAML_SCALAR_EVENT: return event_.data.scalar.anchor;
      case YAML_SEQUENCE_START_EVENT: return event_.data.sequence_start.anchor;
      case YAML_MAPPING_START_EVENT: return event_.data.mapping_start.anchor;
      case YAML_ALIAS_EVENT: return event_.data.alias.anchor;
      default: return nullptr;
    }
  }
  const yaml_char_t* TagField() const {
    switch (event_.type) {
      case YAML_SCALAR_EVENT: return event_.data.scalar.tag;
      case YAML_SEQUENCE_START_EVENT: return event_.data.sequence_start.tag;
      case YAML_MAPPING_START_EVENT: return event_.data.mapping_start.tag;
      default: return nullptr;
    }
  }

  yaml_event_t event_{};
};

// The events of one text.
class EventReader {
 public:
  explicit EventReader(std::string_view text) : text_(text) {
    KUBEXMS_CHECK(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~EventReader() { yaml_parser_delete(&parser_); }
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  Result<void> Next(Event& event) {
    if (yaml_parser_parse(&parser_, event.Reset()) == 1) return {};
    return MakeSyntaxError(text_, parser_);
  }

 private:
  const std::string_view text_;
  yaml_parser_t parser_;
};

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool IsCoreTag(std::string_view tag, std::string_view name) {
  return tag.starts_with(kTagPrefix) && tag.substr(kTagPrefix.size()) == name;
}

Error UnknownTag(const Event& event) {
  std::string tag(event.tag());
  if (tag.starts_with(kTagPrefix)) tag = "!!" + tag.substr(kTagPrefix.size());
  return ErrorAt(event.mark(), fmt::format("the tag {} is not supported here; remove it", tag));
}

// Whether the kind of a scalar matches its tag.
bool AgreesWithTag(YamlScalar::Kind kind, std::string_view tag) {
  using Kind = YamlScalar::Kind;
  switch (kind) {
    case Kind::kNull: return IsCoreTag(tag, "null");
    case Kind::kBool: return IsCoreTag(tag, "bool");
    case Kind::kInt:
    case Kind::kUint: return IsCoreTag(tag, "int") || IsCoreTag(tag, "float");
    case Kind::kDouble: return IsCoreTag(tag, "float");
    default: return true;
  }
}

Result<Json> ScalarToJson(const Event& event, const YamlScalar& scalar,
                          const JsonStorage& storage) {
  using Kind = YamlScalar::Kind;
  const bool as_double = IsCoreTag(event.tag(), "float");
  switch (scalar.kind) {
    case Kind::kString: return Json(JsonString(event.text(), storage));
    case Kind::kNull: return Json(nullptr, storage);
    case Kind::kBool: return Json(scalar.boolean, storage);
    case Kind::kInt:
      if (as_double) return Json(static_cast<double>(scalar.integer), storage);
      return Json(scalar.integer, storage);
    case Kind::kUint:
      if (as_double) return Json(static_cast<double>(scalar.unsigned_integer), storage);
      return Json(scalar.unsigned_integer, storage);
    case Kind::kDouble: return Json(scalar.number, storage);
    case Kind::kNotFinite:
      return ErrorAt(event.mark(), fmt::format("{} is not a JSON number; quote the value to "
                                               "make it a string",
                                               event.text()));
    case Kind::kOutOfRange: break;
  }
  return ErrorAt(event.mark(), fmt::format("the number {} is out of range; quote it if it is meant "
                                           "as text",
                                           event.text()));
}

Result<Json> ReadScalar(const Event& event, const JsonStorage& storage) {
  const std::string_view tag = event.tag();
  if (tag.empty()) {
    const YamlScalar scalar = event.plain() ? ResolveYamlScalar(event.text()) : YamlScalar{};
    return ScalarToJson(event, scalar, storage);
  }
  if (tag == "!" || IsCoreTag(tag, "str")) return ScalarToJson(event, {}, storage);
  const bool known = IsCoreTag(tag, "null") || IsCoreTag(tag, "bool") || IsCoreTag(tag, "int") ||
                     IsCoreTag(tag, "float");
  if (!known) return UnknownTag(event);
  const YamlScalar scalar = ResolveYamlScalar(event.text());
  if (scalar.kind == YamlScalar::Kind::kString || !AgreesWithTag(scalar.kind, tag)) {
    return ErrorAt(event.mark(), fmt::format("\"{}\" does not match its tag !!{}", event.text(),
                                             tag.substr(kTagPrefix.size())));
  }
  return ScalarToJson(event, scalar, storage);
}

bool IsMergeKey(const Event& event) {
  return event.type() == YAML_SCALAR_EVENT && event.text() == "<<" &&
         ((event.plain() && event.tag().empty()) || IsCoreTag(event.tag(), "merge"));
}

// The text of a scalar as a key; nullopt for values that cannot be keys.
std::optional<std::string> KeyOf(const Json& scalar) {
  switch (scalar.kind()) {
    case boost::json::kind::string: return std::string(AsView(scalar.get_string()));
    case boost::json::kind::bool_: return scalar.get_bool() ? "true" : "false";
    case boost::json::kind::int64: return fmt::to_string(scalar.get_int64());
    case boost::json::kind::uint64: return fmt::to_string(scalar.get_uint64());
    case boost::json::kind::double_: return YamlKeyOf(scalar.get_double());
    default: return std::nullopt;
  }
}

// Builds documents from events.
class DocumentReader {
 public:
  DocumentReader(std::string_view text, const YamlOptions& options)
      : options_(options), events_(text), positions_(options.positions) {}

  Result<std::vector<YamlDocument>> ReadAll() {
    std::vector<YamlDocument> documents;
    while (true) {
      RETURN_IF_ERROR(events_.Next(event_));
      if (event_.type() == YAML_STREAM_END_EVENT) return documents;
      if (event_.type() != YAML_DOCUMENT_START_EVENT) continue;
      RETURN_IF_ERROR(events_.Next(event_));
      const YamlPosition start = PositionOf(event_.mark());
      const size_t node = positions_.Begin(start, nullptr);
      ASSIGN_OR_RETURN(Json value, ReadNode());
      positions_.End(node);
      documents.push_back({std::move(value), start.line, positions_.Take()});
      anchors_.clear();
    }
  }

 private:
  // The memory of a value, which is the cost of an alias to it.
  struct Size {
    size_t nodes = 0;
    size_t bytes = 0;
    int depth = 0;
  };

  struct Anchor {
    bool complete = false;
    Json value;
    Size size;
  };

  // A key, or the index of an item.
  struct PathPart {
    const std::string* key;
    size_t index;
  };

  // Reads the value whose first event is `event_`.
  Result<Json> ReadNode() {
    if (event_.type() == YAML_ALIAS_EVENT) return ReadAlias();
    return event_.anchor().empty() ? ReadContent() : ReadAnchored();
  }

  Result<Json> ReadContent() {
    RETURN_IF_ERROR(CountNode(event_.type() == YAML_SCALAR_EVENT ? event_.text().size() : 0));
    switch (event_.type()) {
      case YAML_SEQUENCE_START_EVENT: return ReadSequence();
      case YAML_MAPPING_START_EVENT: return ReadMapping();
      default: return ReadScalar(event_, options_.storage);
    }
  }

  Result<Json> ReadAnchored() {
    const std::string name(event_.anchor());
    const yaml_mark_t mark = event_.mark();
    const Size before = total_;
    const int outer_deepest = std::exchange(deepest_, depth_);
    anchors_[name] = Anchor{};
    ASSIGN_OR_RETURN(Json value, ReadContent());
    const Size size{total_.nodes - before.nodes, total_.bytes - before.bytes, deepest_ - depth_};
    deepest_ = std::max(deepest_, outer_deepest);
    RETURN_IF_ERROR(SpendOnAliases(size.bytes, mark));
    anchors_[name] = Anchor{true, Json(value, JsonStorage()), size};
    return value;
  }

  Result<Json> ReadAlias() {
    const auto it = anchors_.find(std::string(event_.anchor()));
    if (it == anchors_.end()) {
      return ErrorAt(event_.mark(),
                     fmt::format("the alias refers to an unknown anchor &{}", event_.anchor()));
    }
    const auto& [complete, value, size] = it->second;
    if (!complete) {
      return ErrorAt(event_.mark(),
                     fmt::format("the value of &{} contains itself", event_.anchor()));
    }
    RETURN_IF_ERROR(SpendOnAliases(size.bytes, event_.mark()));
    RETURN_IF_ERROR(CheckDepth(depth_ + size.depth));
    total_.nodes += size.nodes;
    total_.bytes += size.bytes;
    RETURN_IF_ERROR(CheckNodes());
    return Json(value, options_.storage);
  }

  Result<Json> ReadSequence() {
    const std::string_view tag = event_.tag();
    if (!tag.empty() && tag != "!" && !IsCoreTag(tag, "seq")) return UnknownTag(event_);
    RETURN_IF_ERROR(CheckDepth(++depth_));
    JsonArray items(options_.storage);
    path_.push_back({nullptr, 0});
    while (true) {
      RETURN_IF_ERROR(events_.Next(event_));
      if (event_.type() == YAML_SEQUENCE_END_EVENT) break;
      const size_t node = positions_.Begin(PositionOf(event_.mark()), nullptr);
      ASSIGN_OR_RETURN(Json item, ReadNode());
      positions_.End(node);
      items.push_back(std::move(item));
      ++path_.back().index;
    }
    path_.pop_back();
    --depth_;
    return Json(std::move(items));
  }

  Result<Json> ReadMapping() {
    const std::string_view tag = event_.tag();
    if (!tag.empty() && tag != "!" && !IsCoreTag(tag, "map")) return UnknownTag(event_);
    RETURN_IF_ERROR(CheckDepth(++depth_));
    JsonObject object(options_.storage);
    std::optional<Json> merged;
    while (true) {
      RETURN_IF_ERROR(events_.Next(event_));
      if (event_.type() == YAML_MAPPING_END_EVENT) break;
      if (IsMergeKey(event_)) {
        RETURN_IF_ERROR(ReadMerge(merged));
      } else {
        RETURN_IF_ERROR(ReadMember(object));
      }
    }
    if (merged) Merge(*merged, object);
    --depth_;
    return Json(std::move(object));
  }

  Result<void> ReadMember(JsonObject& object) {
    const yaml_mark_t mark = event_.mark();
    ASSIGN_OR_RETURN(const std::string key, ReadKey());
    RETURN_IF_ERROR(events_.Next(event_));
    path_.push_back({&key, 0});
    const size_t node = positions_.Begin(PositionOf(mark), &key);
    ASSIGN_OR_RETURN(Json value, ReadNode());
    positions_.End(node);
    const bool is_new = object.insert_or_assign(key, std::move(value)).second;
    if (!is_new) RETURN_IF_ERROR(NoteDuplicate(mark));
    path_.pop_back();
    return {};
  }

  Result<std::string> ReadKey() {
    if (event_.type() != YAML_SCALAR_EVENT && event_.type() != YAML_ALIAS_EVENT) {
      return ErrorAt(event_.mark(), "a key must be a string, not a mapping or a sequence");
    }
    const yaml_mark_t mark = event_.mark();
    ASSIGN_OR_RETURN(const Json scalar, ReadNode());
    std::optional<std::string> key = KeyOf(scalar);
    if (!key) {
      return ErrorAt(mark, fmt::format("a key must be a string, not {}; quote it if it is meant as "
                                       "text",
                                       scalar.is_null() ? "null" : "a mapping or sequence"));
    }
    return *std::move(key);
  }

  Result<void> NoteDuplicate(const yaml_mark_t& mark) {
    std::string path = RenderPath();
    if (options_.duplicates == nullptr) {
      return ErrorAt(mark, fmt::format("duplicate field \"{}\"", path));
    }
    options_.duplicates->push_back(std::move(path));
    return {};
  }

  Result<void> ReadMerge(std::optional<Json>& merged) {
    const yaml_mark_t mark = event_.mark();
    if (merged) return ErrorAt(mark, "a mapping has two << keys; use one << with a list");
    RETURN_IF_ERROR(events_.Next(event_));
    ASSIGN_OR_RETURN(Json value, ReadNode());
    const auto is_object = [](const Json& item) { return item.is_object(); };
    const JsonArray* items = value.if_array();
    if (!value.is_object() &&
        (items == nullptr || !std::all_of(items->begin(), items->end(), is_object))) {
      return ErrorAt(mark, "the value of << must be a mapping or a list of mappings");
    }
    merged.emplace(std::move(value));
    return {};
  }

  // Adds missing keys: the mapping's own keys take precedence, then earlier sources.
  static void Merge(Json& merged, JsonObject& object) {
    if (JsonArray* items = merged.if_array()) {
      for (Json& item : *items) Merge(item, object);
      return;
    }
    for (auto& member : merged.get_object())
      object.emplace(member.key(), std::move(member.value()));
  }

  Result<void> CountNode(size_t text_size) {
    ++total_.nodes;
    total_.bytes += sizeof(Json) + text_size;
    return CheckNodes();
  }

  Result<void> CheckNodes() const {
    if (total_.nodes <= options_.max_nodes) return {};
    return ErrorAt(event_.mark(),
                   fmt::format("more than {} values in one text", options_.max_nodes));
  }

  Result<void> CheckDepth(int depth) {
    deepest_ = std::max(deepest_, depth);
    if (depth <= options_.max_depth) return {};
    return ErrorAt(event_.mark(), fmt::format("nested deeper than {} levels", options_.max_depth));
  }

  Result<void> SpendOnAliases(size_t bytes, const yaml_mark_t& mark) {
    alias_bytes_ += bytes;
    if (alias_bytes_ <= options_.max_alias_bytes) return {};
    return ErrorAt(mark, fmt::format("anchors and aliases repeat more than {} bytes",
                                     options_.max_alias_bytes));
  }

  std::string RenderPath() const {
    std::string path;
    for (const PathPart& part : path_) {
      if (part.key == nullptr) {
        path += fmt::format("[{}]", part.index);
      } else {
        if (!path.empty()) path += '.';
        path += *part.key;
      }
    }
    return path;
  }

  const YamlOptions& options_;
  EventReader events_;
  Event event_;
  YamlPositionsBuilder positions_;
  std::unordered_map<std::string, Anchor> anchors_;
  std::vector<PathPart> path_;
  int depth_ = 0;
  int deepest_ = 0;  // the largest depth since the start of the innermost anchored value
  Size total_;
  size_t alias_bytes_ = 0;
};

// Whether a text begins like a JSON object.
bool LooksLikeJson(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return false;
  if (text[first] != '{' && text[first] != '[') return false;
  const size_t second = text.find_first_not_of(kSpace, first + 1);
  return second != std::string_view::npos &&
         std::string_view("\"{}[]").find(text[second]) != std::string_view::npos;
}

}  // namespace

size_t YamlPositions::MatchLength(const Node& child, size_t index, std::string_view path,
                                  bool at_root) const {
  const bool item = child.key_size == kItemOfSequence;
  const std::string name =
      item ? fmt::to_string(index) : keys_.substr(child.key_begin, child.key_size);
  const std::string in_brackets = "[" + name + "]";
  if (path.starts_with(in_brackets)) return in_brackets.size();
  if (item) return 0;
  const std::string behind_dot = at_root && !path.starts_with('.') ? name : "." + name;
  if (!path.starts_with(behind_dot)) return 0;
  const std::string_view rest = path.substr(behind_dot.size());
  return rest.empty() || rest[0] == '.' || rest[0] == '[' ? behind_dot.size() : 0;
}

YamlPosition YamlPositions::Find(std::string_view path) const {
  if (nodes_.empty()) return {};
  size_t node = 0;
  while (!path.empty()) {
    size_t best = 0, best_length = 0, index = 0;
    for (size_t child = node + 1; child < nodes_[node].end; child = nodes_[child].end) {
      const size_t length = MatchLength(nodes_[child], index++, path, node == 0);
      // Keys may contain dots: the longest match wins.
      if (length > best_length) std::tie(best, best_length) = std::pair(child, length);
    }
    if (best_length == 0) break;
    node = best;
    path.remove_prefix(best_length);
  }
  return nodes_[node].position;
}

Result<std::vector<YamlDocument>> ParseYaml(std::string_view text, const YamlOptions& options) {
  const size_t duplicates = options.duplicates == nullptr ? 0 : options.duplicates->size();
  Result<std::vector<YamlDocument>> documents = DocumentReader(text, options).ReadAll();
  if (documents.ok() || !LooksLikeJson(text)) return documents;
  // libyaml refuses some valid JSON: surrogate pairs in escapes, very long keys.
  if (options.duplicates != nullptr) options.duplicates->resize(duplicates);
  Result<Json> json = ParseJson(text, {.max_depth = options.max_depth,
                                       .duplicates = options.duplicates,
                                       .storage = options.storage});
  if (!json.ok()) return documents;
  YamlPositionsBuilder positions(options.positions);
  positions.End(positions.Begin({1, 1}, nullptr));
  std::vector<YamlDocument> one;
  one.push_back({std::move(*json), 1, positions.Take()});
  return one;
}

Result<YamlDocument> ParseYamlOne(std::string_view text, const YamlOptions& options) {
  ASSIGN_OR_RETURN(std::vector<YamlDocument> documents, ParseYaml(text, options));
  if (documents.empty()) return Error::BadRequest("the YAML text has no content");
  if (documents.size() > 1) {
    return Error::BadRequest(
        fmt::format("line {}: a second document begins here, but only one is "
                    "allowed",
                    documents[1].line));
  }
  return std::move(documents[0]);
}

Result<Json> ParseJsonOrYaml(std::string_view text, const JsonOptions& options) {
  const bool json_first = LooksLikeJson(text);
  const size_t duplicates = options.duplicates == nullptr ? 0 : options.duplicates->size();
  Result<Json> json = json_first ? ParseJson(text, options) : Json();
  if (json_first && json.ok()) return json;
  if (options.duplicates != nullptr) options.duplicates->resize(duplicates);
  Result<YamlDocument> document = ParseYamlOne(text, {.max_depth = options.max_depth,
                                                      .duplicates = options.duplicates,
                                                      .storage = options.storage});
  if (document.ok()) return std::move(document->value);
  return json_first ? json.error() : document.error();
}

}  // namespace kubexms
