#pragma once

// Creates an object, or updates it if it exists:
//
//   ASSIGN_OR_RETURN(auto written, CreateOrUpdate<appsv1::Deployment>(
//       client, {"default", "web"}, [&](appsv1::Deployment& deployment) {
//         deployment.spec.replicas = 3;
//         deployment.spec.template_ = PodTemplate();
//         return SetControllerReference(deployment.metadata, owner);
//       }));
//
// The mutate function receives the stored object, or an object with only its key, and sets the
// desired fields. It may be called several times and must not change the key.
//
// Repeated calls with the same desired state write once, although a function that sets a whole pod
// template removes all defaults of the server, so that the object always looks changed:
//
//   1. If the mutated object equals the stored one, nothing is sent.
//   2. If it equals the stored one after schema defaulting, nothing is sent.
//   3. Otherwise the update is sent. The server applies its other defaults and admission, and does
//      not store an object without changes: the resourceVersion stays the same, no watch event
//      follows, and the result is kUnchanged. The client of a reconcile does not send such an
//      update a second time (UnchangedUpdates).
//
// With the client of a reconcile, the object is read from the cache of its kind, if the controller
// has one. On a conflict, or if the object is created or deleted concurrently, the call starts
// again with a read from the server, up to five times.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kubexms/client/client.h"

namespace kubexms {

enum class OperationResult { kUnchanged, kCreated, kUpdated };

// "unchanged", "created" or "updated".
std::string_view OperationResultName(OperationResult result);

template <Kind T>
struct Written {
  OperationResult result;
  T object;  // the stored object; without managedFields if it was read from a cache
};

// ---- The parts of the templates below that do not depend on the C++ type.

namespace create_or_update_internal {

struct Change {
  std::string before;  // JSON; empty if the object does not exist
  std::string after;
};

struct Call {
  ResourceType type;
  ObjectKey key;
  const TypeInfo* type_info;  // null: unknown
  // `stored` is JSON, or nothing if the object does not exist.
  std::function<Result<Change>(std::optional<std::string_view> stored)> change;
  WriteOptions options;
};

struct Answer {
  OperationResult result;
  SharedBytes object;
};

Result<Answer> CreateOrUpdate(Client& client, const Call& call);
Result<Answer> CreateOrPatch(Client& client, const Call& call);
Error KeyChanged(const ResourceType& type, const ObjectKey& key, const ObjectKey& changed_to);

template <Kind T, class Mutate>
Result<Change> ChangeOf(std::optional<std::string_view> stored, const ObjectKey& key,
                        const Mutate& mutate) {
  T object;
  object.metadata.namespace_name = key.namespace_name;
  object.metadata.name = key.name;
  Change change;
  if (stored) {
    ASSIGN_OR_RETURN(object, Decode<T>(*stored));
    change.before = Encode(object);
  }
  if constexpr (std::is_void_v<std::invoke_result_t<const Mutate&, T&>>) {
    mutate(object);
  } else {
    RETURN_IF_ERROR(mutate(object));
  }
  const ObjectKey now = ObjectKey::Of(object.metadata);
  if (now != key) return KeyChanged(ResourceType::Of<T>(), key, now);
  change.after = Encode(object);
  return change;
}

template <Kind T, class Mutate>
Call CallFor(const ObjectKey& key, const Mutate& mutate, const WriteOptions& options) {
  return {
      .type = ResourceType::Of<T>(),
      .key = key,
      .type_info = &TypeOf<T>(),
      .change =
          [&](std::optional<std::string_view> stored) { return ChangeOf<T>(stored, key, mutate); },
      .options = options};
}

template <Kind T>
Result<Written<T>> Decoded(const Result<Answer>& answer) {
  if (!answer.ok()) return answer.error();
  ASSIGN_OR_RETURN(T object, Decode<T>(answer->object.view()));
  return Written<T>{answer->result, std::move(object)};
}

}  // namespace create_or_update_internal

// `mutate` takes a T& and returns nothing or a Result<void>, whose error is returned. Changes of
// the status are not written: use UpdateStatus, PatchStatus or CreateOrPatch.
template <Kind T, class Mutate>
Result<Written<T>> CreateOrUpdate(Client& client, const ObjectKey& key, const Mutate& mutate,
                                  const WriteOptions& options = {}) {
  namespace internal = create_or_update_internal;
  return internal::Decoded<T>(
      internal::CreateOrUpdate(client, internal::CallFor<T>(key, mutate, options)));
}

// The same by a merge patch, which does not conflict with concurrent changes of other fields. A
// patch that replaces a list includes the resourceVersion, so that it cannot undo concurrent
// changes of the list. A changed status is patched separately, also that of a new object.
template <Kind T, class Mutate>
Result<Written<T>> CreateOrPatch(Client& client, const ObjectKey& key, const Mutate& mutate,
                                 const WriteOptions& options = {}) {
  namespace internal = create_or_update_internal;
  return internal::Decoded<T>(
      internal::CreateOrPatch(client, internal::CallFor<T>(key, mutate, options)));
}

// ---- The same for objects of any kind. Without a schema, defaulting is left to the server.

using MutateDynamic = std::function<Result<void>(DynamicObject&)>;

struct WrittenDynamic {
  OperationResult result;
  DynamicObject object;
};

Result<WrittenDynamic> CreateOrUpdate(Client& client, const ResourceType& type,
                                      const ObjectKey& key, const MutateDynamic& mutate,
                                      const WriteOptions& options = {});
Result<WrittenDynamic> CreateOrPatch(Client& client, const ResourceType& type, const ObjectKey& key,
                                     const MutateDynamic& mutate, const WriteOptions& options = {});

}  // namespace kubexms
