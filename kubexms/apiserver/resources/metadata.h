#pragma once

// What is the same for the metadata of every object: what the server sets, what it takes over from
// the stored object, and what it refuses.

#include <string>
#include <string_view>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The metadata of a document; made when there is none.
JsonObject& MetadataOf(Json& object);
// Empty when there is none.
const JsonObject& MetadataOf(const Json& object);

// The object member of that name, made when there is none.
JsonObject& ObjectMember(JsonObject& object, std::string_view key);
// A member, or null when there is none.
const Json& MemberOrNull(const Json& object, std::string_view key);

// Strings of the metadata, empty when absent.
std::string_view MetadataString(const Json& object, std::string_view key);
std::string_view NameOf(const Json& object);
std::string_view NamespaceOf(const Json& object);
std::string_view UidOf(const Json& object);
std::string_view ResourceVersionOf(const Json& object);

bool IsBeingDeleted(const Json& object);
bool HasFinalizers(const Json& object);

// Fails when the document names another namespace than the request.
Result<void> MatchNamespace(const Json& object, std::string_view namespace_name);
// Sets the namespace that the request names. Fails when the document names another one.
Result<void> SetNamespace(Json& object, const Resource& resource, std::string_view namespace_name);

// A new object: name from generateName, uid, creation time, generation; and nothing that only the
// server may set.
void InitialiseMetadata(Json& object, const Resource& resource, Time now, Random& random);

// An update keeps what clients cannot change, and counts the generation when anything outside of
// metadata and status is different.
void CarryOverMetadata(Json& object, const Json& old, const Resource& resource);

void ValidateMetadata(const Json& object, const Resource& resource, FieldErrors& errors);
void ValidateMetadataUpdate(const Json& object, const Json& old, FieldErrors& errors);

}  // namespace kubexms
