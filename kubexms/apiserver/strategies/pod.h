#pragma once

// The rules of pods, shared by all kinds with a pod template.

#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The defaults of a PodSpec, in pods and in templates.
void SetPodSpecDefaults(JsonObject& spec);
// Sets the defaults of the PodTemplateSpec at `dotted`, if present.
void SetPodTemplateDefaults(JsonObject& in, std::string_view dotted);

// Some rules are stricter in a pod than in a pod template.
enum class PodSpecContext { kPod, kTemplate };
// `pod_name` is empty in templates and before the name is generated.
void ValidatePodSpec(const Field& spec, PodSpecContext place, std::string_view pod_name = {});
void ValidatePodTemplate(const Field& pod_template);

// Validates a write to pods/resize, which may only change the CPU and memory of containers.
void ValidatePodResize(const Field& pod, const Field& old);

// The names of the valid volumes, which containers can mount. Only claims can be used as block
// devices.
struct PodVolumes {
  UniqueTexts all;
  UniqueTexts claims;
};
PodVolumes ValidateVolumes(const Field& volumes, std::string_view pod_name);
void ValidateContainers(const Field& spec, const PodVolumes& volumes);
// Claims for devices: the claims of the pod, and the claims that containers use.
void ValidateResourceClaims(const Field& spec);
void ValidateClaimUses(const Field& spec);
// Where a reference to a field of the pod is used: in an environment variable or in a volume.
enum class FieldReferenceContext { kVariable, kVolume };
void ValidateFieldReference(const Field& reference, FieldReferenceContext place);
void ValidateResourceReference(const Field& reference, FieldReferenceContext place);
void ValidatePodSecurity(const Field& spec);
void ValidateScheduling(const Field& spec);
void ValidateTolerations(const Field& tolerations);
void ValidateSeccompProfile(const Field& profile);
void ValidateAppArmorProfile(const Field& profile);
void ValidateNodeSelector(const Field& node_selector);
// `limits` and `requests` of containers.
void ValidateResources(const Field& resources);
// The spec of a PersistentVolumeClaim; pods have templates of claims.
void ValidateClaimSpec(const Field& spec);

// "Guaranteed", "Burstable" or "BestEffort".
std::string_view QosClass(const JsonObject& pod_spec);

}  // namespace kubexms
