#pragma once

// The identities of kinds and resources. The core group has an empty name: "v1" is version v1 of
// the core group, "apps/v1" is version v1 of the group apps.

#include <compare>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

struct GroupVersion {
  std::string group;
  std::string version;

  // "apps/v1" or "v1"; the empty string is the empty value.
  static Result<GroupVersion> Parse(std::string_view text);
  std::string ToString() const;

  auto operator<=>(const GroupVersion&) const = default;
};

struct GroupKind {
  std::string group;
  std::string kind;

  // "Deployment.apps" or "Pod".
  static GroupKind Parse(std::string_view text);
  std::string ToString() const;

  auto operator<=>(const GroupKind&) const = default;
};

struct GroupResource {
  std::string group;
  std::string resource;

  // "deployments.apps" or "pods".
  static GroupResource Parse(std::string_view text);
  std::string ToString() const;

  auto operator<=>(const GroupResource&) const = default;
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  // From the fields apiVersion and kind of an object.
  static Result<GroupVersionKind> Parse(std::string_view api_version, std::string_view kind);
  // "apps/v1, Kind=Deployment".
  std::string ToString() const;
  // "apps/v1".
  std::string ApiVersion() const { return group_version().ToString(); }

  GroupVersion group_version() const { return {group, version}; }
  GroupKind group_kind() const { return {group, kind}; }

  auto operator<=>(const GroupVersionKind&) const = default;
};

struct GroupVersionResource {
  std::string group;
  std::string version;
  std::string resource;

  static Result<GroupVersionResource> Parse(std::string_view api_version,
                                            std::string_view resource);
  // "apps/v1, Resource=deployments".
  std::string ToString() const;

  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }

  auto operator<=>(const GroupVersionResource&) const = default;
};

// Orders versions of a group by preference: v2 > v1 > v2beta1 > v1beta2 > v1alpha1 > names of any
// other form, of which the alphabetically first is the greatest.
std::weak_ordering CompareVersions(std::string_view a, std::string_view b);

// For sorting versions, the most preferred first.
inline bool IsPreferredVersion(std::string_view a, std::string_view b) {
  return CompareVersions(a, b) > 0;
}

}  // namespace kubexms
