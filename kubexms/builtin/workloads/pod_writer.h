#pragma once

// Creates and deletes the Pods of an owner in parallel, and records an Event of the owner for each
// (SuccessfulCreate, FailedCreate, SuccessfulDelete, FailedDelete).

#include <cstddef>
#include <span>
#include <string>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

class PodWriter {
 public:
  // `context` and `writes` are borrowed. `owner` is the involved object of the Events.
  PodWriter(ReconcileContext& context, corev1::ObjectReference owner, ParallelWrites& writes)
      : context_(context), owner_(std::move(owner)), writes_(writes) {}

  // In a namespace that is being deleted no Pod is created, and that is not an error.
  Result<void> Create(const corev1::Pod& pod);
  // Creates `count` equal Pods with generated names, by slow start (ParallelWrites). The caches
  // contain those that were created, also after an error.
  Result<void> CreateCopies(const corev1::Pod& pod, size_t count);
  // Creates different Pods in this order, by slow start.
  Result<void> CreateEach(std::span<const corev1::Pod> pods);

  // A Pod that no longer exists is not an error.
  Result<void> Delete(const corev1::Pod& pod);
  Result<void> DeleteEach(std::span<const PodPointer> pods);

 private:
  // A name as the server would generate it. The client generates it so that a Pod whose creation
  // got no response can be looked up (CacheAwareClient).
  std::string NameFor(const corev1::Pod& pod, size_t number) const;
  Result<void> CreateOne(corev1::Pod pod, size_t number);
  Result<void> Send(const corev1::Pod& pod);

  ReconcileContext& context_;
  const corev1::ObjectReference owner_;
  ParallelWrites& writes_;
};

}  // namespace kubexms
