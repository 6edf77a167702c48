#include "kubexms/api/stored_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kubexms/base/json/json_reader.h"

namespace kubexms {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kVersionKey = "resourceVersion";

// Writes the members of an object in canonical form.
class MemberWriter {
 public:
  explicit MemberWriter(TextBuffer& out) : out_(out) { out_.Append('{'); }
  ~MemberWriter() { out_.Append('}'); }

  void Key(std::string_view key) {
    if (!std::exchange(first_, false)) out_.Append(',');
    AppendJsonString(key, out_);
    out_.Append(':');
  }

 private:
  TextBuffer& out_;
  bool first_ = true;
};

// Writes metadata with an empty resourceVersion at its sorted position. Returns the offset between
// the quotes of that string.
size_t AppendMetadata(const JsonObject& metadata, TextBuffer& out) {
  size_t version_offset = 0;
  MemberWriter writer(out);
  const auto write_version = [&] {
    writer.Key(kVersionKey);
    out.Append("\"\"");
    version_offset = out.size() - 1;
  };
  for (const auto* member : SortedMembers(metadata)) {
    if (member->key() == kVersionKey) continue;
    if (version_offset == 0 && member->key() > kVersionKey) write_version();
    writer.Key(member->key());
    AppendJson(member->value(), out);
  }
  if (version_offset == 0) write_version();
  return version_offset;
}

std::string GetString(dom::object object, std::string_view key) {
  std::string_view text;
  return object.at_key(key).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

StringMap ReadLabels(dom::object metadata) {
  StringMap labels;
  dom::object object;
  if (metadata.at_key("labels").get(object) != simdjson::SUCCESS) return labels;
  for (const auto [key, value] : object) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) labels.emplace(key, text);
  }
  return labels;
}

std::vector<ObjectHeader::Owner> ReadOwners(dom::object metadata) {
  std::vector<ObjectHeader::Owner> owners;
  dom::array array;
  if (metadata.at_key("ownerReferences").get(array) != simdjson::SUCCESS) return owners;
  for (const dom::element item : array) {
    dom::object owner;
    if (item.get(owner) != simdjson::SUCCESS) continue;
    bool controller = false;
    if (owner.at_key("controller").get(controller) != simdjson::SUCCESS) controller = false;
    owners.push_back({.uid = GetString(owner, "uid"),
                      .kind = GetString(owner, "kind"),
                      .name = GetString(owner, "name"),
                      .controller = controller});
  }
  return owners;
}

// The scalar at a path such as "spec.nodeName", as text for field selectors.
std::string ReadField(dom::element element, std::string_view path) {
  while (!path.empty()) {
    const size_t dot = path.find('.');
    if (element.at_key(path.substr(0, dot)).get(element) != simdjson::SUCCESS) return {};
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  if (element.is_string()) return std::string(std::string_view(element));
  if (element.is_null() || element.is_object() || element.is_array()) return {};
  TextBuffer text(64);
  AppendJson(element, text);
  return text.ToString();
}

bool HasItems(dom::object metadata, std::string_view key) {
  dom::array array;
  return metadata.at_key(key).get(array) == simdjson::SUCCESS && array.size() != 0;
}

uint64_t ReadVersion(dom::object metadata) {
  const std::string text = GetString(metadata, kVersionKey);
  uint64_t version = 0;
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, version).ptr == end ? version : 0;
}

// Empty objects and arrays do not count as a level; the parser does not count them, either.
int DepthOf(const Json& value) {
  int deepest = 0;
  if (const JsonObject* object = value.if_object(); object != nullptr && !object->empty()) {
    for (const auto& member : *object) deepest = std::max(deepest, DepthOf(member.value()));
    return deepest + 1;
  }
  if (const JsonArray* array = value.if_array(); array != nullptr && !array->empty()) {
    for (const Json& item : *array) deepest = std::max(deepest, DepthOf(item));
    return deepest + 1;
  }
  return 0;
}

Result<void> RequireDepth(int depth, int limit) {
  if (depth <= limit) return {};
  return Error::BadRequest(fmt::format("the object is nested deeper than {} levels", limit));
}

}  // namespace

Result<void> CheckDepth(const JsonObject& object) {
  for (const auto& [key, value] : object) {
    const JsonObject* metadata = key == "metadata" ? value.if_object() : nullptr;
    if (metadata == nullptr) {
      RETURN_IF_ERROR(RequireDepth(DepthOf(value) + 1, kMaxObjectDepth));
      continue;
    }
    for (const auto& [name, part] : *metadata) {
      const int limit = name == "managedFields" ? kMaxManagedDepth : kMaxObjectDepth;
      RETURN_IF_ERROR(RequireDepth(DepthOf(part) + 2, limit));
    }
  }
  return {};
}

std::string EncodedObject::WithVersion(uint64_t version) const {
  const std::string digits = std::to_string(version);
  std::string spliced;
  spliced.reserve(bytes.size() + digits.size());
  spliced.append(bytes, 0, version_offset);
  spliced += digits;
  spliced.append(bytes, version_offset);
  return spliced;
}

EncodedObject EncodeObject(const JsonObject& object) {
  EncodedObject encoded;
  TextBuffer bytes(4096);
  {
    MemberWriter writer(bytes);
    for (const auto* member : SortedMembers(object)) {
      writer.Key(member->key());
      const JsonObject* metadata =
          member->key() == "metadata" ? member->value().if_object() : nullptr;
      if (metadata == nullptr) {
        AppendJson(member->value(), bytes);
      } else {
        encoded.version_offset = AppendMetadata(*metadata, bytes);
      }
    }
  }
  KUBEXMS_CHECK(encoded.version_offset != 0);
  encoded.bytes = bytes.ToString();
  return encoded;
}

Result<ObjectHeader> ReadHeader(std::string_view bytes,
                                const std::vector<std::string>& field_paths) {
  ASSIGN_OR_RETURN(const dom::element root, JsonReader::Read(bytes));
  dom::object object;
  dom::object metadata;
  if (root.get(object) != simdjson::SUCCESS ||
      object.at_key("metadata").get(metadata) != simdjson::SUCCESS) {
    return Error::BadRequest("metadata: Required value: a stored object must have it");
  }
  ObjectHeader header{
      .name = GetString(metadata, "name"),
      .namespace_name = GetString(metadata, "namespace"),
      .uid = GetString(metadata, "uid"),
      .resource_version = ReadVersion(metadata),
      .labels = ReadLabels(metadata),
      .owners = ReadOwners(metadata),
      .deleting = !GetString(metadata, "deletionTimestamp").empty(),
      .has_finalizers = HasItems(metadata, "finalizers"),
  };
  header.fields.reserve(field_paths.size());
  for (const std::string& path : field_paths) header.fields.push_back(ReadField(root, path));
  return header;
}

}  // namespace kubexms
