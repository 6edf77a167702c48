#pragma once

// Work that must be undone before an object may go: a finalizer keeps the object until it was.
//
//   Result<Outcome> Reconcile(ReconcileContext& context, const Bucket& bucket) {
//     return WithFinalizer(context.client, bucket, "example.io/bucket", {
//         .apply = [&](const Bucket& stored) { return MakeBucket(stored); },
//         .cleanup = [&](const Bucket& stored) { return DropBucket(stored); }});
//   }
//
// What is promised:
//   - apply runs only while the object is not being deleted, and only once the server has stored
//     the finalizer: whatever apply did, cleanup will be called for it;
//   - the finalizer goes only after cleanup is done; until then the object stays. A cleanup that
//     has to wait says when to ask again: Outcome::RequeueAfter;
//   - nobody else's finalizers are touched, nor an object that was made anew under the same name;
//   - after a crash anywhere, calling it again goes on: apply and cleanup can therefore run more
//     than once and must not mind.

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexms/client/client.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

// What a reconciler does with an object; given as the server has it.
template <Kind T>
using FinalizerStep = std::function<Result<Outcome>(const T&)>;

template <Kind T>
struct FinalizerHandlers {
  FinalizerStep<T> apply;
  FinalizerStep<T> cleanup;
};

template <Kind T>
struct Finalizer {
  std::string name;
  FinalizerStep<T> cleanup;
};

template <Kind T>
struct FinalizersHandlers {
  FinalizerStep<T> apply;
  // In the order in which they are cleaned up. Each goes before the next one's cleanup begins.
  std::vector<Finalizer<T>> finalizers;
};

// ---- What the templates below are made of, without the C++ type.

namespace finalizer_internal {

// One object; its metadata is kept as it was seen last.
struct Target {
  ResourceType type;
  ObjectMeta metadata;
};

enum class Added {
  kAlready,  // they were there
  kNow,      // they are there, see `stored`
  kTooLate,  // the object is being deleted, or gone: nothing may be added
};

Result<Added> Add(Client& client, Target& target, const std::vector<std::string>& finalizers,
                  SharedBytes& stored, const std::stop_token& stop);
// Success also when the object or the finalizer is gone.
Result<void> Remove(Client& client, Target& target, const std::string& finalizer,
                    const std::stop_token& stop);

}  // namespace finalizer_internal

template <Kind T>
Result<Outcome> WithFinalizers(Client& client, const T& object,
                               const std::type_identity_t<FinalizersHandlers<T>>& handlers,
                               const std::stop_token& stop = {}) {
  namespace internal = finalizer_internal;
  internal::Target target{ResourceType::Of<T>(), object.metadata};
  if (object.metadata.deletion_timestamp.IsZero()) {
    std::vector<std::string> names;
    for (const Finalizer<T>& finalizer : handlers.finalizers) names.push_back(finalizer.name);
    SharedBytes stored;
    ASSIGN_OR_RETURN(const internal::Added added,
                     internal::Add(client, target, names, stored, stop));
    if (added == internal::Added::kTooLate) return Outcome::Done();
    if (added == internal::Added::kAlready) return handlers.apply(object);
    ASSIGN_OR_RETURN(const T finalized, Decode<T>(stored.view()));
    return handlers.apply(finalized);
  }
  for (const Finalizer<T>& finalizer : handlers.finalizers) {
    if (!HasFinalizer(object.metadata, finalizer.name)) continue;
    ASSIGN_OR_RETURN(const Outcome outcome, finalizer.cleanup(object));
    if (outcome != Outcome::Done()) return outcome;
    RETURN_IF_ERROR(internal::Remove(client, target, finalizer.name, stop));
  }
  return Outcome::Done();
}

// The same with one finalizer.
template <Kind T>
Result<Outcome> WithFinalizer(Client& client, const T& object, std::string finalizer,
                              const std::type_identity_t<FinalizerHandlers<T>>& handlers,
                              const std::stop_token& stop = {}) {
  return WithFinalizers(
      client, object,
      {.apply = handlers.apply, .finalizers = {{std::move(finalizer), handlers.cleanup}}}, stop);
}

}  // namespace kubexms
