#pragma once

// Reading objects. A stored object is its bytes: they go from the store to the answer untouched,
// unless the client asks for another version than the stored one.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/resources/selectable_field.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/net/http/http.h"
#include "kubexms/store/store.h"

namespace kubexms {

// Fails when the record holds no object: after damage to the store, or a write of another program.
// The error names the key and says what to do. Looks at the bytes of a record once.
Result<void> CheckSound(const store::Record& record);

// Brings a document of the kind into the version of the resource.
Result<void> ConvertDocument(Json& document, const Resource& resource);

// The object in the version of the resource, as a document.
Result<Json> ReadDocument(const Resource& resource, const store::Record& record,
                          const JsonStorage& storage = {});

// The object's bytes in the version of the resource.
Result<SharedBytes> ReadBytes(const Resource& resource, store::RecordPtr record);
// With a comma behind them, as in a list before another object.
Result<SharedBytes> ReadBytesAndComma(const Resource& resource, store::RecordPtr record);

// The object that a write left, in the version of the resource. `stored` is in the stored version.
Result<std::string> ConvertBytes(const Resource& resource, std::string stored);

// Of a continue token that expired, one that goes on from the same place with the newest state;
// empty where the token cannot be read.
std::string TokenForNewest(std::string_view continue_token);

// Which objects of a resource a list or watch is about. Made once, asked for every object.
class ObjectFilter {
 public:
  // Fails when a field is not one that this resource can be selected by.
  static Result<ObjectFilter> Make(const Resource& resource, const ListQuery& query);

  // True when no object needs to be looked at.
  bool IsEverything() const { return labels_.IsEverything() && fields_.IsEverything(); }
  bool Matches(const store::Record& record) const;
  // The only name that objects may have, where the filter says so.
  std::optional<std::string_view> RequiredName() const {
    return fields_.RequiredValue("metadata.name");
  }

 private:
  Selector labels_;
  FieldSelector fields_;
  // One for each term of the selector, and the paths of all of them: two for each.
  std::vector<SelectableField> places_;
  std::vector<std::string> paths_;
};

struct ObjectList {
  std::vector<store::RecordPtr> records;
  std::vector<store::RecordPtr> damaged;    // what a list without a filter left out
  uint64_t revision = 0;                    // 0: of what is not stored
  std::string continue_token;               // empty after the last page
  std::optional<uint64_t> remaining_count;  // known when there is no filter
};

// A record that holds no object is logged when it is first met. Lists leave it out: one damaged
// object does not hide the others.
class ObjectReader {
 public:
  explicit ObjectReader(store::Store& store, Logger log = {})
      : store_(store), log_(std::move(log)) {}

  // Whether the record holds an object that can be shown in the version of the resource.
  bool IsSound(const Resource& resource, const store::Record& record) const;

  // NotFound when there is none. A version that is not reached yet is an error.
  Result<store::RecordPtr> Get(const Resource& resource, std::string_view namespace_name,
                               std::string_view name, const ResourceVersion& version = {}) const;

  Result<ObjectList> List(const Resource& resource, std::string_view namespace_name,
                          const ListQuery& query, const ObjectFilter& filter) const;

 private:
  Result<store::ListPage> ReadFiltered(const Resource& resource, store::ListOptions options,
                                       const ObjectFilter& filter) const;

  void TakeDamaged(const Resource& resource, ObjectList& list) const;

  store::Store& store_;
  const Logger log_;
};

}  // namespace kubexms
