#include "kubexms/builtin/workloads/pod_writer.h"

#include <fmt/format.h>

#include <utility>

#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/workloads/pod_template.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Pod;

// Attempts with another generated name after AlreadyExists, which is rare.
constexpr int kMaxNames = 4;

}  // namespace

std::string PodWriter::NameFor(const Pod& pod, size_t number) const {
  constexpr size_t kMaxPrefix = 58;  // leaves room for the suffix
  const std::string text = fmt::format("{}/{}/{}/{}", owner_.uid, context_.id, number,
                                       context_.clock.Now().time_since_epoch().count());
  return pod.metadata.generate_name.substr(0, kMaxPrefix) + NameSuffix(text);
}

Result<void> PodWriter::Send(const Pod& pod) {
  const Result<SharedBytes> created = context_.client.Do(Client::WriteRequest(
      Verb::kCreate, ResourceType::Of<Pod>(), pod.metadata, Encode(pod), {.stop = context_.stop}));
  if (created.ok()) return {};
  return created.error();
}

Result<void> PodWriter::Create(const Pod& pod) { return CreateCopies(pod, 1); }

Result<void> PodWriter::CreateCopies(const Pod& pod, size_t count) {
  return writes_.SlowStart(count, [&](size_t index) { return CreateOne(pod, index); }).result;
}

Result<void> PodWriter::CreateEach(std::span<const Pod> pods) {
  return writes_.SlowStart(pods.size(), [&](size_t index) { return CreateOne(pods[index], index); })
      .result;
}

Result<void> PodWriter::CreateOne(Pod pod, size_t number) {
  const bool named = !pod.metadata.name.empty();
  Result<void> sent;
  for (int name = 0; name < kMaxNames; ++name) {
    if (!named) pod.metadata.name = NameFor(pod, number * kMaxNames + name);
    sent = Send(pod);
    if (named || sent.ok() || !sent.error().IsAlreadyExists()) break;
  }
  if (sent.ok()) {
    context_.events.Event(owner_, EventType::kNormal, "SuccessfulCreate",
                          "Created pod: " + pod.metadata.name);
    return {};
  }
  const Result<void> failed = IgnoreTerminating(sent.error());
  if (!failed.ok()) {
    context_.events.Event(owner_, EventType::kWarning, "FailedCreate",
                          "Error creating: " + failed.error().message());
  }
  return failed;
}

Result<void> PodWriter::Delete(const Pod& pod) {
  Result<void> deleted =
      context_.client.Delete<Pod>(ObjectKey::Of(pod.metadata), UidPrecondition(pod.metadata));
  if (deleted.ok()) {
    context_.events.Event(owner_, EventType::kNormal, "SuccessfulDelete",
                          "Deleted pod: " + pod.metadata.name);
    return {};
  }
  if (NoLongerExists(deleted.error())) return {};
  context_.events.Event(owner_, EventType::kWarning, "FailedDelete",
                        "Error deleting: " + deleted.error().message());
  return deleted;
}

Result<void> PodWriter::DeleteEach(std::span<const PodPointer> pods) {
  return writes_.RunAll(pods.size(), [&](size_t index) { return Delete(*pods[index]); }).result;
}

}  // namespace kubexms
