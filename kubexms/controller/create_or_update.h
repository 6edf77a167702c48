#pragma once

// Makes an object be as it should, whether it exists or not:
//
//   ASSIGN_OR_RETURN(auto made, CreateOrUpdate<appsv1::Deployment>(
//       client, {"default", "web"}, [&](appsv1::Deployment& deployment) {
//         deployment.spec.replicas = 3;
//         deployment.spec.template_ = PodTemplate();
//         return SetControllerReference(deployment.metadata, owner);
//       }));
//
// The function is given the object as it is, or one that has only its key, and changes what it
// cares for. It may be called several times and must not change the key.
//
// When it is called again and again it writes once. The difficulty is what the server fills in: a
// function that sets a whole pod template removes every default that the server put there, so the
// object always looks changed. Hence three steps, from cheap to sure:
//
//   1. what the function made is the object as it is: nothing is sent;
//   2. it is, after the defaults of the kind's schema have been filled in: nothing is sent;
//   3. else it is sent, and the server decides: it fills in all of its defaults, those that depend
//      on other fields and those of admission too, and stores nothing when the result is what it
//      has. That is seen by the version, which has not changed, and is no update either: no watch
//      sees it, so no reconcile follows from it. The client of a controller remembers it, and does
//      not send the same update of the same version again.
//
// No guess is made about fields that somebody removed.
//
// With the client of a reconcile, the object is read from the controller's cache of its kind, where
// it declares one, so that what is right already costs no request at all. Caches know the writes of
// their own process; if one turns out to be too old all the same, it begins again as below.
//
// Conflicts, and objects that somebody else creates or deletes at the same moment, begin it again
// with a new reading from the server, a few times.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kubexms/client/client.h"

namespace kubexms {

enum class WriteResult { kUnchanged, kCreated, kUpdated };

// "unchanged", "created" or "updated".
std::string_view WriteResultName(WriteResult result);

template <Kind T>
struct Written {
  WriteResult result;
  T object;  // as the server has it; without managedFields if a cache had it and nothing was sent
};

// ---- What the templates below are made of, without the C++ type.

namespace create_or_update_internal {

struct Change {
  std::string before;  // JSON; empty when there is no such object
  std::string after;
};

struct Call {
  ResourceType type;
  ObjectKey key;
  const TypeInfo* type_info;  // null: not known
  // From the stored JSON, or nothing.
  std::function<Result<Change>(std::optional<std::string_view> stored)> change;
  WriteOptions options;
};

struct Answer {
  WriteResult result;
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

// `mutate` takes a T& and returns nothing or a Result<void>, whose error ends it. What it does to
// the status of a kind that has one is not written: that is UpdateStatus or CreateOrPatch.
template <Kind T, class Mutate>
Result<Written<T>> CreateOrUpdate(Client& client, const ObjectKey& key, const Mutate& mutate,
                                  const WriteOptions& options = {}) {
  namespace internal = create_or_update_internal;
  return internal::Decoded<T>(
      internal::CreateOrUpdate(client, internal::CallFor<T>(key, mutate, options)));
}

// The same by a merge patch of what `mutate` changed, so that it does not conflict with those who
// change other fields. A patch that replaces a list is bound to the version that was read: it would
// undo what others did to the list. The status is patched by itself when it differs, also that of a
// new object; for kinds without one, leave it alone.
template <Kind T, class Mutate>
Result<Written<T>> CreateOrPatch(Client& client, const ObjectKey& key, const Mutate& mutate,
                                 const WriteOptions& options = {}) {
  namespace internal = create_or_update_internal;
  return internal::Decoded<T>(
      internal::CreateOrPatch(client, internal::CallFor<T>(key, mutate, options)));
}

// ---- The same for objects of any kind. Their schema is not known, so the server is asked more
// often whether something changed.

using MutateDynamic = std::function<Result<void>(DynamicObject&)>;

struct WrittenDynamic {
  WriteResult result;
  DynamicObject object;
};

Result<WrittenDynamic> CreateOrUpdate(Client& client, const ResourceType& type,
                                      const ObjectKey& key, const MutateDynamic& mutate,
                                      const WriteOptions& options = {});
Result<WrittenDynamic> CreateOrPatch(Client& client, const ResourceType& type, const ObjectKey& key,
                                     const MutateDynamic& mutate, const WriteOptions& options = {});

}  // namespace kubexms
