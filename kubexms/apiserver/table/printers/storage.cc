// Columns of volumes, storage classes and devices.

#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

// "RWO,ROX".
std::string AccessModes(JsonView modes) {
  struct Abbreviation {
    std::string_view mode;
    std::string_view text;
  };
  constexpr Abbreviation kAbbreviations[] = {{"ReadWriteOnce", "RWO"},
                                             {"ReadOnlyMany", "ROX"},
                                             {"ReadWriteMany", "RWX"},
                                             {"ReadWriteOncePod", "RWOP"}};
  const std::vector<JsonView> given = modes.Items();
  std::string text;
  for (const Abbreviation& abbreviation : kAbbreviations) {
    const bool has = std::ranges::any_of(
        given, [&](const JsonView& mode) { return mode.Text() == abbreviation.mode; });
    if (!has) continue;
    if (!text.empty()) text += ',';
    text += abbreviation.text;
  }
  return text;
}

// The class of a volume or a claim; formerly an annotation.
std::string_view StorageClassOf(JsonView object) {
  const JsonView annotation =
      object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
  return annotation.Text(object["spec"]["storageClassName"].Text());
}

std::string_view PhaseOf(JsonView object) {
  return IsDeleting(object) ? "Terminating" : object["status"]["phase"].Text();
}

constexpr Column kVolumeMode =
    Wide("VolumeMode", "Whether the volume is a file system or a block device.");
constexpr Column kAttributesClass =
    Text("VolumeAttributesClass", "The class of the mutable attributes.");

constexpr Column kVolumeColumns[] = {
    kName,
    Text("Capacity", "The capacity of the volume."),
    Text("Access Modes", "The supported access modes."),
    Text("Reclaim Policy", "The handling of the volume after its claim is deleted."),
    Text("Status", "The phase: Available, Bound, Released or Failed."),
    Text("Claim", "The claim that the volume is bound to."),
    Text("StorageClass", "The storage class."),
    kAttributesClass,
    Text("Reason", "The reason of a failure."),
    kAge,
    kVolumeMode,
};

void PrintVolume(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  const JsonView claim = spec["claimRef"];
  std::string claim_name;
  if (claim) claim_name.append(claim["namespace"].Text()).append("/").append(claim["name"].Text());
  row.Add(Name(object), spec["capacity"]["storage"].ToText("0"), AccessModes(spec["accessModes"]),
          spec["persistentVolumeReclaimPolicy"].Text(), PhaseOf(object), claim_name,
          StorageClassOf(object), spec["volumeAttributesClassName"].Text("<unset>"),
          object["status"]["reason"].Text(), row.Age(object), spec["volumeMode"].Text("<unset>"));
}

constexpr Column kClaimColumns[] = {
    kName,
    Text("Status", "The phase: Pending, Bound or Lost."),
    Text("Volume", "The volume that the claim is bound to."),
    Text("Capacity", "The capacity of the volume."),
    Text("Access Modes", "The supported access modes."),
    Text("StorageClass", "The requested storage class."),
    kAttributesClass,
    kAge,
    kVolumeMode,
};

void PrintClaim(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  const JsonView status = object["status"];
  const bool bound = !spec["volumeName"].Text().empty();
  row.Add(Name(object), PhaseOf(object), spec["volumeName"].Text(),
          bound ? status["capacity"]["storage"].ToText("0") : "",
          bound ? AccessModes(status["accessModes"]) : "", StorageClassOf(object),
          spec["volumeAttributesClassName"].Text("<unset>"), row.Age(object),
          spec["volumeMode"].Text("<unset>"));
}

constexpr Column kStorageClassColumns[] = {
    kName,
    Text("Provisioner", "The provisioner of the volumes."),
    Text("ReclaimPolicy", "The handling of a volume after its claim is deleted."),
    Text("VolumeBindingMode", "When claims are bound."),
    Text("AllowVolumeExpansion", "Whether volumes can be expanded."),
    kAge,
};

bool IsDefaultClass(JsonView object) {
  const JsonView annotations = object["metadata"]["annotations"];
  return annotations["storageclass.kubernetes.io/is-default-class"].Text() == "true" ||
         annotations["storageclass.beta.kubernetes.io/is-default-class"].Text() == "true";
}

void PrintStorageClass(JsonView object, Row& row) {
  std::string name(Name(object));
  if (IsDefaultClass(object)) name += " (default)";
  row.Add(name, object["provisioner"].Text(), object["reclaimPolicy"].Text("Delete"),
          object["volumeBindingMode"].Text("Immediate"), object["allowVolumeExpansion"].Bool(),
          row.Age(object));
}

constexpr Column kAttributesClassColumns[] = {
    kName,
    Text("DriverName", "The driver of the attributes."),
    kAge,
};

void PrintAttributesClass(JsonView object, Row& row) {
  row.Add(Name(object), object["driverName"].Text(), row.Age(object));
}

constexpr Column kAttachmentColumns[] = {
    kName,
    {"Attacher", "string", "The driver that attaches the volume.", 0, "name"},
    Text("PV", "The attached volume."),
    Text("Node", "The node that the volume is attached to."),
    Boolean("Attached", "Whether the volume is attached."),
    kAge,
};

void PrintAttachment(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["attacher"].Text(), spec["source"]["persistentVolumeName"].Text(),
          spec["nodeName"].Text(), object["status"]["attached"].Bool(), row.Age(object));
}

constexpr Column kDriverColumns[] = {
    kName,
    Boolean("AttachRequired", "Whether volumes must be attached before they are mounted."),
    Boolean("PodInfoOnMount", "Whether the driver needs the pod's data when it mounts a volume."),
    Boolean("StorageCapacity", "Whether the driver reports its storage capacity."),
    Text("TokenRequests", "The audiences of the service account tokens for the driver."),
    Boolean("RequiresRepublish", "Whether volumes are republished periodically."),
    Text("Modes", "The volume lifecycle modes of the driver."),
    kAge,
};

std::string Audiences(JsonView requests) {
  if (!requests) return "<unset>";
  std::string text;
  for (const JsonView& request : requests.Items()) {
    if (!text.empty()) text += ',';
    text += request["audience"].Text();
  }
  return text;
}

void PrintDriver(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  const std::string modes = JoinTexts(spec["volumeLifecycleModes"]);
  row.Add(Name(object), spec["attachRequired"].Bool(true), spec["podInfoOnMount"].Bool(),
          spec["storageCapacity"].Bool(), Audiences(spec["tokenRequests"]),
          spec["requiresRepublish"].Bool(), modes.empty() ? "<none>" : modes, row.Age(object));
}

constexpr Column kNodeDriversColumns[] = {
    kName,
    Integer("Drivers", "The number of CSI drivers on the node."),
    kAge,
};

void PrintNodeDrivers(JsonView object, Row& row) {
  row.Add(Name(object), object["spec"]["drivers"].size(), row.Age(object));
}

constexpr Column kAgeOnlyColumns[] = {kName, kAge};

void PrintAgeOnly(JsonView object, Row& row) { row.Add(Name(object), row.Age(object)); }

constexpr Column kDeviceClaimColumns[] = {
    kName,
    Text("State", "Whether devices are allocated to the claim and reserved for a pod."),
    kAge,
};

std::string_view DeviceClaimState(JsonView claim) {
  const JsonView status = claim["status"];
  const bool deleting = IsDeleting(claim);
  if (!status["allocation"]) return deleting ? "deleted" : "pending";
  if (status["reservedFor"].empty()) return deleting ? "deleted,allocated" : "allocated";
  return deleting ? "deleted,allocated,reserved" : "allocated,reserved";
}

void PrintDeviceClaim(JsonView object, Row& row) {
  row.Add(Name(object), DeviceClaimState(object), row.Age(object));
}

constexpr Column kSliceColumns[] = {
    kName,
    Text("Node", "The node that has the devices."),
    Text("Driver", "The driver of the devices."),
    Text("Pool", "The pool that the devices belong to."),
    kAge,
};

void PrintSlice(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["nodeName"].Text(), spec["driver"].Text(), spec["pool"]["name"].Text(),
          row.Age(object));
}

constexpr Printer kPrinters[] = {
    {"", "v1", "PersistentVolume", kVolumeColumns, PrintVolume},
    {"", "v1", "PersistentVolumeClaim", kClaimColumns, PrintClaim},
    {"resource.k8s.io", "v1", "DeviceClass", kAgeOnlyColumns, PrintAgeOnly},
    {"resource.k8s.io", "v1", "ResourceClaim", kDeviceClaimColumns, PrintDeviceClaim},
    {"resource.k8s.io", "v1", "ResourceClaimTemplate", kAgeOnlyColumns, PrintAgeOnly},
    {"resource.k8s.io", "v1", "ResourceSlice", kSliceColumns, PrintSlice},
    {"storage.k8s.io", "v1", "CSIDriver", kDriverColumns, PrintDriver},
    {"storage.k8s.io", "v1", "CSINode", kNodeDriversColumns, PrintNodeDrivers},
    {"storage.k8s.io", "v1", "StorageClass", kStorageClassColumns, PrintStorageClass},
    {"storage.k8s.io", "v1", "VolumeAttachment", kAttachmentColumns, PrintAttachment},
    {"storage.k8s.io", "v1", "VolumeAttributesClass", kAttributesClassColumns,
     PrintAttributesClass},
};

}  // namespace

std::span<const Printer> StoragePrinters() { return kPrinters; }

}  // namespace kubexms::printers
