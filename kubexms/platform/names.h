#pragma once

// Names of the platform's objects, as Sealos uses them.

#include <string>
#include <string_view>

namespace kubexms::platform {

// The namespace of the users' ServiceAccounts.
inline constexpr const char* kSystemNamespace = "user-system";
// The administrator, who cannot be deleted by a request.
inline constexpr std::string_view kAdmin = "admin";

// Annotation of a user.
inline constexpr const char* kDisplayName = "user.sealos.io/display-name";
// Annotation and label.
inline constexpr const char* kOwner = "user.sealos.io/owner";
inline constexpr const char* kCreator = "user.sealos.io/creator";

inline constexpr std::string_view kWorkspacePrefix = "ns-";
// The workspace of a user.
inline std::string WorkspaceOf(std::string_view user) {
  return std::string(kWorkspacePrefix).append(user);
}
// The user of a workspace; empty if the namespace is not a workspace.
inline std::string_view UserOf(std::string_view workspace) {
  if (!workspace.starts_with(kWorkspacePrefix)) return {};
  return workspace.substr(kWorkspacePrefix.size());
}

// The roles in a workspace.
inline constexpr const char* kOwnerRole = "Owner";
inline constexpr const char* kManagerRole = "Manager";
inline constexpr const char* kDeveloperRole = "Developer";

// The RoleBinding of a user in the workspace of another user.
inline std::string GuestBindingOf(std::string_view user) { return std::string("rb-").append(user); }

// The Secret with the kubeconfig of a user, in kSystemNamespace, and the Role that lets the user
// read it.
inline std::string KubeconfigSecretOf(std::string_view user) {
  return std::string("kubeconfig-").append(user);
}
// The key in that Secret.
inline constexpr const char* kKubeconfigKey = "kubeconfig";

// The user name of the ServiceAccount with which a user authenticates.
inline std::string AccountUser(std::string_view user) {
  return std::string("system:serviceaccount:").append(kSystemNamespace).append(":").append(user);
}

// Annotation of a User whose workspace is retained when the User is deleted.
inline constexpr const char* kRetainWorkspace = "user.sealos.io/retain-workspace";

}  // namespace kubexms::platform
