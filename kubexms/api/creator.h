#pragma once

// Who created an object, as the API server of kubexms knows it.

#include <string_view>

namespace kubexms {

// The annotation that says who created an object of a custom resource whose definition has the
// annotation kRecordCreator: "true". The server writes it at creation and nobody can change it. On
// other servers it is an ordinary annotation, which says what its writer wanted it to say.
inline constexpr std::string_view kCreatorAnnotation = "kubexms.io/creator";
// The same of the groups that the creator was in: a JSON list of their names.
inline constexpr std::string_view kCreatorGroupsAnnotation = "kubexms.io/creator-groups";
inline constexpr std::string_view kRecordCreator = "kubexms.io/record-creator";

}  // namespace kubexms
