// Claims for devices: those of a pod, and what its containers use of them.

#include <fmt/format.h>

#include <set>
#include <string>

#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

using Names = std::set<std::string, std::less<>>;

// The text, or null where it is absent.
Json TextOrNull(const Field& field) { return field ? Json(field.Text()) : Json(nullptr); }

// As the Go struct that it is in Kubernetes.
Json ShownClaim(const Field& claim) {
  return JsonObject{{"Name", claim["name"].Text()},
                    {"ResourceClaimName", TextOrNull(claim["resourceClaimName"])},
                    {"ResourceClaimTemplateName", TextOrNull(claim["resourceClaimTemplateName"])}};
}

void ValidateClaim(const Field& claim, UniqueTexts& names) {
  const Field name = claim["name"];
  if (name.MustBeSet() && names.Add(name)) name.MustBeLabel();
  const Field existing = claim["resourceClaimName"];
  const Field made = claim["resourceClaimTemplateName"];
  if (existing && made) {
    claim.Invalid(ShownClaim(claim),
                  "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                  "specified");
  }
  if (!existing && !made) {
    claim.Invalid(ShownClaim(claim),
                  "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  if (existing) existing.MustBeSubdomain();
  if (made) made.MustBeSubdomain();
}

// A container uses a whole claim, or some of its requests; each once.
void ValidateUse(const Field& use, Names& used) {
  const std::string name(use["name"].Text());
  if (used.contains(name)) return use.Duplicate(Json(name));
  const Field request = use["request"];
  std::string key = name;
  if (!request.empty()) {
    request.MustBeLabel();
    key += fmt::format("/{}", request.Text());
  }
  const auto part = used.lower_bound(name + "/");
  const bool is_used_in_part = part != used.end() && part->starts_with(name + "/");
  if (used.contains(key) || (request.empty() && is_used_in_part)) use.Duplicate(Json(key));
  used.insert(std::move(key));
}

void MustBeClaimed(const Field& use, const Names& claimed) {
  if (claimed.contains(use["name"].Text())) return;
  ErrorCause cause = NotFound(use.path(), Json(use["name"].Text()));
  cause.message += ": must be one of the names in pod.spec.resourceClaims";
  cause.message +=
      claimed.empty() ? " which is empty" : fmt::format(": {}", fmt::join(claimed, ", "));
  use.errors().push_back(std::move(cause));
}

void ValidateUses(const Field& container, const Names& claimed) {
  const Field uses = container["resources.claims"];
  Names used;
  for (const Field& use : uses.Items()) {
    if (use["name"].empty()) {
      use.Required();
      continue;
    }
    ValidateUse(use, used);
    MustBeClaimed(use, claimed);
  }
}

}  // namespace

void ValidateResourceClaims(const Field& spec) {
  UniqueTexts names;
  const Field claims = spec["resourceClaims"];
  for (const Field& claim : claims.Items()) ValidateClaim(claim, names);
  if (const Field of_pod = spec["resources.claims"]; !of_pod.empty())
    of_pod.Forbidden("claims may not be set for Resources at pod-level");
}

void ValidateClaimUses(const Field& spec) {
  Names claimed;
  const Field claims = spec["resourceClaims"];
  for (const Field& claim : claims.Items()) {
    if (const Field name = claim["name"]; !name.empty()) claimed.emplace(name.Text());
  }
  for (std::string_view list : {"containers", "initContainers"}) {
    const Field containers = spec[list];
    for (const Field& container : containers.Items()) ValidateUses(container, claimed);
  }
}

}  // namespace kubexms
