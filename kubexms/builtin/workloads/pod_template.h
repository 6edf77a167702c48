#pragma once

// Creates Pods from the template of their owner.

#include <optional>
#include <string>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/object.h"

namespace kubexms {

// The Pod of a template, with generateName from the owner's name and the owner as its controller.
corev1::Pod PodFromTemplate(const corev1::PodTemplateSpec& pod_template, const KindName& owner_kind,
                            const ObjectMeta& owner);
template <Kind T>
corev1::Pod PodFromTemplate(const corev1::PodTemplateSpec& pod_template, const T& owner) {
  return PodFromTemplate(pod_template, T::kKind, owner.metadata);
}

// The pod-template-hash. `collision_count` changes it after a collision of two templates.
std::string TemplateHash(const corev1::PodTemplateSpec& pod_template,
                         std::optional<int32_t> collision_count);
// The hash of any text in letters that may occur in names and labels.
std::string SafeHash(std::string_view text);
// Five characters as the server appends them to generateName, derived from the text.
std::string NameSuffix(std::string_view text);

}  // namespace kubexms
