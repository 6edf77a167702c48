#include <algorithm>

#include "kubexms/api/quantity.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

// The members of a PersistentVolumeSpec that say where the volume is.
constexpr std::string_view kVolumeSources[] = {"awsElasticBlockStore",
                                               "azureDisk",
                                               "azureFile",
                                               "cephfs",
                                               "cinder",
                                               "csi",
                                               "fc",
                                               "flexVolume",
                                               "flocker",
                                               "gcePersistentDisk",
                                               "glusterfs",
                                               "hostPath",
                                               "iscsi",
                                               "local",
                                               "nfs",
                                               "photonPersistentDisk",
                                               "portworxVolume",
                                               "quobyte",
                                               "rbd",
                                               "scaleIO",
                                               "storageos",
                                               "vsphereVolume"};

void ValidateAccessModes(const Field& modes) {
  modes.MustBeSet("at least 1 access mode is required");
  bool once_pod = false;
  for (const Field& mode : modes.Items()) {
    once_pod = once_pod || mode.Text() == "ReadWriteOncePod";
    const Field listed(mode.value(), modes.path(), modes.errors());
    listed.OneOf({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
  }
  if (once_pod && modes.size() > 1)
    modes.Forbidden("may not use ReadWriteOncePod with other access modes");
}

void ValidatePositiveQuantity(const Field& amount) {
  const Result<Quantity> quantity = Quantity::Parse(amount.Text());
  if (quantity.ok() && quantity->Sign() <= 0) amount.Invalid("must be greater than zero");
}

void AddFinalizer(JsonObject& object, std::string_view finalizer) {
  JsonObject& metadata = EnsureObject(object, "metadata");
  JsonArray* list = FindArray(metadata, "finalizers");
  if (list == nullptr) list = &metadata["finalizers"].emplace_array();
  const bool there = std::any_of(list->begin(), list->end(), [&](const Json& item) {
    return item.is_string() && AsView(item.get_string()) == finalizer;
  });
  if (!there) list->push_back(Json(finalizer));
}

class ClaimStrategy : public KindStrategy {
 public:
  ClaimStrategy() : KindStrategy({.has_status = true}) {}

  void PrepareForCreate(JsonObject& claim) const override {
    claim["status"] = JsonObject{{"phase", "Pending"}};
    AddFinalizer(claim, "kubernetes.io/pvc-protection");
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateClaimSpec(spec);
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const JsonObject* spec = FindObject(object, "spec");
    const JsonObject* old = FindObject(old_object, "spec");
    if (spec == nullptr || old == nullptr) return;
    const Field root(object, errors);
    if (!ChangesOnlyWhatItMay(*spec, *old, TextAt(old_object, "status.phase") == "Bound"))
      root["spec"].Forbidden(
          "spec is immutable after creation except resources.requests and "
          "volumeAttributesClassName for bound claims");
    const Result<Quantity> size = Quantity::Parse(TextAt(*spec, "resources.requests.storage"));
    const Result<Quantity> before = Quantity::Parse(TextAt(*old, "resources.requests.storage"));
    if (size.ok() && before.ok() && *size < *before)
      root["spec.resources.requests.storage"].Forbidden(
          "field can not be less than status.capacity");
  }

 private:
  static bool ChangesOnlyWhatItMay(const JsonObject& spec, const JsonObject& old, bool bound) {
    JsonObject changed = spec;
    if (TextAt(old, "volumeName").empty()) CopyMember(changed, old, "volumeName");
    if (Find(old, "storageClassName") == nullptr) CopyMember(changed, old, "storageClassName");
    if (bound) {
      CopyMember(changed, old, "resources");
      CopyMember(changed, old, "volumeAttributesClassName");
    }
    const Json after(std::move(changed));
    const Json before(old);
    return SemanticEqual(&after, &before);
  }
};

class VolumeStrategy : public KindStrategy {
 public:
  VolumeStrategy() : KindStrategy({.has_status = true}) {}

  void PrepareForCreate(JsonObject& volume) const override {
    JsonObject status{{"phase", "Pending"}};
    if (const Json* now = Find(volume, "metadata.creationTimestamp"))
      status["lastPhaseTransitionTime"] = *now;
    volume["status"] = std::move(status);
    AddFinalizer(volume, "kubernetes.io/pv-protection");
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateAccessModes(spec["accessModes"]);
    ValidateCapacity(spec["capacity"]);
    spec["persistentVolumeReclaimPolicy"].OneOf({"Delete", "Recycle", "Retain"});
    ValidateSource(spec);
    const Field affinity = spec["nodeAffinity.required"];
    if (affinity) ValidateNodeSelector(affinity);
    if (spec["local"] && !affinity)
      spec["nodeAffinity"].Required("Local volume requires node affinity");
    if (const Field name = spec["storageClassName"]; !name.empty()) name.MustBeSubdomain();
    spec["volumeMode"].OneOf({"Block", "Filesystem"});
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    FieldErrors ignored;
    const Field root(object, errors);
    const Field old(old_object, ignored);
    const Field spec = root["spec"];
    const Field old_spec = old["spec"];
    const bool same_source =
        std::all_of(std::begin(kVolumeSources), std::end(kVolumeSources),
                    [&](std::string_view name) { return spec[name].SameAs(old_spec[name]); });
    if (!same_source)
      spec["persistentvolumesource"].Forbidden(
          "spec.persistentvolumesource is immutable after creation");
    spec["volumeMode"].Immutable(old_spec["volumeMode"]);
    if (old_spec["nodeAffinity"]) spec["nodeAffinity"].Immutable(old_spec["nodeAffinity"]);
  }

 private:
  static void ValidateCapacity(const Field& capacity) {
    capacity.MustBeSet();
    if (capacity.size() > 0 && !capacity.Entry("storage")) capacity.NotSupported({"storage"});
    for (std::string_view name : capacity.Keys()) ValidatePositiveQuantity(capacity.Entry(name));
  }

  static void ValidateSource(const Field& spec) {
    size_t count = 0;
    for (std::string_view name : kVolumeSources) {
      const Field source = spec[name];
      if (!source) continue;
      if (++count > 1) source.Forbidden("may not specify more than 1 volume type");
    }
    if (count == 0) spec.Required("must specify a volume type");
    for (std::string_view name : {"hostPath", "local"}) {
      const Field source = spec[name];
      if (source) source["path"].MustBeSet();
    }
    const Field path = spec["hostPath.path"];
    if (path.Text() == "/" && spec["persistentVolumeReclaimPolicy"].Text() == "Recycle")
      spec["persistentVolumeReclaimPolicy"].Forbidden(
          "may not be 'recycle' for a hostPath mount of '/'");
    if (const Field nfs = spec["nfs"]) {
      nfs["server"].MustBeSet();
      const Field exported = nfs["path"];
      if (exported.MustBeSet() && !exported.Text().starts_with('/'))
        exported.Invalid("must be an absolute path");
    }
    const Field csi = spec["csi"];
    if (!csi) return;
    csi["driver"].MustBeSet();
    csi["volumeHandle"].MustBeSet();
  }
};

// Where volumes of a class may be: labels of nodes, each with some values.
void ValidateTopology(const Field& term) {
  const Field requirements = term["matchLabelExpressions"];
  UniqueTexts keys;
  for (const Field& requirement : requirements.Items()) {
    const Field values = requirement["values"];
    values.MustBeSet();
    UniqueTexts seen;
    for (const Field& value : values.Items()) seen.Add(value);
    const Field key = requirement["key"];
    key.Accept(ValidateQualifiedName(key.Text()));
    keys.Add(key);
  }
}

class StorageClassStrategy : public KindStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field provisioner = root["provisioner"];
    if (provisioner.MustBeSet()) provisioner.Accept(ValidateAnnotationKey(provisioner.Text()));
    root["reclaimPolicy"].OneOf({"Delete", "Retain"});
    root["volumeBindingMode"].SetAndOneOf({"Immediate", "WaitForFirstConsumer"});
    const Field topologies = root["allowedTopologies"];
    for (const Field& term : topologies.Items()) ValidateTopology(term);
    const Field parameters = root["parameters"];
    for (std::string_view key : parameters.Keys()) {
      if (key.empty()) parameters.Invalid(Json(key), "field can not be empty.");
    }
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    FieldErrors ignored;
    const Field root(object, errors);
    const Field old(old_object, ignored);
    for (std::string_view name : {"parameters", "provisioner", "reclaimPolicy"}) {
      if (!root[name].SameAs(old[name]))
        root[name].Forbidden("updates to " + std::string(name) + " are forbidden.");
    }
    root["volumeBindingMode"].Immutable(old["volumeBindingMode"]);
  }
};

class AttachmentStrategy : public FixedFieldsStrategy {
 public:
  AttachmentStrategy() : FixedFieldsStrategy({.has_status = true}, {"spec"}) {}

  void PrepareForCreate(JsonObject& attachment) const override {
    attachment["status"] = JsonObject{{"attached", false}};
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field attacher = spec["attacher"];
    if (attacher.MustBeSet()) attacher.MustBeSubdomain();
    const Field source = spec["source"];
    const bool by_name = bool(source["persistentVolumeName"]);
    const bool inline_spec = bool(source["inlineVolumeSpec"]);
    if (!by_name && !inline_spec)
      source.Required("must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    if (by_name && inline_spec)
      source.Forbidden("must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    const Field node = spec["nodeName"];
    node.MustBeSubdomain();
  }
};

class CsiNodeStrategy : public KindStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field drivers = root["spec.drivers"];
    UniqueTexts names;
    for (const Field& driver : drivers.Items()) {
      if (driver["name"].MustBeSet()) names.Add(driver["name"]);
      driver["nodeID"].MustBeSet();
      const Field keys = driver["topologyKeys"];
      for (const Field& key : keys.Items()) key.Accept(ValidateQualifiedName(key.Text()));
    }
  }
};

}  // namespace

void ValidateClaimSpec(const Field& spec) {
  ValidateAccessModes(spec["accessModes"]);
  const Field selector = spec["selector"];
  ValidateLabelSelector(selector);
  const Field resources = spec["resources"];
  const Field size = spec["resources.requests.storage"];
  if (size) {
    ValidatePositiveQuantity(size);
  } else {
    resources.Entry("storage").Required();
  }
  if (const Field name = spec["storageClassName"]; !name.empty()) name.MustBeSubdomain();
  spec["volumeMode"].OneOf({"Block", "Filesystem"});
}

void AddStorageStrategies(StrategyTable& table) {
  constexpr std::string_view kGroup = "storage.k8s.io";
  table.Add("", "PersistentVolumeClaim", std::make_unique<ClaimStrategy>());
  table.Add("", "PersistentVolume", std::make_unique<VolumeStrategy>());
  table.Add(kGroup, "StorageClass", std::make_unique<StorageClassStrategy>());
  table.Add(kGroup, "VolumeAttachment", std::make_unique<AttachmentStrategy>());
  table.Add(kGroup, "CSINode", std::make_unique<CsiNodeStrategy>());
  table.Add(kGroup, "CSIDriver",
            std::make_unique<FixedFieldsStrategy>(
                KindTraits{.counts_generations = true},
                std::vector<std::string_view>{"spec.attachRequired", "spec.volumeLifecycleModes"}));
  table.Add(kGroup, "CSIStorageCapacity",
            std::make_unique<FixedFieldsStrategy>(
                KindTraits{}, std::vector<std::string_view>{"nodeTopology", "storageClassName"}));
  table.Add(kGroup, "VolumeAttributesClass",
            std::make_unique<FixedFieldsStrategy>(
                KindTraits{}, std::vector<std::string_view>{"driverName", "parameters"}));
}

}  // namespace kubexms
