#include "kubexms/apiserver/request/scope.h"

#include <algorithm>

namespace kubexms {
namespace {

Error NotServed(const Resource& resource) {
  // Kubernetes serves custom resources from another handler, which answers unknown paths this way.
  return resource.custom ? Error(404, "", "404 page not found\n") : NoSuchResource();
}

bool AllowsAny(const Resource& resource, std::initializer_list<std::string_view> verbs) {
  return std::ranges::any_of(verbs, [&](std::string_view verb) { return resource.Allows(verb); });
}

bool IsListOrWatch(const RequestAttributes& attributes) {
  return attributes.verb == "list" || attributes.verb == "watch";
}

// The name of a list or watch comes from its field selector.
bool NamesOneObject(const RequestAttributes& attributes) {
  return !attributes.name.empty() && !IsListOrWatch(attributes);
}

// A path without a namespace stands for all namespaces, which can only be listed and watched.
Result<void> CheckAllNamespaces(const Resource& resource, const RequestAttributes& attributes) {
  const bool of_many = !NamesOneObject(attributes) && attributes.subresource.empty();
  if (!of_many || !resource.Allows("list")) return NotServed(resource);
  if (IsListOrWatch(attributes)) return {};
  if (resource.custom) return NotServed(resource);
  return MethodNotAllowed();
}

}  // namespace

Error NoSuchResource() {
  return {404, "NotFound", "the server could not find the requested resource"};
}

Error MethodNotAllowed() {
  return {405, "MethodNotAllowed",
          "the server does not allow this method on the requested resource"};
}

Result<void> CheckScope(const Resource& resource, const RequestAttributes& attributes) {
  if (resource.namespaced || attributes.namespace_name.empty()) return {};
  // A Namespace has itself as namespace, so that Roles inside it can grant access to it.
  if (resource.Is("", "namespaces") && attributes.name == attributes.namespace_name) return {};
  return NotServed(resource);
}

Result<void> CheckPath(const Resource& resource, const RequestAttributes& attributes) {
  RETURN_IF_ERROR(CheckScope(resource, attributes));
  if (resource.namespaced && attributes.namespace_name.empty()) {
    return CheckAllNamespaces(resource, attributes);
  }
  if (!attributes.subresource.empty()) {
    return resource.FindSubresource(attributes.subresource) == nullptr ? NoSuchResource()
                                                                       : Result<void>();
  }
  const bool served = NamesOneObject(attributes)
                          ? AllowsAny(resource, {"get", "update", "patch", "delete"})
                          : AllowsAny(resource, {"list", "create", "deletecollection"});
  return served ? Result<void>() : NotServed(resource);
}

}  // namespace kubexms
