#pragma once

// What an HTTP request asks of the API: the resource, object and verb that its method, path and
// query mean, and the options that its query has. Pure: nothing is looked up.

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

// The attributes of a request: those of a resource for paths below /api/VERSION and
// /apis/GROUP/VERSION, else the path itself.
//   GET    /api/v1/pods                                 list pods of all namespaces
//   PATCH  /apis/apps/v1/namespaces/a/deployments/b/scale
// A path is an error when it is malformed, not when there is no such resource.
Result<RequestAttributes> ReadAttributes(const HttpRequest& request, const QueryParameters& query);

enum class VersionMatch { kUnset, kExact, kNotOlderThan };

// Of list, watch and deletecollection.
struct ListQuery {
  Selector labels;
  FieldSelector fields;
  size_t limit = 0;  // 0: all
  std::string continue_token;
  ResourceVersion version;
  VersionMatch match = VersionMatch::kUnset;

  // Of watches.
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<int64_t> timeout_seconds;
};
// Refuses, in Kubernetes' words, values that cannot be read and options that exclude each other.
Result<ListQuery> ReadListQuery(const QueryParameters& query, bool watch);

// Refuses a `timeout` that is no duration. The server has limits of its own for how long it works
// on a request.
Result<void> CheckTimeout(const QueryParameters& query);

enum class FieldValidation { kIgnore, kWarn, kStrict };

// Of create, update and patch.
struct WriteQuery {
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  std::string field_manager;  // printable UTF-8; empty when not given
  bool force = false;
};
// `options_kind` is what errors call them: "CreateOptions", "UpdateOptions", "PatchOptions".
Result<WriteQuery> ReadWriteQuery(const QueryParameters& query, std::string_view options_kind);

// The name of the manager of fields when the client gives none: its user agent up to the first '/',
// without what cannot be printed, and at most 128 bytes of it.
std::string DefaultFieldManager(const HttpHeaders& headers);

enum class Propagation { kDefault, kOrphan, kBackground, kForeground };

// Of delete and deletecollection, from the body or the query.
struct DeleteQuery {
  bool dry_run = false;
  std::optional<int64_t> grace_period_seconds;
  Propagation propagation = Propagation::kDefault;
  std::string precondition_uid;
  std::string precondition_version;
};
Result<DeleteQuery> ReadDeleteQuery(const QueryParameters& query, std::string_view body);

}  // namespace kubexms
