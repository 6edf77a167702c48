#pragma once

// apiregistration.k8s.io/v1: APIService, a group served by another server.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::apiregistrationv1 {

struct ServiceReference : Struct {
  std::string name;
  std::string namespace_name;
  Optional<int32_t> port;

  static void Describe(Type<ServiceReference>& type);
};

struct APIServiceSpec : Struct {
  Bytes ca_bundle;
  std::string group;
  int32_t group_priority_minimum = 0;
  bool insecure_skip_tls_verify = false;
  Optional<ServiceReference> service;
  std::string version;
  int32_t version_priority = 0;

  static void Describe(Type<APIServiceSpec>& type);
};

struct APIServiceCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<APIServiceCondition>& type);
};

struct APIServiceStatus : Struct {
  std::vector<APIServiceCondition> conditions;

  static void Describe(Type<APIServiceStatus>& type);
};

struct APIService : Struct {
  static constexpr KindName kKind{
      .group = "apiregistration.k8s.io",
      .version = "v1",
      .kind = "APIService",
      .scope = Scope::kCluster,
      .doc = "Hands one group and version of the API to another server; its name is version.group.",
      .categories = "api-extensions"};

  ObjectMeta metadata;
  APIServiceSpec spec;
  APIServiceStatus status;

  static void Describe(Type<APIService>& type);
};

}  // namespace kubexms::apiregistrationv1
