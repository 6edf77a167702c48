#pragma once

// core/v1: what remains: Namespace, ConfigMap, Secret, ServiceAccount, Event, quotas and limits.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::corev1 {

struct Binding : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Binding",
      .doc = "Request that places one pod on one node; posted by a scheduler."};

  ObjectMeta metadata;
  ObjectReference target;

  static void Describe(Type<Binding>& type);
};

struct ComponentCondition : Struct {
  std::string error;
  std::string message;
  std::string status;
  std::string type;

  static void Describe(Type<ComponentCondition>& type);
};

struct ComponentStatus : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "ComponentStatus",
      .scope = Scope::kCluster,
      .doc = "Health of a control plane component as seen by the API server; deprecated.",
      .short_names = "cs"};

  std::vector<ComponentCondition> conditions;
  ObjectMeta metadata;

  static void Describe(Type<ComponentStatus>& type);
};

struct ConfigMap : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "ConfigMap",
      .doc = "Plain configuration data that pods read as files, variables or arguments.",
      .short_names = "cm"};

  StringKeyed<Bytes> binary_data;
  StringMap data;
  Optional<bool> immutable;
  ObjectMeta metadata;

  static void Describe(Type<ConfigMap>& type);
};

struct EventSeries : Struct {
  Optional<int32_t> count;
  MicroTime last_observed_time;

  static void Describe(Type<EventSeries>& type);
};

struct EventSource : Struct {
  std::string component;
  std::string host;

  static void Describe(Type<EventSource>& type);
};

struct Event : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Event",
      .doc = "Report of something that happened to an object; kept for a limited time only.",
      .short_names = "ev"};

  std::string action;
  int32_t count = 0;
  MicroTime event_time;
  Time first_timestamp;
  ObjectReference involved_object;
  Time last_timestamp;
  std::string message;
  ObjectMeta metadata;
  std::string reason;
  Optional<ObjectReference> related;
  std::string reporting_component;
  std::string reporting_instance;
  Optional<EventSeries> series;
  Optional<EventSource> source;
  std::string type;

  static void Describe(Type<Event>& type);
};

struct LimitRangeItem : Struct {
  StringKeyed<Quantity> default_;
  StringKeyed<Quantity> default_request;
  StringKeyed<Quantity> max;
  StringKeyed<Quantity> max_limit_request_ratio;
  StringKeyed<Quantity> min;
  std::string type;

  static void Describe(Type<LimitRangeItem>& type);
};

struct LimitRangeSpec : Struct {
  std::vector<LimitRangeItem> limits;

  static void Describe(Type<LimitRangeSpec>& type);
};

struct LimitRange : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "LimitRange",
      .doc = "Bounds and defaults for the resources of single objects in a namespace.",
      .short_names = "limits"};

  ObjectMeta metadata;
  LimitRangeSpec spec;

  static void Describe(Type<LimitRange>& type);
};

struct NamespaceSpec : Struct {
  std::vector<std::string> finalizers;

  static void Describe(Type<NamespaceSpec>& type);
};

struct NamespaceCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<NamespaceCondition>& type);
};

struct NamespaceStatus : Struct {
  std::vector<NamespaceCondition> conditions;
  std::string phase;

  static void Describe(Type<NamespaceStatus>& type);
};

struct Namespace : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Namespace",
      .scope = Scope::kCluster,
      .doc = "Scope for names, access rights and quotas of most objects.",
      .short_names = "ns"};

  ObjectMeta metadata;
  NamespaceSpec spec;
  NamespaceStatus status;

  static void Describe(Type<Namespace>& type);
};

struct PodTemplate : Struct {
  static constexpr KindName kKind{
      .version = "v1", .kind = "PodTemplate", .doc = "A stored blueprint for pods."};

  ObjectMeta metadata;
  PodTemplateSpec template_;

  static void Describe(Type<PodTemplate>& type);
};

struct ReplicationControllerSpec : Struct {
  Optional<int32_t> min_ready_seconds;
  Optional<int32_t> replicas;
  StringMap selector;
  PodTemplateSpec template_;

  static void Describe(Type<ReplicationControllerSpec>& type);
};

struct ReplicationControllerCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<ReplicationControllerCondition>& type);
};

struct ReplicationControllerStatus : Struct {
  int32_t available_replicas = 0;
  std::vector<ReplicationControllerCondition> conditions;
  int32_t fully_labeled_replicas = 0;
  int64_t observed_generation = 0;
  int32_t ready_replicas = 0;
  int32_t replicas = 0;

  static void Describe(Type<ReplicationControllerStatus>& type);
};

struct ReplicationController : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "ReplicationController",
      .doc = "Keeps a number of equal pods running; Deployments have taken its place.",
      .short_names = "rc",
      .categories = "all"};

  ObjectMeta metadata;
  ReplicationControllerSpec spec;
  ReplicationControllerStatus status;

  static void Describe(Type<ReplicationController>& type);
};

struct ScopedResourceSelectorRequirement : Struct {
  std::string operator_;
  std::string scope_name;
  std::vector<std::string> values;

  static void Describe(Type<ScopedResourceSelectorRequirement>& type);
};

struct ScopeSelector : Struct {
  std::vector<ScopedResourceSelectorRequirement> match_expressions;

  static void Describe(Type<ScopeSelector>& type);
};

struct ResourceQuotaSpec : Struct {
  StringKeyed<Quantity> hard;
  Optional<ScopeSelector> scope_selector;
  std::vector<std::string> scopes;

  static void Describe(Type<ResourceQuotaSpec>& type);
};

struct ResourceQuotaStatus : Struct {
  StringKeyed<Quantity> hard;
  StringKeyed<Quantity> used;

  static void Describe(Type<ResourceQuotaStatus>& type);
};

struct ResourceQuota : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "ResourceQuota",
      .doc = "Bounds the total resources and object counts of a namespace.",
      .short_names = "quota"};

  ObjectMeta metadata;
  ResourceQuotaSpec spec;
  ResourceQuotaStatus status;

  static void Describe(Type<ResourceQuota>& type);
};

struct Secret : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Secret",
      .doc = "Confidential data such as passwords, keys and certificates; base64 hides nothing."};

  StringKeyed<Bytes> data;
  Optional<bool> immutable;
  ObjectMeta metadata;
  StringMap string_data;
  std::string type;

  static void Describe(Type<Secret>& type);
};

struct ServiceAccount : Struct {
  static constexpr KindName kKind{.version = "v1",
                                  .kind = "ServiceAccount",
                                  .doc = "An identity for programs that run in pods.",
                                  .short_names = "sa"};

  Optional<bool> automount_service_account_token;
  std::vector<LocalObjectReference> image_pull_secrets;
  ObjectMeta metadata;
  std::vector<ObjectReference> secrets;

  static void Describe(Type<ServiceAccount>& type);
};

}  // namespace kubexms::corev1
