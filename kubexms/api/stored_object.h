#pragma once

// An object as it is stored and served: immutable canonical JSON plus a small header with what the
// server asks for on every read. Serving one copies bytes and parses nothing.
//
// Life of a write: the document is encoded once without its resource version (EncodeObject), the
// version is spliced in when the commit has one (WithVersion), and from then on only the bytes and
// the header are looked at.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/type.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// How deep objects and arrays may nest in an object, without its managedFields; those mirror the
// content a few levels further down. What is stored is shown inside lists, events and tables, and
// all of it stays within the 512 levels that readers accept: what was stored once can always be
// read, changed and deleted.
inline constexpr int kMaxObjectDepth = 480;
inline constexpr int kMaxManagedDepth = 500;  // with its managedFields

// Fails, as a bad request, when the object nests deeper than that.
Result<void> CheckDepth(const JsonObject& object);

// Canonical bytes of an object whose metadata.resourceVersion is "", and where that string begins.
struct EncodedObject {
  std::string bytes;
  size_t version_offset = 0;

  // The bytes with the version in its place.
  std::string WithVersion(uint64_t version) const;
};

// `object` must have a `metadata` object; any resourceVersion in it is ignored.
EncodedObject EncodeObject(const JsonObject& object);

struct ObjectHeader {
  struct Owner {
    std::string uid;
    std::string kind;
    std::string name;
    bool controller = false;
  };

  std::string name;
  std::string namespace_name;
  std::string uid;
  uint64_t resource_version = 0;  // 0 when it is not a number
  StringMap labels;
  std::vector<Owner> owners;
  bool deleting = false;  // has a deletionTimestamp
  bool has_finalizers = false;
  // Values of the kind's selectable fields, in the order they were asked for; absent ones empty.
  std::vector<std::string> fields;
};

// Reads the header out of an object's bytes. `field_paths` are the kind's selectable fields, such
// as "spec.nodeName". Fails when the bytes are not an object with metadata.
Result<ObjectHeader> ReadHeader(std::string_view bytes,
                                const std::vector<std::string>& field_paths = {});

}  // namespace kubexms
