#pragma once

// The numbers that Kubernetes' fields have in protobuf. They are part of its API: a field keeps its
// number for ever, so the tables only grow.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kubexms {

// How a value is written whose type does not say it all.
enum class ProtobufForm : uint8_t {
  kPlain,
  kOrBool,     // JSON schema: {1: a boolean, 2: a schema}
  kOrList,     // JSON schema: {1: a schema, 2: schemas}
  kOrStrings,  // JSON schema: {1: a schema, 2: texts}
};

struct ProtobufField;

// The fields of a message, in the order of their numbers.
struct ProtobufMessage {
  std::vector<ProtobufField> fields;

  // The field, or null.
  const ProtobufField* Find(uint64_t number) const;
};

struct ProtobufField {
  uint32_t number = 0;
  // As in JSON; empty for a message whose fields are, in JSON, fields of the object around it.
  std::string_view name;
  ProtobufMessage inlined;
  ProtobufForm form = ProtobufForm::kPlain;
  // Clients always send this field, with a zero when it is absent.
  bool zero_is_absent = false;
};

// The message of a definition such as "io.k8s.api.core.v1.PodSpec", or null.
const ProtobufMessage* FindProtobufMessage(std::string_view definition);

// The tables below write a message as its fields, separated by spaces:
//   name=1           the field `name` has number 1
//   nodePort=5?      zero_is_absent
//   items=19:orList  another form: orBool, orList or orStrings
//   2(exec=1 …)      number 2 is a message whose fields are inlined in JSON
struct MessageNumbers {
  std::string_view name;
  std::string_view fields;
};

// The messages of one package, "io.k8s.api.core.v1".
struct PackageNumbers {
  std::string_view package;
  std::span<const MessageNumbers> messages;
};

std::span<const PackageNumbers> CoreNumbers();   // core and meta
std::span<const PackageNumbers> GroupNumbers();  // all other groups

}  // namespace kubexms
