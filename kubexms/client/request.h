#pragma once

// One API call, as implementations and decorators of Client receive it, without C++ types.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/field_selector.h"
#include "kubexms/api/labels.h"
#include "kubexms/client/resource_type.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };

// "get", "list", … "deletecollection".
std::string_view VerbName(Verb verb);
// True when the verb can change what is stored.
bool IsWrite(Verb verb);

enum class PatchType { kJson, kMerge, kStrategicMerge, kApply };

// "application/json-patch+json" and so on.
std::string_view PatchContentType(PatchType type);

struct ClientRequest {
  Verb verb = Verb::kGet;
  ResourceType resource;
  std::string namespace_name;  // empty: cluster-scoped, or all namespaces
  std::string name;            // empty for create and for calls on a collection
  std::string subresource;

  // JSON: the object of a create or update, the patch, or the DeleteOptions.
  std::string body;
  PatchType patch_type = PatchType::kMerge;

  // Of list, watch and deletecollection.
  Selector label_selector;
  FieldSelector field_selector;
  // Of get, list and watch: opaque; "0": any; empty: the newest.
  std::string resource_version;
  std::string resource_version_match;  // "Exact" or "NotOlderThan"
  int64_t limit = 0;                   // 0: all
  std::string continue_token;
  // Of list without a limit: preferred page size. Clients in the process of the server ignore it.
  int64_t page_size = 0;

  // Of list and watch: the server ends the call after this time.
  std::optional<std::chrono::seconds> timeout;
  bool bookmarks = false;
  // Start with the existing objects, whose end is marked by a bookmark.
  bool send_initial_events = false;

  // Of get, list and watch: only apiVersion, kind and metadata of each object.
  bool metadata_only = false;
  // Of get: a cache of this process may respond, without managedFields. Clients without a cache
  // ignore it.
  bool allow_cached = false;

  // Of writes.
  bool dry_run = false;
  std::string field_manager;
  std::string field_validation;  // "Strict", "Warn" or "Ignore"; empty: the server's choice
  bool force = false;            // of apply: take over fields of other managers

  // Ends the call, or the opened watch.
  std::stop_token stop;

  // Refuses a call on one object without a name, whose path would be that of the collection.
  Result<void> Check() const;

  // "/api/v1/namespaces/a/pods/b/status".
  std::string Path() const;
  // The query string with its '?', or empty.
  std::string Query() const;
};

// One page of a list. An item is the JSON of one object, which may lack apiVersion and kind. Items
// share the memory of the page: copy an item that is retained for long.
struct ObjectPage {
  std::vector<SharedBytes> items;
  std::string resource_version;
  std::string continue_token;  // empty after the last page
  std::optional<int64_t> remaining;
};

enum class ObjectEventType { kAdded, kModified, kDeleted, kBookmark };

// "ADDED", "MODIFIED", …
std::string_view ObjectEventTypeName(ObjectEventType type);

struct ObjectEvent {
  ObjectEventType type;
  SharedBytes object;  // JSON
};

// An open watch. For one thread at a time; its destructor ends it.
class ObjectWatch {
 public:
  virtual ~ObjectWatch() = default;

  // Blocks until the next event. Nothing when the watch has ended, by the server or by the stop
  // token of the request. An ERROR event is returned as its error.
  virtual Result<std::optional<ObjectEvent>> Next() = 0;

  // Whether Next() would return at once. If not, `ready` is called, from any thread, as soon as it
  // would; it must not call the watch. So many watches share few threads. A watch that can only
  // block returns true.
  virtual bool IsReady(const std::function<void()>& ready) {
    static_cast<void>(ready);
    return true;
  }
};

}  // namespace kubexms
