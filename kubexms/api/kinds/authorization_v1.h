#pragma once

// authorization.k8s.io/v1: may they do that: the access reviews.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::authorizationv1 {

struct FieldSelectorAttributes : Struct {
  std::string raw_selector;
  std::vector<FieldSelectorRequirement> requirements;

  static void Describe(Type<FieldSelectorAttributes>& type);
};

struct LabelSelectorAttributes : Struct {
  std::string raw_selector;
  std::vector<LabelSelectorRequirement> requirements;

  static void Describe(Type<LabelSelectorAttributes>& type);
};

struct NonResourceAttributes : Struct {
  std::string path;
  std::string verb;

  static void Describe(Type<NonResourceAttributes>& type);
};

struct ResourceAttributes : Struct {
  Optional<FieldSelectorAttributes> field_selector;
  std::string group;
  Optional<LabelSelectorAttributes> label_selector;
  std::string name;
  std::string namespace_name;
  std::string resource;
  std::string subresource;
  std::string verb;
  std::string version;

  static void Describe(Type<ResourceAttributes>& type);
};

struct SubjectAccessReviewSpec : Struct {
  StringKeyed<std::vector<std::string>> extra;
  std::vector<std::string> groups;
  Optional<NonResourceAttributes> non_resource_attributes;
  Optional<ResourceAttributes> resource_attributes;
  std::string uid;
  std::string user;

  static void Describe(Type<SubjectAccessReviewSpec>& type);
};

struct SubjectAccessReviewStatus : Struct {
  bool allowed = false;
  bool denied = false;
  std::string evaluation_error;
  std::string reason;

  static void Describe(Type<SubjectAccessReviewStatus>& type);
};

struct LocalSubjectAccessReview : Struct {
  static constexpr KindName kKind{.group = "authorization.k8s.io",
                                  .version = "v1",
                                  .kind = "LocalSubjectAccessReview",
                                  .doc =
                                      "Checks whether a user may perform an action in the "
                                      "namespace of the review; not stored."};

  ObjectMeta metadata;
  SubjectAccessReviewSpec spec;
  SubjectAccessReviewStatus status;

  static void Describe(Type<LocalSubjectAccessReview>& type);
};

struct NonResourceRule : Struct {
  std::vector<std::string> non_resource_urls;
  std::vector<std::string> verbs;

  static void Describe(Type<NonResourceRule>& type);
};

struct ResourceRule : Struct {
  std::vector<std::string> api_groups;
  std::vector<std::string> resource_names;
  std::vector<std::string> resources;
  std::vector<std::string> verbs;

  static void Describe(Type<ResourceRule>& type);
};

struct SelfSubjectAccessReviewSpec : Struct {
  Optional<NonResourceAttributes> non_resource_attributes;
  Optional<ResourceAttributes> resource_attributes;

  static void Describe(Type<SelfSubjectAccessReviewSpec>& type);
};

struct SelfSubjectAccessReview : Struct {
  static constexpr KindName kKind{.group = "authorization.k8s.io",
                                  .version = "v1",
                                  .kind = "SelfSubjectAccessReview",
                                  .scope = Scope::kCluster,
                                  .doc = "Asks whether the caller may do something; not stored."};

  ObjectMeta metadata;
  SelfSubjectAccessReviewSpec spec;
  SubjectAccessReviewStatus status;

  static void Describe(Type<SelfSubjectAccessReview>& type);
};

struct SelfSubjectRulesReviewSpec : Struct {
  std::string namespace_name;

  static void Describe(Type<SelfSubjectRulesReviewSpec>& type);
};

struct SubjectRulesReviewStatus : Struct {
  std::string evaluation_error;
  bool incomplete = false;
  std::vector<NonResourceRule> non_resource_rules;
  std::vector<ResourceRule> resource_rules;

  static void Describe(Type<SubjectRulesReviewStatus>& type);
};

struct SelfSubjectRulesReview : Struct {
  static constexpr KindName kKind{
      .group = "authorization.k8s.io",
      .version = "v1",
      .kind = "SelfSubjectRulesReview",
      .scope = Scope::kCluster,
      .doc = "Asks for all that the caller may do in one namespace; not stored."};

  ObjectMeta metadata;
  SelfSubjectRulesReviewSpec spec;
  SubjectRulesReviewStatus status;

  static void Describe(Type<SelfSubjectRulesReview>& type);
};

struct SubjectAccessReview : Struct {
  static constexpr KindName kKind{
      .group = "authorization.k8s.io",
      .version = "v1",
      .kind = "SubjectAccessReview",
      .scope = Scope::kCluster,
      .doc = "Asks whether a user or group may do something; not stored."};

  ObjectMeta metadata;
  SubjectAccessReviewSpec spec;
  SubjectAccessReviewStatus status;

  static void Describe(Type<SubjectAccessReview>& type);
};

}  // namespace kubexms::authorizationv1
