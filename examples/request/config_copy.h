#pragma once

// A request kind: a ConfigCopy copies a ConfigMap to another namespace, once:
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
    type.Doc("Source and destination of the copy.");
    type.Field("name", &ConfigCopySpec::name, "Name of the ConfigMap in the request's namespace.")
        .Required()
        .MinLength(1);
    type.Field("to", &ConfigCopySpec::to, "Destination namespace.").Required().MinLength(1);
  }
};

struct ConfigCopy : Object<ConfigCopySpec, RequestStatus> {
  static constexpr KindName kKind{
      .group = "example.io", .version = "v1", .kind = "ConfigCopy", .plural = "configcopies"};
};

// Idempotent: repeated executions write the same copy.
inline Result<RequestOutcome> Execute(ReconcileContext& context, ConfigCopy& request) {
  const std::string& from = request.metadata.namespace_name;
  const ConfigCopySpec& spec = request.spec;
  if (spec.to == from) {
    return Terminal(Error::BadRequest("spec.to: must be another namespace than the request's"));
  }
  // Not found or forbidden: retried until the request expires.
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
             {.controller = {.name = "config-copy", .max_concurrent_reconciles = 4},
              .times = {.expires_after = std::chrono::minutes(10)},
              .execute = Execute,
              // Copies to the same ConfigMap are executed in order, so that the last request wins.
              .ordering_key =
                  [](const ConfigCopy& request) {
                    return request.spec.to + "/" + request.spec.name;
                  },
              .audit = audit})
      .RequiresAccess<corev1::ConfigMap>({"get", "create", "update"});
}

}  // namespace kubexms::config_copy
