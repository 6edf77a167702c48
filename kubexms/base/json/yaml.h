#pragma once

// The YAML of Kubernetes manifests, read into and written from JSON documents.
//
// Plain scalars are resolved as in Kubernetes (see yaml_scalar.h); anchors, aliases and merge keys
// (`<<`) are supported; keys that are numbers or booleans become strings. Every JSON text is valid.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct YamlOptions {
  // Deeper nested mappings and sequences are refused.
  int max_depth = 512;
  // Limit of values in all documents of a text, including values repeated by aliases.
  size_t max_nodes = 1'000'000;
  // Limit of the memory, in bytes, that aliases add to a text.
  size_t max_alias_bytes = 16 << 20;
  // Null: a duplicate key is an error. Otherwise the last value wins and the path of every
  // duplicate ("spec.containers[0].image") is added here.
  std::vector<std::string>* duplicates = nullptr;
  // Record the position of every field; costs about as much memory as the document.
  bool positions = false;
  // The memory resource of the documents.
  JsonStorage storage;
};

// A position in a text; both count from one.
struct YamlPosition {
  int line = 0;
  int column = 0;

  bool operator==(const YamlPosition&) const = default;
};

// The positions of the fields of one document.
class YamlPositions {
 public:
  // The position of the field with this path ("spec.containers[0].image"; a key may also be written
  // in brackets, "metadata.labels[app]"). For a missing field: the position of its innermost
  // existing parent. Line 0 without YamlOptions::positions.
  YamlPosition Find(std::string_view path) const;

 private:
  friend class YamlPositionsBuilder;

  static constexpr uint32_t kItemOfSequence = UINT32_MAX;

  // In text order: the children of a node follow it, up to `end`.
  struct Node {
    YamlPosition position;
    uint32_t end;
    uint32_t key_begin;
    uint32_t key_size;  // kItemOfSequence when there is no key
  };

  // The number of characters of `path` that match the child; zero without a match.
  size_t MatchLength(const Node& child, size_t index, std::string_view path, bool at_root) const;

  std::vector<Node> nodes_;
  std::string keys_;
};

struct YamlDocument {
  Json value;
  int line = 1;  // first line of the value
  YamlPositions positions;
};

// Parses every document of a text; an empty document is null. Refuses, with the line and column:
// malformed text, invalid UTF-8, depth over the limit, duplicate keys, integers outside
// int64/uint64 and numbers outside double, .inf and .nan, keys that are null or not scalars, tags
// other than YAML's core tags, and aliases that multiply the text beyond the limits.
Result<std::vector<YamlDocument>> ParseYaml(std::string_view text, const YamlOptions& options = {});

// Parses a text of exactly one document.
Result<YamlDocument> ParseYamlOne(std::string_view text, const YamlOptions& options = {});

// Parses a text of one value that may be JSON or YAML; fast for JSON.
Result<Json> ParseJsonOrYaml(std::string_view text, const JsonOptions& options = {});

// The canonical form: sorted keys, block style, strings quoted only where a plain scalar would have
// another type. Parsing the result returns an equal document.
std::string WriteYaml(const Json& value);

}  // namespace kubexms
