#pragma once

// The rules of pods, shared with everything that has a pod template.

#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The defaults of a PodSpec, in pods and in templates.
void SetPodSpecDefaults(JsonObject& spec);
// The same for the PodTemplateSpec at `dotted`, where there is one.
void SetPodTemplateDefaults(JsonObject& in, std::string_view dotted);

// In a pod itself some rules are stricter than in a template.
enum class PodSpecPlace { kPod, kTemplate };
// `pod_name` is empty in templates and where it is not known yet.
void ValidatePodSpec(const Field& spec, PodSpecPlace place, std::string_view pod_name = {});
void ValidatePodTemplate(const Field& pod_template);

// A write to pods/resize, which may change what containers get of CPU and memory.
void ValidatePodResize(const Field& pod, const Field& old);

// The parts of a PodSpec.
// The names of the volumes that are in order: the ones that containers can mount. Only those that
// are claims can be used as devices.
struct PodVolumes {
  UniqueTexts all;
  UniqueTexts claims;
};
PodVolumes ValidateVolumes(const Field& volumes, std::string_view pod_name);
void ValidateContainers(const Field& spec, const PodVolumes& volumes);
// What a variable or a file takes from the pod itself.
enum class FieldReferencePlace { kVariable, kVolume };
void ValidateFieldReference(const Field& reference, FieldReferencePlace place);
void ValidateResourceReference(const Field& reference, FieldReferencePlace place);
void ValidatePodSecurity(const Field& spec);
void ValidateScheduling(const Field& spec);
void ValidateTolerations(const Field& tolerations);
void ValidateSeccompProfile(const Field& profile);
void ValidateAppArmorProfile(const Field& profile);
void ValidateNodeSelector(const Field& node_selector);
// `limits` and `requests` of containers.
void ValidateResources(const Field& resources);
// `accessModes`, `resources` and so on of a claim, here because pods have templates of them.
void ValidateClaimSpec(const Field& spec);

// "Guaranteed", "Burstable" or "BestEffort".
std::string_view QosClass(const JsonObject& pod_spec);

}  // namespace kubexms
