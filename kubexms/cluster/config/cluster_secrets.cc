#include "kubexms/cluster/config/cluster_secrets.h"

#include <fmt/format.h>

#include <filesystem>

#include "kubexms/automation/steps/runtime.h"
#include "kubexms/base/small_file.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms::cluster {
namespace {

// All that VRRP has room for.
constexpr size_t kVrrpPasswordLength = 8;

Result<Secret> EnsureVrrpPassword(const std::string& directory, Random& random) {
  const std::string path = directory + "/vrrp-password";
  ASSIGN_OR_RETURN(const std::optional<std::string> kept, ReadSmallFile(path, kVrrpPasswordLength));
  if (kept && !kept->empty()) return Secret(*kept);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return Error::Internal(fmt::format("cannot create {}: {}", directory, failed.message()));
  Secret made(random.NameSuffix(kVrrpPasswordLength));
  RETURN_IF_ERROR(WritePrivateFile(path, made.Reveal()));
  return made;
}

}  // namespace

Result<ClusterSecrets> EnsureClusterSecrets(const ClusterSpec& spec, const std::string& directory,
                                            SecretRegistry& registry, Random& random) {
  ClusterSecrets secrets;
  for (const RegistrySpec& each : spec.container_runtime.registries) {
    if (each.password.empty()) continue;
    Result<Secret> password = automation::ResolveSecret(each.password, registry);
    if (!password.ok()) {
      return password.error().WithContext(fmt::format("the password for {}", each.name));
    }
    secrets.registry_passwords[each.name] = *std::move(password);
  }
  if (!spec.role_groups.load_balancer.empty()) {
    ASSIGN_OR_RETURN(secrets.vrrp_password, EnsureVrrpPassword(directory, random));
    registry.Add(secrets.vrrp_password);
  }
  return secrets;
}

}  // namespace kubexms::cluster
