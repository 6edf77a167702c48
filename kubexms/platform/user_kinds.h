#pragma once

// user.sealos.io/v1: users and requests. Names, fields and columns are those of Sealos, so that its
// manifests work unchanged.

#include <cstdint>
#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/object.h"
#include "kubexms/controller/requests/request_controller.h"

namespace kubexms::userv1 {

inline constexpr std::string_view kGroup = "user.sealos.io";

struct UserSpec : Struct {
  int32_t csr_expiration_seconds = 0;
  Time kube_config_rotate_at;

  static void Describe(Type<UserSpec>& type);
};

struct UserStatus : Struct {
  std::string phase;  // Pending, Unknown or Active
  int64_t observed_csr_expiration_seconds = 0;
  Optional<corev1::SecretReference> kube_config_secret;
  Time observed_kube_config_rotate_at;
  int64_t observed_generation = 0;
  std::vector<Condition> conditions;

  static void Describe(Type<UserStatus>& type);
};

// A user with a workspace.
struct User : Struct {
  static constexpr KindName kKind{
      .group = kGroup,
      .version = "v1",
      .kind = "User",
      .scope = Scope::kCluster,
      .doc = "User is a user of the platform with a workspace and a kubeconfig."};

  ObjectMeta metadata;
  UserSpec spec;
  UserStatus status;

  static void Describe(Type<User>& type);
};

struct OperationrequestSpec : Struct {
  std::string action;  // Grant, Update or Deprive
  std::string namespace_name;
  std::string user;
  std::string role;  // Owner, Manager or Developer

  static void Describe(Type<OperationrequestSpec>& type);
};

// Requests a change of a user's role in a workspace.
struct Operationrequest : Object<OperationrequestSpec, RequestStatus> {
  static constexpr KindName kKind{
      .group = kGroup,
      .version = "v1",
      .kind = "Operationrequest",
      .doc =
          "Operationrequest requests to grant, change or revoke the role of a user in a "
          "workspace."};
};

struct DeleterequestSpec : Struct {
  std::string user;
  Optional<bool> delete_dependents;

  static void Describe(Type<DeleterequestSpec>& type);
};

// Requests the deletion of a user.
struct Deleterequest : Object<DeleterequestSpec, RequestStatus> {
  static constexpr KindName kKind{
      .group = kGroup,
      .version = "v1",
      .kind = "Deleterequest",
      .scope = Scope::kCluster,
      .doc = "Deleterequest requests the deletion of a user, with or without the workspace."};
};

}  // namespace kubexms::userv1
