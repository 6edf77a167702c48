#include "kubexms/api/meta_v1.h"

namespace kubexms {

void GroupVersionForDiscovery::Describe(Type<GroupVersionForDiscovery>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery")
      .Doc("Names one version of an API group.");
  type.Field("groupVersion", &GroupVersionForDiscovery::group_version,
             "Group and version, written as group/version.")
      .Required();
  type.Field("version", &GroupVersionForDiscovery::version, "Version alone, such as v1.")
      .Required();
}

void ServerAddressByClientCIDR::Describe(Type<ServerAddressByClientCIDR>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR")
      .Doc("Server address for clients from one network.");
  type.Field("clientCIDR", &ServerAddressByClientCIDR::client_cidr,
             "Network of the client; the most specific match counts.")
      .Required();
  type.Field("serverAddress", &ServerAddressByClientCIDR::server_address,
             "Host name or address with an optional port.")
      .Required();
}

void APIGroup::Describe(Type<APIGroup>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup");
  type.Field("name", &APIGroup::name, "Name of the group; empty for the core group.").Required();
  type.Field("preferredVersion", &APIGroup::preferred_version,
             "Version that clients should use if they have no preference.");
  type.Field("serverAddressByClientCIDRs", &APIGroup::server_address_by_client_cidrs,
             "Server addresses for clients from certain networks; absent means the address in use.")
      .ListAtomic();
  type.Field("versions", &APIGroup::versions, "Versions that the server offers, best first.")
      .Required()
      .ListAtomic();
}

void APIGroupList::Describe(Type<APIGroupList>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList");
  type.Field("groups", &APIGroupList::groups).Required().ListAtomic();
}

void APIResource::Describe(Type<APIResource>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.APIResource")
      .Doc("Discovery data of one resource or subresource.");
  type.Field("categories", &APIResource::categories,
             "Groups of resources it belongs to, such as all, which kubectl can list together.")
      .ListAtomic();
  type.Field("group", &APIResource::group,
             "Group of the kind if it differs from that of the list; empty means the same.");
  type.Field("kind", &APIResource::kind, "Kind of the objects that are sent and returned.")
      .Required();
  type.Field("name", &APIResource::name,
             "Plural name used in paths; subresources are written as resource/subresource.")
      .Required();
  type.Field("namespaced", &APIResource::namespaced, "Whether objects live in namespaces.")
      .Required();
  type.Field("shortNames", &APIResource::short_names, "Abbreviations that clients may accept.")
      .ListAtomic();
  type.Field("singularName", &APIResource::singular_name,
             "Singular name for display; may be empty.")
      .Required();
  type.Field("storageVersionHash", &APIResource::storage_version_hash,
             "Opaque value that changes with the version in which objects are stored.");
  type.Field("verbs", &APIResource::verbs,
             "What can be done with it, such as get, list, create, patch and watch.")
      .Required();
  type.Field("version", &APIResource::version,
             "Version of the kind if it differs from that of the list; empty means the same.");
}

void APIResourceList::Describe(Type<APIResourceList>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList");
  type.Field(
          "groupVersion", &APIResourceList::group_version,
          "Group and version, written as group/version, or the version alone for the core group.")
      .Required();
  type.Field("resources", &APIResourceList::resources).Required().ListAtomic();
}

void APIVersions::Describe(Type<APIVersions>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions");
  type.Field("serverAddressByClientCIDRs", &APIVersions::server_address_by_client_cidrs,
             "Server addresses for clients from certain networks.")
      .Required()
      .ListAtomic();
  type.Field("versions", &APIVersions::versions, "Versions that the server offers.")
      .Required()
      .ListAtomic();
}

void Condition::Describe(Type<Condition>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.Condition")
      .Doc("One finding about an object, in the form shared by all newer kinds.");
  type.Field("lastTransitionTime", 4, &Condition::last_transition_time,
             "When the status last changed.")
      .Required();
  type.Field("message", 6, &Condition::message, "Readable details; may be empty.").Required();
  type.Field("observedGeneration", 3, &Condition::observed_generation,
             "Generation of the object that the finding is based on.")
      .OmitZero()
      .Minimum(0);
  type.Field("reason", 5, &Condition::reason,
             "Machine-readable cause of the last change, in CamelCase; may not be empty.")
      .Required();
  type.Field("status", 2, &Condition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &Condition::type,
             "Kind of finding, in CamelCase and optionally with a domain prefix.")
      .Required();
}

void Preconditions::Describe(Type<Preconditions>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions")
      .Doc("What must be true of an object before it is deleted.");
  type.Field("resourceVersion", 2, &Preconditions::resource_version,
             "Version the object must have; absent skips the check.");
  type.Field("uid", 1, &Preconditions::uid,
             "Identity the object must have; absent skips the check.");
}

void DeleteOptions::Describe(Type<DeleteOptions>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")
      .Doc("Options of a delete request.");
  type.Field("apiVersion", &DeleteOptions::api_version);
  type.Field("dryRun", 5, &DeleteOptions::dry_run,
             "All runs every check without deleting anything; empty deletes.")
      .Enum({"All"})
      .ListAtomic();
  type.Field("gracePeriodSeconds", 1, &DeleteOptions::grace_period_seconds,
             "Seconds until the object is deleted; 0 deletes immediately; absent uses the default "
             "of the kind.");
  type.Field(
          "ignoreStoreReadErrorWithClusterBreakingPotential", 6,
          &DeleteOptions::ignore_store_read_error_with_cluster_breaking_potential,
          "Deletes an object that cannot be read from storage, without any checks; a last resort.")
      .Pointer();
  type.Field("kind", &DeleteOptions::kind);
  type.Field(
      "orphanDependents", 3, &DeleteOptions::orphan_dependents,
      "Old form of propagationPolicy: true orphans the dependents; excludes the newer field.");
  type.Field("preconditions", 2, &DeleteOptions::preconditions,
             "Must hold, or the request fails with a conflict.");
  type.Field("propagationPolicy", 4, &DeleteOptions::propagation_policy,
             "Treatment of dependents: orphaned, deleted afterwards, or deleted first.")
      .Pointer()
      .Enum({"Orphan", "Background", "Foreground"});
}

void FieldSelectorRequirement::Describe(Type<FieldSelectorRequirement>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement")
      .Doc("Requirement on one field of an object.");
  type.Field("key", 1, &FieldSelectorRequirement::key, "Field that is compared.").Required();
  type.Field("operator", 2, &FieldSelectorRequirement::operator_, "Way of comparing.")
      .Required()
      .Enum({"In", "NotIn", "Exists", "DoesNotExist"});
  type.Field("values", 3, &FieldSelectorRequirement::values,
             "At least one for In and NotIn, none for the others.")
      .ListAtomic();
}

void LabelSelectorRequirement::Describe(Type<LabelSelectorRequirement>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement")
      .Doc("Requirement on one label.");
  type.Field("key", 1, &LabelSelectorRequirement::key, "Label that is compared.").Required();
  type.Field("operator", 2, &LabelSelectorRequirement::operator_,
             "Way of comparing; NotIn also matches objects without the label.")
      .Required()
      .Enum({"In", "NotIn", "Exists", "DoesNotExist"});
  type.Field("values", 3, &LabelSelectorRequirement::values,
             "At least one for In and NotIn, none for the others.")
      .ListAtomic();
}

void LabelSelector::Describe(Type<LabelSelector>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector")
      .Atomic()
      .Doc("Picks objects by label; all requirements must hold, and an empty selector picks all.");
  type.Field("matchExpressions", 2, &LabelSelector::match_expressions,
             "Requirements written with operators.")
      .ListAtomic();
  type.Field("matchLabels", 1, &LabelSelector::match_labels,
             "Labels that must have exactly these values.");
}

void ListMeta::Describe(Type<ListMeta>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")
      .Doc("Data about a list, as opposed to its items.");
  type.Field("continue", &ListMeta::continue_,
             "Opaque token for the next page; empty on the last page; expires after some minutes.");
  type.Field("remainingItemCount", &ListMeta::remaining_item_count,
             "How many items follow on later pages; absent if not known, as with selectors.");
  type.Field("resourceVersion", &ListMeta::resource_version,
             "State of the collection that the list shows; a watch can start from it.");
  type.Field("selfLink", &ListMeta::self_link, "Not filled in any more.");
}

void ManagedFieldsEntry::Describe(Type<ManagedFieldsEntry>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry")
      .Doc("Which fields of an object one manager owns.");
  type.Field("apiVersion", 3, &ManagedFieldsEntry::api_version,
             "API version in which the field set is written.");
  type.Field("fieldsType", 6, &ManagedFieldsEntry::fields_type, "Format of the field set.")
      .Enum({"FieldsV1"});
  type.Field("fieldsV1", 7, &ManagedFieldsEntry::fields_v1, "The owned fields.");
  type.Field("manager", 1, &ManagedFieldsEntry::manager,
             "Name of the client or controller that owns the fields.");
  type.Field("operation", 2, &ManagedFieldsEntry::operation,
             "Whether the fields were set by server-side apply or by another write.")
      .Enum({"Apply", "Update"});
  type.Field("subresource", 8, &ManagedFieldsEntry::subresource,
             "Subresource the write went through; empty for the object itself.");
  type.Field("time", 4, &ManagedFieldsEntry::time,
             "When the owned fields or their values last changed.")
      .Pointer();
}

void OwnerReference::Describe(Type<OwnerReference>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference")
      .Atomic()
      .Doc("Names an owner, which must be in the same namespace or cluster-wide.");
  type.Field("apiVersion", 5, &OwnerReference::api_version).Required();
  type.Field("blockOwnerDeletion", 7, &OwnerReference::block_owner_deletion,
             "Blocks the foreground deletion of the owner until this object is deleted; false by "
             "default.");
  type.Field("controller", 6, &OwnerReference::controller,
             "Marks the owner as the managing controller; false by default.");
  type.Field("kind", 1, &OwnerReference::kind).Required();
  type.Field("name", 3, &OwnerReference::name).Required();
  type.Field("uid", 4, &OwnerReference::uid,
             "Identity of the owner; a new object of the same name does not count.")
      .Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ObjectMeta);
void ObjectMeta::Describe(Type<ObjectMeta>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
      .Doc("Data that every stored object has: its names, labels, owners and history.");
  type.Field("annotations", 12, &ObjectMeta::annotations,
             "Free-form notes for tools; cannot be used to select; at most 256 KiB together.");
  type.Field("creationTimestamp", 8, &ObjectMeta::creation_timestamp,
             "When the server stored the object; set by the server.")
      .OmitZero();
  type.Field("deletionGracePeriodSeconds", 10, &ObjectMeta::deletion_grace_period_seconds,
             "Seconds granted for a graceful end; set by the server and later only shortened.");
  type.Field("deletionTimestamp", 9, &ObjectMeta::deletion_timestamp,
             "When the object is to be deleted; set by a delete request and never reset.")
      .Pointer();
  type.Field("finalizers", 14, &ObjectMeta::finalizers,
             "Names that must all be removed before the object is deleted; none can be added "
             "meanwhile.")
      .ListSet()
      .PatchMerge();
  type.Field("generateName", 2, &ObjectMeta::generate_name,
             "Prefix for a name that the server makes unique; used only if name is empty.");
  type.Field("generation", 7, &ObjectMeta::generation,
             "Counts changes of the wanted state; set by the server.")
      .OmitZero()
      .Minimum(0);
  type.Field("labels", 11, &ObjectMeta::labels,
             "Short values by which objects are selected and grouped.");
  type.Field("managedFields", 17, &ObjectMeta::managed_fields,
             "Which manager owns which fields; maintained by the server for server-side apply.")
      .ListAtomic();
  type.Field("name", 1, &ObjectMeta::name,
             "Unique among objects of the kind in the namespace; cannot be changed.");
  type.Field("namespace", 3, &ObjectMeta::namespace_name,
             "Scope of the name; empty for cluster-wide objects; cannot be changed.");
  type.Field(
          "ownerReferences", 13, &ObjectMeta::owner_references,
          "Owners of the object; when all are deleted, the object is deleted; at most one is the "
          "controller.")
      .ListMap({"uid"})
      .PatchMerge("uid");
  type.Field("resourceVersion", 6, &ObjectMeta::resource_version,
             "Opaque version for conflict checks and watches; empty in an update means overwrite.");
  type.Field("selfLink", 4, &ObjectMeta::self_link, "Not filled in any more.");
  type.Field("uid", 5, &ObjectMeta::uid,
             "Identity in time and space, a UUID set by the server; differs after a re-creation.");
}

void StatusCause::Describe(Type<StatusCause>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause")
      .Doc("One of possibly several causes of a failure.");
  type.Field("field", &StatusCause::field,
             "Path of the field at fault, such as spec.ports[0].port; empty if none.");
  type.Field("message", &StatusCause::message, "Readable description; may be shown to users.");
  type.Field("reason", &StatusCause::reason, "Machine-readable cause, such as FieldValueInvalid.");
}

void StatusDetails::Describe(Type<StatusDetails>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails")
      .Doc("Structured facts about a failure.");
  type.Field("causes", &StatusDetails::causes, "Single causes, for example every invalid field.")
      .ListAtomic();
  type.Field("group", &StatusDetails::group, "API group of the object the request was about.");
  type.Field("kind", &StatusDetails::kind, "Kind or resource the request was about.");
  type.Field("name", &StatusDetails::name, "Object the request was about; empty if not known.");
  type.Field("retryAfterSeconds", &StatusDetails::retry_after_seconds,
             "Seconds to wait before trying again; 0 means no advice.");
  type.Field("uid", &StatusDetails::uid, "Identity of the object; empty if not known.");
}

void Status::Describe(Type<Status>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  type.Field("code", &Status::code, "HTTP status code; 0 if not set.");
  type.Field("details", &Status::details,
             "Structured facts for the reason; absent if there are none.");
  type.Field("message", &Status::message, "Readable description of the result.");
  type.Field("metadata", &Status::metadata, "Empty for most results.").DefaultJson("{}");
  type.Field("reason", &Status::reason,
             "Machine-readable cause of a failure, such as NotFound, Conflict or Invalid.");
  type.Field("status", &Status::status, "Success or Failure.");
}

void WatchEvent::Describe(Type<WatchEvent>& type) {
  type.Name("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent")
      .Doc("One message of a watch stream.");
  type.Field("object", &WatchEvent::object,
             "The changed object, a bookmark that only carries a version, or a Status on error.")
      .Required();
  type.Field("type", &WatchEvent::type, "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.").Required();
}

void Info::Describe(Type<Info>& type) {
  type.Name("io.k8s.apimachinery.pkg.version.Info").Doc("Version and build data of the server.");
  type.Field("buildDate", &Info::build_date, "When the program was built, as RFC 3339 text.")
      .Required();
  type.Field("compiler", &Info::compiler, "Compiler that built the program.").Required();
  type.Field("emulationMajor", &Info::emulation_major,
             "Major part of the version whose behavior is emulated.");
  type.Field("emulationMinor", &Info::emulation_minor,
             "Minor part of the version whose behavior is emulated.");
  type.Field("gitCommit", &Info::git_commit, "Source revision of the build.").Required();
  type.Field("gitTreeState", &Info::git_tree_state,
             "clean, or dirty if the sources had local changes.")
      .Required();
  type.Field("gitVersion", &Info::git_version, "Full version, such as v1.34.0.").Required();
  type.Field("goVersion", &Info::go_version,
             "Version of the Go toolchain; other builds name their language toolchain.")
      .Required();
  type.Field("major", &Info::major, "Major part of the version.").Required();
  type.Field("minCompatibilityMajor", &Info::min_compatibility_major,
             "Major part of the oldest version this server can work together with.");
  type.Field("minCompatibilityMinor", &Info::min_compatibility_minor,
             "Minor part of the oldest version this server can work together with.");
  type.Field("minor", &Info::minor, "Minor part of the version; may carry a plus sign.").Required();
  type.Field("platform", &Info::platform,
             "Operating system and architecture of the build, such as linux/amd64.")
      .Required();
}

}  // namespace kubexms
