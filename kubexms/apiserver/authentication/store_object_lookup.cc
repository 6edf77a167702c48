#include "kubexms/apiserver/authentication/store_object_lookup.h"

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json_reader.h"

namespace kubexms {

Result<std::optional<std::string>> StoreObjectLookup::Uid(std::string_view group,
                                                          std::string_view resource,
                                                          std::string_view namespace_name,
                                                          std::string_view name) {
  std::string key = StoragePrefix(group, resource);
  if (!namespace_name.empty()) key.append(namespace_name).append("/");
  key.append(name);
  ASSIGN_OR_RETURN(const store::RecordPtr record, store_.Get(key));
  if (record == nullptr) return std::optional<std::string>();
  ASSIGN_OR_RETURN(const simdjson::dom::element object, JsonReader::Read(record->value));
  std::string_view uid;
  if (object["metadata"]["uid"].get(uid) != simdjson::SUCCESS) {
    return Error::Internal("the stored object " + key + " has no metadata.uid");
  }
  return std::optional<std::string>(uid);
}

}  // namespace kubexms
