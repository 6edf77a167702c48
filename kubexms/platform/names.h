#pragma once

// What the things of the platform are called. The names are those that Sealos uses.

#include <string>
#include <string_view>

namespace kubexms::platform {

// Where the service accounts of users are.
inline constexpr const char* kSystemNamespace = "user-system";
// Who may do everything, and cannot be deleted by a request.
inline constexpr std::string_view kAdmin = "admin";

// Annotation of a user.
inline constexpr const char* kDisplayName = "user.sealos.io/display-name";
// Annotation and label.
inline constexpr const char* kOwner = "user.sealos.io/owner";
inline constexpr const char* kCreator = "user.sealos.io/creator";

inline constexpr std::string_view kWorkspacePrefix = "ns-";
// The namespace of a user.
inline std::string WorkspaceOf(std::string_view user) {
  return std::string(kWorkspacePrefix).append(user);
}
// The user of a workspace; empty when the namespace is none.
inline std::string_view UserOf(std::string_view workspace) {
  if (!workspace.starts_with(kWorkspacePrefix)) return {};
  return workspace.substr(kWorkspacePrefix.size());
}

// What somebody may do in a workspace.
inline constexpr const char* kOwnerRole = "Owner";
inline constexpr const char* kManagerRole = "Manager";
inline constexpr const char* kDeveloperRole = "Developer";

// The RoleBinding of a user in a workspace of somebody else.
inline std::string GuestBindingOf(std::string_view user) { return std::string("rb-").append(user); }

// The Secret with the kubeconfig of a user, in kSystemNamespace, and the Role that lets the user
// read it.
inline std::string KubeconfigSecretOf(std::string_view user) {
  return std::string("kubeconfig-").append(user);
}
// The key in that Secret.
inline constexpr const char* kKubeconfigKey = "kubeconfig";

// As whom the server knows a user: the service account of that name.
inline std::string AccountUser(std::string_view user) {
  return std::string("system:serviceaccount:").append(kSystemNamespace).append(":").append(user);
}

// On a User that is being deleted: the workspace stays.
inline constexpr const char* kKeepWorkspace = "user.sealos.io/keep-workspace";

}  // namespace kubexms::platform
