#include "kubexms/apiserver/write/field_management.h"

#include <array>

#include "kubexms/api/patch/apply.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/apiserver/write/written_parts.h"

namespace kubexms {
namespace {

FieldSet SetOf(std::initializer_list<std::string_view> fields,
               std::initializer_list<std::string_view> metadata = {}) {
  FieldSet set;
  for (const std::string_view field : fields) set.Insert(std::array{PathElement::Field(field)});
  for (const std::string_view field : metadata) {
    set.Insert(std::array{PathElement::Field("metadata"), PathElement::Field(field)});
  }
  return set;
}

// The same for its status; see MetadataKeptByStatus().
const FieldSet* ResetByStatus(const Resource& resource) {
  static const FieldSet kSpec = SetOf({"spec", "data"});
  static const FieldSet kSpecAndMetadata = SetOf({"spec", "data", "metadata"});
  static const FieldSet kPod = SetOf({"spec"}, {"deletionTimestamp", "ownerReferences"});
  static const FieldSet kDeployment = SetOf({"spec"}, {"labels"});
  if (resource.Is("", "pods")) return &kPod;
  if (resource.Is("apps", "deployments")) return &kDeployment;
  const bool metadata_is_kept = resource.custom || !MetadataKeptByStatus(resource).empty() ||
                                resource.group == "apiextensions.k8s.io";
  return metadata_is_kept ? &kSpecAndMetadata : &kSpec;
}

// What a write to the object, or to its status, leaves alone.
const FieldSet* ResetFields(const Resource& resource, std::string_view subresource) {
  static const FieldSet kStatus = SetOf({"status"});
  if (subresource == "status") return ResetByStatus(resource);
  return resource.strategy->HasStatus() ? &kStatus : nullptr;
}

// The options with what they borrow.
struct Options {
  explicit Options(const FieldManagement& management)
      : api_version(management.resource.api_version()),
        time(management.now.ToString()),
        options{.manager = management.manager,
                .subresource = management.subresource,
                .api_version = api_version,
                .time = time,
                .schema = management.resource.schema.get(),
                .reset_fields = ResetFields(management.resource, management.subresource)} {}

  const std::string api_version;
  const std::string time;
  const FieldManagerOptions options;
};

}  // namespace

Json TrackWrite(const Json* old, Json updated, const FieldManagement& management) {
  const Options options(management);
  return TrackUpdate(old == nullptr ? management.resource.zero : *old, std::move(updated),
                     options.options);
}

Result<Json> ApplyConfiguration(const Json* live, const Json& config,
                                const FieldManagement& management, bool force) {
  const Options options(management);
  ASSIGN_OR_RETURN(Applied applied,
                   Apply(live == nullptr ? Json() : *live, config, options.options, force));
  return std::move(applied.object);
}

}  // namespace kubexms
