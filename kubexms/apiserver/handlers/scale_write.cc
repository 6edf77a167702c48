#include "kubexms/apiserver/handlers/scale_write.h"

#include "kubexms/api/patch/apply.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/decoding/shape.h"
#include "kubexms/apiserver/handlers/subresources.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/write/scale.h"
#include "kubexms/apiserver/write/scale_managers.h"

namespace kubexms {
namespace {

JsonArray ManagersOf(const Json& object) {
  const Json* managers = MetadataOf(object).if_contains("managedFields");
  return managers != nullptr && managers->is_array() ? managers->get_array() : JsonArray();
}

void SetManagers(Json& object, JsonArray managers) {
  if (managers.empty()) {
    MetadataOf(object).erase("managedFields");
  } else {
    MetadataOf(object)["managedFields"] = std::move(managers);
  }
}

Result<Json> ReadConfiguration(const ResourceCall& call, const Subresource& subresource) {
  StrictErrors errors;
  return ParseConfiguration(call.request.Body(), subresource.kind, errors);
}

}  // namespace

ScaleWrite::ScaleWrite(const ResourceCall& call, const Subresource& subresource, WriteQuery options)
    : call_(&call),
      subresource_(&subresource),
      options_(std::move(options)),
      manager_(FieldManagerOf(call, options_)) {}

Result<ScaleWrite> ScaleWrite::Read(const ResourceCall& call, const Subresource& subresource) {
  const bool replaces = call.attributes.verb == "update";
  ASSIGN_OR_RETURN(WriteQuery options,
                   call.request.ReadWriteOptions(replaces ? "UpdateOptions" : "PatchOptions"));
  ScaleWrite write(call, subresource, std::move(options));
  if (replaces) {
    ASSIGN_OR_RETURN(write.given_, ReadSubresourceBody(call, subresource));
    RETURN_IF_ERROR(CheckName(write.given_, call.attributes.name));
    return write;
  }
  ASSIGN_OR_RETURN(write.patch_, call.request.ReadPatchType(call.resource->custom));
  RETURN_IF_ERROR(CheckPatchOptions(*write.patch_, write.options_));
  if (write.patch_ == PatchType::kApply) {
    ASSIGN_OR_RETURN(write.given_, ReadConfiguration(call, subresource));
  } else {
    ASSIGN_OR_RETURN(write.given_, ParseJson(call.request.Body()));
  }
  return write;
}

Result<Json> ScaleWrite::Change(const Json& object, Time now) const {
  const Resource& resource = *call_->resource;
  const ReplicasPath path = [this](std::string_view version) { return ReplicasPathOf(version); };
  const JsonArray managers = ManagersOf(object);
  ASSIGN_OR_RETURN(Json current, ScaleOf(object, resource));
  SetManagers(current, ToScaleManagers(managers, path));
  ASSIGN_OR_RETURN(const Json scale, ChangeScale(current, now));
  RETURN_IF_ERROR(CheckName(scale, call_->attributes.name));
  ASSIGN_OR_RETURN(Json changed, WithScale(object, scale, resource));
  SetManagers(changed,
              FromScaleManagers(managers, ManagersOf(scale), resource.api_version(), path));
  return changed;
}

Result<Json> ScaleWrite::ChangeScale(const Json& current, Time now) const {
  const std::string version = subresource_->kind.ApiVersion();
  const std::string time = now.ToString();
  const FieldManagerOptions management{.manager = manager_,
                                       .subresource = subresource_->name,
                                       .api_version = version,
                                       .time = time,
                                       .schema = subresource_->schema.get()};
  Json scale = given_;
  if (patch_ == PatchType::kApply) {
    ASSIGN_OR_RETURN(Applied applied, Apply(current, given_, management, options_.force));
    scale = std::move(applied.object);
  } else if (patch_) {
    ASSIGN_OR_RETURN(scale, ApplyPatch(*patch_, current, given_, *subresource_->schema));
  }
  const Result<void> readable = CheckShape(scale, *subresource_->schema);
  if (!readable.ok()) return CannotBeHandled(readable.error(), "Scale", "v1");
  if (patch_ == PatchType::kApply) return scale;
  return TrackUpdate(current, std::move(scale), management);
}

std::string_view ScaleWrite::ReplicasPathOf(std::string_view api_version) const {
  const Resource& resource = *call_->resource;
  if (!resource.custom) return resource.api_version() == api_version ? ".spec.replicas" : "";
  const size_t slash = api_version.find('/');
  const ResourcePtr* other =
      slash == std::string_view::npos
          ? nullptr
          : call_->resources.Find(api_version.substr(0, slash), api_version.substr(slash + 1),
                                  resource.plural);
  if (other == nullptr || !(*other)->scale) return "";
  return (*other)->scale->spec_replicas;
}

}  // namespace kubexms
