#pragma once

// Parses an HTTP request: the verb, resource and object that its method, path and query stand for,
// and the options in its query. Pure: does not check whether the resource or object exists.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/api/field_selector.h"
#include "kubexms/api/labels.h"
#include "kubexms/api/values/resource_version.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// The attributes of an HTTP request: those of a resource for paths below /api/VERSION and
// /apis/GROUP/VERSION, else the path itself.
//   GET    /api/v1/pods                                 list pods of all namespaces
//   PATCH  /apis/apps/v1/namespaces/a/deployments/b/scale
// A malformed path is an error; an unknown resource is not.
Result<RequestAttributes> ReadAttributes(const HttpRequest& request, const QueryParameters& query);

enum class VersionMatch { kUnset, kExact, kNotOlderThan };

// The query parameters of list, watch and deletecollection.
struct ListQuery {
  Selector labels;
  FieldSelector fields;
  size_t limit = 0;  // 0: unlimited
  std::string continue_token;
  ResourceVersion version;
  VersionMatch match = VersionMatch::kUnset;

  // Watches only.
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<int64_t> timeout_seconds;
};
// Refuses, with Kubernetes' messages, malformed values and options that exclude each other.
Result<ListQuery> ReadListQuery(const QueryParameters& query, bool watch);
// Refuses options that exclude each other.
Result<void> CheckListQuery(const ListQuery& query, bool watch);
// "Exact" or "NotOlderThan"; the empty text is kUnset.
Result<VersionMatch> ParseVersionMatch(std::string_view text);
// The name of the only object that the selector can select; empty when it can select several. A
// list or watch with such a selector is about that object, so that rules with resourceNames allow
// it.
std::string_view SelectedName(const FieldSelector& fields);

// Refuses a `timeout` that is not a duration. The value is not used: the server has its own time
// limits for HTTP requests.
Result<void> CheckTimeout(const QueryParameters& query);

enum class FieldValidation { kIgnore, kWarn, kStrict };

// The query parameters of create, update and patch.
struct WriteQuery {
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  std::string field_manager;  // printable UTF-8; empty when absent
  bool force = false;
};
// `options_kind` is the kind that errors name: "CreateOptions", "UpdateOptions", "PatchOptions".
Result<WriteQuery> ReadWriteQuery(const QueryParameters& query, std::string_view options_kind);
// From a field manager and a value of fieldValidation, each of which may be empty.
Result<WriteQuery> MakeWriteQuery(std::string_view field_manager, std::string_view field_validation,
                                  std::string_view options_kind);

// The name of the manager of fields when the client gives none: its user agent up to the first '/',
// without what cannot be printed, and at most 128 bytes of it.
std::string DefaultFieldManager(std::string_view user_agent);

enum class Propagation { kDefault, kOrphan, kBackground, kForeground };

// The options of delete and deletecollection, from the body or the query.
struct DeleteQuery {
  bool dry_run = false;
  std::optional<int64_t> grace_period_seconds;
  Propagation propagation = Propagation::kDefault;
  std::string precondition_uid;
  std::string precondition_version;
};
Result<DeleteQuery> ReadDeleteQuery(const QueryParameters& query, std::string_view body);
// Adds what a body with DeleteOptions (JSON, YAML or protobuf; may be empty) sets.
Result<void> AddDeleteOptions(std::string_view body, DeleteQuery& query);

}  // namespace kubexms
