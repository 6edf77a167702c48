#pragma once

// The stored form of an object: immutable canonical JSON, and a header with the fields that the
// server needs for every read. Serving an object copies its bytes and parses nothing.
//
// A write encodes the document once without its resourceVersion (EncodeObject) and inserts the
// resourceVersion at the commit (WithVersion). Reads use only the bytes and the header.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/type.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Limits on the nesting of objects and arrays in an object. managedFields mirror the content a few
// levels deeper, and responses (lists, watch events, tables) nest the object again; the limits
// leave room for both within the 512 levels that parsers accept, so that every stored object can be
// read, updated and deleted.
inline constexpr int kMaxObjectDepth = 480;
inline constexpr int kMaxManagedDepth = 500;  // with its managedFields

// BadRequest when the object exceeds these limits.
Result<void> CheckDepth(const JsonObject& object);

// Canonical bytes of an object with metadata.resourceVersion "", and the offset of that string.
struct EncodedObject {
  std::string bytes;
  size_t version_offset = 0;

  // The bytes with the resourceVersion inserted.
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
  // Values of the selectable fields, in the order of `field_paths`; empty for absent fields.
  std::vector<std::string> fields;
};

// Reads the header from the bytes of an object. `field_paths` are the selectable fields of the
// kind, such as "spec.nodeName". Fails when the bytes are no object with metadata.
Result<ObjectHeader> ReadHeader(std::string_view bytes,
                                const std::vector<std::string>& field_paths = {});

}  // namespace kubexms
