#pragma once

// Annotations with the creator of an object, as an API server authenticated the user.

#include <string_view>

namespace kubexms {

// The name of the user who created the object. The server sets this annotation on objects of custom
// resources whose CustomResourceDefinition has kRecordCreatorAnnotation: "true", and refuses to
// change it. On other servers clients set it, and a policy has the server check the value
// (controller/requests/creator_trust.h); without that policy it is an ordinary annotation.
inline constexpr std::string_view kCreatorAnnotation = "kubexms.io/creator";
// The groups of that user at the time of creation: a JSON list of names.
inline constexpr std::string_view kCreatorGroupsAnnotation = "kubexms.io/creator-groups";
inline constexpr std::string_view kRecordCreatorAnnotation = "kubexms.io/record-creator";

}  // namespace kubexms
