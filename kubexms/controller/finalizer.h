#pragma once

// Cleanup before an object is deleted, by a finalizer.
//
//   Result<Outcome> Reconcile(ReconcileContext& context, const Bucket& bucket) {
//     return WithFinalizer(context.client, bucket, "example.io/bucket", {
//         .apply = [&](const Bucket& stored) { return MakeBucket(stored); },
//         .cleanup = [&](const Bucket& stored) { return DropBucket(stored); }});
//   }
//
// Guarantees:
//   - apply runs only while the object is not being deleted, and only after the server has stored
//     the finalizer, so that cleanup is called for everything that apply did.
//   - The finalizer is removed after cleanup returned Done. A cleanup that has to wait returns
//     Outcome::RequeueAfter.
//   - Other finalizers are not changed, nor is an object that was recreated under the same name.
//   - The next call continues after a crash at any point: apply and cleanup can run more than once
//     and must be idempotent.

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexms/client/client.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

// Called with the stored object.
template <Kind T>
using FinalizerFunction = std::function<Result<Outcome>(const T&)>;

template <Kind T>
struct FinalizerHandlers {
  FinalizerFunction<T> apply;
  FinalizerFunction<T> cleanup;
};

template <Kind T>
struct Finalizer {
  std::string name;
  FinalizerFunction<T> cleanup;
};

template <Kind T>
struct FinalizersHandlers {
  FinalizerFunction<T> apply;
  // In the order of their cleanups. Each is removed before the cleanup of the next one starts.
  std::vector<Finalizer<T>> finalizers;
};

// ---- The parts of the templates below that do not depend on the C++ type.

namespace finalizer_internal {

// An object with its last known metadata.
struct Target {
  ResourceType type;
  ObjectMeta metadata;
};

enum class Added {
  kPresent,   // all finalizers were present
  kAdded,     // see `stored`
  kDeleting,  // the object is being deleted or does not exist: no finalizer may be added
};

Result<Added> Add(Client& client, Target& target, const std::vector<std::string>& finalizers,
                  SharedBytes& stored, const std::stop_token& stop);
// Succeeds also if the object or the finalizer does not exist.
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
    if (added == internal::Added::kDeleting) return Outcome::Done();
    if (added == internal::Added::kPresent) return handlers.apply(object);
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
