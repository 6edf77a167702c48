#include "kubexms/apiserver/admission/builtin_admissions.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/admission/certificate_admissions.h"
#include "kubexms/apiserver/admission/runtime_class_admission.h"
#include "kubexms/apiserver/admission/service_account_admission.h"
#include "kubexms/apiserver/resources/metadata.h"

namespace kubexms {
namespace {

using Operation = AdmissionRequest::Operation;

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

class NamespaceLifecycle final : public Admission {
 public:
  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (request.operation != Operation::kDelete || !request.resource.Is("", "namespaces")) {
      return {};
    }
    constexpr std::string_view kSystem[] = {"default", "kube-system", "kube-public"};
    if (std::ranges::count(kSystem, NameOf(object)) == 0) return {};
    return Error::Forbidden("namespaces", NameOf(object), "this namespace may not be deleted");
  }
};

// Tolerations that let a Pod stay for five minutes on a node that fails.
class DefaultTolerationSeconds final : public Admission {
 public:
  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (request.operation != Operation::kCreate || !request.resource.Is("", "pods")) return {};
    Json& tolerations = ObjectMember(object.get_object(), "spec")["tolerations"];
    if (!tolerations.is_array()) tolerations.emplace_array();
    for (const std::string_view key : {kNotReady, kUnreachable}) {
      if (Tolerates(tolerations.get_array(), key)) continue;
      tolerations.get_array().push_back(JsonObject{{"key", key},
                                                   {"operator", "Exists"},
                                                   {"effect", "NoExecute"},
                                                   {"tolerationSeconds", 300}});
    }
    return {};
  }

 private:
  static bool Tolerates(const JsonArray& tolerations, std::string_view key) {
    return std::ranges::any_of(tolerations, [key](const Json& toleration) {
      const std::string_view own_key = FindString(toleration, "key");
      const std::string_view effect = FindString(toleration, "effect");
      return (own_key == key || own_key.empty()) && (effect == "NoExecute" || effect.empty());
    });
  }
};

class PodPriority final : public Admission {
 public:
  explicit PodPriority(store::Store& store) : store_(store) {}

  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (request.operation != Operation::kCreate || !request.resource.Is("", "pods")) return {};
    JsonObject& spec = ObjectMember(object.get_object(), "spec");
    std::string name;
    if (const Json* given = spec.if_contains("priorityClassName"); given && given->is_string()) {
      name = AsView(given->get_string());
    }
    Json priority_class;
    if (name.empty()) {
      ASSIGN_OR_RETURN(priority_class, FindGlobalDefault());
    } else {
      ASSIGN_OR_RETURN(priority_class, Find(name));
      if (priority_class.is_null()) {
        return Error::Forbidden("pods", request.name,
                                fmt::format("no PriorityClass with name {} was found", name));
      }
    }
    const Json* value = FindMember(priority_class, "value");
    RETURN_IF_ERROR(SetComputed(request, spec, "priority", value == nullptr ? Json(0) : *value,
                                "the integer value of priority"));
    if (!priority_class.is_null()) spec["priorityClassName"] = NameOf(priority_class);
    const std::string_view policy = FindString(priority_class, "preemptionPolicy");
    return SetComputed(request, spec, "preemptionPolicy",
                       Json(policy.empty() ? "PreemptLowerPriority" : policy),
                       "the string value of PreemptionPolicy");
  }

 private:
  // Sets the value that follows from the PriorityClass. The pod may give no other value.
  static Result<void> SetComputed(const AdmissionRequest& request, JsonObject& spec,
                                  std::string_view member, const Json& computed,
                                  std::string_view called) {
    Json& value = spec[member];
    if (!value.is_null() && !JsonEqual(value, computed)) {
      return Error::Forbidden(
          "pods", request.name,
          fmt::format("{} ({}) must not be provided in pod spec; priority admission controller "
                      "computed {} from the given PriorityClass name",
                      called, Plain(value), Plain(computed)));
    }
    value = computed;
    return {};
  }
  static std::string Plain(const Json& value) {
    return value.is_string() ? std::string(AsView(value.get_string())) : WriteJson(value);
  }

  // Null when the PriorityClass does not exist.
  Result<Json> Find(const std::string& name) {
    ASSIGN_OR_RETURN(const store::RecordPtr record, store_.Get(Prefix() + name));
    return record == nullptr ? Result<Json>(Json()) : ParseJson(record->value);
  }

  Result<Json> FindGlobalDefault() {
    ASSIGN_OR_RETURN(const store::ListPage page, store_.List({.prefix = Prefix()}));
    for (const store::RecordPtr& record : page.records) {
      if (record->value.find(R"("globalDefault":true)") == std::string::npos) continue;
      // A damaged PriorityClass must not block the creation of all Pods.
      if (Result<Json> found = ParseJson(record->value); found.ok()) return found;
    }
    return Json();
  }

  static std::string Prefix() { return StoragePrefix("scheduling.k8s.io", "priorityclasses"); }

  store::Store& store_;
};

// Pods are not scheduled on a new node before its kubelet reports it ready.
class TaintNodesByCondition final : public Admission {
 public:
  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (request.operation != Operation::kCreate || !request.resource.Is("", "nodes")) return {};
    Json& taints = ObjectMember(object.get_object(), "spec")["taints"];
    if (!taints.is_array()) taints.emplace_array();
    const bool tainted = std::ranges::any_of(taints.get_array(), [](const Json& taint) {
      return FindString(taint, "key") == kNotReady && FindString(taint, "effect") == "NoSchedule";
    });
    if (!tainted) {
      taints.get_array().push_back(JsonObject{{"key", kNotReady}, {"effect", "NoSchedule"}});
    }
    return {};
  }
};

// The user of a CertificateSigningRequest is the authenticated one, whatever the document says.
class SigningRequestUser final : public Admission {
 public:
  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (!request.resource.Is("certificates.k8s.io", "certificatesigningrequests")) return {};
    if (request.operation != Operation::kCreate) return {};
    JsonObject& spec = ObjectMember(object.get_object(), "spec");
    spec["username"] = request.user.name;
    spec["groups"] = JsonArray(request.user.groups.begin(), request.user.groups.end());
    if (request.user.uid.empty()) {
      spec.erase("uid");
    } else {
      spec["uid"] = request.user.uid;
    }
    spec.erase("extra");
    JsonObject extra;
    for (const auto& [key, values] : request.user.extra) {
      extra[key] = JsonArray(values.begin(), values.end());
    }
    if (!extra.empty()) spec["extra"] = std::move(extra);
    return {};
  }
};

class CreatorRecorder final : public Admission {
 public:
  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (!request.resource.records_creator || request.operation == Operation::kDelete) return {};
    if (request.operation == Operation::kCreate) {
      JsonObject& annotations = Annotations(object);
      annotations[kCreatorAnnotation] = request.user.name;
      annotations[kCreatorGroupsAnnotation] =
          WriteJson(JsonArray(request.user.groups.begin(), request.user.groups.end()));
      return {};
    }
    const Json* before = MetadataOf(*request.old).if_contains("annotations");
    for (const std::string_view annotation : {kCreatorAnnotation, kCreatorGroupsAnnotation}) {
      Keep(annotation, before == nullptr ? "" : FindString(*before, annotation), object);
    }
    return {};
  }

 private:
  static void Keep(std::string_view annotation, std::string_view value, Json& object) {
    if (value.empty()) {
      Annotations(object).erase(annotation);
    } else {
      Annotations(object)[annotation] = std::string(value);
    }
  }
  static JsonObject& Annotations(Json& object) {
    return ObjectMember(MetadataOf(object), "annotations");
  }
};

class PrivilegeEscalationCheck final : public Admission {
 public:
  explicit PrivilegeEscalationCheck(RbacAuthorizer& authorizer) : authorizer_(authorizer) {}

  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (request.operation == Operation::kDelete || request.resource.group != kRbacGroup) return {};
    const RequestAttributes attributes{
        .verb = request.operation == Operation::kCreate ? "create" : "update",
        .group = request.resource.group,
        .version = request.resource.version,
        .resource = request.resource.plural,
        .namespace_name = std::string(NamespaceOf(object)),
        .name = std::string(NameOf(object))};
    if (request.resource.plural.ends_with("bindings")) {
      return authorizer_.CheckBindingWrite(request.user, attributes, object, request.old);
    }
    return authorizer_.CheckRoleWrite(request.user, attributes, object, request.old);
  }

 private:
  RbacAuthorizer& authorizer_;
};

struct Plugin {
  std::string_view name;  // of Kubernetes' plugin; empty where Kubernetes has none
  std::unique_ptr<Admission> admission;
};

std::vector<Plugin> MakePlugins(const AdmissionEnvironment& environment) {
  auto& [store, authorizer, clock, random] = environment;
  std::vector<Plugin> plugins;
  plugins.push_back({"NamespaceLifecycle", std::make_unique<NamespaceLifecycle>()});
  plugins.push_back({"ServiceAccount", MakeServiceAccountAdmission(store, clock, random)});
  plugins.push_back({"TaintNodesByCondition", std::make_unique<TaintNodesByCondition>()});
  plugins.push_back({"Priority", std::make_unique<PodPriority>(store)});
  plugins.push_back({"DefaultTolerationSeconds", std::make_unique<DefaultTolerationSeconds>()});
  plugins.push_back({"RuntimeClass", MakeRuntimeClassAdmission(store)});
  plugins.push_back({"", std::make_unique<SigningRequestUser>()});
  plugins.push_back({"", SignerPermissions(authorizer)});
  plugins.push_back({"CertificateSubjectRestriction", CertificateSubjectRestriction()});
  plugins.push_back({"", std::make_unique<CreatorRecorder>()});
  plugins.push_back({"", std::make_unique<PrivilegeEscalationCheck>(authorizer)});
  return plugins;
}

std::string NamesOf(const std::vector<Plugin>& plugins) {
  std::string names;
  for (const Plugin& plugin : plugins) {
    if (plugin.name.empty()) continue;
    fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", plugin.name);
  }
  return names;
}

}  // namespace

Result<AdmissionChain> BuiltinAdmissions(const AdmissionEnvironment& environment,
                                         const std::vector<std::string>& disabled) {
  std::vector<Plugin> plugins = MakePlugins(environment);
  for (const std::string& name : disabled) {
    const size_t removed =
        name.empty() ? 0 : std::erase_if(plugins, [&](const Plugin& p) { return p.name == name; });
    if (removed > 0) continue;
    return Error::BadRequest(fmt::format("unknown admission plugin {}; supported are {}",
                                         Quoted(name), NamesOf(MakePlugins(environment))));
  }
  AdmissionChain chain;
  for (Plugin& plugin : plugins) chain.push_back(std::move(plugin.admission));
  return chain;
}

}  // namespace kubexms
