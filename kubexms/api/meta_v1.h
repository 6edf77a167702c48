#pragma once

// The types of meta/v1: metadata of objects and lists, options and statuses of HTTP requests,
// discovery. They are in the namespace kubexms because all code that uses kinds uses them.

#include <string>
#include <vector>

#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms {

struct GroupVersionForDiscovery : Struct {
  std::string group_version;
  std::string version;

  static void Describe(Type<GroupVersionForDiscovery>& type);
};

struct ServerAddressByClientCIDR : Struct {
  std::string client_cidr;
  std::string server_address;

  static void Describe(Type<ServerAddressByClientCIDR>& type);
};

struct APIGroup : Struct {
  static constexpr KindName kKind{
      .version = "v1", .kind = "APIGroup", .doc = "Discovery data of one API group."};

  std::string name;
  Optional<GroupVersionForDiscovery> preferred_version;
  std::vector<ServerAddressByClientCIDR> server_address_by_client_cidrs;
  std::vector<GroupVersionForDiscovery> versions;

  static void Describe(Type<APIGroup>& type);
};

struct APIGroupList : Struct {
  static constexpr KindName kKind{
      .version = "v1", .kind = "APIGroupList", .doc = "Discovery data of all API groups."};

  std::vector<APIGroup> groups;

  static void Describe(Type<APIGroupList>& type);
};

struct APIResource : Struct {
  std::vector<std::string> categories;
  std::string group;
  std::string kind;
  std::string name;
  bool namespaced = false;
  std::vector<std::string> short_names;
  std::string singular_name;
  std::string storage_version_hash;
  std::vector<std::string> verbs;
  std::string version;

  static void Describe(Type<APIResource>& type);
};

struct APIResourceList : Struct {
  static constexpr KindName kKind{.version = "v1",
                                  .kind = "APIResourceList",
                                  .doc = "Discovery data of the resources of one group version."};

  std::string group_version;
  std::vector<APIResource> resources;

  static void Describe(Type<APIResourceList>& type);
};

struct APIVersions : Struct {
  static constexpr KindName kKind{.version = "v1",
                                  .kind = "APIVersions",
                                  .doc = "Discovery data of the versions of the core group."};

  std::vector<ServerAddressByClientCIDR> server_address_by_client_cidrs;
  std::vector<std::string> versions;

  static void Describe(Type<APIVersions>& type);
};

struct Condition : Struct {
  Time last_transition_time;
  std::string message;
  Optional<int64_t> observed_generation;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<Condition>& type);
};

struct Preconditions : Struct {
  Optional<std::string> resource_version;
  Optional<std::string> uid;

  static void Describe(Type<Preconditions>& type);
};

struct DeleteOptions : Struct {
  std::string api_version;
  std::vector<std::string> dry_run;
  Optional<int64_t> grace_period_seconds;
  bool ignore_store_read_error_with_cluster_breaking_potential = false;
  std::string kind;
  Optional<bool> orphan_dependents;
  Optional<Preconditions> preconditions;
  std::string propagation_policy;

  static void Describe(Type<DeleteOptions>& type);
};

struct FieldSelectorRequirement : Struct {
  std::string key;
  std::string operator_;
  std::vector<std::string> values;

  static void Describe(Type<FieldSelectorRequirement>& type);
};

struct LabelSelectorRequirement : Struct {
  std::string key;
  std::string operator_;
  std::vector<std::string> values;

  static void Describe(Type<LabelSelectorRequirement>& type);
};

struct LabelSelector : Struct {
  std::vector<LabelSelectorRequirement> match_expressions;
  StringMap match_labels;

  static void Describe(Type<LabelSelector>& type);
};

struct ListMeta : Struct {
  std::string continue_;
  Optional<int64_t> remaining_item_count;
  std::string resource_version;
  std::string self_link;

  static void Describe(Type<ListMeta>& type);
};

struct ManagedFieldsEntry : Struct {
  std::string api_version;
  std::string fields_type;
  RawJson fields_v1;
  std::string manager;
  std::string operation;
  std::string subresource;
  Time time;

  static void Describe(Type<ManagedFieldsEntry>& type);
};

struct OwnerReference : Struct {
  std::string api_version;
  Optional<bool> block_owner_deletion;
  Optional<bool> controller;
  std::string kind;
  std::string name;
  std::string uid;

  static void Describe(Type<OwnerReference>& type);
};

struct ObjectMeta : Struct {
  StringMap annotations;
  Time creation_timestamp;
  Optional<int64_t> deletion_grace_period_seconds;
  Time deletion_timestamp;
  std::vector<std::string> finalizers;
  std::string generate_name;
  Optional<int64_t> generation;
  StringMap labels;
  std::vector<ManagedFieldsEntry> managed_fields;
  std::string name;
  std::string namespace_name;
  std::vector<OwnerReference> owner_references;
  std::string resource_version;
  std::string self_link;
  std::string uid;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(ObjectMeta);
  static void Describe(Type<ObjectMeta>& type);
};

struct StatusCause : Struct {
  std::string field;
  std::string message;
  std::string reason;

  static void Describe(Type<StatusCause>& type);
};

struct StatusDetails : Struct {
  std::vector<StatusCause> causes;
  std::string group;
  std::string kind;
  std::string name;
  Optional<int32_t> retry_after_seconds;
  std::string uid;

  static void Describe(Type<StatusDetails>& type);
};

struct Status : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Status",
      .doc = "Result of a request that does not return an object, mostly an error."};

  int32_t code = 0;
  Optional<StatusDetails> details;
  std::string message;
  ListMeta metadata;
  std::string reason;
  std::string status;

  static void Describe(Type<Status>& type);
};

struct WatchEvent : Struct {
  RawJson object;
  std::string type;

  static void Describe(Type<WatchEvent>& type);
};

struct Info : Struct {
  std::string build_date;
  std::string compiler;
  std::string emulation_major;
  std::string emulation_minor;
  std::string git_commit;
  std::string git_tree_state;
  std::string git_version;
  std::string go_version;
  std::string major;
  std::string min_compatibility_major;
  std::string min_compatibility_minor;
  std::string minor;
  std::string platform;

  static void Describe(Type<Info>& type);
};

}  // namespace kubexms
