#pragma once

// Sets of field paths: the fields that a manager owns by server-side apply.
//
// A path is a sequence of elements, each of which selects a child of a value. It has two text
// forms: that of FieldsV1 documents (`{"f:spec":{"f:replicas":{}}}`), and that of messages
// (`.spec.containers[name="a"].image`).
//
// A set has members at any depth. A member does not imply the paths below or above it: the owner of
// `.spec.ports[port=80]` may or may not own `.spec.ports[port=80].name`.

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// One element of a path. Elements are ordered by the bytes of their FieldsV1 form.
class PathElement {
 public:
  // The values are the letters of FieldsV1.
  enum class Kind : char {
    kField = 'f',  // a member of an object: f:name
    kIndex = 'i',  // an item of a list by its index: i:0
    kKey = 'k',    // an item of a list by some of its members: k:{"name":"a"}
    kValue = 'v',  // an item of a list by its value: v:1
  };

  static PathElement Field(std::string_view name) { return {Kind::kField, std::string(name)}; }
  static PathElement Index(uint64_t index) { return {Kind::kIndex, std::to_string(index)}; }
  static PathElement Key(const JsonObject& members);
  static PathElement Value(const Json& value) { return {Kind::kValue, WriteJson(value)}; }
  // From canonical JSON: an object for kKey, any value for kValue.
  static PathElement FromCanonical(Kind kind, std::string json) { return {kind, std::move(json)}; }
  // From the FieldsV1 form, whose JSON need not be canonical.
  static Result<PathElement> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  // The FieldsV1 form without its prefix such as "f:": a name, or canonical JSON.
  const std::string& text() const { return text_; }

  void AppendFieldsV1(std::string& out) const;
  // `.name`, `[name="a"]`, `[="x"]` or `[0]`.
  void AppendPath(std::string& out) const;

  auto operator<=>(const PathElement&) const = default;

 private:
  PathElement(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  Kind kind_;
  std::string text_;
};

using ElementPath = std::vector<PathElement>;

// The path as in Kubernetes' conflict messages.
std::string PrintPath(std::span<const PathElement> path);

// Whether the schema of an object names this property; false for keys of maps.
bool IsNamedField(const Schema& schema, std::string_view name);

class FieldSet {
 public:
  struct Node;

  bool Empty() const;
  // The number of members at all depths.
  size_t Size() const;
  // The empty path is never a member: no manager owns the object as a whole.
  bool Has(std::span<const PathElement> path) const;
  void Insert(std::span<const PathElement> path);

  // Whether some path is a member of both.
  bool Intersects(const FieldSet& other) const;

  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  // The members that are not in `other`, including those below members of `other`.
  FieldSet Difference(const FieldSet& other) const;
  // The members that are neither in `other` nor below a member of `other`.
  FieldSet RecursiveDifference(const FieldSet& other) const;
  // Adds the parents of members that are fields named by the schema, but not entries of maps and
  // items of lists.
  FieldSet EnsureNamedFieldsAreMembers(const Schema* schema) const;
  // The members that have no member below them.
  FieldSet Leaves() const;

  // Calls `visit` with the path of every member, parents first. The path is valid during the call.
  template <class Visit>
  void ForEach(Visit visit) const;

  // The children of the root, sorted; each is a member or has members below it.
  std::span<const Node> nodes() const;
  // The child, or null.
  const Node* Find(PathElement::Kind kind, std::string_view text) const;
  const Node* Find(const PathElement& element) const {
    return Find(element.kind(), element.text());
  }

  // For building in bulk: adds a new child, in any order; a child without members is not added.
  // Call Sort() before the set is used.
  void Append(PathElement&& element, bool member, FieldSet&& children);
  void Sort();
  // Allocates memory for this many children.
  void Reserve(size_t count);
  // Removes a child from the members, and removes the child when it has no members below it.
  void EraseMember(const PathElement& element);
  // Calls `change` with the set below a child, and removes the child when it is no member and the
  // set is empty.
  template <class Change>
  void ChangeBelow(const PathElement& element, Change change);

  // As FieldsV1.
  Json ToJson(const JsonStorage& storage = {}) const;
  // Whether `fields` equals ToJson(), without creating either. False does not prove that the sets
  // differ: `fields` may have another form.
  bool IsWrittenAs(const Json& fields) const;
  // Fails for JSON that is not FieldsV1, with the path of the error.
  static Result<FieldSet> FromJson(const Json& fields);

  bool operator==(const FieldSet& other) const;

 private:
  template <class Visit>
  void ForEachBelow(ElementPath& path, Visit& visit) const;
  std::vector<Node>::iterator LowerBound(PathElement::Kind kind, std::string_view text);
  void EraseIfEmpty(std::vector<Node>::iterator node);

  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  Node(PathElement&& e, bool m, FieldSet&& c)
      : element(std::move(e)), member(m), children(std::move(c)) {}

  PathElement element;
  bool member = false;
  FieldSet children;

  bool operator==(const Node&) const = default;
};

inline bool FieldSet::Empty() const { return nodes_.empty(); }
inline void FieldSet::Reserve(size_t count) { nodes_.reserve(count); }
inline std::span<const FieldSet::Node> FieldSet::nodes() const { return nodes_; }

template <class Visit>
void FieldSet::ForEach(Visit visit) const {
  ElementPath path;
  ForEachBelow(path, visit);
}

template <class Visit>
void FieldSet::ForEachBelow(ElementPath& path, Visit& visit) const {
  for (const Node& node : nodes_) {
    path.push_back(node.element);
    if (node.member) visit(std::span<const PathElement>(path));
    node.children.ForEachBelow(path, visit);
    path.pop_back();
  }
}

template <class Change>
void FieldSet::ChangeBelow(const PathElement& element, Change change) {
  const auto node = LowerBound(element.kind(), element.text());
  if (node == nodes_.end() || node->element != element) return;
  change(node->children);
  EraseIfEmpty(node);
}

}  // namespace kubexms
