#pragma once

// YAML as Kubernetes manifests use it: read into a JSON document and written from one.
//
// Plain scalars mean what they mean to Kubernetes (see yaml_scalar.h); anchors, aliases and merge
// keys (`<<`) work; keys that are numbers or booleans become strings. JSON is YAML, so every JSON
// text parses too.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct YamlOptions {
  // Mappings and sequences nested deeper than this are refused.
  int max_depth = 512;
  // The most values that all documents of a text may have, those repeated by aliases included.
  size_t max_nodes = 1'000'000;
  // The most memory, in bytes, that anchors and aliases may add to a text.
  size_t max_alias_bytes = 16 << 20;
  // Null: a duplicate key is an error. Otherwise the last value wins and the path of every
  // duplicate ("spec.containers[0].image") is added here.
  std::vector<std::string>* duplicates = nullptr;
  // Remember where every field stands; costs about as much memory as the document.
  bool positions = false;
  // Where the documents' memory comes from.
  JsonStorage storage;
};

// A place in a text; both count from one.
struct YamlPosition {
  int line = 0;
  int column = 0;

  bool operator==(const YamlPosition&) const = default;
};

// Where the fields of one document stand.
class YamlPositions {
 public:
  // The place of the field with this path ("spec.containers[0].image"; a key may also be written in
  // brackets, "metadata.labels[app]"). For a field that is not there: the place of the innermost
  // field around it that is. Line 0 when YamlOptions::positions was off.
  YamlPosition Find(std::string_view path) const;

 private:
  friend class YamlPositionsBuilder;

  static constexpr uint32_t kItemOfSequence = UINT32_MAX;

  // In the order of the text: the children of a node follow it, up to `end`.
  struct Node {
    YamlPosition position;
    uint32_t end;
    uint32_t key_begin;
    uint32_t key_size;  // kItemOfSequence when there is no key
  };

  // How many characters of `path` name the child; zero when it is another one.
  size_t MatchLength(const Node& child, size_t index, std::string_view path, bool at_root) const;

  std::vector<Node> nodes_;
  std::string keys_;
};

struct YamlDocument {
  Json value;
  int line = 1;  // where the value begins
  YamlPositions positions;
};

// Parses every document of a text; one without content is null. Refused, with the line and column:
// malformed text, invalid UTF-8, depth over the limit, duplicate keys, integers outside
// int64/uint64 and numbers outside double, .inf and .nan, keys that are null or not scalars, tags
// other than YAML's own basic ones, and aliases that multiply the text beyond the limits.
Result<std::vector<YamlDocument>> ParseYaml(std::string_view text, const YamlOptions& options = {});

// Parses a text of exactly one document.
Result<YamlDocument> ParseYamlOne(std::string_view text, const YamlOptions& options = {});

// Parses a text of one value that may be JSON or YAML; the faster way when most are JSON.
Result<Json> ParseJsonOrYaml(std::string_view text, const JsonOptions& options = {});

// The canonical form: keys sorted, block style, strings quoted only when they would otherwise be
// read as something else. Parsing it gives an equal document.
std::string WriteYaml(const Json& value);

}  // namespace kubexms
