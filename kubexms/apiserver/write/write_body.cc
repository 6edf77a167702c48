// The half of ObjectWrite that turns the body of a request into the document to be stored.

#include <boost/json/monotonic_resource.hpp>

#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/apiserver/decoding/shape.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/apiserver/write/object_writer.h"

namespace kubexms {
namespace {

// An error message shows at most this much of a patched object.
constexpr size_t kMaxShownPatch = 16 * 1024;

}  // namespace

Result<Written> ObjectWrite::CreateFrom(std::string_view body, BodyFormat format) {
  // All values of the document are freed at once.
  const JsonStorage storage = boost::json::make_shared_resource<boost::json::monotonic_resource>();
  ASSIGN_OR_RETURN(Json document, ReadObject(body, format, storage));
  ASSIGN_OR_RETURN(document, Complete(std::move(document)));
  return Create(std::move(document));
}

Result<Written> ObjectWrite::ReplaceFrom(std::string_view body, BodyFormat format,
                                         const AuthorizeFunction& authorize) {
  ASSIGN_OR_RETURN(Json document, ReadObject(body, format, {}));
  RETURN_IF_ERROR(CheckName(document, attributes_.name));
  const Result<void> replaceable = CheckReplaceable(document);
  ASSIGN_OR_RETURN(const Json complete, Complete(std::move(document)));
  std::optional<Creation> creation;
  if (requested().strategy->AllowsCreateOnUpdate() && attributes_.subresource.empty()) {
    creation = {.make = [&]() -> Result<Change> { return Change{complete}; },
                .authorize = authorize};
  }
  return Update(
      [&](const Json&) -> Result<Change> {
        RETURN_IF_ERROR(replaceable);
        return Change{complete};
      },
      creation);
}

Result<Written> ObjectWrite::PatchFrom(std::string_view body, PatchType type,
                                       const AuthorizeFunction& authorize) {
  if (type != PatchType::kApply) {
    ASSIGN_OR_RETURN(const RequestPatch patch, ReadPatch(type, body));
    return Update([&](const Json& old) { return ApplyPatchTo(old, patch); });
  }
  ASSIGN_OR_RETURN(Json config, ReadConfiguration(body));
  RETURN_IF_ERROR(SetNamespace(config, requested(), attributes_.namespace_name));
  std::optional<Creation> creation;
  if (attributes_.subresource.empty()) {
    creation = {.make = [&] { return ApplyConfigurationTo(nullptr, config); },
                .authorize = authorize};
  }
  return Update(
      [&](const Json& old) -> Result<Change> {
        ASSIGN_OR_RETURN(const Json live, ToRequested(old));
        return ApplyConfigurationTo(&live, config);
      },
      creation);
}

GroupVersionKind ObjectWrite::RequestedKind() const {
  return {requested().group, requested().version, requested().kind};
}

FieldManagement ObjectWrite::ManagementAt(Time now) const {
  return {requested(), attributes_.subresource, attributes_.manager, now};
}

Result<Json> ObjectWrite::ReadObject(std::string_view body, BodyFormat format,
                                     const JsonStorage& storage) {
  StrictErrors errors;
  const GroupVersionKind kind = RequestedKind();
  ASSIGN_OR_RETURN(Json document, ParseBody(body, format, kind, storage, errors));
  RETURN_IF_ERROR(CheckKind(document, kind, requested().custom));
  Result<void> read = CheckAndPrune(document, requested(), errors);
  if (read.ok()) {
    read = HandleErrors(ListStrictErrors(std::move(errors), body, format, requested()));
  }
  if (!read.ok()) return CannotBeHandled(read.error(), kind.kind, kind.version);
  return document;
}

Result<Json> ObjectWrite::ReadConfiguration(std::string_view body) {
  StrictErrors errors;
  const GroupVersionKind kind = RequestedKind();
  ASSIGN_OR_RETURN(Json document, ParseConfiguration(body, kind, errors));
  if (MetadataOf(std::as_const(document)).contains("managedFields")) {
    return Error::BadRequest("metadata.managedFields must be nil");
  }
  const Result<void> read = CheckAndPrune(document, requested(), errors);
  if (!read.ok()) return CannotBeHandled(read.error(), kind.kind, kind.version);
  RemoveNulls(document, *requested().schema);
  if (!errors.unknown_fields.empty()) RETURN_IF_ERROR(CheckDeclared(body));
  const Result<void> handled = HandleErrors(ListStrictErrors(std::move(errors)));
  if (!handled.ok()) return handled.error().WithContext("error strict decoding YAML");
  return document;
}

Result<void> ObjectWrite::CheckDeclared(std::string_view body) const {
  StrictErrors errors;
  ASSIGN_OR_RETURN(const Json given, ParseConfiguration(body, RequestedKind(), errors));
  RETURN_IF_ERROR(ApplyConfiguration(nullptr, given, ManagementAt(Time()), /*force=*/true));
  return {};
}

Result<void> ObjectWrite::CheckReplaceable(const Json& document) const {
  const std::string_view version = ResourceVersionOf(document);
  const bool unconditional = version.empty() || version == "0";
  if (!unconditional || !requested().requires_resource_version) return {};
  const FieldPath metadata("metadata");
  const FieldPath path = metadata.Child("resourceVersion");
  return Error::Invalid(requested().qualified_name(), attributes_.name,
                        {Invalid(path, 0, "must be specified for an update")});
}

Result<Json> ObjectWrite::Complete(Json document) const {
  RETURN_IF_ERROR(FillDefaults(document, requested()));
  RETURN_IF_ERROR(ConvertDocument(document, resource_));
  return document;
}

Result<Json> ObjectWrite::ToRequested(const Json& stored) const {
  Json document = stored;
  RETURN_IF_ERROR(ConvertDocument(document, requested()));
  return document;
}

Result<Json> ObjectWrite::Patched(const Json& stored, const RequestPatch& patch) const {
  ASSIGN_OR_RETURN(Json document, ToRequested(stored));
  return ApplyPatch(patch.type, std::move(document), patch.document, *requested().schema);
}

Result<ObjectWrite::Change> ObjectWrite::ApplyPatchTo(const Json& stored,
                                                      const RequestPatch& patch) {
  ASSIGN_OR_RETURN(Json document, Patched(stored, patch));
  RETURN_IF_ERROR(CheckKind(document, RequestedKind(), requested().custom));
  StrictErrors errors{.duplicate_fields = patch.duplicate_fields};
  Result<void> read = CheckAndPrune(document, requested(), errors);
  if (read.ok()) read = HandleErrors(ListStrictErrors(std::move(errors)));
  if (!read.ok()) return InvalidPatch(stored, patch, read.error());
  ASSIGN_OR_RETURN(Json complete, Complete(std::move(document)));
  return Change{std::move(complete)};
}

Result<ObjectWrite::Change> ObjectWrite::ApplyConfigurationTo(const Json* live,
                                                              const Json& config) const {
  ASSIGN_OR_RETURN(Json applied,
                   ApplyConfiguration(live, config, ManagementAt(Now()), attributes_.force));
  RETURN_IF_ERROR(CheckName(applied, attributes_.name));
  ASSIGN_OR_RETURN(Json complete, Complete(std::move(applied)));
  return Change{std::move(complete), true};
}

Result<void> ObjectWrite::HandleErrors(std::vector<std::string> messages) {
  ASSIGN_OR_RETURN(warnings_,
                   HandleStrictErrors(std::move(messages), attributes_.field_validation));
  return {};
}

Error ObjectWrite::InvalidPatch(const Json& stored, const RequestPatch& patch,
                                const Error& error) const {
  std::string shown;
  if (patch.type == PatchType::kStrategicMerge) {
    shown = PrintAsGo(patch.document);
  } else if (const Result<Json> patched = Patched(stored, patch); patched.ok()) {
    shown = WriteJson(*patched);
  }
  if (shown.size() > kMaxShownPatch) shown.resize(kMaxShownPatch);
  return Error::Invalid("", "", {Invalid(FieldPath("patch"), Json(shown), error.message())});
}

}  // namespace kubexms
