#include "kubexms/apiserver/write/field_management.h"

#include "kubexms/api/patch/apply.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

// The fields that a write to the object, or to its status, neither changes nor owns.
const FieldSet* ResetFields(const Resource& resource, std::string_view subresource) {
  static const FieldSet kStatus = FieldsAt({"status"});
  if (subresource == "status") return &resource.strategy->FieldsResetByStatus();
  return resource.strategy->HasStatus() ? &kStatus : nullptr;
}

// The options, with the strings that they borrow.
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
