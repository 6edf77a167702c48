#include <algorithm>
#include <cctype>

#include "kubexms/api/values/quantity.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"
#include "kubexms/apiserver/strategies/volume_sources.h"

namespace kubexms {
namespace {

// The members of a PersistentVolumeSpec that are volume sources.
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
  bool once_pod = false;
  bool other = false;
  for (const Field& mode : modes.Items()) {
    const Field listed(mode.value(), modes.path(), modes.errors());
    listed.MustBeOneOf({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    (mode.Text() == "ReadWriteOncePod" ? once_pod : other) = true;
  }
  if (once_pod && other) modes.Forbidden("may not use ReadWriteOncePod with other access modes");
}

// The rules that `dataSource` and `dataSourceRef` share.
void ValidateDataSource(const Field& source) {
  if (!source) return;
  source["name"].MustBeSet();
  const Field kind = source["kind"];
  kind.MustBeSet();
  const Field group = source["apiGroup"];
  if (group.empty() && kind.Text() != "PersistentVolumeClaim")
    source.Invalid(Json(kind.Text()),
                   "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (!group.empty()) group.MustBeSubdomain();
  if (const Field in = source["namespace"]; !in.empty()) in.MustBeLabel();
}

void ValidateDataSources(const Field& spec) {
  const Field source = spec["dataSource"];
  const Field reference = spec["dataSourceRef"];
  ValidateDataSource(source);
  ValidateDataSource(reference);
  if (!source || !reference) return;
  // Kubernetes shows the Go struct of a field path instead of the value.
  if (!reference["namespace"].empty()) {
    spec.Invalid(Json(JsonObject()),
                 "may not be specified when dataSourceRef.namespace is specified");
    return;
  }
  for (std::string_view name : {"apiGroup", "kind", "name"}) {
    if (source[name].SameAs(reference[name])) continue;
    return spec.Invalid(Json(JsonObject()), "must match dataSourceRef");
  }
}

// `dataSource` supports two kinds; other values are ignored.
bool IsKnownDataSource(const JsonObject& source) {
  const std::string_view group = TextAt(source, "apiGroup");
  const std::string_view kind = TextAt(source, "kind");
  return (group.empty() && kind == "PersistentVolumeClaim") ||
         (group == "snapshot.storage.k8s.io" && kind == "VolumeSnapshot");
}

// Sets the deprecated field and the new one to the same value.
void NormalizeDataSources(JsonObject& spec) {
  const JsonObject* source = FindObject(std::as_const(spec), "dataSource");
  if (source != nullptr && !IsKnownDataSource(*source)) {
    spec.erase("dataSource");
    source = nullptr;
  }
  const JsonObject* reference = FindObject(std::as_const(spec), "dataSourceRef");
  if (source != nullptr && reference == nullptr) {
    const JsonObject copy = *source;
    spec["dataSourceRef"] = copy;
  } else if (source == nullptr && reference != nullptr && IsKnownDataSource(*reference) &&
             TextAt(*reference, "namespace").empty()) {
    JsonObject copy = *reference;
    copy.erase("namespace");
    spec["dataSource"] = std::move(copy);
  }
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
    if (JsonObject* spec = FindObject(claim, "spec")) NormalizeDataSources(*spec);
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
    if (!ChangesAllowedFieldsOnly(*spec, *old, TextAt(old_object, "status.phase") == "Bound"))
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
  static bool ChangesAllowedFieldsOnly(const JsonObject& spec, const JsonObject& old, bool bound) {
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
    const Field modes = spec["accessModes"];
    modes.MustBeSet();
    ValidateAccessModes(modes);
    ValidateCapacity(spec["capacity"]);
    if (const Field policy = spec["persistentVolumeReclaimPolicy"]; !policy.empty())
      policy.MustBeOneOf({"Delete", "Recycle", "Retain"});
    const Field affinity = spec["nodeAffinity"];
    const Field required = affinity["required"];
    if (affinity && !required) required.Required("must specify required node constraints");
    if (required) ValidateNodeSelector(required);
    ValidateSource(spec);
    if (const Field name = spec["storageClassName"]; !name.empty()) name.MustBeSubdomain();
    if (const Field mode = spec["volumeMode"]) mode.MustBeOneOf({"Block", "Filesystem"});
    if (const Field name = spec["volumeAttributesClassName"]) {
      if (name.MustBeSet("an empty string is disallowed")) name.MustBeSubdomain();
      if (!spec["csi"])
        spec["csi"].Required("has to be specified when using volumeAttributesClassName");
    }
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old(old_object);
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
    if (!capacity.Entry("storage") || capacity.size() > 1) {
      std::string shown = capacity ? WriteJson(capacity.ToJson()) : "null";
      capacity.NotSupportedAs(shown, {"storage"});
    }
    for (std::string_view name : capacity.Keys()) ValidatePositiveQuantity(capacity.Entry(name));
  }

  static void ValidateSource(const Field& spec) {
    size_t count = 0;
    for (std::string_view name : kVolumeSources) {
      const Field source = spec[name];
      if (!source) continue;
      if (++count > 1) {
        source.Forbidden("may not specify more than 1 volume type");
      } else if (name == "csi") {
        ValidateCsi(source);
      } else if (name == "local") {
        if (source["path"].MustBeSet()) ValidateNoBacksteps(source["path"]);
        if (!spec["nodeAffinity"])
          spec["nodeAffinity"].Required("Local volume requires node affinity");
      } else {
        ValidateCommonSource(name, source);
      }
    }
    if (count == 0) spec.Required("must specify a volume type");
    if (spec["hostPath.path"].Text() == "/" &&
        spec["persistentVolumeReclaimPolicy"].Text() == "Recycle")
      spec["persistentVolumeReclaimPolicy"].Forbidden(
          "may not be 'recycle' for a hostPath mount of '/'");
  }

  static void ValidateCsi(const Field& csi) {
    ValidateDriverName(csi["driver"]);
    csi["volumeHandle"].MustBeSet();
    for (std::string_view name : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                  "nodePublishSecretRef", "nodeExpandSecretRef"}) {
      const Field secret = csi[name];
      if (!secret) continue;
      if (secret["name"].MustBeSet()) secret["name"].MustBeSubdomain();
      if (secret["namespace"].MustBeSet()) secret["namespace"].MustBeLabel();
    }
  }
};

// The topology of a storage class: labels of nodes, each with some values.
void ValidateTopology(const Field& term) {
  const Field requirements = term["matchLabelExpressions"];
  UniqueTexts keys;
  for (const Field& requirement : requirements.Items()) {
    const Field values = requirement["values"];
    values.MustBeSet();
    UniqueTexts seen;
    for (const Field& value : values.Items()) seen.Add(value);
    const Field key = requirement["key"];
    key.Report(ValidateQualifiedName(key.Text()));
    keys.Add(key);
  }
}

class StorageClassStrategy : public KindStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field provisioner = root["provisioner"];
    if (provisioner.MustBeSet()) provisioner.Report(ValidateAnnotationKey(provisioner.Text()));
    if (const Field policy = root["reclaimPolicy"]; !policy.empty())
      policy.MustBeOneOf({"Delete", "Retain"});
    root["volumeBindingMode"].SetAndOneOf({"Immediate", "WaitForFirstConsumer"});
    const Field topologies = root["allowedTopologies"];
    std::vector<std::string> terms;
    for (const Field& term : topologies.Items()) {
      const Field requirements = term["matchLabelExpressions"];
      ValidateTopology(term);
      std::string text = requirements.empty() ? std::string() : WriteJson(requirements.ToJson());
      if (text.empty() || std::find(terms.begin(), terms.end(), text) != terms.end())
        requirements.Duplicate(Json(""));
      terms.push_back(std::move(text));
    }
    const Field parameters = root["parameters"];
    for (std::string_view key : parameters.Keys()) {
      if (key.empty()) parameters.Invalid(Json(key), "field can not be empty.");
    }
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old(old_object);
    for (std::string_view name : {"parameters", "provisioner", "reclaimPolicy"}) {
      if (!root[name].SameAs(old[name]))
        root[name].Forbidden("updates to " + std::string(name) + " are forbidden.");
    }
    root["volumeBindingMode"].Immutable(old["volumeBindingMode"]);
  }
};

class AttachmentStrategy : public ImmutableFieldsStrategy {
 public:
  AttachmentStrategy()
      : ImmutableFieldsStrategy({.has_status = true, .status_retains_metadata = true}, {"spec"}) {}

  void PrepareForCreate(JsonObject& attachment) const override {
    attachment["status"] = JsonObject{{"attached", false}};
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field attacher = spec["attacher"];
    if (attacher.MustBeSet()) attacher.MustBeSubdomain();
    const Field source = spec["source"];
    const Field name = source["persistentVolumeName"];
    const bool by_name = bool(name);
    const bool inline_spec = bool(source["inlineVolumeSpec"]);
    if (!by_name && !inline_spec)
      source.Required("must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    if (by_name && inline_spec)
      source.Forbidden("must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    if (by_name && !inline_spec) {
      name.MustBeSet("must specify non empty persistentVolumeName");
      for (const std::string& problem : ValidateDns1123Subdomain(name.Text()))
        name.Invalid(problem);
    }
    const Field node = spec["nodeName"];
    for (const std::string& problem : ValidateDns1123Subdomain(node.Text()))
      node.Invalid(Json(node.Text()), problem);
  }
};

class CsiNodeStrategy : public KindStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field drivers = root["spec.drivers"];
    UniqueTexts names;
    for (const Field& driver : drivers.Items()) {
      ValidateDriverName(driver["name"]);
      ValidateNodeId(driver["nodeID"]);
      driver["allocatable.count"].AtLeast(0);
      names.Add(driver["name"]);
      ValidateTopologyKeys(driver);
    }
  }

 private:
  static void ValidateNodeId(const Field& id) {
    id.MustBeSet();
    if (id.size() > 256) id.Invalid("must be 256 characters or less");
  }

  // Kubernetes names the driver, not the key.
  static void ValidateTopologyKeys(const Field& driver) {
    const Field keys = driver["topologyKeys"];
    UniqueTexts seen;
    for (const Field& key : keys.Items()) {
      const Field shown(key.value(), driver.path(), driver.errors());
      shown.MustBeSet();
      seen.Add(shown);
      shown.Report(ValidateQualifiedName(key.Text()));
    }
  }
};

class CsiDriverStrategy : public ImmutableFieldsStrategy {
 public:
  CsiDriverStrategy()
      : ImmutableFieldsStrategy({.counts_generations = true},
                                {"spec.attachRequired", "spec.volumeLifecycleModes"}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    if (const Field policy = spec["fsGroupPolicy"])
      policy.MustBeOneOf({"File", "None", "ReadWriteOnceWithFSType"});
    const Field tokens = spec["tokenRequests"];
    std::vector<std::string_view> audiences;
    for (const Field& token : tokens.Items()) {
      const Field audience = token["audience"];
      if (std::find(audiences.begin(), audiences.end(), audience.Text()) != audiences.end()) {
        audience.Duplicate(Json(audience.Text()));
        continue;
      }
      audiences.push_back(audience.Text());
      const Field expiration = token["expirationSeconds"];
      if (expiration && expiration.Int() < 600)
        expiration.Invalid("may not specify a duration less than 10 minutes");
      if (expiration.Int() > int64_t{1} << 32)
        expiration.Invalid("may not specify a duration larger than 2^32 seconds");
    }
    const Field modes = spec["volumeLifecycleModes"];
    for (const Field& mode : modes.Items()) {
      const Field shown(mode.value(), modes.path(), errors);
      shown.MustBeOneOf({"Ephemeral", "Persistent"});
    }
  }
};

class CsiStorageCapacityStrategy : public ImmutableFieldsStrategy {
 public:
  CsiStorageCapacityStrategy()
      : ImmutableFieldsStrategy({}, {"nodeTopology", "storageClassName"}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field name = root["storageClassName"];
    for (const std::string& problem : ValidateDns1123Subdomain(name.Text()))
      name.Invalid(Json(name.Text()), problem);
    const Field topology = root["nodeTopology"];
    ValidateLabelSelector(topology);
    for (std::string_view member : {"capacity", "maximumVolumeSize"}) {
      const Field amount = root[member];
      const Result<Quantity> quantity = Quantity::Parse(amount.Text());
      if (quantity.ok() && quantity->Sign() < 0)
        amount.Invalid("must be greater than or equal to 0");
    }
  }
};

class VolumeAttributesClassStrategy : public KindStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field driver = root["driverName"];
    if (driver.MustBeSet()) {
      std::string lower(driver.Text());
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      for (const std::string& problem : ValidateQualifiedName(lower))
        driver.Invalid(Json(lower), problem);
    }
    const Field parameters = root["parameters"];
    parameters.MustBeSet("must contain at least one key/value pair");
    for (std::string_view key : parameters.Keys()) {
      if (key.empty()) parameters.Invalid(Json(key), "field can not be empty.");
    }
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    for (std::string_view name : {"driverName", "parameters"}) {
      if (!SameAt(object, old_object, name))
        root[name].Forbidden("updates to " + std::string(name) + " are forbidden.");
    }
  }
};

}  // namespace

void ValidateClaimSpec(const Field& spec) {
  const Field modes = spec["accessModes"];
  modes.MustBeSet("at least 1 access mode is required");
  const Field selector = spec["selector"];
  ValidateLabelSelector(selector);
  ValidateAccessModes(modes);
  const Field resources = spec["resources"];
  const Field requests = resources["requests"];
  const Field size(requests.Entry("storage").value(), resources.path().Key("storage"),
                   spec.errors());
  if (size) {
    ValidatePositiveQuantity(size);
  } else {
    size.Required();
  }
  if (const Field name = spec["storageClassName"]; !name.empty()) name.MustBeSubdomain();
  if (const Field mode = spec["volumeMode"]) mode.MustBeOneOf({"Block", "Filesystem"});
  ValidateDataSources(spec);
  if (const Field name = spec["volumeAttributesClassName"]; !name.empty()) name.MustBeSubdomain();
}

void AddStorageStrategies(StrategyTable& table) {
  constexpr std::string_view kGroup = "storage.k8s.io";
  table.Add("", "PersistentVolumeClaim", std::make_unique<ClaimStrategy>());
  table.Add("", "PersistentVolume", std::make_unique<VolumeStrategy>());
  table.Add(kGroup, "StorageClass", std::make_unique<StorageClassStrategy>());
  table.Add(kGroup, "VolumeAttachment", std::make_unique<AttachmentStrategy>());
  table.Add(kGroup, "CSINode", std::make_unique<CsiNodeStrategy>());
  table.Add(kGroup, "CSIDriver", std::make_unique<CsiDriverStrategy>());
  table.Add(kGroup, "CSIStorageCapacity", std::make_unique<CsiStorageCapacityStrategy>());
  table.Add(kGroup, "VolumeAttributesClass", std::make_unique<VolumeAttributesClassStrategy>());
}

}  // namespace kubexms
