#include "kubexms/api/patch/field_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/base/json/json_scanner.h"
#include "kubexms/base/text/text_buffer.h"

namespace kubexms {
namespace {

using ElementKind = PathElement::Kind;
using Node = FieldSet::Node;

std::strong_ordering Compare(const PathElement& element, ElementKind kind, std::string_view text) {
  if (element.kind() != kind) return element.kind() <=> kind;
  return std::string_view(element.text()) <=> text;
}

// Merges two sorted levels: calls one function for nodes of only one side, another for common
// nodes.
template <class OnlyA, class OnlyB, class Both>
void Zip(std::span<const Node> a, std::span<const Node> b, OnlyA only_a, OnlyB only_b, Both both) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    const auto order = left->element <=> right->element;
    if (order < 0) {
      only_a(*left++);
    } else if (order > 0) {
      only_b(*right++);
    } else {
      both(*left++, *right++);
    }
  }
  for (; left != a.end(); ++left) only_a(*left);
  for (; right != b.end(); ++right) only_b(*right);
}

constexpr auto kSkip = [](const Node&) {};

Error Malformed(std::string_view text, std::string_view why) {
  return Error::BadRequest(fmt::format("path element \"{}\": {}", text, why));
}

Result<PathElement> ParseJsonElement(ElementKind kind, std::string_view text) {
  const std::string_view json = text.substr(2);
  JsonScanner in(json);
  std::string canonical;
  if (!in.ReadCanonical(canonical).ok() || !in.Finish()) {
    const Result<Json> value = ParseJson(json);
    return Malformed(text, value.ok() ? "malformed JSON" : value.error().message());
  }
  if (kind == ElementKind::kKey && (canonical[0] != '{' || canonical == "{}")) {
    return Malformed(text, "expected an object with at least one key");
  }
  return PathElement::FromCanonical(kind, std::move(canonical));
}

Result<PathElement> ParseIndex(std::string_view text) {
  const std::string_view digits = text.substr(2);
  const bool plain = !digits.empty() && digits.size() <= 18 &&
                     digits.find_first_not_of("0123456789") == std::string_view::npos &&
                     (digits.size() == 1 || digits[0] != '0');
  if (!plain) return Malformed(text, "expected a non-negative integer");
  return PathElement::Index(std::stoull(std::string(digits)));
}

Error AtPath(const Error& error, std::span<const PathElement> path) {
  return path.empty() ? error : error.WithContext(PrintPath(path));
}

bool IsEmptyObject(const Json& value) { return value.is_object() && value.get_object().empty(); }

// Parses a FieldsV1 document and tracks the path for errors.
class Decoder {
 public:
  // Sets `member` when the document contains ".".
  Result<FieldSet> Read(const Json& fields, bool* member) {
    const JsonObject* object = fields.if_object();
    if (object == nullptr) {
      return AtPath(
          Error::BadRequest(fmt::format("fieldsV1: expected object, got {}", JsonTypeName(fields))),
          path_);
    }
    FieldSet set;
    set.Reserve(object->size());
    for (const auto& entry : *object) {
      if (entry.key() == ".") {
        RETURN_IF_ERROR(CheckDot(entry.value()));
        *member = true;
      } else {
        RETURN_IF_ERROR(ReadChild(entry.key(), entry.value(), set));
      }
    }
    set.Sort();
    return set;
  }

 private:
  Result<void> CheckDot(const Json& value) {
    if (IsEmptyObject(value)) return {};
    return AtPath(Error::BadRequest("fieldsV1: \".\" must be an empty object"), path_);
  }

  Result<void> ReadChild(std::string_view key, const Json& value, FieldSet& set) {
    Result<PathElement> element = PathElement::Parse(key);
    if (!element.ok()) return AtPath(element.error(), path_);
    path_.push_back(std::move(element).value());
    bool member = IsEmptyObject(value);
    ASSIGN_OR_RETURN(FieldSet children, Read(value, &member));
    set.Append(std::move(path_.back()), member, std::move(children));
    path_.pop_back();
    return {};
  }

  ElementPath path_;
};

// Whether `fields` equals ToJson() for a node with this set below it.
bool Matches(const FieldSet& set, bool member, const Json& fields) {
  const JsonObject* object = fields.if_object();
  if (object == nullptr) return false;
  auto entry = object->begin();
  if (member && !set.Empty()) {
    if (entry == object->end() || entry->key() != "." || !IsEmptyObject(entry->value())) {
      return false;
    }
    ++entry;
  }
  const auto matches = [&](const Node& node) {
    const std::string_view key = entry->key();
    const bool same = key.size() >= 2 && key[0] == static_cast<char>(node.element.kind()) &&
                      key[1] == ':' && key.substr(2) == node.element.text() &&
                      Matches(node.children, node.member, entry->value());
    ++entry;
    return same;
  };
  const std::span<const Node> nodes = set.nodes();
  return static_cast<size_t>(object->end() - entry) == nodes.size() &&
         std::all_of(nodes.begin(), nodes.end(), matches);
}

// The end of the string that starts at `begin`.
size_t EndOfString(std::string_view json, size_t begin) {
  size_t end = begin + 1;
  while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
  return end + 1;
}

// Converts {"port":80,"protocol":"TCP"} to port=80,protocol="TCP".
void AppendKeyPath(std::string_view json, std::string& out) {
  int depth = 0;
  bool name_is_next = true;
  for (size_t i = 1; i + 1 < json.size();) {
    if (json[i] == '"') {
      const size_t end = EndOfString(json, i);
      const bool name = depth == 0 && std::exchange(name_is_next, false);
      out += name ? json.substr(i + 1, end - i - 2) : json.substr(i, end - i);
      if (name) out += '=';
      i = name ? end + 1 : end;
      continue;
    }
    if (json[i] == '{' || json[i] == '[') ++depth;
    if (json[i] == '}' || json[i] == ']') --depth;
    if (json[i] == ',' && depth == 0) name_is_next = true;
    out += json[i++];
  }
}

}  // namespace

PathElement PathElement::Key(const JsonObject& members) {
  TextBuffer text;
  AppendJson(members, text);
  return {ElementKind::kKey, text.ToString()};
}

Result<PathElement> PathElement::Parse(std::string_view text) {
  if (text.size() < 2 || text[1] != ':') {
    return Malformed(text, "expected one of \"f:\", \"i:\", \"k:\" and \"v:\" in front");
  }
  switch (static_cast<ElementKind>(text[0])) {
    case ElementKind::kField: return Field(text.substr(2));
    case ElementKind::kIndex: return ParseIndex(text);
    case ElementKind::kKey: return ParseJsonElement(ElementKind::kKey, text);
    case ElementKind::kValue: return ParseJsonElement(ElementKind::kValue, text);
  }
  return Malformed(text, "expected one of \"f:\", \"i:\", \"k:\" and \"v:\" in front");
}

void PathElement::AppendFieldsV1(std::string& out) const {
  out += static_cast<char>(kind_);
  out += ':';
  out += text_;
}

void PathElement::AppendPath(std::string& out) const {
  if (kind_ == ElementKind::kField) {
    out += '.';
    out += text_;
    return;
  }
  out += '[';
  if (kind_ == ElementKind::kKey) {
    AppendKeyPath(text_, out);
  } else {
    if (kind_ == ElementKind::kValue) out += '=';
    out += text_;
  }
  out += ']';
}

std::string PrintPath(std::span<const PathElement> path) {
  std::string out;
  for (const PathElement& element : path) element.AppendPath(out);
  return out;
}

bool IsNamedField(const Schema& schema, std::string_view name) {
  const std::vector<Property>& properties = schema.Resolve().properties;
  const auto it = std::lower_bound(
      properties.begin(), properties.end(), name,
      [](const Property& property, std::string_view wanted) { return property.name < wanted; });
  return it != properties.end() && it->name == name;
}

bool FieldSet::operator==(const FieldSet& other) const { return nodes_ == other.nodes_; }

size_t FieldSet::Size() const {
  size_t size = 0;
  for (const Node& node : nodes_) size += (node.member ? 1 : 0) + node.children.Size();
  return size;
}

std::vector<Node>::iterator FieldSet::LowerBound(ElementKind kind, std::string_view text) {
  return std::lower_bound(nodes_.begin(), nodes_.end(), text,
                          [kind](const Node& node, std::string_view wanted) {
                            return Compare(node.element, kind, wanted) < 0;
                          });
}

const Node* FieldSet::Find(ElementKind kind, std::string_view text) const {
  const auto it = const_cast<FieldSet*>(this)->LowerBound(kind, text);
  if (it == nodes_.end() || Compare(it->element, kind, text) != 0) return nullptr;
  return &*it;
}

bool FieldSet::Has(std::span<const PathElement> path) const {
  if (path.empty()) return false;
  const Node* node = Find(path.front());
  if (node == nullptr) return false;
  return path.size() == 1 ? node->member : node->children.Has(path.subspan(1));
}

void FieldSet::Insert(std::span<const PathElement> path) {
  if (path.empty()) return;
  auto it = LowerBound(path.front().kind(), path.front().text());
  if (it == nodes_.end() || it->element != path.front()) {
    it = nodes_.insert(it, Node(PathElement(path.front()), false, {}));
  }
  if (path.size() == 1) {
    it->member = true;
  } else {
    it->children.Insert(path.subspan(1));
  }
}

bool FieldSet::Intersects(const FieldSet& other) const {
  bool shared = false;
  Zip(nodes_, other.nodes_, kSkip, kSkip, [&](const Node& a, const Node& b) {
    shared = shared || (a.member && b.member) || a.children.Intersects(b.children);
  });
  return shared;
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  FieldSet out;
  out.nodes_.reserve(std::max(nodes_.size(), other.nodes_.size()));
  const auto keep = [&](const Node& node) { out.nodes_.push_back(node); };
  Zip(nodes_, other.nodes_, keep, keep, [&](const Node& a, const Node& b) {
    out.nodes_.emplace_back(PathElement(a.element), a.member || b.member,
                            a.children.Union(b.children));
  });
  return out;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet out;
  Zip(nodes_, other.nodes_, kSkip, kSkip, [&](const Node& a, const Node& b) {
    out.Append(PathElement(a.element), a.member && b.member, a.children.Intersection(b.children));
  });
  return out;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  FieldSet out;
  const auto keep = [&](const Node& node) { out.nodes_.push_back(node); };
  Zip(nodes_, other.nodes_, keep, kSkip, [&](const Node& a, const Node& b) {
    out.Append(PathElement(a.element), a.member && !b.member, a.children.Difference(b.children));
  });
  return out;
}

FieldSet FieldSet::RecursiveDifference(const FieldSet& other) const {
  FieldSet out;
  const auto keep = [&](const Node& node) { out.nodes_.push_back(node); };
  Zip(nodes_, other.nodes_, keep, kSkip, [&](const Node& a, const Node& b) {
    if (b.member) return;
    out.Append(PathElement(a.element), a.member, a.children.RecursiveDifference(b.children));
  });
  return out;
}

FieldSet FieldSet::EnsureNamedFieldsAreMembers(const Schema* schema) const {
  FieldSet out;
  out.nodes_.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    const Schema* below = nullptr;
    bool named = false;
    if (schema != nullptr && node.element.kind() == ElementKind::kField) {
      named = IsNamedField(*schema, node.element.text());
      below = schema->FindMember(node.element.text());
    } else if (schema != nullptr) {
      below = schema->Resolve().items;
    }
    out.nodes_.emplace_back(PathElement(node.element), node.member || named,
                            node.children.EnsureNamedFieldsAreMembers(below));
  }
  return out;
}

FieldSet FieldSet::Leaves() const {
  FieldSet out;
  for (const Node& node : nodes_) {
    out.nodes_.emplace_back(PathElement(node.element), node.children.Empty(),
                            node.children.Leaves());
  }
  return out;
}

void FieldSet::Append(PathElement&& element, bool member, FieldSet&& children) {
  if (!member && children.Empty()) return;
  nodes_.emplace_back(std::move(element), member, std::move(children));
}

void FieldSet::Sort() {
  const auto less = [](const Node& a, const Node& b) { return a.element < b.element; };
  if (!std::is_sorted(nodes_.begin(), nodes_.end(), less)) {
    std::sort(nodes_.begin(), nodes_.end(), less);
  }
  // Two spellings of one key (`k:{"a":1}` and `k:{"a":1.0}`) are one element.
  for (size_t i = 1; i < nodes_.size(); ++i) {
    if (nodes_[i - 1].element != nodes_[i].element) continue;
    nodes_[i].member = nodes_[i].member || nodes_[i - 1].member;
    nodes_[i].children = nodes_[i].children.Union(nodes_[i - 1].children);
    nodes_.erase(nodes_.begin() + static_cast<ptrdiff_t>(--i));
  }
}

void FieldSet::EraseIfEmpty(std::vector<Node>::iterator node) {
  if (!node->member && node->children.Empty()) nodes_.erase(node);
}

void FieldSet::EraseMember(const PathElement& element) {
  const auto node = LowerBound(element.kind(), element.text());
  if (node == nodes_.end() || node->element != element) return;
  node->member = false;
  EraseIfEmpty(node);
}

Json FieldSet::ToJson(const JsonStorage& storage) const {
  JsonObject out(storage);
  out.reserve(nodes_.size() + 1);
  std::string key;
  for (const Node& node : nodes_) {
    key.clear();
    node.element.AppendFieldsV1(key);
    Json below = node.children.ToJson(storage);
    if (node.member && !node.children.Empty()) {
      below.get_object().emplace(".", JsonObject());
    }
    out.emplace(key, std::move(below));
  }
  return Json(std::move(out));
}

bool FieldSet::IsWrittenAs(const Json& fields) const { return Matches(*this, false, fields); }

Result<FieldSet> FieldSet::FromJson(const Json& fields) {
  bool ignored = false;
  return Decoder().Read(fields, &ignored);
}

}  // namespace kubexms
