#include "kubexms/apiserver/handlers/subresources.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/codec.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/decoding/shape.h"
#include "kubexms/apiserver/handlers/representation.h"
#include "kubexms/apiserver/handlers/scale_write.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/write/deletion.h"
#include "kubexms/apiserver/write/scale.h"

namespace kubexms {
namespace {

using Change = ObjectWriter::Change;

// The largest number of evictions that the disruption controller has not confirmed yet.
constexpr size_t kMaxDisruptedPods = 2000;
constexpr std::string_view kWouldViolate =
    "Cannot evict pod as it would violate the pod's disruption budget.";

std::string Success(int code) {
  return WriteJson(JsonObject{{"apiVersion", "v1"},
                              {"kind", "Status"},
                              {"metadata", JsonObject()},
                              {"status", "Success"},
                              {"code", code}});
}

// Older clients send policy/v1beta1, which differs only in the name of the version.
void RenameOldEviction(Json& document) {
  if (FindString(document, "kind") == "Eviction" &&
      FindString(document, "apiVersion") == "policy/v1beta1") {
    document.get_object()["apiVersion"] = "policy/v1";
  }
}

WriteAttributes AttributesOf(const ResourceCall& call, std::string manager, bool dry_run) {
  return {.resource = *call.resource,
          .subresource = call.attributes.subresource,
          .namespace_name = call.attributes.namespace_name,
          .name = call.attributes.name,
          .user = call.user,
          .manager = std::move(manager),
          .dry_run = dry_run};
}

// Sets the condition in the object's status, in place of one of the same type.
void SetConditionOf(Json& object, JsonObject condition) {
  Json& status = object.get_object()["status"];
  if (!status.is_object()) status.emplace_object();
  Json& conditions = status.get_object()["conditions"];
  if (!conditions.is_array()) conditions.emplace_array();
  for (Json& other : conditions.get_array()) {
    if (FindString(other, "type") != AsView(condition["type"].get_string())) continue;
    other = std::move(condition);
    return;
  }
  conditions.get_array().push_back(std::move(condition));
}

int64_t IntegerAt(const Json& object, std::string_view part, std::string_view key) {
  const Json* parent = FindMember(object, part);
  const Json* value = parent == nullptr ? nullptr : FindMember(*parent, key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

Error BudgetRefuses(std::string why, std::optional<std::chrono::seconds> retry_after = {}) {
  ErrorDetails details;
  details.causes = {{.reason = "DisruptionBudget", .message = std::move(why), .field = ""}};
  details.retry_after = retry_after;
  return {429, "TooManyRequests", std::string(kWouldViolate), std::move(details)};
}

Error BudgetSpent(std::string_view budget, int64_t wanted, int64_t healthy) {
  return BudgetRefuses(
      fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", budget,
                  wanted, healthy));
}

// The disruption controller has not observed the current budget or Pod.
Error BudgetNotObserved(std::string_view budget) {
  return BudgetRefuses(
      fmt::format("The disruption budget {} is still being processed by the server.", budget),
      std::chrono::seconds(10));
}

Error BudgetForbids(std::string_view budget, std::string_view why) {
  return Error::Forbidden("poddisruptionbudget.policy", budget, why);
}

bool IsReady(const Json& pod) {
  const Json* status = FindMember(pod, "status");
  const Json* conditions = status == nullptr ? nullptr : FindMember(*status, "conditions");
  if (conditions == nullptr || !conditions->is_array()) return false;
  return std::ranges::any_of(conditions->get_array(), [](const Json& condition) {
    return FindString(condition, "type") == "Ready" && FindString(condition, "status") == "True";
  });
}

// A Pod that is not ready is not counted as healthy, so its eviction takes nothing from the budget.
// But when too few Pods are healthy it may be about to become ready, so only the policy AlwaysAllow
// lets it be evicted then.
bool AllowsUnhealthy(const Json& budget) {
  const Json* spec = FindMember(budget, "spec");
  if (spec != nullptr && FindString(*spec, "unhealthyPodEvictionPolicy") == "AlwaysAllow") {
    return true;
  }
  const int64_t wanted = IntegerAt(budget, "status", "desiredHealthy");
  return wanted > 0 && IntegerAt(budget, "status", "currentHealthy") >= wanted;
}

// The budget after a disruption of this Pod.
Result<Json> TakeFromBudget(const Json& budget, std::string_view pod, const std::string& now) {
  const std::string_view name = NameOf(budget);
  const int64_t generation = IntegerAt(budget, "metadata", "generation");
  const int64_t allowed = IntegerAt(budget, "status", "disruptionsAllowed");
  if (IntegerAt(budget, "status", "observedGeneration") < generation)
    return BudgetNotObserved(name);
  if (allowed < 0) return BudgetForbids(name, "pdb disruptions allowed is negative");
  Json changed = budget;
  JsonObject& status = changed.get_object()["status"].get_object();
  Json& disrupted = status["disruptedPods"];
  if (!disrupted.is_object()) disrupted.emplace_object();
  if (disrupted.get_object().size() > kMaxDisruptedPods) {
    return BudgetForbids(name,
                         "DisruptedPods map too big - too many evictions not confirmed by PDB "
                         "controller");
  }
  if (allowed == 0) {
    return BudgetSpent(name, IntegerAt(budget, "status", "desiredHealthy"),
                       IntegerAt(budget, "status", "currentHealthy"));
  }
  disrupted.get_object()[pod] = now;
  status["disruptionsAllowed"] = allowed - 1;
  if (allowed == 1) {
    SetConditionOf(changed, {{"type", "DisruptionAllowed"},
                             {"status", "False"},
                             {"reason", "InsufficientPods"},
                             {"message", ""},
                             {"observedGeneration", generation},
                             {"lastTransitionTime", now}});
  }
  return changed;
}

// A Pod that does not run may be evicted at any time.
bool NeedsNoBudget(const Json& pod) {
  const Json* status = FindMember(pod, "status");
  const std::string_view phase = status == nullptr ? "" : FindString(*status, "phase");
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" || IsBeingDeleted(pod);
}

Result<bool> Selects(const Json& budget, const Json& pod) {
  const Json* spec = FindMember(budget, "spec");
  const Json* selector = spec == nullptr ? nullptr : FindMember(*spec, "selector");
  if (selector == nullptr) return false;
  ASSIGN_OR_RETURN(const LabelSelector typed, Decode<LabelSelector>(WriteJson(*selector)));
  ASSIGN_OR_RETURN(const Selector compiled, Selector::From(typed));
  StringMap labels;
  if (const Json* map = MetadataOf(pod).if_contains("labels"); map != nullptr && map->is_object()) {
    for (const auto& label : map->get_object()) {
      if (label.value().is_string()) {
        labels.emplace(label.key(), AsView(label.value().get_string()));
      }
    }
  }
  return compiled.Matches(labels);
}

// The resource that represents a Scale in responses.
const Resource& ScaleResource() {
  static const Resource kScale{.group = "autoscaling", .version = "v1", .kind = "Scale"};
  return kScale;
}

}  // namespace

Result<Json> ReadSubresourceBody(const ResourceCall& call, const Subresource& subresource) {
  StrictErrors errors;
  ASSIGN_OR_RETURN(const BodyFormat format, call.request.ReadBodyFormat(false));
  ASSIGN_OR_RETURN(Json document,
                   ParseBody(call.request.Body(), format, subresource.kind, {}, errors));
  RenameOldEviction(document);
  RETURN_IF_ERROR(CheckKind(document, subresource.kind, false));
  const Result<void> readable = CheckShape(document, *subresource.schema);
  if (!readable.ok()) {
    return CannotBeHandled(readable.error(), subresource.kind.kind, subresource.kind.version);
  }
  RETURN_IF_ERROR(MatchNamespace(document, call.attributes.namespace_name));
  return document;
}

Result<HttpResponse> Subresources::Handle(const ResourceCall& call,
                                          const Subresource& subresource) {
  if (subresource.name == "scale") {
    return call.attributes.verb == "get" ? GetScale(call) : WriteScale(call, subresource);
  }
  if (subresource.name == "binding") return Bind(call, subresource);
  if (subresource.name == "eviction") return Evict(call, subresource);
  return RequestToken(call, subresource);
}

Result<Json> Subresources::ReadObject(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const store::RecordPtr record,
                   environment_.reader.Get(*call.resource, call.attributes.namespace_name,
                                           call.attributes.name));
  return ReadDocument(*call.resource, *record);
}

Result<Json> Subresources::ReadCore(const ResourceCall& call, std::string_view plural,
                                    std::string_view namespace_name, std::string_view name) {
  const ResourcePtr* resource = call.resources.Find("", "v1", plural);
  if (resource == nullptr) return Error::NotFound(plural, name);
  ASSIGN_OR_RETURN(const store::RecordPtr record,
                   environment_.reader.Get(**resource, namespace_name, name));
  return ReadDocument(**resource, *record);
}

Result<HttpResponse> Subresources::GetScale(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const Json object, ReadObject(call));
  ASSIGN_OR_RETURN(const Json scale, ScaleOf(object, *call.resource));
  return representation.Object(200, ScaleResource(), SharedBytes(WriteJson(scale)));
}

Result<HttpResponse> Subresources::WriteScale(const ResourceCall& call,
                                              const Subresource& subresource) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const ScaleWrite write, ScaleWrite::Read(call, subresource));
  ASSIGN_OR_RETURN(const Written written,
                   environment_.writer.Update(
                       AttributesOf(call, write.manager(), write.options().dry_run),
                       [&](const Json& old) -> Result<Change> {
                         ASSIGN_OR_RETURN(Json changed,
                                          write.Change(old, Time::Now(environment_.clock)));
                         return Change{std::move(changed), true};
                       }));
  ASSIGN_OR_RETURN(const Json object, ParseJson(written.object));
  ASSIGN_OR_RETURN(const Json scale, ScaleOf(object, *call.resource));
  return representation.Object(200, ScaleResource(), SharedBytes(WriteJson(scale)));
}

Result<HttpResponse> Subresources::Bind(const ResourceCall& call, const Subresource& subresource) {
  ASSIGN_OR_RETURN(const WriteQuery options, call.request.ReadWriteOptions("CreateOptions"));
  ASSIGN_OR_RETURN(const Json binding, ReadSubresourceBody(call, subresource));
  const Json* target = FindMember(binding, "target");
  const std::string node(target == nullptr ? "" : FindString(*target, "name"));
  if (node.empty()) {
    return Error::Invalid("Binding", call.attributes.name,
                          {{"FieldValueRequired", "Required value", "target.name"}});
  }
  const std::string& name = call.attributes.name;
  if (NameOf(binding) != name) {
    return Error::BadRequest("name in URL does not match name in Binding object");
  }
  const std::string_view uid = UidOf(binding);
  const std::string now = Time::Now(environment_.clock).ToString();
  ASSIGN_OR_RETURN(
      const Written written,
      environment_.writer.Update(
          AttributesOf(call, FieldManagerOf(call, options), options.dry_run),
          [&](const Json& old) -> Result<Change> {
            // The scheduler may have decided about an earlier Pod of the same name.
            if (!uid.empty() && uid != UidOf(old)) {
              return Error::Conflict("pods/binding", name,
                                     fmt::format("Precondition failed: UID in precondition: {}, "
                                                 "UID in object meta: {}",
                                                 uid, UidOf(old)));
            }
            Json pod = old;
            Json& spec = pod.get_object()["spec"];
            const std::string_view assigned = FindString(spec, "nodeName");
            if (!assigned.empty()) {
              return Error::Conflict(
                  "pods/binding", name,
                  fmt::format("pod {} is already assigned to node {}", name, Quoted(assigned)));
            }
            if (IsBeingDeleted(pod)) {
              return Error::Conflict(
                  "pods/binding", name,
                  fmt::format("pod {} is being deleted, cannot be assigned to a host", name));
            }
            const Json* gates = FindMember(spec, "schedulingGates");
            if (gates != nullptr && gates->is_array() && !gates->get_array().empty()) {
              return Error::Conflict(
                  "pods/binding", name,
                  fmt::format("pod {} has non-empty .spec.schedulingGates", name));
            }
            spec.get_object()["nodeName"] = node;
            SetConditionOf(
                pod, {{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", now}});
            return Change{std::move(pod), true};  // no manager owns spec.nodeName
          }));
  return HttpResponse::Text(201, "application/json", Success(201));
}

Result<HttpResponse> Subresources::BindPod(const ResourceCall& call) {
  const ResourcePtr* pods = call.resources.Find("", "v1", "pods");
  const Subresource* binding = pods == nullptr ? nullptr : (*pods)->FindSubresource("binding");
  if (binding == nullptr) return Error::NotFound("pods/binding", "");
  ASSIGN_OR_RETURN(const Json body, ReadSubresourceBody(call, *binding));
  RequestAttributes attributes = call.attributes;
  attributes.name = NameOf(body);
  attributes.subresource = binding->name;
  return Bind({call.request, attributes, call.user, call.resources, *pods}, *binding);
}

Result<HttpResponse> Subresources::Evict(const ResourceCall& call, const Subresource& subresource) {
  ASSIGN_OR_RETURN(const Json eviction, ReadSubresourceBody(call, subresource));
  const Json* options_json = FindMember(eviction, "deleteOptions");
  ASSIGN_OR_RETURN(DeleteQuery options,
                   call.request.ReadDeleteOptions(
                       options_json == nullptr ? std::string() : WriteJson(*options_json)));
  if (NameOf(eviction) != call.attributes.name) {
    return Error::BadRequest("name in URL does not match name in Eviction object");
  }
  ASSIGN_OR_RETURN(const Json pod, ReadObject(call));
  std::string unharmed;  // a budget that allows the eviction only while the Pod is unchanged
  if (!NeedsNoBudget(pod)) {
    ASSIGN_OR_RETURN(unharmed, UseDisruptionBudget(call, pod, options.dry_run));
  }
  if (!unharmed.empty() && options.precondition_version.empty()) {
    options.precondition_version = ResourceVersionOf(pod);
  } else {
    unharmed.clear();
  }
  if (options.precondition_uid.empty()) options.precondition_uid = UidOf(pod);
  WriteAttributes attributes = AttributesOf(call, "kube-apiserver", options.dry_run);
  // The condition tells the controller of the Pod why it was deleted.
  attributes.subresource = "status";
  const std::string now = Time::Now(environment_.clock).ToString();
  const Result<Written> marked =
      environment_.writer.Update(attributes, [&](const Json& old) -> Result<Change> {
        RETURN_IF_ERROR(CheckPreconditions(old, options, *call.resource));
        Json disrupted = old;
        SetConditionOf(disrupted, {{"type", "DisruptionTarget"},
                                   {"status", "True"},
                                   {"reason", "EvictionByEvictionAPI"},
                                   {"message", "Eviction API: evicting"},
                                   {"lastTransitionTime", now}});
        return Change{std::move(disrupted), true};
      });
  if (!marked.ok()) {
    const bool changed = marked.error().IsConflict() && !unharmed.empty();
    return changed ? BudgetNotObserved(unharmed) : marked.error();
  }
  options.precondition_version.clear();
  attributes.subresource = "";
  ASSIGN_OR_RETURN(const Deleted deleted, environment_.writer.Delete(attributes, options));
  return HttpResponse::Text(201, "application/json", Success(201));
}

Result<std::vector<Json>> Subresources::BudgetsOf(const ResourceCall& call, const Json& pod) {
  std::vector<Json> selecting;
  const ResourcePtr* budgets = call.resources.Find("policy", "v1", "poddisruptionbudgets");
  if (budgets == nullptr) return selecting;
  ASSIGN_OR_RETURN(const ObjectFilter all, ObjectFilter::Make(**budgets, {}));
  ASSIGN_OR_RETURN(const ObjectList list,
                   environment_.reader.List(**budgets, call.attributes.namespace_name, {}, all));
  for (const store::RecordPtr& record : list.records) {
    ASSIGN_OR_RETURN(Json budget, ReadDocument(**budgets, *record));
    ASSIGN_OR_RETURN(const bool selects, Selects(budget, pod));
    if (selects) selecting.push_back(std::move(budget));
  }
  return selecting;
}

Result<std::string> Subresources::UseDisruptionBudget(const ResourceCall& call, const Json& pod,
                                                      bool dry_run) {
  ASSIGN_OR_RETURN(const std::vector<Json> budgets, BudgetsOf(call, pod));
  if (budgets.empty()) return std::string();
  if (budgets.size() > 1) {
    return Error(500, "",
                 "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                 "does not support.");
  }
  const std::string name(NameOf(budgets[0]));
  if (!IsReady(pod) && AllowsUnhealthy(budgets[0])) return name;
  const std::string now = Time::Now(environment_.clock).ToString();
  RETURN_IF_ERROR(environment_.writer.Update(
      {.resource = **call.resources.Find("policy", "v1", "poddisruptionbudgets"),
       .subresource = "status",
       .namespace_name = call.attributes.namespace_name,
       .name = name,
       .user = call.user,
       .manager = "kube-apiserver",
       .dry_run = dry_run},
      [&](const Json& old) -> Result<Change> {
        ASSIGN_OR_RETURN(Json taken, TakeFromBudget(old, NameOf(pod), now));
        return Change{std::move(taken)};
      }));
  return std::string();
}

Result<HttpResponse> Subresources::RequestToken(const ResourceCall& call,
                                                const Subresource& subresource) {
  ASSIGN_OR_RETURN(const Json request, ReadSubresourceBody(call, subresource));
  if (const std::string_view name = NameOf(request);
      !name.empty() && name != call.attributes.name) {
    const FieldPath metadata("metadata");
    return Error::Invalid("TokenRequest.authentication.k8s.io", call.attributes.name,
                          {Invalid(metadata.Child("name"), Json(name),
                                   "must match the service account name if specified")});
  }
  ASSIGN_OR_RETURN(const Json account, ReadObject(call));
  ASSIGN_OR_RETURN(const std::optional<BoundObject> bound,
                   BoundObjectOf(request, call.attributes.namespace_name));
  Json bound_object;
  std::optional<std::string> node_uid;
  if (bound) {
    ASSIGN_OR_RETURN(bound_object,
                     ReadCore(call, bound->resource, bound->namespace_name, bound->name));
    const Json* spec = FindMember(bound_object, "spec");
    const std::string_view node = spec == nullptr ? "" : FindString(*spec, "nodeName");
    if (bound->resource == "pods" && !node.empty()) {
      const Result<Json> found = ReadCore(call, "nodes", "", node);
      if (found.ok()) node_uid = UidOf(*found);
    }
  }
  ASSIGN_OR_RETURN(const Json answer,
                   IssueToken(environment_.tokens, {.service_account = account,
                                                    .bound_object = bound ? &bound_object : nullptr,
                                                    .node_uid = node_uid,
                                                    .request = request}));
  return HttpResponse::Text(201, "application/json", WriteJson(answer));
}

}  // namespace kubexms
