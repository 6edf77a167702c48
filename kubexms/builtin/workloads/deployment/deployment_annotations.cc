#include "kubexms/builtin/workloads/deployment/deployment_annotations.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace kubexms {
namespace {

constexpr std::string_view kNotCopied[] = {kRevision,
                                           kRevisionHistory,
                                           kDesiredReplicas,
                                           kMaxReplicas,
                                           "deprecated.deployment.rollback.to",
                                           "kubectl.kubernetes.io/last-applied-configuration"};

// The oldest revisions are removed from a longer history.
constexpr size_t kMaxHistoryBytes = 2000;

std::string Extended(std::string history, int64_t revision) {
  std::string last = std::to_string(revision);
  if (history.empty()) return last;
  history += "," + last;
  while (history.size() > kMaxHistoryBytes) history.erase(0, history.find(',') + 1);
  return history;
}

}  // namespace

std::optional<int64_t> NumberAnnotation(const StringMap& annotations, std::string_view name) {
  const auto found = annotations.find(name);
  if (found == annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int64_t RevisionOf(const ObjectMeta& metadata) {
  return NumberAnnotation(metadata.annotations, kRevision).value_or(0);
}

void CopyAnnotations(const StringMap& deployment, StringMap& set) {
  for (const auto& [name, value] : deployment) {
    if (std::ranges::find(kNotCopied, name) == std::end(kNotCopied)) set[name] = value;
  }
}

void SetRevision(int64_t revision, StringMap& set) {
  const int64_t before = NumberAnnotation(set, kRevision).value_or(0);
  if (before >= revision) return;
  set[kRevision] = std::to_string(revision);
  if (before > 0) set[kRevisionHistory] = Extended(set[kRevisionHistory], before);
}

void SetReplicasAnnotations(const RolloutLimits& limits, StringMap& set) {
  set[kDesiredReplicas] = std::to_string(limits.replicas);
  set[kMaxReplicas] = std::to_string(limits.replicas + limits.max_surge);
}

}  // namespace kubexms
