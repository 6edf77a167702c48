#include "kubexms/builtin/namespaces/root_ca_controller.h"

#include <utility>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/namespaces/active_namespace.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Namespace;

constexpr const char* kName = "kube-root-ca.crt";
constexpr const char* kFile = "ca.crt";
constexpr const char* kDescription = "kubernetes.io/description";
constexpr const char* kDescriptionText =
    "The certificate authority of the API server, for clients inside the cluster.";

Result<void> Create(ReconcileContext& context, const ObjectKey& key, const StringMap& data) {
  ConfigMap map;
  map.metadata.namespace_name = key.namespace_name;
  map.metadata.name = key.name;
  map.metadata.annotations[kDescription] = kDescriptionText;
  map.data = data;
  const auto created = context.client.Create(map, {.stop = context.stop});
  // A ConfigMap of another writer is corrected once the cache has received it.
  if (created.ok() || created.error().IsAlreadyExists()) return {};
  return IgnoreTerminating(created.error());
}

Result<Outcome> Reconcile(ReconcileContext& context, const Namespace& namespace_name,
                          const StringMap& data) {
  if (!IsActive(namespace_name)) return Outcome::Done();
  const ObjectKey key{context.key.name, kName};
  const auto cached = context.Cached<ConfigMap>().Get(key);
  if (cached == nullptr) {
    RETURN_IF_ERROR(Create(context, key, data));
    return Outcome::Done();
  }
  if (cached->data == data) return Outcome::Done();
  ConfigMap map = *cached;
  map.data = data;
  RETURN_IF_ERROR(IgnoreNotFound(context.client.Update(map, {.stop = context.stop})));
  return Outcome::Done();
}

}  // namespace

Controller RootCaController(std::string authority_pem) {
  ControllerFor<Namespace> controller({.name = "root-ca-certificate-publisher-controller"});
  controller
      .Watches<ConfigMap>(
          [](const ConfigMap& map) -> std::vector<ObjectKey> {
            return {{"", map.metadata.namespace_name}};
          },
          {.scope = {.field_selector =
                         FieldSelector::Parse("metadata.name=kube-root-ca.crt").value()}})
      .RequiresAccess<ConfigMap>({"create", "update"})
      .Reconciles([data = StringMap{{kFile, std::move(authority_pem)}}](
                      ReconcileContext& context, const Namespace& namespace_name) {
        return Reconcile(context, namespace_name, data);
      });
  return controller;
}

}  // namespace kubexms
