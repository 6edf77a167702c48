#pragma once

// The metadata rules that all kinds share: what the server sets on creation, what it copies from
// the stored object on update, and what it refuses.

#include <string>
#include <string_view>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/json/json_members.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The metadata of a document; created if absent.
JsonObject& MetadataOf(Json& object);
// Empty if absent.
const JsonObject& MetadataOf(const Json& object);

// The object member of that name; created if absent.
JsonObject& ObjectMember(JsonObject& object, std::string_view key);

// Strings of the metadata; empty if absent.
std::string_view MetadataString(const Json& object, std::string_view key);
std::string_view NameOf(const Json& object);
std::string_view NamespaceOf(const Json& object);
std::string_view UidOf(const Json& object);
std::string_view ResourceVersionOf(const Json& object);

bool IsBeingDeleted(const Json& object);
bool HasFinalizers(const Json& object);

// Fails when the document has a namespace other than that of the path.
Result<void> MatchNamespace(const Json& object, std::string_view namespace_name);
// Sets the namespace to that of the path. Fails when the document has another one.
Result<void> SetNamespace(Json& object, const Resource& resource, std::string_view namespace_name);

// Sets the metadata of a new object: name from generateName, uid, creation time, generation.
// Removes what clients may not set.
void InitializeMetadata(Json& object, const Resource& resource, Time now, Random& random);

// Copies from the stored object what clients cannot change, and increments the generation when
// anything outside of metadata and status differs.
void PreserveMetadata(Json& object, const Json& old, const Resource& resource);

void ValidateMetadata(const Json& object, const Resource& resource, FieldErrors& errors);
void ValidateMetadataUpdate(const Json& object, const Json& old, FieldErrors& errors);

}  // namespace kubexms
