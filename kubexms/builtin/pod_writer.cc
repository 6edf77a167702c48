#include "kubexms/builtin/pod_writer.h"

#include <fmt/format.h>

#include <utility>

#include "kubexms/api/stored_object.h"
#include "kubexms/builtin/active_namespace.h"
#include "kubexms/controller/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Pod;

ClientRequest Creation(const Pod& pod, std::stop_token stop) {
  return Client::WriteRequest(Verb::kCreate, ResourceType::Of<Pod>(), pod.metadata, Encode(pod),
                              {.stop = std::move(stop)});
}

DeleteOptions OnlyThis(const Pod& pod) {
  DeleteOptions options;
  options.preconditions.emplace().uid = pod.metadata.uid;
  return options;
}

}  // namespace

Result<void> PodWriter::Send(const ClientRequest& creation) {
  const Result<SharedBytes> created = context_.client.Do(creation);
  if (created.ok()) {
    ASSIGN_OR_RETURN(const ObjectHeader header, ReadHeader(created->view()));
    context_.events.Event(owner_, EventType::kNormal, "SuccessfulCreate",
                          "Created pod: " + header.name);
    return {};
  }
  const Result<void> failed = IgnoreTerminating(created.error());
  if (!failed.ok()) {
    context_.events.Event(owner_, EventType::kWarning, "FailedCreate",
                          "Error creating: " + failed.error().message());
  }
  return failed;
}

Result<void> PodWriter::Create(const Pod& pod) { return Send(Creation(pod, context_.stop)); }

Result<void> PodWriter::CreateCopies(const Pod& pod, size_t count) {
  const ClientRequest creation = Creation(pod, context_.stop);
  return writes_.SlowStart(count, [&](size_t) { return Send(creation); }).result;
}

Result<void> PodWriter::CreateEach(std::span<const Pod> pods) {
  return writes_.SlowStart(pods.size(), [&](size_t index) { return Create(pods[index]); }).result;
}

Result<void> PodWriter::Delete(const Pod& pod) {
  const Result<void> deleted =
      context_.client.Delete<Pod>(ObjectKey::Of(pod.metadata), OnlyThis(pod));
  if (deleted.ok()) {
    context_.events.Event(owner_, EventType::kNormal, "SuccessfulDelete",
                          "Deleted pod: " + pod.metadata.name);
    return {};
  }
  // Conflict: another Pod has its name now.
  if (deleted.error().IsNotFound() || deleted.error().IsConflict()) return {};
  context_.events.Event(owner_, EventType::kWarning, "FailedDelete",
                        "Error deleting: " + deleted.error().message());
  return deleted;
}

Result<void> PodWriter::DeleteEach(std::span<const PodPointer> pods) {
  return writes_.All(pods.size(), [&](size_t index) { return Delete(*pods[index]); }).result;
}

}  // namespace kubexms
