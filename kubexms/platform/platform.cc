#include "kubexms/platform/platform.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "kubexms/api/crd/crd.h"
#include "kubexms/api/kinds/apiextensions_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller/requests/creator_trust.h"
#include "kubexms/platform/devbox_kinds.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {
namespace {

constexpr const char* kFieldManager = "kubexms-platform";
constexpr auto kPollInterval = std::chrono::milliseconds(100);

const ResourceType& DefinitionType() {
  static const ResourceType kType = ResourceType::Of<apiextensionsv1::CustomResourceDefinition>();
  return kType;
}

bool IsEstablished(const apiextensionsv1::CustomResourceDefinition& definition) {
  for (const auto& condition : definition.status.conditions) {
    if (condition.type == "Established" && condition.status == "True") return true;
  }
  return false;
}

Result<void> InstallDefinition(Client& client, const Json& definition, Clock& clock,
                               const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const DynamicObject object, DynamicObject::FromJson(definition));
  RETURN_IF_ERROR(client.Apply(DefinitionType(), object,
                               {.field_manager = kFieldManager, .force = true, .stop = stop}));
  const ObjectKey key = ObjectKey::Of(object.metadata);
  do {
    ASSIGN_OR_RETURN(const auto stored,
                     client.Get<apiextensionsv1::CustomResourceDefinition>(key, {.stop = stop}));
    if (IsEstablished(stored)) return {};
  } while (clock.SleepFor(kPollInterval, stop));
  return Error::Timeout("stopped before the CustomResourceDefinition " + key.name +
                        " was established");
}

}  // namespace

std::vector<Json> Definitions() {
  return {CrdOf<userv1::User>(), RequestCrdOf<userv1::Operationrequest>(),
          RequestCrdOf<userv1::Deleterequest>(), CrdOf<devboxv1alpha2::Devbox>()};
}

Result<void> Install(Client& client, Clock& clock, std::stop_token stop) {
  corev1::Namespace system;
  system.metadata.name = kSystemNamespace;
  const auto created = client.Create(system, {.stop = stop});
  if (!created.ok() && !created.error().IsAlreadyExists()) return created.error();
  // Before the definitions, so that no request is older than its policy.
  RETURN_IF_ERROR(InstallCreatorPolicies(
      client,
      {ResourceType::Of<userv1::Operationrequest>(), ResourceType::Of<userv1::Deleterequest>()},
      clock, stop));
  for (const Json& definition : Definitions()) {
    const Result<void> installed = InstallDefinition(client, definition, clock, stop);
    if (!installed.ok())
      return installed.error().WithContext("install the CustomResourceDefinitions of the platform");
  }
  return {};
}

std::vector<Controller> Controllers(const PlatformOptions& options) {
  return {UserController(options.users), OperationRequestController(options.operation_requests),
          DeleteRequestController(options.delete_requests), DevboxController(options.devboxes)};
}

std::vector<Json> Roles(const RoleOptions& options, const PlatformOptions& platform) {
  std::vector<Controller> controllers = Controllers(platform);
  controllers.front().AddAccess({DefinitionType(), "", {"create", "get", "patch"}});
  for (ResourceAccess& access : AccessToInstallCreatorPolicies()) {
    controllers.front().AddAccess(std::move(access));
  }
  std::vector<Json> objects = RolesFor(controllers, options);
  // First, since some of the roles are in it.
  JsonObject system_namespace{{"apiVersion", "v1"},
                              {"kind", "Namespace"},
                              {"metadata", JsonObject{{"name", kSystemNamespace}}}};
  objects.insert(objects.begin(), std::move(system_namespace));
  return objects;
}

void AddControllers(const PlatformOptions& options, Client& client, Manager& manager) {
  for (Controller& controller : Controllers(options)) {
    controller.SetClient(&client);
    manager.Add(std::move(controller));
  }
}

}  // namespace kubexms::platform
