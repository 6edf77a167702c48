#include "kubexms/apiserver/field_management.h"

#include "kubexms/api/apply.h"
#include "kubexms/apiserver/strategy.h"

namespace kubexms {
namespace {

FieldSet SetOf(std::initializer_list<std::string_view> fields) {
  FieldSet set;
  for (const std::string_view field : fields) {
    const PathElement path[] = {PathElement::Field(field)};
    set.Insert(path);
  }
  return set;
}

// What a write to the object, or to its status, leaves alone.
const FieldSet* ResetFields(const Resource& resource, std::string_view subresource) {
  static const FieldSet kStatus = SetOf({"status"});
  static const FieldSet kAllButStatus = SetOf({"spec", "data", "metadata"});
  if (subresource == "status") return &kAllButStatus;
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
