#include "kubexms/apiserver/admission/service_account_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

using Operation = AdmissionRequest::Operation;

constexpr std::string_view kDefaultAccount = "default";
constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";
constexpr std::string_view kEnforceSecretsAnnotation = "kubernetes.io/enforce-mountable-secrets";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
// Slightly more than an hour: marks requests for tokens whose lifetime the server may extend.
constexpr int kTokenSeconds = 3607;
constexpr int kFileMode = 0644;

constexpr int kAttempts = 10;
constexpr int kMinPauseMs = 100;
constexpr int kPauseRangeMs = 100;

template <class Visit>
void VisitObjects(const JsonObject& in, std::string_view list, Visit visit) {
  const Json* items = Find(in, list);
  if (items == nullptr || !items->is_array()) return;
  for (const Json& item : items->get_array()) {
    if (item.is_object()) visit(item.get_object());
  }
}

std::vector<std::string_view> NamesOf(const JsonObject& in, std::string_view list) {
  std::vector<std::string_view> names;
  VisitObjects(in, list, [&](const JsonObject& item) { names.push_back(TextAt(item, "name")); });
  return names;
}

bool Contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::count(names, name) > 0;
}

std::string_view AnnotationOf(const Json& object, std::string_view key) {
  return FindString(MemberOrNull(MemberOrNull(object, "metadata"), "annotations"), key);
}

bool IsMirrorPod(const Json& pod) {
  const Json* annotations = MetadataOf(pod).if_contains("annotations");
  return annotations != nullptr && FindMember(*annotations, kMirrorAnnotation) != nullptr;
}

// Parses as Go's strconv.ParseBool.
bool IsTrueText(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
  return std::ranges::count(kTrue, text) > 0;
}

bool EnforcesSecrets(const Json& account) {
  return IsTrueText(AnnotationOf(account, kEnforceSecretsAnnotation));
}

// Calls `visit(description, secret)` for each Secret that the container's environment refers to.
template <class Visit>
void VisitEnvironmentSecrets(const JsonObject& container, Visit visit) {
  VisitObjects(container, "env", [&](const JsonObject& variable) {
    if (FindObject(variable, "valueFrom.secretKeyRef") == nullptr) return;
    visit(fmt::format("envVar {}", TextAt(variable, "name")),
          TextAt(variable, "valueFrom.secretKeyRef.name"));
  });
  VisitObjects(container, "envFrom", [&](const JsonObject& source) {
    if (FindObject(source, "secretRef") == nullptr) return;
    visit(std::string("envFrom"), TextAt(source, "secretRef.name"));
  });
}

bool VolumeHasSecret(const JsonObject& volume) {
  constexpr std::string_view kNames[] = {
      "azureFile.secretName",      "cephfs.secretRef.name",
      "cinder.secretRef.name",     "csi.nodePublishSecretRef.name",
      "flexVolume.secretRef.name", "iscsi.secretRef.name",
      "rbd.secretRef.name",        "scaleIO.secretRef.name",
      "secret.secretName",         "storageos.secretRef.name"};
  bool found = std::ranges::any_of(
      kNames, [&](std::string_view name) { return !TextAt(volume, name).empty(); });
  VisitObjects(volume, "projected.sources", [&](const JsonObject& source) {
    if (!TextAt(source, "secret.name").empty()) found = true;
  });
  return found;
}

bool HasSecrets(const JsonObject& spec) {
  bool found = false;
  for (const std::string_view name : NamesOf(spec, "imagePullSecrets")) {
    if (!name.empty()) found = true;
  }
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    VisitObjects(spec, list, [&](const JsonObject& container) {
      VisitEnvironmentSecrets(container, [&](const std::string&, std::string_view secret) {
        if (!secret.empty()) found = true;
      });
    });
  }
  VisitObjects(spec, "volumes", [&](const JsonObject& volume) {
    if (VolumeHasSecret(volume)) found = true;
  });
  return found;
}

bool ProjectsToken(const JsonObject& spec) {
  bool found = false;
  VisitObjects(spec, "volumes", [&](const JsonObject& volume) {
    VisitObjects(volume, "projected.sources", [&](const JsonObject& source) {
      if (FindObject(source, "serviceAccountToken") != nullptr) found = true;
    });
  });
  return found;
}

// Why a mirror Pod is refused; empty when it is not. Mirror Pods reflect static Pods, which cannot
// use API objects.
std::string_view ExplainMirrorPod(const JsonObject& spec) {
  if (!TextAt(spec, "serviceAccountName").empty()) {
    return "a mirror pod may not reference service accounts";
  }
  if (HasSecrets(spec)) return "a mirror pod may not reference secrets";
  if (ProjectsToken(spec)) {
    return "a mirror pod may not use ServiceAccountToken volume projections";
  }
  return "";
}

// The Secrets that an account restricts its Pods to. Records the message of the first violation.
class SecretLimits {
 public:
  explicit SecretLimits(const Json& account)
      : account_(account), secrets_(NamesOf(account.get_object(), "secrets")) {}

  void CheckVolumes(const JsonObject& spec) {
    VisitObjects(spec, "volumes", [&](const JsonObject& volume) {
      if (FindObject(volume, "secret") == nullptr) return;
      const std::string_view secret = TextAt(volume, "secret.secretName");
      if (!Contains(secrets_, secret)) Refuse("volume with ", secret);
    });
  }

  // `what` names the list in messages: "init container".
  void CheckContainers(const JsonObject& spec, std::string_view list, std::string_view what) {
    VisitObjects(spec, list, [&](const JsonObject& container) {
      VisitEnvironmentSecrets(container,
                              [&](const std::string& description, std::string_view secret) {
                                if (Contains(secrets_, secret)) return;
                                Refuse(fmt::format("{} {} with {} referencing ", what,
                                                   TextAt(container, "name"), description),
                                       secret);
                              });
    });
  }

  void CheckPullSecrets(const JsonObject& spec) {
    const std::vector<std::string_view> allowed =
        NamesOf(account_.get_object(), "imagePullSecrets");
    const std::vector<std::string_view> wanted = NamesOf(spec, "imagePullSecrets");
    for (size_t i = 0; i < wanted.size() && message_.empty(); ++i) {
      if (Contains(allowed, wanted[i])) continue;
      message_ = fmt::format(
          "imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} does not "
          "reference that imagePullSecret",
          i, wanted[i], NameOf(account_));
    }
  }

  const std::string& message() const { return message_; }

 private:
  void Refuse(std::string_view who, std::string_view secret) {
    if (!message_.empty()) return;
    message_ = fmt::format(
        "{}secret.secretName=\"{}\" is not allowed because service account {} does not reference "
        "that secret",
        who, secret, NameOf(account_));
  }

  const Json& account_;
  const std::vector<std::string_view> secrets_;
  std::string message_;
};

bool MountsToken(const Json& account, const JsonObject& spec) {
  const Json* own = Find(spec, "automountServiceAccountToken");
  if (own == nullptr) own = Find(account.get_object(), "automountServiceAccountToken");
  return own == nullptr || !own->is_bool() || own->get_bool();
}

JsonObject TokenVolume(std::string_view name) {
  JsonObject token{
      {"serviceAccountToken", JsonObject{{"path", "token"}, {"expirationSeconds", kTokenSeconds}}}};
  JsonObject authority{
      {"configMap",
       JsonObject{{"name", "kube-root-ca.crt"},
                  {"items", JsonArray{JsonObject{{"key", "ca.crt"}, {"path", "ca.crt"}}}}}}};
  JsonObject namespace_name{
      {"downwardAPI",
       JsonObject{{"items", JsonArray{JsonObject{
                                {"path", "namespace"},
                                {"fieldRef", JsonObject{{"apiVersion", "v1"},
                                                        {"fieldPath", "metadata.namespace"}}}}}}}}};
  return {{"name", name},
          {"projected", JsonObject{{"defaultMode", kFileMode},
                                   {"sources", JsonArray{std::move(token), std::move(authority),
                                                         std::move(namespace_name)}}}}};
}

JsonArray& EnsureArray(JsonObject& in, std::string_view key) {
  Json& list = in[key];
  if (!list.is_array()) list.emplace_array();
  return list.get_array();
}

// Returns true when this call mounted the token.
bool MountToken(std::string_view volume, JsonObject& container) {
  bool mounted = false;
  VisitObjects(container, "volumeMounts", [&](const JsonObject& mount) {
    if (TextAt(mount, "mountPath") == kMountPath) mounted = true;
  });
  if (mounted) return false;
  EnsureArray(container, "volumeMounts")
      .push_back(JsonObject{{"name", volume}, {"readOnly", true}, {"mountPath", kMountPath}});
  return true;
}

void MountToken(Random& random, JsonObject& spec) {
  std::string volume;
  for (const std::string_view name : NamesOf(spec, "volumes")) {
    if (volume.empty() && name.starts_with(kVolumePrefix)) volume = name;
  }
  const bool present = !volume.empty();
  if (!present) volume = std::string(kVolumePrefix) + random.NameSuffix();
  bool mounted = false;
  for (const std::string_view list : {"initContainers", "containers"}) {
    ForEachObject(spec, list, [&](JsonObject& container) {
      if (MountToken(volume, container)) mounted = true;
    });
  }
  if (mounted && !present) EnsureArray(spec, "volumes").push_back(TokenVolume(volume));
}

void AddPullSecrets(const Json& account, JsonObject& spec) {
  if (!NamesOf(spec, "imagePullSecrets").empty()) return;
  JsonArray secrets;
  for (const std::string_view name : NamesOf(account.get_object(), "imagePullSecrets")) {
    secrets.push_back(JsonObject{{"name", name}});
  }
  if (!secrets.empty()) spec["imagePullSecrets"] = std::move(secrets);
}

class ServiceAccountAdmission final : public Admission {
 public:
  ServiceAccountAdmission(store::Store& store, Clock& clock, Random& random)
      : store_(store), clock_(clock), random_(random) {}

  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (!request.resource.Is("", "pods")) return {};
    if (request.operation == Operation::kCreate) return AdmitNew(request, object);
    if (request.operation == Operation::kUpdate && request.subresource == "ephemeralcontainers") {
      return CheckEphemeralContainers(request, object);
    }
    return {};
  }

 private:
  static Error Forbidden(const AdmissionRequest& request, std::string_view why) {
    return Error::Forbidden("pods", request.name, why);
  }

  Result<void> AdmitNew(const AdmissionRequest& request, Json& pod) {
    JsonObject& spec = ObjectMember(pod.get_object(), "spec");
    if (IsMirrorPod(pod)) {
      const std::string_view problem = ExplainMirrorPod(spec);
      if (problem.empty()) return {};
      return Forbidden(request, problem);
    }
    if (TextAt(spec, "serviceAccountName").empty()) spec["serviceAccountName"] = kDefaultAccount;
    const std::string name(TextAt(spec, "serviceAccountName"));
    spec["serviceAccount"] = name;
    ASSIGN_OR_RETURN(const Json account, FindAccount(request, pod, name));
    if (MountsToken(account, spec)) MountToken(random_, spec);
    AddPullSecrets(account, spec);
    if (!EnforcesSecrets(account)) return {};
    SecretLimits limits(account);
    limits.CheckVolumes(spec);
    limits.CheckContainers(spec, "initContainers", "init container");
    limits.CheckContainers(spec, "containers", "container");
    limits.CheckPullSecrets(spec);
    if (limits.message().empty()) return {};
    return Forbidden(request, limits.message());
  }

  Result<void> CheckEphemeralContainers(const AdmissionRequest& request, const Json& pod) {
    const JsonObject* spec = FindObject(pod.get_object(), "spec");
    const std::string name(spec == nullptr ? "" : TextAt(*spec, "serviceAccountName"));
    if (name.empty()) {
      return Forbidden(request, fmt::format("no service account specified for pod {}/{}",
                                            NamespaceOf(pod), NameOf(pod)));
    }
    ASSIGN_OR_RETURN(const Json account, FindAccount(request, pod, name));
    if (!EnforcesSecrets(account)) return {};
    SecretLimits limits(account);
    limits.CheckContainers(*spec, "ephemeralContainers", "ephemeral container");
    if (limits.message().empty()) return {};
    return Forbidden(request, limits.message());
  }

  Result<Json> FindAccount(const AdmissionRequest& request, const Json& pod,
                           const std::string& name) {
    const std::string_view namespace_name = NamespaceOf(pod);
    const std::string key =
        fmt::format("{}{}/{}", StoragePrefix("", "serviceaccounts"), namespace_name, name);
    ASSIGN_OR_RETURN(store::RecordPtr record, store_.Get(key));
    if (record == nullptr && name == kDefaultAccount) {
      ASSIGN_OR_RETURN(record, WaitForAccount(key));
    }
    if (record != nullptr) return ParseJson(record->value);
    return Forbidden(
        request, fmt::format("error looking up service account {}/{}: serviceaccount \"{}\" not "
                             "found",
                             namespace_name, name, name));
  }

  // Null when the account is not created in time, or when too many Pods already wait.
  Result<store::RecordPtr> WaitForAccount(const std::string& key) {
    struct Place {
      explicit Place(std::atomic<int>& count) : waiting(count), number(++count) {}
      ~Place() { --waiting; }
      std::atomic<int>& waiting;
      const int number;
    };
    const Place place(waiting_);
    store::RecordPtr record;
    if (place.number > kMaxPodsWaitingForAccounts) return record;
    const std::chrono::milliseconds pause(kMinPauseMs + random_.Below(kPauseRangeMs));
    for (int attempt = 1; attempt < kAttempts && record == nullptr; ++attempt) {
      clock_.SleepFor(pause);
      ASSIGN_OR_RETURN(record, store_.Get(key));
    }
    return record;
  }

  store::Store& store_;
  Clock& clock_;
  Random& random_;
  std::atomic<int> waiting_ = 0;
};

}  // namespace

std::unique_ptr<Admission> MakeServiceAccountAdmission(store::Store& store, Clock& clock,
                                                       Random& random) {
  return std::make_unique<ServiceAccountAdmission>(store, clock, random);
}

}  // namespace kubexms
