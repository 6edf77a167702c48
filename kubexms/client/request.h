#pragma once

// One call of the API in the form that the implementations and the decorators of Client see: what
// is asked of which objects, without their C++ type.

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
  std::string namespace_name;  // empty: of the cluster, or of all namespaces
  std::string name;            // empty where objects have no name yet, or where many are meant
  std::string subresource;

  // JSON: the object of a creation or update, the patch, the DeleteOptions.
  std::string body;
  PatchType patch_type = PatchType::kMerge;

  // Of list, watch and deletecollection.
  Selector label_selector;
  FieldSelector field_selector;
  // Of get, list and watch: as the server gave it; "0": any; empty: the newest.
  std::string resource_version;
  std::string resource_version_match;  // "Exact" or "NotOlderThan"
  int64_t limit = 0;                   // 0: all
  std::string continue_token;
  // Of list: how many objects to send at a time where all are wanted (no limit) but sending all at
  // once would be a burden. Who has no such burden answers with all of them.
  int64_t page_size = 0;

  // Of watch. The server ends it after this time.
  std::optional<std::chrono::seconds> timeout;
  bool bookmarks = false;
  // Begin with what is there, and say where that ends by a bookmark.
  bool send_initial_events = false;

  // Of get, list and watch: only apiVersion, kind and metadata of each object.
  bool metadata_only = false;
  // Of get: a cache of this process may answer, without managedFields. Clients that have no cache
  // ask the server.
  bool allow_cached = false;

  // Of writes.
  bool dry_run = false;
  std::string field_manager;
  std::string field_validation;  // "Strict", "Warn" or "Ignore"; empty: the server's choice
  bool force = false;            // of apply: take fields that others own

  // Ends the call early; of a watch, also later.
  std::stop_token stop;

  // Refuses what cannot be meant: one object without its name, whose path would be that of all.
  Result<void> Check() const;

  // "/api/v1/namespaces/a/pods/b/status".
  std::string Path() const;
  // What follows the path, with its '?'; empty when there is nothing to say.
  std::string Query() const;
};

// One page of a list. An item is the JSON of one object, which may lack apiVersion and kind: they
// are those of the request. It may share the memory of the whole page, so whoever keeps one for
// long should copy it.
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

// A running watch. For one thread at a time; destroying it ends it.
class ObjectWatch {
 public:
  virtual ~ObjectWatch() = default;

  // Blocks until there is an event. Nothing when the watch is over: the server ended it, or the
  // request's stop token was used. An error event of the server is returned as its error.
  virtual Result<std::optional<ObjectEvent>> Next() = 0;

  // Whether Next() would return at once. If it would block, `ready` is called as soon as it would
  // not: from any thread, and it must not call the watch. So many watches can do with few threads.
  // A watch that cannot tell says true.
  virtual bool IsReady(const std::function<void()>& ready) {
    static_cast<void>(ready);
    return true;
  }
};

}  // namespace kubexms
