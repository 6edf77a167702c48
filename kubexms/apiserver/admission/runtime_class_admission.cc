#include "kubexms/apiserver/admission/runtime_class_admission.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

using Operation = AdmissionRequest::Operation;

// Whether `wider` tolerates everything that `toleration` tolerates.
bool Covers(const Json& wider, const Json& toleration) {
  if (JsonEqual(wider, toleration)) return true;
  const auto differ = [&](std::string_view key) {
    return FindString(wider, key) != FindString(toleration, key);
  };
  const bool exists = FindString(wider, "operator") == "Exists";
  if (differ("key") && !(FindString(wider, "key").empty() && exists)) return false;
  const std::string_view effect = FindString(wider, "effect");
  if (differ("effect") && !effect.empty()) return false;
  const Json* limit = FindMember(wider, "tolerationSeconds");
  if (effect == "NoExecute" && limit != nullptr && limit->is_int64()) {
    const Json* seconds = FindMember(toleration, "tolerationSeconds");
    if (seconds == nullptr || !seconds->is_int64()) return false;
    if (seconds->get_int64() > limit->get_int64()) return false;
  }
  return exists || (FindString(toleration, "operator") == "Equal" && !differ("value"));
}

// Removes tolerations that another one covers; of equal ones the first remains.
JsonArray MergeTolerations(const JsonArray& all) {
  JsonArray merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool covered =
        std::ranges::any_of(merged, [&](const Json& one) { return Covers(one, all[i]); }) ||
        std::any_of(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(), [&](const Json& later) {
          return !JsonEqual(later, all[i]) && Covers(later, all[i]);
        });
    if (!covered) merged.push_back(all[i]);
  }
  return merged;
}

class RuntimeClassAdmission final : public Admission {
 public:
  explicit RuntimeClassAdmission(store::Store& store) : store_(store) {}

  Result<void> Admit(const AdmissionRequest& request, Json& object) override {
    if (request.operation != Operation::kCreate || !request.resource.Is("", "pods")) return {};
    JsonObject& spec = ObjectMember(object.get_object(), "spec");
    Json runtime_class = JsonObject();
    if (const Json* given = Find(spec, "runtimeClassName"); given && given->is_string()) {
      ASSIGN_OR_RETURN(runtime_class, FindClass(request, AsView(given->get_string())));
    }
    RETURN_IF_ERROR(SetOverhead(request, runtime_class.get_object(), spec));
    const JsonObject* scheduling = FindObject(runtime_class.get_object(), "scheduling");
    return scheduling == nullptr ? Result<void>() : SetScheduling(request, *scheduling, spec);
  }

 private:
  static Error Forbidden(const AdmissionRequest& request, std::string_view why) {
    return Error::Forbidden("pods", request.name, why);
  }

  Result<Json> FindClass(const AdmissionRequest& request, std::string_view name) {
    ASSIGN_OR_RETURN(const store::RecordPtr record,
                     store_.Get(StoragePrefix("node.k8s.io", "runtimeclasses").append(name)));
    if (record != nullptr) return ParseJson(record->value);
    return Forbidden(request, fmt::format("pod rejected: RuntimeClass {} not found", Quoted(name)));
  }

  static Result<void> SetOverhead(const AdmissionRequest& request, const JsonObject& runtime_class,
                                  JsonObject& spec) {
    const Json* given = Find(spec, "overhead");
    if (FindObject(runtime_class, "overhead") == nullptr) {
      if (given == nullptr) return {};
      return Forbidden(
          request,
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    }
    const Json* overhead = Find(runtime_class, "overhead.podFixed");
    if (given != nullptr && given->is_object() && !given->get_object().empty() &&
        !SemanticEqual(given, overhead)) {
      return Forbidden(
          request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    spec.erase("overhead");
    if (overhead != nullptr) spec["overhead"] = *overhead;
    return {};
  }

  static Result<void> SetScheduling(const AdmissionRequest& request, const JsonObject& scheduling,
                                    JsonObject& spec) {
    if (const JsonObject* selector = FindObject(scheduling, "nodeSelector")) {
      JsonObject& own = ObjectMember(spec, "nodeSelector");
      for (const auto* wanted : SortedMembers(*selector)) {
        const Json* value = own.if_contains(wanted->key());
        if (value != nullptr && !JsonEqual(*value, wanted->value())) {
          return Forbidden(request, Conflict(wanted->key(), *selector, own));
        }
        own[wanted->key()] = wanted->value();
      }
    }
    JsonArray tolerations;
    for (const JsonObject* from : {static_cast<const JsonObject*>(&spec), &scheduling}) {
      const Json* list = Find(*from, "tolerations");
      if (list == nullptr || !list->is_array()) continue;
      tolerations.insert(tolerations.end(), list->get_array().begin(), list->get_array().end());
    }
    if (!tolerations.empty()) spec["tolerations"] = MergeTolerations(tolerations);
    return {};
  }

  static std::string Conflict(std::string_view key, const JsonObject& selector,
                              const JsonObject& own) {
    return fmt::format(
        "conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; pod.spec.nodeSelector[{}] = {}",
        key, FindString(Json(selector), key), key, FindString(Json(own), key));
  }

  store::Store& store_;
};

}  // namespace

std::unique_ptr<Admission> MakeRuntimeClassAdmission(store::Store& store) {
  return std::make_unique<RuntimeClassAdmission>(store);
}

}  // namespace kubexms
