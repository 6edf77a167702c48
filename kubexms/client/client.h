#pragma once

// The interface to an API server, for typed and dynamic objects. RestClient talks to any Kubernetes
// server by HTTPS, LocalClient to the server of the same process (apiserver/local_client.h), and
// decorators wrap another client (client_decorator.h).
//
//   ASSIGN_OR_RETURN(corev1::Pod pod, client.Get<corev1::Pod>({"default", "web-0"}));
//   pod.metadata.labels["tier"] = "front";
//   RETURN_IF_ERROR(client.Update(pod));
//
// Errors are the server's Status: error.IsConflict(), error.IsNotFound(). Safe for use from any
// thread.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/object.h"
#include "kubexms/api/object_key.h"
#include "kubexms/client/request.h"

namespace kubexms {

struct GetOptions {
  std::string resource_version;  // "0": any version
  // Allow a cache of this process to respond, see ClientRequest.
  bool allow_cached = false;
  std::stop_token stop;
};

struct ListOptions {
  std::string namespace_name;  // empty: all namespaces
  Selector label_selector;
  FieldSelector field_selector;
  // Size of one page; the next one by `continue_token`. 0: all objects, fetched in pages as needed.
  int64_t limit = 0;
  std::string continue_token;
  std::string resource_version;
  std::string resource_version_match;
  std::stop_token stop;
};

struct WatchOptions {
  std::string namespace_name;  // empty: all namespaces
  Selector label_selector;
  FieldSelector field_selector;
  // Events after this version; empty: starts with ADDED events for the existing objects.
  std::string resource_version;
  bool bookmarks = false;
  bool send_initial_events = false;
  std::optional<std::chrono::seconds> timeout;
  std::stop_token stop;
};

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;
  std::string field_validation;
  // "status", "scale" …
  std::string subresource;
  std::stop_token stop;
};

struct ApplyOptions {
  std::string field_manager;  // required
  bool force = false;
  bool dry_run = false;
  std::string subresource;
  std::stop_token stop;
};

struct Patch {
  PatchType type = PatchType::kMerge;
  std::string body;  // JSON
};

template <class T>
struct TypedEvent {
  ObjectEventType type;
  T object;  // of a bookmark, only metadata.resourceVersion
};

// A watch with decoded objects. See ObjectWatch.
template <class T>
class TypedWatch {
 public:
  explicit TypedWatch(std::unique_ptr<ObjectWatch> watch) : watch_(std::move(watch)) {}

  Result<std::optional<TypedEvent<T>>> Next() {
    ASSIGN_OR_RETURN(std::optional<ObjectEvent> event, watch_->Next());
    if (!event) return std::optional<TypedEvent<T>>();
    ASSIGN_OR_RETURN(T object, Decode<T>(event->object.view()));
    return std::optional(TypedEvent<T>{event->type, std::move(object)});
  }

 private:
  std::unique_ptr<ObjectWatch> watch_;
};

class Client {
 public:
  virtual ~Client() = default;

  // ---- For implementations and decorators.

  // Every verb except list and watch. Returns the object or, of a deletion, the Status in the
  // response.
  virtual Result<SharedBytes> Do(const ClientRequest& request) = 0;
  virtual Result<ObjectPage> ListPage(const ClientRequest& request) = 0;
  virtual Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) = 0;
  // GET of a non-resource path: "/version", "/apis", "/openapi/v2".
  virtual Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) = 0;

  // ---- Typed objects. Writes return the stored object.

  template <Kind T>
  Result<T> Get(const ObjectKey& key, const GetOptions& options = {}) {
    return Decoded<T>(Do(GetRequest(ResourceType::Of<T>(), key, options)));
  }

  template <Kind T>
  Result<kubexms::List<T>> List(const ListOptions& options = {}) {
    ASSIGN_OR_RETURN(const ObjectPage page, ListAll(ListRequest(ResourceType::Of<T>(), options)));
    kubexms::List<T> list;
    list.metadata = ListMetaOf(page);
    list.items.reserve(page.items.size());
    for (const SharedBytes& item : page.items) {
      ASSIGN_OR_RETURN(list.items.emplace_back(), Decode<T>(item.view()));
    }
    return list;
  }

  template <Kind T>
  Result<TypedWatch<T>> Watch(const WatchOptions& options = {}) {
    ASSIGN_OR_RETURN(auto watch, OpenWatch(WatchRequest(ResourceType::Of<T>(), options)));
    return TypedWatch<T>(std::move(watch));
  }

  template <Kind T>
  Result<T> Create(const T& object, const WriteOptions& options = {}) {
    return Decoded<T>(Do(WriteRequest(Verb::kCreate, ResourceType::Of<T>(), object.metadata,
                                      Encode(object), options)));
  }

  // An outdated metadata.resourceVersion is a conflict; without one the last write wins.
  template <Kind T>
  Result<T> Update(const T& object, const WriteOptions& options = {}) {
    return Decoded<T>(Do(WriteRequest(Verb::kUpdate, ResourceType::Of<T>(), object.metadata,
                                      Encode(object), options)));
  }

  // Writes only the status of `object`.
  template <Kind T>
  Result<T> UpdateStatus(const T& object, WriteOptions options = {}) {
    options.subresource = "status";
    return Update(object, options);
  }

  template <Kind T>
  Result<T> Patch(const ObjectKey& key, const kubexms::Patch& patch,
                  const WriteOptions& options = {}) {
    return Decoded<T>(Do(PatchRequest(ResourceType::Of<T>(), key, patch, options)));
  }

  // Server-side apply: `object` has exactly the fields that the field manager wants to own.
  template <Kind T>
  Result<T> Apply(const T& object, const ApplyOptions& options) {
    return Decoded<T>(Do(ApplyRequest(ResourceType::Of<T>(), ObjectKey::Of(object.metadata),
                                      Encode(object), options)));
  }

  // Success means that the server accepted the deletion; finalizers and grace periods can delay it.
  template <Kind T>
  Result<void> Delete(const ObjectKey& key, const DeleteOptions& options = {},
                      std::stop_token stop = {}) {
    return Delete(ResourceType::Of<T>(), key, options, std::move(stop));
  }

  // Deletes all objects that `which` selects.
  template <Kind T>
  Result<void> DeleteAllOf(const ListOptions& which, const DeleteOptions& options = {}) {
    return DeleteAllOf(ResourceType::Of<T>(), which, options);
  }

  // Creates a subresource: a TokenRequest as "token" of a ServiceAccount, an Eviction as "eviction"
  // of a Pod.
  template <Kind T, class Body>
  Result<Body> CreateSubresource(const ObjectKey& key, std::string_view subresource,
                                 const Body& body, WriteOptions options = {}) {
    options.subresource = subresource;
    ObjectMeta metadata;
    metadata.namespace_name = key.namespace_name;
    metadata.name = key.name;
    return Decoded<Body>(
        Do(WriteRequest(Verb::kCreate, ResourceType::Of<T>(), metadata, Encode(body), options)));
  }

  // ---- Objects of any kind.

  Result<DynamicObject> Get(const ResourceType& type, const ObjectKey& key,
                            const GetOptions& options = {});
  // The items are not decoded: a list may be long.
  Result<ObjectPage> List(const ResourceType& type, const ListOptions& options = {});
  Result<std::unique_ptr<ObjectWatch>> Watch(const ResourceType& type,
                                             const WatchOptions& options = {});
  Result<DynamicObject> Create(const ResourceType& type, const DynamicObject& object,
                               const WriteOptions& options = {});
  Result<DynamicObject> Update(const ResourceType& type, const DynamicObject& object,
                               const WriteOptions& options = {});
  Result<DynamicObject> Patch(const ResourceType& type, const ObjectKey& key,
                              const kubexms::Patch& patch, const WriteOptions& options = {});
  Result<DynamicObject> Apply(const ResourceType& type, const DynamicObject& object,
                              const ApplyOptions& options);
  Result<void> Delete(const ResourceType& type, const ObjectKey& key,
                      const DeleteOptions& options = {}, std::stop_token stop = {});
  Result<void> DeleteAllOf(const ResourceType& type, const ListOptions& which,
                           const DeleteOptions& options = {});

  // Returns one page if the request has a limit, else all pages as one. If the continue token
  // expires, lists once more without pages.
  Result<ObjectPage> ListAll(ClientRequest request);

  // ---- Builders of the requests of the calls above, for code without the C++ type.

  static ClientRequest GetRequest(ResourceType type, const ObjectKey& key,
                                  const GetOptions& options = {});
  static ClientRequest ListRequest(ResourceType type, const ListOptions& options = {});
  static ClientRequest WatchRequest(ResourceType type, const WatchOptions& options = {});
  static ClientRequest WriteRequest(Verb verb, ResourceType type, const ObjectMeta& metadata,
                                    std::string body, const WriteOptions& options = {});
  static ClientRequest PatchRequest(ResourceType type, const ObjectKey& key,
                                    const kubexms::Patch& patch, const WriteOptions& options = {});
  static ClientRequest ApplyRequest(ResourceType type, const ObjectKey& key, std::string body,
                                    const ApplyOptions& options);
  static ClientRequest DeleteRequest(ResourceType type, const ObjectKey& key,
                                     const DeleteOptions& options = {}, std::stop_token stop = {});

 private:
  template <class T>
  static Result<T> Decoded(const Result<SharedBytes>& answer) {
    if (!answer.ok()) return answer.error();
    return Decode<T>(answer->view());
  }
  static ListMeta ListMetaOf(const ObjectPage& page);
};

}  // namespace kubexms
