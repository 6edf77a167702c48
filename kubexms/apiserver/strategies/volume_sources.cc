#include "kubexms/apiserver/strategies/volume_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kubexms/api/schema/pattern.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxUnit = 255;
constexpr int64_t kMaxDriverName = 63;

// Sources whose only rules are their required members.
struct RequiredMembers {
  std::string_view type;
  std::vector<std::string_view> members;
};

const std::vector<RequiredMembers>& RequiredMembersTable() {
  static const std::vector<RequiredMembers> kTable = {
      {"azureFile", {"secretName", "shareName"}},
      {"cephfs", {"monitors"}},
      {"cinder", {"volumeID"}},
      {"flexVolume", {"driver"}},
      {"glusterfs", {"endpoints", "path"}},
      {"gitRepo", {"repository"}},
      {"photonPersistentDisk", {"pdID"}},
      {"portworxVolume", {"volumeID"}},
      {"rbd", {"monitors", "image"}},
      {"scaleIO", {"gateway", "system", "volumeName"}},
      {"vsphereVolume", {"volumePath"}},
  };
  return kTable;
}

void ValidateHostPath(const Field& source) {
  const Field path = source["path"];
  if (!path.MustBeSet()) return;
  ValidateNoBacksteps(path);
  if (const Field type = source["type"])
    type.MustBeOneOf({"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                      "FileOrCreate", "Socket"});
}

void ValidateNfs(const Field& source) {
  source["server"].MustBeSet();
  const Field path = source["path"];
  path.MustBeSet();
  if (!path.Text().starts_with('/')) path.Invalid(Json(path.Text()), "must be an absolute path");
}

bool IsInitiator(std::string_view name) {
  static const CompiledPattern kIqn;
  static const CompiledPattern kEui;
  static const CompiledPattern kNaa;
  if (name.starts_with("iqn"))
    return kIqn.Matches(R"(iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$)", name);
  if (name.starts_with("eui")) return kEui.Matches(R"(^eui.[[:alnum:]]{16}$)", name);
  return kNaa.Matches(R"(^naa.[[:alnum:]]{32}$)", name);
}

void ValidateInitiator(const Field& name, const FieldPath& path) {
  const Field shown(name.value(), path, name.errors());
  const std::string_view text = name.Text();
  if (!text.starts_with("iqn") && !text.starts_with("eui") && !text.starts_with("naa")) {
    shown.Invalid("must be valid format starting with iqn, eui, or naa");
  } else if (!IsInitiator(text)) {
    shown.Invalid("must be valid format");
  }
}

void ValidateIscsi(const Field& source) {
  source["targetPortal"].MustBeSet();
  const Field iqn = source["iqn"];
  if (iqn.MustBeSet()) ValidateInitiator(iqn, iqn.path());
  source["lun"].Between(0, kMaxUnit);
  const bool authenticates =
      source["chapAuthDiscovery"].IsTrue() || source["chapAuthSession"].IsTrue();
  if (authenticates && !source["secretRef"]) source["secretRef"].Required();
  if (const Field name = source["initiatorName"])
    ValidateInitiator(name, source.path().Child("initiatorname"));
}

void ValidateFibreChannel(const Field& source) {
  const Field targets = source["targetWWNs"];
  const bool has_ids = !source["wwids"].empty();
  if (targets.empty() && !has_ids)
    targets.Required("must specify either targetWWNs or wwids, but not both");
  if (targets.empty()) return;
  if (has_ids) targets.Invalid("targetWWNs and wwids can not be specified simultaneously");
  const Field unit = source["lun"];
  if (unit) {
    unit.Between(0, kMaxUnit);
  } else {
    unit.Required("lun is required if targetWWNs is specified");
  }
}

void ValidateDisk(const Field& source, std::string_view name) {
  source[name].MustBeSet();
  const Field partition = source["partition"];
  if (partition.Int() < 0 || partition.Int() > kMaxUnit)
    partition.Invalid("must be between 1 and 255, inclusive");
}

void ValidateAzureDisk(const Field& source) {
  source["diskName"].MustBeSet();
  const Field uri = source["diskURI"];
  uri.MustBeSet();
  if (const Field mode = source["cachingMode"]) mode.MustBeOneOf({"None", "ReadOnly", "ReadWrite"});
  const Field kind = source["kind"];
  if (!kind) return;
  kind.MustBeOneOf({"Dedicated", "Managed", "Shared"});
  if (kind.Text() == "Managed") {
    if (!uri.Text().starts_with("/subscriptions/"))
      uri.NotSupported(
          {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
           "{disk-id}"});
  } else if (!uri.Text().starts_with("https://")) {
    uri.NotSupported(
        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void ValidateFlocker(const Field& source) {
  const Field name = source["datasetName"];
  const bool has_id = !source["datasetUUID"].empty();
  if (name.empty() && !has_id) source.Required("one of datasetName and datasetUUID is required");
  if (!name.empty() && has_id)
    source.Invalid(Json("resource"),
                   "datasetName and datasetUUID can not be specified simultaneously");
  if (name.Text().find('/') != std::string_view::npos) name.Invalid("must not contain '/'");
}

void ValidateStorageOs(const Field& source) {
  const Field name = source["volumeName"];
  if (name.MustBeSet()) name.MustBeLabel();
  if (const Field in = source["volumeNamespace"]; !in.empty()) in.MustBeLabel();
}

void ValidateQuobyte(const Field& source) {
  constexpr std::string_view kPairs =
      "must be a host:port pair or multiple pairs separated by commas";
  const Field registry = source["registry"];
  if (registry.MustBeSet(kPairs)) {
    if (source["tenant"].size() > 64) {
      source["tenant"].Required("must be a UUID and may not exceed a length of 64 characters");
    } else if (registry.Text().find(':') == std::string_view::npos) {
      registry.Invalid(kPairs);
    }
  }
  source["volume"].MustBeSet();
}

void ValidateFlexOptions(const Field& options) {
  for (std::string_view key : options.Keys()) {
    std::string space = "." + std::string(key.substr(0, key.find('/')));
    std::transform(space.begin(), space.end(), space.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (space.ends_with(".kubernetes.io") || space.ends_with(".k8s.io"))
      options.Entry(key).Invalid(Json(key), "kubernetes.io and k8s.io namespaces are reserved");
  }
}

}  // namespace

void ValidateNoBacksteps(const Field& path) {
  const std::string padded = fmt::format("/{}/", path.Text());
  if (padded.find("/../") != std::string::npos) path.Invalid("must not contain '..'");
}

void ValidateDescendingPath(const Field& path) {
  if (path.Text().starts_with('/')) path.Invalid("must be a relative path");
  ValidateNoBacksteps(path);
}

void ValidateNonReservedPath(const Field& path) {
  ValidateDescendingPath(path);
  const std::string_view text = path.Text();
  if (text.starts_with("..") && !text.starts_with("../")) path.Invalid("must not start with '..'");
}

void ValidateDriverName(const Field& driver) {
  driver.MustBeSet();
  if (static_cast<int64_t>(driver.size()) > kMaxDriverName) driver.TooLong(kMaxDriverName);
  std::string lower(driver.Text());
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string& problem : ValidateDns1123Subdomain(lower))
    driver.Invalid(Json(driver.Text()), problem);
}

void ValidateCommonSource(std::string_view type, const Field& source) {
  for (const RequiredMembers& required : RequiredMembersTable()) {
    if (required.type != type) continue;
    for (std::string_view member : required.members) source[member].MustBeSet();
  }
  if (type == "hostPath") return ValidateHostPath(source);
  if (type == "nfs") return ValidateNfs(source);
  if (type == "iscsi") return ValidateIscsi(source);
  if (type == "fc") return ValidateFibreChannel(source);
  if (type == "azureDisk") return ValidateAzureDisk(source);
  if (type == "flocker") return ValidateFlocker(source);
  if (type == "storageos") return ValidateStorageOs(source);
  if (type == "quobyte") return ValidateQuobyte(source);
  if (type == "gitRepo") return ValidateDescendingPath(source["directory"]);
  if (type == "flexVolume") {
    const Field options = source["options"];
    return ValidateFlexOptions(options);
  }
  if (type == "awsElasticBlockStore") return ValidateDisk(source, "volumeID");
  if (type == "gcePersistentDisk") return ValidateDisk(source, "pdName");
}

}  // namespace kubexms
