#pragma once

// user.sealos.io/v1: people, and what is asked for them. The names, fields and columns are those
// that Sealos has, so that its manifests work unchanged.

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

// Somebody with a workspace of their own.
struct User : Struct {
  static constexpr KindName kKind{
      .group = kGroup,
      .version = "v1",
      .kind = "User",
      .scope = Scope::kCluster,
      .doc = "Somebody who uses the platform, with a workspace and a kubeconfig of their own."};

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

// Asks for a role in a workspace to be given, changed or taken.
struct Operationrequest : Struct {
  static constexpr KindName kKind{
      .group = kGroup,
      .version = "v1",
      .kind = "Operationrequest",
      .doc = "Asks for the role of a user in a workspace to be granted, changed or taken away."};

  ObjectMeta metadata;
  OperationrequestSpec spec;
  RequestStatus status;

  static void Describe(Type<Operationrequest>& type);
};

struct DeleterequestSpec : Struct {
  std::string user;
  Optional<bool> delete_dependents;

  static void Describe(Type<DeleterequestSpec>& type);
};

// Asks for a user to be deleted.
struct Deleterequest : Struct {
  static constexpr KindName kKind{
      .group = kGroup,
      .version = "v1",
      .kind = "Deleterequest",
      .scope = Scope::kCluster,
      .doc = "Asks for a user to be deleted, with or without what belongs to the user."};

  ObjectMeta metadata;
  DeleterequestSpec spec;
  RequestStatus status;

  static void Describe(Type<Deleterequest>& type);
};

}  // namespace kubexms::userv1
