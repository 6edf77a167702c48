#include <fmt/format.h>

#include "kubexms/api/quantity.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

void ValidateNoBacksteps(const Field& path) {
  const std::string padded = fmt::format("/{}/", path.Text());
  if (padded.find("/../") != std::string::npos) path.Invalid("must not contain '..'");
}

void ValidateDescendingPath(const Field& path) {
  if (path.Text().starts_with('/')) path.Invalid("must be a relative path");
  ValidateNoBacksteps(path);
}

void ValidateFileMode(const Field& mode) {
  if (mode && (mode.Int() < 0 || mode.Int() > 0777))
    mode.Invalid("must be a number between 0 and 0777 (octal), both inclusive");
}

void ValidateKeysToPaths(const Field& items) {
  for (const Field& item : items.Items()) {
    item["key"].MustBeSet();
    const Field path = item["path"];
    if (path.MustBeSet()) ValidateDescendingPath(path);
    ValidateFileMode(item["mode"]);
  }
}

void ValidateDownwardItems(const Field& items) {
  for (const Field& item : items.Items()) {
    const Field path = item["path"];
    if (path.MustBeSet()) ValidateDescendingPath(path);
    const Field field = item["fieldRef"];
    const Field resource = item["resourceFieldRef"];
    if (field) {
      if (resource)
        item.Invalid("fieldRef and resourceFieldRef can not be specified simultaneously");
      field["fieldPath"].MustBeSet();
    } else if (resource) {
      resource["containerName"].MustBeSet();
      resource["resource"].MustBeSet();
    } else {
      item.Required("one of fieldRef and resourceFieldRef is required");
    }
    ValidateFileMode(item["mode"]);
  }
}

void ValidateNamedSource(const Field& source, std::string_view name) {
  source[name].MustBeSet();
  ValidateFileMode(source["defaultMode"]);
  const Field items = source["items"];
  ValidateKeysToPaths(items);
}

void ValidateHostPath(const Field& source) {
  const Field path = source["path"];
  if (!path.MustBeSet()) return;
  ValidateNoBacksteps(path);
  source["type"].OneOf({"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                        "FileOrCreate", "Socket"});
}

void ValidateEmptyDir(const Field& source) {
  const Result<Quantity> limit = Quantity::Parse(source["sizeLimit"].Text());
  if (limit.ok() && limit->Sign() < 0)
    source["sizeLimit"].Forbidden("SizeLimit field must be a valid resource quantity");
}

void ValidateNfs(const Field& source) {
  source["server"].MustBeSet();
  const Field path = source["path"];
  if (path.MustBeSet() && !path.Text().starts_with('/')) path.Invalid("must be an absolute path");
}

void ValidateTokenProjection(const Field& source) {
  const Field expiration = source["expirationSeconds"];
  if (expiration && expiration.Int() < 600)
    expiration.Invalid("may not specify a duration less than 10 minutes");
  const Field path = source["path"];
  if (path.MustBeSet()) ValidateDescendingPath(path);
}

void ValidateProjectedSource(const Field& source) {
  size_t count = 0;
  const auto visit = [&](std::string_view name, auto validate) {
    const Field projection = source[name];
    if (!projection) return;
    if (++count > 1) {
      projection.Forbidden("may not specify more than 1 volume type");
      return;
    }
    validate(projection);
  };
  const auto named = [](const Field& projection) { ValidateNamedSource(projection, "name"); };
  visit("secret", named);
  visit("configMap", named);
  visit("downwardAPI", [](const Field& projection) {
    const Field items = projection["items"];
    ValidateDownwardItems(items);
  });
  visit("serviceAccountToken", ValidateTokenProjection);
  visit("clusterTrustBundle", [](const Field& projection) { projection["path"].MustBeSet(); });
}

void ValidateProjected(const Field& source) {
  ValidateFileMode(source["defaultMode"]);
  const Field sources = source["sources"];
  for (const Field& projection : sources.Items()) ValidateProjectedSource(projection);
}

void ValidateEphemeral(const Field& source) {
  const Field claim = source["volumeClaimTemplate"];
  if (!claim) return claim.Required();
  const Field spec = claim["spec"];
  ValidateClaimSpec(spec);
}

// The sources whose rules are more than what the schema says.
void ValidateSource(std::string_view type, const Field& source) {
  if (type == "emptyDir") return ValidateEmptyDir(source);
  if (type == "hostPath") return ValidateHostPath(source);
  if (type == "secret") return ValidateNamedSource(source, "secretName");
  if (type == "configMap") return ValidateNamedSource(source, "name");
  if (type == "nfs") return ValidateNfs(source);
  if (type == "projected") return ValidateProjected(source);
  if (type == "ephemeral") return ValidateEphemeral(source);
  if (type == "persistentVolumeClaim") {
    source["claimName"].MustBeSet();
  } else if (type == "downwardAPI") {
    ValidateFileMode(source["defaultMode"]);
    const Field items = source["items"];
    ValidateDownwardItems(items);
  } else if (type == "csi") {
    source["driver"].MustBeSet();
  }
}

void ValidateVolumeSource(const Field& volume) {
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
}

}  // namespace

UniqueTexts ValidateVolumes(const Field& volumes) {
  UniqueTexts usable;
  for (const Field& volume : volumes.Items()) {
    const size_t errors_before = volume.errors().size();
    ValidateVolumeSource(volume);
    const Field name = volume["name"];
    if (name.MustBeSet()) name.MustBeLabel();
    if (usable.Contains(name.Text())) {
      name.Duplicate();
    } else if (volume.errors().size() == errors_before) {
      usable.Add(name);
    }
  }
  return usable;
}

}  // namespace kubexms
