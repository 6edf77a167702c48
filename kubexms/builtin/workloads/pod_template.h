#pragma once

// Pods from the template of their owner.

#include <optional>
#include <string>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/object.h"

namespace kubexms {

// A Pod to be created: what the template says, with a name made from the owner's, and the owner as
// its controller.
corev1::Pod PodFromTemplate(const corev1::PodTemplateSpec& pod_template, const KindName& owner_kind,
                            const ObjectMeta& owner);
template <Kind T>
corev1::Pod PodFromTemplate(const corev1::PodTemplateSpec& pod_template, const T& owner) {
  return PodFromTemplate(pod_template, T::kKind, owner.metadata);
}

// A short text for names and labels that differs when the templates differ, but for accidents,
// against which `collision_count` helps: another number gives another text.
std::string TemplateHash(const corev1::PodTemplateSpec& pod_template,
                         std::optional<int32_t> collision_count);
// The same of any text.
std::string SafeHash(std::string_view text);
// Five characters, as servers append to generated names; others for another text.
std::string NameSuffix(std::string_view text);

}  // namespace kubexms
