#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quantity.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/strategies/pod.h"
#include "kubexms/apiserver/strategies/volume_sources.h"

namespace kubexms {
namespace {

void ValidateFileMode(const Field& mode) {
  if (mode && (mode.Int() < 0 || mode.Int() > 0777))
    mode.Invalid("must be a number between 0 and 0777 (octal), both inclusive");
}

void ValidateKeyToPath(const Field& item) {
  item["key"].MustBeSet();
  const Field path = item["path"];
  path.MustBeSet();
  ValidateNonReservedPath(path);
  ValidateFileMode(item["mode"]);
}

// Kubernetes names the list, not its item.
void ValidateDownwardItem(const Field& item, const FieldPath& path) {
  const Field shown(item.value(), path, item.errors());
  const Field file = shown["path"];
  file.MustBeSet();
  ValidateNonReservedPath(file);
  const Field field = shown["fieldRef"];
  const Field resource = shown["resourceFieldRef"];
  if (field) {
    ValidateFieldReference(field, FieldReferenceContext::kVolume);
    if (resource)
      shown.Invalid(Json("resource"),
                    "fieldRef and resourceFieldRef can not be specified simultaneously");
  } else if (resource) {
    ValidateResourceReference(resource, FieldReferenceContext::kVolume);
  } else {
    shown.Required("one of fieldRef and resourceFieldRef is required");
  }
  ValidateFileMode(shown["mode"]);
}

void ValidateNamedSource(const Field& source, std::string_view name) {
  source[name].MustBeSet();
  ValidateFileMode(source["defaultMode"]);
  const Field items = source["items"];
  for (const Field& item : items.Items()) ValidateKeyToPath(item);
}

void ValidateEmptyDir(const Field& source) {
  const Result<Quantity> limit = Quantity::Parse(source["sizeLimit"].Text());
  if (limit.ok() && limit->Sign() < 0)
    source["sizeLimit"].Forbidden("SizeLimit field must be a valid resource quantity");
}

// The paths of a projected volume, each of which must have one source only.
class ProjectedPaths {
 public:
  explicit ProjectedPaths(const Field& volume) : volume_(volume) {}

  void Add(std::string_view path, std::string_view shown) {
    if (path.empty()) return;
    if (std::find(paths_.begin(), paths_.end(), path) != paths_.end())
      volume_.Invalid(Json(shown), "conflicting duplicate paths");
    paths_.push_back(path);
  }

  const Field& volume() const { return volume_; }

 private:
  const Field& volume_;
  std::vector<std::string_view> paths_;
};

void ValidateKeyProjection(const Field& source, ProjectedPaths& paths) {
  const Field name = source["name"];
  name.MustBeSet();
  const Field items = source["items"];
  for (const Field& item : items.Items()) {
    ValidateKeyToPath(item);
    paths.Add(item["path"].Text(), name.Text());
  }
}

void ValidateDownwardProjection(const Field& source, ProjectedPaths& paths) {
  const Field items = source["items"];
  for (const Field& item : items.Items()) {
    ValidateDownwardItem(item, source.path());
    paths.Add(item["path"].Text(), item["path"].Text());
  }
}

void ValidateTokenProjection(const Field& source, ProjectedPaths& paths) {
  const Field expiration = source["expirationSeconds"];
  if (expiration.Int() < 600)
    expiration.Invalid(Json(expiration.Int()), "may not specify a duration less than 10 minutes");
  if (expiration.Int() > int64_t{1} << 32)
    expiration.Invalid("may not specify a duration larger than 2^32 seconds");
  const FieldPath& volume = paths.volume().path();
  const Field path(source["path"].value(), volume.Child("path"), source.errors());
  if (path.MustBeSet()) ValidateNonReservedPath(path);
}

void ValidateTrustBundleProjection(const Field& source, ProjectedPaths& paths) {
  const Field name = source["name"];
  const Field signer = source["signerName"];
  if (name && signer) {
    source.Invalid("only one of name and signerName may be used");
  } else if (name) {
    name.MustBeSet("must be a valid object name");
    if (const Field selector = source["labelSelector"])
      selector.Invalid("labelSelector must be unset if name is specified");
  } else if (signer) {
    signer.MustBeSet("must be a valid signer name");
    const Field selector = source["labelSelector"];
    ValidateLabelSelector(selector);
  } else {
    source.Required("either name or signerName must be specified");
  }
  const Field path = source["path"];
  path.MustBeSet();
  ValidateNonReservedPath(path);
  paths.Add(path.Text(), path.Text());
}

void ValidateProjectedSource(const Field& source, ProjectedPaths& paths) {
  size_t count = 0;
  const auto visit = [&](std::string_view name, auto validate) {
    const Field projection = source[name];
    if (!projection) return;
    ++count;
    validate(projection, paths);
  };
  visit("secret", ValidateKeyProjection);
  visit("configMap", ValidateKeyProjection);
  visit("downwardAPI", ValidateDownwardProjection);
  visit("serviceAccountToken", ValidateTokenProjection);
  visit("clusterTrustBundle", ValidateTrustBundleProjection);
  if (count > 1) source.Forbidden("may not specify more than 1 volume type per source");
}

void ValidateProjected(const Field& source) {
  ValidateFileMode(source["defaultMode"]);
  ProjectedPaths paths(source);
  const Field sources = source["sources"];
  for (const Field& projection : sources.Items()) ValidateProjectedSource(projection, paths);
}

void ValidateEphemeral(const Field& source) {
  const Field claim = source["volumeClaimTemplate"];
  if (!claim) return claim.Required();
  const Field metadata = claim["metadata"];
  ValidateAnnotations(metadata["annotations"]);
  ValidateLabels(metadata["labels"]);
  for (std::string_view name : metadata.Keys()) {
    if (name != "annotations" && name != "labels") metadata[name].Forbidden("cannot be set");
  }
  const Field spec = claim["spec"];
  ValidateClaimSpec(spec);
}

void ValidateCsi(const Field& source) {
  ValidateDriverName(source["driver"]);
  const Field secret = source["nodePublishSecretRef"];
  if (!secret) return;
  if (secret["name"].MustBeSet())
    Field(secret["name"].value(), source.path().Child("name"), source.errors()).MustBeSubdomain();
}

void ValidateSource(std::string_view type, const Field& source) {
  if (type == "emptyDir") return ValidateEmptyDir(source);
  if (type == "secret") return ValidateNamedSource(source, "secretName");
  if (type == "configMap") return ValidateNamedSource(source, "name");
  if (type == "projected") return ValidateProjected(source);
  if (type == "ephemeral") return ValidateEphemeral(source);
  if (type == "csi") return ValidateCsi(source);
  if (type == "persistentVolumeClaim") {
    source["claimName"].MustBeSet();
  } else if (type == "downwardAPI") {
    ValidateFileMode(source["defaultMode"]);
    const Field items = source["items"];
    for (const Field& item : items.Items()) ValidateDownwardItem(item, source.path());
  } else {
    ValidateCommonSource(type, source);
  }
}

void ValidateVolumeSource(const Field& volume, std::string_view pod_name) {
  size_t count = 0;
  for (std::string_view type : volume.Keys()) {
    const Field source = volume[type];
    if (type == "name" || !source) continue;
    if (++count > 1) {
      source.Forbidden("may not specify more than 1 volume type");
    } else {
      ValidateSource(type, source);
    }
  }
  if (count == 0) volume.Required("must specify a volume type");
  // The name of the generated claim consists of both names.
  const Field name = volume["name"];
  if (!volume["ephemeral"] || pod_name.empty() || name.empty()) return;
  const std::string claim = fmt::format("{}-{}", pod_name, name.Text());
  for (const std::string& problem : ValidateDns1123Subdomain(claim))
    name.Invalid(fmt::format("PVC name {}: {}", Quoted(claim), problem));
}

}  // namespace

PodVolumes ValidateVolumes(const Field& volumes, std::string_view pod_name) {
  PodVolumes usable;
  for (const Field& volume : volumes.Items()) {
    const size_t errors_before = volume.errors().size();
    ValidateVolumeSource(volume, pod_name);
    const Field name = volume["name"];
    if (name.MustBeSet()) name.MustBeLabel();
    if (usable.all.Contains(name.Text())) {
      name.Duplicate();
    } else if (volume.errors().size() == errors_before) {
      usable.all.Add(name);
      if (volume["persistentVolumeClaim"] || volume["ephemeral"]) usable.claims.Add(name);
    }
  }
  return usable;
}

}  // namespace kubexms
