#pragma once

// The Pods that one reconcile makes and deletes for an owner: side by side, each told as an event
// of the owner (SuccessfulCreate, FailedCreate, SuccessfulDelete, FailedDelete).

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
  // All but `owner` is borrowed. The owner is what events are about.
  PodWriter(ReconcileContext& context, corev1::ObjectReference owner, ParallelWrites& writes)
      : context_(context), owner_(std::move(owner)), writes_(writes) {}

  // In a namespace that is being deleted nothing is made, and that is no error.
  Result<void> Create(const corev1::Pod& pod);
  // `count` equal Pods with names of their own, carefully at first (ParallelWrites). How many were
  // made is the smaller matter: the caches know.
  Result<void> CreateCopies(const corev1::Pod& pod, size_t count);
  // Different ones, in this order, carefully at first.
  Result<void> CreateEach(std::span<const corev1::Pod> pods);

  // One that is gone already is no error.
  Result<void> Delete(const corev1::Pod& pod);
  Result<void> DeleteEach(std::span<const PodPointer> pods);

 private:
  // A name that the server would make too. It is made here so that a Pod whose creation was not
  // answered can be asked for (CacheAwareClient).
  std::string NameFor(const corev1::Pod& pod, size_t number) const;
  Result<void> CreateOne(corev1::Pod pod, size_t number);
  Result<void> Send(const corev1::Pod& pod);

  ReconcileContext& context_;
  const corev1::ObjectReference owner_;
  ParallelWrites& writes_;
};

}  // namespace kubexms
