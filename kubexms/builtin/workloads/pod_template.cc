#include "kubexms/builtin/workloads/pod_template.h"

#include <fmt/format.h>

#include <cstdint>

#include "kubexms/api/codec.h"
#include "kubexms/base/check.h"
#include "kubexms/base/text/fnv.h"

namespace kubexms {
namespace {

// Kubernetes' alphabet for generated names: without vowels, so that no words come out.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

}  // namespace

corev1::Pod PodFromTemplate(const corev1::PodTemplateSpec& pod_template, const KindName& owner_kind,
                            const ObjectMeta& owner) {
  corev1::Pod pod;
  pod.metadata.namespace_name = owner.namespace_name;
  pod.metadata.generate_name = owner.name + "-";
  pod.metadata.labels = pod_template.metadata.labels;
  pod.metadata.annotations = pod_template.metadata.annotations;
  pod.metadata.finalizers = pod_template.metadata.finalizers;
  const Result<void> owned = SetControllerReference(pod.metadata, owner_kind, owner);
  KUBEXMS_CHECK(owned.ok());  // a new Pod has no other controller
  pod.spec = pod_template.spec;
  return pod;
}

std::string TemplateHash(const corev1::PodTemplateSpec& pod_template,
                         std::optional<int32_t> collision_count) {
  std::string text = Encode(pod_template);
  if (collision_count.has_value()) text += fmt::format("/{}", *collision_count);
  return SafeHash(text);
}

std::string SafeHash(std::string_view text) {
  std::string hash = fmt::format("{}", Fnv1a32(text));
  for (char& letter : hash) letter = kLetters[static_cast<size_t>(letter) % kLetters.size()];
  return hash;
}

std::string NameSuffix(std::string_view text) {
  uint64_t hash = Fnv1a64(text);
  std::string suffix(5, ' ');
  for (char& letter : suffix) {
    letter = kLetters[hash % kLetters.size()];
    hash /= kLetters.size();
  }
  return suffix;
}

}  // namespace kubexms
