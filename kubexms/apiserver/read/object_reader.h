#pragma once

// Reads stored objects. The stored bytes are sent in the response unchanged, unless the client
// requests another version than the stored one.

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

// Fails when the record holds no object, because the store was damaged or another program wrote it.
// The error names the key and the remedy. Parses the bytes of a sound record only once.
Result<void> CheckSound(const store::Record& record);

// Converts a document of the kind to the version of the resource.
Result<void> ConvertDocument(Json& document, const Resource& resource);

// The object in the version of the resource, as a document.
Result<Json> ReadDocument(const Resource& resource, const store::Record& record,
                          const JsonStorage& storage = {});

// The object's bytes in the version of the resource.
Result<SharedBytes> ReadBytes(const Resource& resource, store::RecordPtr record);
// Followed by a comma, as in a list before another object.
Result<SharedBytes> ReadBytesAndComma(const Resource& resource, store::RecordPtr record);

// Converts the bytes of a written object, `stored`, to the version of the resource.
Result<std::string> ConvertBytes(const Resource& resource, std::string stored);

// Returns a token that continues at the same key as an expired one, but in the newest state; empty
// when the expired token cannot be parsed.
std::string TokenForNewest(std::string_view continue_token);

// The selectors of a list or watch, prepared to be matched with many objects.
class ObjectFilter {
 public:
  // Fails when the field selector names a field that the resource does not support.
  static Result<ObjectFilter> Make(const Resource& resource, const ListQuery& query);

  // True when every object matches.
  bool IsEverything() const { return labels_.IsEverything() && fields_.IsEverything(); }
  bool Matches(const store::Record& record) const;
  // The name that the selector requires, if any.
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
  std::vector<store::RecordPtr> damaged;    // omitted from `records`; only without a filter
  uint64_t revision = 0;                    // 0: the objects are not stored
  std::string continue_token;               // empty after the last page
  std::optional<uint64_t> remaining_count;  // only without a filter
};

// Logs a damaged record when it first reads it, and omits it from lists: one damaged object does
// not hide the others.
class ObjectReader {
 public:
  explicit ObjectReader(store::Store& store, Logger log = {})
      : store_(store), log_(std::move(log)) {}

  // Whether the record holds an object that can be converted to the version of the resource.
  bool IsSound(const Resource& resource, const store::Record& record) const;

  // Fails with NotFound, and for a `version` that is newer than the store.
  Result<store::RecordPtr> Get(const Resource& resource, std::string_view namespace_name,
                               std::string_view name, const ResourceVersion& version = {}) const;

  Result<ObjectList> List(const Resource& resource, std::string_view namespace_name,
                          const ListQuery& query, const ObjectFilter& filter) const;

 private:
  Result<store::ListPage> ReadFiltered(const Resource& resource, store::ListOptions options,
                                       const ObjectFilter& filter) const;

  // Moves damaged records from list.records to list.damaged.
  void SeparateDamaged(const Resource& resource, ObjectList& list) const;

  store::Store& store_;
  const Logger log_;
};

}  // namespace kubexms
