#pragma once

// A request. Creating a ConfigCopy asks for a ConfigMap to be copied into another namespace, once:
//
//   NAME    PHASE       AGE
//   fonts   Completed   12s

#include <string>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/requests/request_controller.h"

namespace kubexms::config_copy {

struct ConfigCopySpec : Struct {
  std::string name;
  std::string to;

  static void Describe(Type<ConfigCopySpec>& type) {
    type.Doc("What is copied where.");
    type.Field("name", &ConfigCopySpec::name, "Of the ConfigMap, in the request's namespace.")
        .Required()
        .MinLength(1);
    type.Field("to", &ConfigCopySpec::to, "The namespace that gets the copy.")
        .Required()
        .MinLength(1);
  }
};

struct ConfigCopy : Object<ConfigCopySpec, RequestStatus> {
  static constexpr KindName kKind{
      .group = "example.io", .version = "v1", .kind = "ConfigCopy", .plural = "configcopies"};
};

// Idempotent: the copy is the same however often it is made.
inline Result<RequestOutcome> Execute(ReconcileContext& context, ConfigCopy& request) {
  const std::string& from = request.metadata.namespace_name;
  const ConfigCopySpec& spec = request.spec;
  if (spec.to == from) {
    return Terminal(Error::BadRequest("spec.to: must be another namespace than the request's"));
  }
  // Not there yet, or forbidden: tried again until the request expires.
  ASSIGN_OR_RETURN(const corev1::ConfigMap original,
                   context.client.Get<corev1::ConfigMap>({from, spec.name}));
  RETURN_IF_ERROR(CreateOrUpdate<corev1::ConfigMap>(
      context.client, {spec.to, spec.name},
      [&](corev1::ConfigMap& copy) { copy.data = original.data; }));
  return RequestOutcome::Completed("copied to " + spec.to + "/" + spec.name);
}

// `audit` may be null.
inline Controller ConfigCopyController(AuditSink* audit) {
  return RequestController<ConfigCopy>(
             {.controller = {.name = "config-copy", .workers = 4},
              .times = {.expires_after = std::chrono::minutes(10)},
              .execute = Execute,
              // Two copies of one ConfigMap to one place: the later request has the last word.
              .one_at_a_time =
                  [](const ConfigCopy& request) {
                    return request.spec.to + "/" + request.spec.name;
                  },
              .audit = audit})
      .Touches<corev1::ConfigMap>({"get", "create", "update"});
}

}  // namespace kubexms::config_copy
