#include "kubexms/apiserver/subresources.h"

#include <fmt/format.h>

#include "kubexms/api/codec.h"
#include "kubexms/api/json_patch.h"
#include "kubexms/api/merge_patch.h"
#include "kubexms/api/quote.h"
#include "kubexms/api/strategic_patch.h"
#include "kubexms/apiserver/body.h"
#include "kubexms/apiserver/deletion.h"
#include "kubexms/apiserver/metadata.h"
#include "kubexms/apiserver/scale.h"
#include "kubexms/apiserver/shape.h"

namespace kubexms {
namespace {

using Change = ObjectWriter::Change;

// How long a Pod that is being evicted counts against its budget.
constexpr size_t kMaxDisruptedPods = 2000;

std::string Success(int code) {
  return WriteJson(JsonObject{{"apiVersion", "v1"},
                              {"kind", "Status"},
                              {"metadata", JsonObject()},
                              {"status", "Success"},
                              {"code", code}});
}

// Older clients evict in the version that was before; nothing but its name has changed.
void RenameOldEviction(Json& document) {
  if (FindString(document, "kind") == "Eviction" &&
      FindString(document, "apiVersion") == "policy/v1beta1") {
    document.get_object()["apiVersion"] = "policy/v1";
  }
}

Result<Json> ReadBodyOf(const ResourceCall& call, const Subresource& subresource) {
  std::vector<std::string> problems;
  ASSIGN_OR_RETURN(const BodyFormat format, BodyFormatOf(call.http.headers, false));
  ASSIGN_OR_RETURN(Json document,
                   ParseBody(call.http.body, format, subresource.kind, {}, problems));
  RenameOldEviction(document);
  RETURN_IF_ERROR(CheckKind(document, subresource.kind, false));
  RETURN_IF_ERROR(
      CheckShape(document, *subresource.schema, subresource.kind.kind, subresource.kind.version));
  return document;
}

WriteRequest RequestOf(const ResourceCall& call, std::string_view manager, bool dry_run) {
  return {.resource = *call.resource,
          .subresource = call.attributes.subresource,
          .name_space = call.attributes.name_space,
          .name = call.attributes.name,
          .user = call.user,
          .manager = manager,
          .dry_run = dry_run};
}

std::string ManagerOf(const ResourceCall& call, const WriteQuery& options) {
  return options.field_manager.empty() ? DefaultFieldManager(call.http.headers)
                                       : options.field_manager;
}

Result<Json> PatchDocument(const ResourceCall& call, Json document, const Schema& schema) {
  const std::string_view type = call.http.headers.Get("Content-Type").value_or("");
  ASSIGN_OR_RETURN(const Json patch, ParseJson(call.http.body));
  if (type.starts_with("application/json-patch+json")) {
    return ApplyJsonPatch(std::move(document), patch);
  }
  if (!patch.is_object()) return Error::BadRequest("the patch must be an object");
  if (type.starts_with("application/merge-patch+json")) {
    return ApplyMergePatch(std::move(document), patch);
  }
  if (type.starts_with("application/strategic-merge-patch+json")) {
    return ApplyStrategicPatch(std::move(document), patch, schema);
  }
  return Error::UnsupportedMediaType("415: Unsupported Media Type");
}

// Adds the condition, or replaces the one of its type.
void SetPodCondition(Json& pod, JsonObject condition) {
  Json& status = pod.get_object()["status"];
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

Error BudgetSpent(std::string_view budget, int64_t wanted, int64_t healthy) {
  ErrorDetails details;
  details.causes = {
      {.reason = "DisruptionBudget",
       .message = fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                              budget, wanted, healthy),
       .field = ""}};
  return {429, "TooManyRequests",
          "Cannot evict pod as it would violate the pod's disruption budget.", std::move(details)};
}

// A Pod that does not run can go at any time.
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

}  // namespace

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
  ASSIGN_OR_RETURN(
      const store::RecordPtr record,
      environment_.reader.Get(*call.resource, call.attributes.name_space, call.attributes.name));
  return ReadDocument(*call.resource, *record);
}

Result<Json> Subresources::ReadCore(const ResourceCall& call, std::string_view plural,
                                    std::string_view name_space, std::string_view name) {
  const ResourcePtr* resource = call.resources.Find("", "v1", plural);
  if (resource == nullptr) return Error::NotFound(plural, name);
  ASSIGN_OR_RETURN(const store::RecordPtr record,
                   environment_.reader.Get(**resource, name_space, name));
  return ReadDocument(**resource, *record);
}

Result<HttpResponse> Subresources::GetScale(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Json object, ReadObject(call));
  ASSIGN_OR_RETURN(const Json scale, ScaleOf(object, *call.resource));
  return HttpResponse::Text(200, "application/json", WriteJson(scale));
}

Result<HttpResponse> Subresources::WriteScale(const ResourceCall& call,
                                              const Subresource& subresource) {
  const bool patch = call.attributes.verb == "patch";
  ASSIGN_OR_RETURN(const WriteQuery options,
                   ReadWriteQuery(call.query, patch ? "PatchOptions" : "UpdateOptions"));
  Json replacement;
  if (!patch) {
    ASSIGN_OR_RETURN(replacement, ReadBodyOf(call, subresource));
  }
  const std::string manager = ManagerOf(call, options);
  ASSIGN_OR_RETURN(
      const Written written,
      environment_.writer.Update(
          RequestOf(call, manager, options.dry_run), [&](const Json& old) -> Result<Change> {
            Json scale = replacement;
            if (patch) {
              ASSIGN_OR_RETURN(Json current, ScaleOf(old, *call.resource));
              ASSIGN_OR_RETURN(scale, PatchDocument(call, std::move(current), *subresource.schema));
              RETURN_IF_ERROR(CheckShape(scale, *subresource.schema, "Scale", "v1"));
            }
            ASSIGN_OR_RETURN(Json changed, WithScale(old, scale, *call.resource));
            return Change{std::move(changed)};
          }));
  ASSIGN_OR_RETURN(const Json object, ParseJson(written.object));
  ASSIGN_OR_RETURN(const Json scale, ScaleOf(object, *call.resource));
  return HttpResponse::Text(200, "application/json", WriteJson(scale));
}

Result<HttpResponse> Subresources::Bind(const ResourceCall& call, const Subresource& subresource) {
  ASSIGN_OR_RETURN(const WriteQuery options, ReadWriteQuery(call.query, "CreateOptions"));
  ASSIGN_OR_RETURN(const Json binding, ReadBodyOf(call, subresource));
  const Json* target = FindMember(binding, "target");
  const std::string node(target == nullptr ? "" : FindString(*target, "name"));
  if (node.empty()) {
    return Error::Invalid("Binding", call.attributes.name,
                          {{"FieldValueRequired", "Required value", "target.name"}});
  }
  const std::string& name = call.attributes.name;
  const std::string_view uid = UidOf(binding);
  const std::string now = Time::Now(environment_.clock).ToString();
  const std::string manager = ManagerOf(call, options);
  ASSIGN_OR_RETURN(
      const Written written,
      environment_.writer.Update(
          RequestOf(call, manager, options.dry_run), [&](const Json& old) -> Result<Change> {
            // Whoever decided for another pod of this name decided nothing about this one.
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
            SetPodCondition(
                pod, {{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", now}});
            return Change{std::move(pod)};
          }));
  return HttpResponse::Text(201, "application/json", Success(201));
}

Result<HttpResponse> Subresources::BindPod(const ResourceCall& call) {
  const ResourcePtr* pods = call.resources.Find("", "v1", "pods");
  const Subresource* binding = pods == nullptr ? nullptr : (*pods)->FindSubresource("binding");
  if (binding == nullptr) return Error::NotFound("pods/binding", "");
  ASSIGN_OR_RETURN(const Json body, ReadBodyOf(call, *binding));
  RequestAttributes attributes = call.attributes;
  attributes.name = NameOf(body);
  attributes.subresource = binding->name;
  return Bind({call.http, call.query, attributes, call.user, call.resources, *pods}, *binding);
}

Result<HttpResponse> Subresources::Evict(const ResourceCall& call, const Subresource& subresource) {
  ASSIGN_OR_RETURN(const Json eviction, ReadBodyOf(call, subresource));
  const Json* options_json = FindMember(eviction, "deleteOptions");
  ASSIGN_OR_RETURN(DeleteQuery options,
                   ReadDeleteQuery(call.query, options_json == nullptr ? std::string()
                                                                       : WriteJson(*options_json)));
  ASSIGN_OR_RETURN(const Json pod, ReadObject(call));
  if (!NeedsNoBudget(pod)) {
    RETURN_IF_ERROR(UseDisruptionBudgets(call, pod, options.dry_run));
  }
  if (options.precondition_uid.empty()) options.precondition_uid = UidOf(pod);
  WriteRequest request = RequestOf(call, "kube-apiserver", options.dry_run);
  // Whoever looks after the pod can tell from this why it ends.
  request.subresource = "status";
  const std::string now = Time::Now(environment_.clock).ToString();
  ASSIGN_OR_RETURN(const Written marked,
                   environment_.writer.Update(request, [&](const Json& old) -> Result<Change> {
                     RETURN_IF_ERROR(CheckPreconditions(old, options, *call.resource));
                     Json disrupted = old;
                     SetPodCondition(disrupted, {{"type", "DisruptionTarget"},
                                                 {"status", "True"},
                                                 {"reason", "EvictionByEvictionAPI"},
                                                 {"message", "Eviction API: evicting"},
                                                 {"lastTransitionTime", now}});
                     return Change{std::move(disrupted)};
                   }));
  options.precondition_version.clear();
  request.subresource = "";
  ASSIGN_OR_RETURN(const Deleted deleted, environment_.writer.Delete(request, options));
  return HttpResponse::Text(201, "application/json", Success(201));
}

Result<void> Subresources::UseDisruptionBudgets(const ResourceCall& call, const Json& pod,
                                                bool dry_run) {
  const ResourcePtr* budgets = call.resources.Find("policy", "v1", "poddisruptionbudgets");
  if (budgets == nullptr) return {};
  ASSIGN_OR_RETURN(const ObjectFilter all, ObjectFilter::Make(**budgets, {}));
  ASSIGN_OR_RETURN(const ObjectList list,
                   environment_.reader.List(**budgets, call.attributes.name_space, {}, all));
  const std::string now = Time::Now(environment_.clock).ToString();
  for (const store::RecordPtr& record : list.records) {
    ASSIGN_OR_RETURN(const Json budget, ReadDocument(**budgets, *record));
    ASSIGN_OR_RETURN(const bool selects, Selects(budget, pod));
    if (!selects) continue;
    const std::string name(NameOf(budget));
    const WriteRequest request{.resource = **budgets,
                               .subresource = "status",
                               .name_space = call.attributes.name_space,
                               .name = name,
                               .user = call.user,
                               .manager = "kube-apiserver",
                               .dry_run = dry_run};
    const Result<Written> used =
        environment_.writer.Update(request, [&](const Json& old) -> Result<Change> {
          const int64_t allowed = IntegerAt(old, "status", "disruptionsAllowed");
          if (allowed <= 0) {
            return BudgetSpent(name, IntegerAt(old, "status", "desiredHealthy"),
                               IntegerAt(old, "status", "currentHealthy"));
          }
          Json changed = old;
          JsonObject& status = changed.get_object()["status"].get_object();
          status["disruptionsAllowed"] = allowed - 1;
          Json& disrupted = status["disruptedPods"];
          if (!disrupted.is_object()) disrupted.emplace_object();
          if (disrupted.get_object().size() >= kMaxDisruptedPods) {
            return Error::TooManyRequests("too many evictions of this budget are under way",
                                          std::chrono::seconds(10));
          }
          disrupted.get_object()[NameOf(pod)] = now;
          return Change{std::move(changed)};
        });
    if (!used.ok()) return used.error();
  }
  return {};
}

Result<HttpResponse> Subresources::RequestToken(const ResourceCall& call,
                                                const Subresource& subresource) {
  ASSIGN_OR_RETURN(const Json request, ReadBodyOf(call, subresource));
  ASSIGN_OR_RETURN(const Json account, ReadObject(call));
  ASSIGN_OR_RETURN(const std::optional<BoundObject> bound,
                   BoundObjectOf(request, call.attributes.name_space));
  Json bound_object;
  std::optional<std::string> node_uid;
  if (bound) {
    ASSIGN_OR_RETURN(bound_object, ReadCore(call, bound->resource, bound->name_space, bound->name));
    const Json* spec = FindMember(bound_object, "spec");
    const std::string_view node = spec == nullptr ? "" : FindString(*spec, "nodeName");
    if (bound->resource == "pods" && !node.empty()) {
      const Result<Json> found = ReadCore(call, "nodes", "", node);
      if (found.ok()) node_uid = UidOf(*found);
    }
  }
  ASSIGN_OR_RETURN(
      const Json answer,
      AnswerTokenRequest(environment_.tokens, {.service_account = account,
                                               .bound_object = bound ? &bound_object : nullptr,
                                               .node_uid = node_uid,
                                               .request = request}));
  return HttpResponse::Text(201, "application/json", WriteJson(answer));
}

}  // namespace kubexms
