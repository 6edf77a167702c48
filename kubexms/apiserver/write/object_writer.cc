#include "kubexms/apiserver/write/object_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/validation.h"
#include "kubexms/api/schema/zero_values.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/apiserver/write/deletion.h"
#include "kubexms/apiserver/write/field_management.h"
#include "kubexms/apiserver/write/object_validation.h"
#include "kubexms/apiserver/write/scale.h"
#include "kubexms/apiserver/write/written_parts.h"
#include "kubexms/base/mutex.h"

namespace kubexms {
namespace {

// The attempts of a write that names no resourceVersion, when other writes are committed in
// between.
constexpr int kMaxAttempts = 8;
// The deletions of a collection that wait for their commits together.
constexpr size_t kDeletionsAtATime = 512;

// The limit for objects that clients write. The store accepts more, so that an object of this size
// can still be deleted: that adds a deletionTimestamp, and managed fields when a finalizer is
// removed.
constexpr size_t kMaxObjectBytes = store::kMaxTransactionBytes - 50'000;

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

FieldErrors ValidateDocument(const Json& document, const Resource& resource,
                             const Strategy& strategy) {
  FieldErrors errors;
  ValidateMetadata(document, resource, errors);
  if (resource.custom) {
    for (ErrorCause& cause : Validate(document, *resource.schema)) {
      errors.push_back(std::move(cause));
    }
  } else {
    strategy.Validate(document.get_object(), errors);
  }
  if (resource.scale) ValidateReplicas(document, *resource.scale, errors);
  return errors;
}

Result<void> Refuse(FieldErrors errors, const Resource& resource, const Json& document) {
  if (!resource.custom) AddSchemaErrors(document, *resource.schema, errors);
  if (errors.empty()) return {};
  return Error::Invalid(resource.qualified_kind(), NameOf(document), std::move(errors));
}

// Which version of its namespace a creation depends on.
struct NamespaceVersion {
  std::string key;
  uint64_t revision = 0;
};

Result<NamespaceVersion> CheckNamespace(const WriteAttributes& attributes, std::string_view name,
                                        store::Store& store) {
  NamespaceVersion version{StoragePrefix("", "namespaces").append(attributes.namespace_name)};
  ASSIGN_OR_RETURN(const store::RecordPtr record, store.Get(version.key));
  if (record == nullptr) return Error::NotFound("namespaces", attributes.namespace_name);
  ASSIGN_OR_RETURN(const ObjectHeader header, ReadHeader(record->value));
  if (header.deleting) {
    const Error error = Error::Forbidden(
        attributes.resource.qualified_name(), name,
        fmt::format("unable to create new content in namespace {} because it is being terminated",
                    attributes.namespace_name));
    ErrorDetails details = error.details();
    details.causes = {
        {.reason = "NamespaceTerminating",
         .message = fmt::format("namespace {} is being terminated", attributes.namespace_name),
         .field = "metadata.namespace"}};
    return Error(error.code(), error.reason(), error.message(), std::move(details));
  }
  version.revision = record->mod_revision;
  return version;
}

// Checks the name, uid and resourceVersion in the document of an update.
Result<void> CheckIdentity(const Json& document, const Json& old, uint64_t revision,
                           const WriteAttributes& attributes) {
  const std::string_view name = NameOf(document);
  if (!name.empty() && name != attributes.name) {
    return Error::BadRequest(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                    attributes.name));
  }
  const std::string_view uid = UidOf(document);
  if (!uid.empty() && uid != UidOf(old)) {
    return Error::Conflict(
        attributes.resource.qualified_name(), attributes.name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                    UidOf(old)));
  }
  const std::string_view version = ResourceVersionOf(document);
  if (!version.empty() && version != "0" && version != std::to_string(revision)) {
    return Error::Conflict(attributes.resource.qualified_name(), attributes.name, kModified);
  }
  return {};
}

// The name of a new object in Kubernetes' messages.
std::string NameInMessages(const Json& document) {
  std::string_view name = NameOf(document);
  if (name.empty()) name = MetadataString(document, "generateName");
  return std::string(name.empty() ? "Unknown" : name);
}

bool IsBoundToVersion(const Json& document) {
  const std::string_view version = ResourceVersionOf(document);
  return !version.empty() && version != "0";
}

// Whether the update has removed the last thing that the deletion of the object was waiting for.
bool CompletesDeletion(const Json& document, const Resource& resource) {
  if (!IsBeingDeleted(document) || HasFinalizers(document)) return false;
  if (resource.strategy->HasContentFinalizers(document.get_object())) return false;
  const Json* grace = MetadataOf(document).if_contains("deletionGracePeriodSeconds");
  return grace == nullptr || !grace->is_int64() || grace->get_int64() == 0;
}

void RestoreGeneration(Json& document, const Json& old) {
  const Json* generation = MetadataOf(old).if_contains("generation");
  if (generation != nullptr) MetadataOf(document)["generation"] = *generation;
}

std::string WithoutVersion(Json document) {
  MetadataOf(document).erase("resourceVersion");
  return WriteJson(document);
}

size_t BytesWithoutManagers(const Json& document) {
  const Json* managers = MetadataOf(document).if_contains("managedFields");
  return WriteJson(document).size() - (managers == nullptr ? 0 : WriteJson(*managers).size());
}

// `old` is null for a creation. An object that is already too large may become smaller.
Result<void> CheckSize(size_t bytes, const Json& document, const Json* old) {
  if (bytes <= kMaxObjectBytes) return {};
  if (old != nullptr && BytesWithoutManagers(document) <= BytesWithoutManagers(*old)) return {};
  return Error::RequestTooLarge(
      fmt::format("the object has {} bytes; at most {} are possible", bytes, kMaxObjectBytes));
}

// Sets the default of `status` in the schema, if it has one.
Result<void> AddDefaultStatus(JsonObject& object, const Schema& schema) {
  const Schema* status = schema.Resolve().FindProperty("status");
  if (status == nullptr || !status->default_value) return {};
  Json& added = object["status"] = *status->default_value;
  return ApplyDefaults(added, *status, store::kMaxTransactionBytes);
}

CommitHook* FindHook(const WriteEnvironment& environment, const Resource& resource) {
  const auto hook = std::ranges::find_if(environment.commit_hooks,
                                         [&](CommitHook* one) { return one->AppliesTo(resource); });
  return hook == environment.commit_hooks.end() ? nullptr : *hook;
}

// Commits that run concurrently.
class PendingCommits {
 public:
  explicit PendingCommits(store::Store& store) : store_(store) {}
  ~PendingCommits() { (void)Wait(); }

  // `name` identifies the commit in the result of Wait().
  void Add(std::string_view name, store::Transaction transaction) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      ++waiting_;
    }
    store_.CommitAsync(std::move(transaction), [this, name](Result<store::CommitResult> result) {
      MutexLock lock(mutex_);
      if (!result.ok()) {
        failure_ = result.error();
      } else if (!result->committed()) {
        refused_.push_back(name);
      }
      if (--waiting_ == 0) done_.NotifyAll();
    });
  }

  // The names whose objects were changed by another write first.
  Result<std::vector<std::string_view>> Wait() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (waiting_ > 0) done_.Wait(mutex_);
    if (failure_) return *failure_;
    return std::move(refused_);
  }

 private:
  store::Store& store_;
  Mutex mutex_;
  CondVar done_;
  size_t waiting_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string_view> refused_ GUARDED_BY(mutex_);
  std::optional<Error> failure_ GUARDED_BY(mutex_);
};

}  // namespace

ObjectWrite::ObjectWrite(WriteEnvironment& environment, WriteAttributes attributes)
    : environment_(environment),
      attributes_(std::move(attributes)),
      resource_(attributes_.resource),
      hook_(FindHook(environment, resource_)) {}

std::string ObjectWrite::KeyOf(std::string_view name) const {
  return StorageKey(resource_, resource_.namespaced ? attributes_.namespace_name : "", name);
}

Error ObjectWrite::Conflict(std::string_view name) const {
  return Error::Conflict(resource_.qualified_name(), name, kModified);
}

Result<Json> ObjectWrite::Track(const Json* old, Json document) const {
  const FieldManagement management = ManagementAt(Now());
  if (requested().api_version() == resource_.api_version()) {
    return TrackWrite(old, std::move(document), management);
  }
  Json converted = document;
  RETURN_IF_ERROR(ConvertDocument(converted, requested()));
  Json converted_old = old == nullptr ? Json() : *old;
  if (old != nullptr) RETURN_IF_ERROR(ConvertDocument(converted_old, requested()));
  const Json tracked =
      TrackWrite(old == nullptr ? nullptr : &converted_old, std::move(converted), management);
  JsonObject& metadata = MetadataOf(document);
  metadata.erase("managedFields");
  if (const Json* fields = MetadataOf(tracked).if_contains("managedFields")) {
    metadata["managedFields"] = *fields;
  }
  return document;
}

Result<void> ObjectWrite::Admit(AdmissionRequest::Operation operation, Json& document,
                                const Json* old, std::string_view name) const {
  const AdmissionRequest admission{operation,        resource_, attributes_.subresource,
                                   attributes_.user, old,       name};
  for (const auto& one : environment_.admissions) {
    RETURN_IF_ERROR(one->Admit(admission, document));
  }
  return {};
}

Result<void> ObjectWrite::Validate(AdmissionRequest::Operation operation, const Json& document,
                                   const Json* old) const {
  const AdmissionRequest admission{operation, resource_, attributes_.subresource, attributes_.user,
                                   old};
  for (const auto& one : environment_.admissions) {
    RETURN_IF_ERROR(one->Validate(admission, document));
  }
  return {};
}

Result<void> ObjectWrite::PrepareCreation(Json& document, bool applied,
                                          const AuthorizeFunction& authorize) {
  RETURN_IF_ERROR(SetNamespace(document, resource_, attributes_.namespace_name));
  const Strategy& strategy = *resource_.strategy;
  if (strategy.HasStatus() && !strategy.AllowsStatusOnCreate()) {
    document.get_object().erase("status");
    if (resource_.custom) {
      RETURN_IF_ERROR(AddDefaultStatus(document.get_object(), *resource_.schema));
    }
  }
  const std::string name = NameInMessages(document);
  InitializeMetadata(document, resource_, Now(), environment_.random);
  if (!applied) {
    ASSIGN_OR_RETURN(document, Track(nullptr, std::move(document)));
  }
  resource_.strategy->PrepareForCreate(document.get_object());
  if (resource_.terminating) {
    return Error::Forbidden(resource_.qualified_name(), NameOf(document),
                            "create not allowed while custom resource definition is terminating");
  }
  // Before anything else about the object: nothing can be made in a namespace that is not there.
  if (resource_.namespaced) {
    RETURN_IF_ERROR(CheckNamespace(attributes_, name, environment_.store));
  }
  RETURN_IF_ERROR(Admit(AdmissionRequest::Operation::kCreate, document, nullptr, name));
  if (resource_.zero_form != nullptr) AddZeroValues(document, *resource_.zero_form);
  FieldErrors errors = ValidateDocument(document, resource_, Rules());
  Rules().ValidateCreate(document.get_object(), errors);
  RETURN_IF_ERROR(Refuse(std::move(errors), resource_, document));
  RETURN_IF_ERROR(CheckDepth(document.get_object()));
  if (authorize) RETURN_IF_ERROR(authorize());
  return Validate(AdmissionRequest::Operation::kCreate, document, nullptr);
}

Result<Written> ObjectWrite::Create(Json document) {
  if (IsBoundToVersion(document)) {
    return Error(500, "", "resourceVersion should not be set on objects to be created");
  }
  // Copied only when another name can be generated.
  const Json original = NameOf(document).empty() ? document : Json();
  for (int attempt = 1;; ++attempt) {
    RETURN_IF_ERROR(PrepareCreation(document, false, {}));
    ASSIGN_OR_RETURN(std::optional<Written> written, CommitCreation(document));
    if (written) return std::move(*written);
    if (original.is_null() || attempt == kMaxAttempts) return NameIsTaken(NameOf(document));
    document = original;
  }
}

Error ObjectWrite::NameIsTaken(std::string_view name) const {
  const Error error = Error::AlreadyExists(resource_.qualified_name(), name);
  const Result<store::RecordPtr> record = environment_.store.Get(KeyOf(name));
  if (!record.ok() || *record == nullptr) return error;
  const Result<ObjectHeader> header = ReadHeader((*record)->value);
  const bool deleting = header.ok() && header->deleting;
  return deleting ? error.WithContext("object is being deleted") : error;
}

Result<std::optional<Written>> ObjectWrite::CommitCreation(const Json& document) {
  const std::string name(NameOf(document));
  const std::string key = KeyOf(name);
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    store::Transaction transaction;
    if (resource_.namespaced) {
      ASSIGN_OR_RETURN(NamespaceVersion version,
                       CheckNamespace(attributes_, name, environment_.store));
      transaction = std::move(transaction).IfRevision(std::move(version.key), version.revision);
    }
    transaction = std::move(transaction).IfAbsent(key);
    // What the hook adds may be taken by a concurrent write, so every attempt starts without it.
    std::optional<Json> completed;
    if (hook_ != nullptr) {
      completed = document;
      ASSIGN_OR_RETURN(transaction,
                       hook_->OnWrite(*completed, nullptr, Now(), std::move(transaction)));
    }
    const Json& attempted = completed ? *completed : document;
    EncodedObject encoded = EncodeObject(attempted.get_object());
    RETURN_IF_ERROR(CheckSize(encoded.bytes.size(), attempted, nullptr));
    transaction =
        std::move(transaction).Put(key, encoded.bytes, {.revision_offset = encoded.version_offset});
    if (attributes_.dry_run) {
      RETURN_IF_ERROR(transaction.Prepare());
      ASSIGN_OR_RETURN(const store::RecordPtr existing, environment_.store.Get(key));
      if (existing != nullptr) return std::optional<Written>();
      return std::optional(Written{.object = WithoutVersion(attempted), .created = true});
    }
    ASSIGN_OR_RETURN(const store::CommitResult result,
                     environment_.store.Commit(std::move(transaction)));
    if (result.committed()) {
      return std::optional(
          Written{.object = encoded.WithVersion(result.revision), .created = true});
    }
    if (result.mismatch->key == key) return std::optional<Written>();
  }
  return Conflict(name);
}

Result<std::optional<Written>> ObjectWrite::TryUpdate(const ChangeFunction& change,
                                                      const std::optional<Creation>& creation) {
  ASSIGN_OR_RETURN(const store::RecordPtr record, environment_.store.Get(KeyOf(attributes_.name)));
  if (record == nullptr) {
    if (!creation) return Error::NotFound(resource_.qualified_name(), attributes_.name);
    ASSIGN_OR_RETURN(Change made, creation->make());
    RETURN_IF_ERROR(PrepareCreation(made.document, made.applied, creation->authorize));
    return CommitCreation(made.document);
  }
  ASSIGN_OR_RETURN(const Json old, ReadDocument(resource_, *record));
  ASSIGN_OR_RETURN(Change changed, change(old));
  RETURN_IF_ERROR(CheckIdentity(changed.document, old, record->mod_revision, attributes_));
  RETURN_IF_ERROR(PrepareUpdate(changed.document, old, changed.applied));
  return CommitUpdate(std::move(changed.document), old, *record);
}

Result<void> ObjectWrite::PrepareUpdate(Json& document, const Json& old, bool applied) {
  // Other subresources write one member, which the rules for the whole object may forbid.
  const std::string_view part = attributes_.subresource;
  const bool status = part == "status";
  const bool whole = part.empty() || part == "scale";
  RETURN_IF_ERROR(SetNamespace(document, resource_, attributes_.namespace_name));
  Json managed;
  if (applied) {
    if (const Json* fields = MetadataOf(document).if_contains("managedFields")) managed = *fields;
  }
  RestoreOtherParts(document, old, resource_, attributes_.subresource);
  if (applied && managed.is_null()) {
    MetadataOf(document).erase("managedFields");
  } else if (applied) {
    MetadataOf(document)["managedFields"] = std::move(managed);
  } else {
    ASSIGN_OR_RETURN(document, Track(&old, std::move(document)));
  }
  if (status) {
    resource_.strategy->PrepareForStatusUpdate(document.get_object(), old.get_object());
  } else if (whole) {
    resource_.strategy->PrepareForUpdate(document.get_object(), old.get_object());
  }
  PreserveMetadata(document, old, resource_);
  // A binding is no change of the desired state.
  if (part == "binding") RestoreGeneration(document, old);
  RETURN_IF_ERROR(Admit(AdmissionRequest::Operation::kUpdate, document, &old, attributes_.name));
  MetadataOf(document)["resourceVersion"] = ResourceVersionOf(old);
  if (resource_.zero_form != nullptr) AddZeroValues(document, *resource_.zero_form);
  FieldErrors errors = ValidateDocument(document, resource_, Rules());
  ValidateMetadataUpdate(document, old, errors);
  if (resource_.custom) {
    for (ErrorCause& cause : ValidateTransition(document, old, *resource_.schema)) {
      errors.push_back(std::move(cause));
    }
  }
  if (status) {
    resource_.strategy->ValidateStatusUpdate(document.get_object(), old.get_object(), errors);
  } else if (whole) {
    Rules().ValidateUpdate(document.get_object(), old.get_object(), errors);
  } else {
    resource_.strategy->ValidateSubresourceUpdate(part, document.get_object(), old.get_object(),
                                                  errors);
  }
  RETURN_IF_ERROR(Refuse(std::move(errors), resource_, document));
  RETURN_IF_ERROR(CheckDepth(document.get_object()));
  return Validate(AdmissionRequest::Operation::kUpdate, document, &old);
}

Result<std::optional<Written>> ObjectWrite::CommitUpdate(Json document, const Json& old,
                                                         const store::Record& record) {
  const std::string key(record.key);
  store::Transaction transaction = store::Transaction().IfRevision(key, record.mod_revision);
  if (hook_ != nullptr) {
    ASSIGN_OR_RETURN(transaction, hook_->OnWrite(document, &old, Now(), std::move(transaction)));
  }
  Written written;
  written.removed = CompletesDeletion(document, resource_);
  if (!written.removed && JsonEqual(document, old)) {
    written.object = WriteJson(document);
    return std::optional(std::move(written));
  }
  EncodedObject encoded = EncodeObject(document.get_object());
  if (!written.removed) RETURN_IF_ERROR(CheckSize(encoded.bytes.size(), document, &old));
  if (written.removed) {
    transaction = store::Transaction().IfRevision(key, record.mod_revision).Delete(key);
    if (hook_ != nullptr) transaction = hook_->OnRemove(old, std::move(transaction));
  } else {
    transaction =
        std::move(transaction).Put(key, encoded.bytes, {.revision_offset = encoded.version_offset});
  }
  if (attributes_.dry_run) {
    RETURN_IF_ERROR(transaction.Prepare());
    written.object = WriteJson(document);
    return std::optional(std::move(written));
  }
  ASSIGN_OR_RETURN(const store::CommitResult result,
                   environment_.store.Commit(std::move(transaction)));
  // The caller tries again; a document with a resourceVersion then fails with a conflict.
  if (!result.committed()) return std::optional<Written>();
  written.object = encoded.WithVersion(result.revision);
  return std::optional(std::move(written));
}

Result<ObjectWrite::Deletion> ObjectWrite::PlanDeletion(const DeleteQuery& options) {
  ASSIGN_OR_RETURN(const store::RecordPtr record, environment_.store.Get(KeyOf(attributes_.name)));
  if (record == nullptr) return Error::NotFound(resource_.qualified_name(), attributes_.name);
  Result<Json> read = ReadDocument(resource_, *record);
  if (!read.ok()) return PlanRemoval(*record, read.error());
  Json document = std::move(*read);
  RETURN_IF_ERROR(CheckPreconditions(document, options, resource_));
  RETURN_IF_ERROR(
      Admit(AdmissionRequest::Operation::kDelete, document, &document, attributes_.name));
  Deletion deletion{
      .deleted = {.object = WriteJson(document), .uid = std::string(UidOf(document))}};
  const Json before = document;
  deletion.deleted.completed = MarkForDeletion(document, resource_, options, Now());
  if (deletion.deleted.completed) deletion.deleted.object = WriteJson(document);
  const std::string key(record->key);
  store::Transaction transaction = store::Transaction().IfRevision(key, record->mod_revision);
  if (deletion.deleted.completed) {
    transaction = std::move(transaction).Delete(key);
    if (hook_ != nullptr) transaction = hook_->OnRemove(before, std::move(transaction));
  } else {
    if (JsonEqual(before, document)) return deletion;
    deletion.encoded = EncodeObject(document.get_object());
    transaction =
        std::move(transaction)
            .Put(key, deletion.encoded.bytes, {.revision_offset = deletion.encoded.version_offset});
  }
  if (!attributes_.dry_run) deletion.transaction = std::move(transaction);
  return deletion;
}

Result<ObjectWrite::Deletion> ObjectWrite::PlanRemoval(const store::Record& record,
                                                       const Error& why) {
  Deletion deletion{.deleted = {.completed = true, .damaged = true}};
  if (attributes_.dry_run) return deletion;
  environment_.log.Warn("removing a damaged object without regard to its finalizers",
                        {{"key", record.key}, {"user", attributes_.user.name}, {"error", why}});
  const std::string key(record.key);
  store::Transaction transaction =
      store::Transaction().IfRevision(key, record.mod_revision).Delete(key);
  if (hook_ != nullptr) {
    ASSIGN_OR_RETURN(transaction, hook_->OnRemoveDamaged(attributes_.namespace_name,
                                                         attributes_.name, std::move(transaction)));
  }
  deletion.transaction = std::move(transaction);
  return deletion;
}

Result<std::optional<Deleted>> ObjectWrite::TryDelete(const DeleteQuery& options) {
  ASSIGN_OR_RETURN(Deletion deletion, PlanDeletion(options));
  Deleted& deleted = deletion.deleted;
  if (!deletion.transaction) return std::optional(std::move(deleted));
  ASSIGN_OR_RETURN(const store::CommitResult result,
                   environment_.store.Commit(*std::move(deletion.transaction)));
  if (!result.committed()) return std::optional<Deleted>();
  if (!deleted.completed) deleted.object = deletion.encoded.WithVersion(result.revision);
  return std::optional(std::move(deleted));
}

Result<Written> ObjectWrite::Update(const ChangeFunction& change,
                                    const std::optional<Creation>& creation) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    ASSIGN_OR_RETURN(std::optional<Written> written, TryUpdate(change, creation));
    if (written) return std::move(*written);
  }
  return Conflict(attributes_.name);
}

Result<Deleted> ObjectWrite::Delete(const DeleteQuery& options) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    ASSIGN_OR_RETURN(std::optional<Deleted> deleted, TryDelete(options));
    if (deleted) return std::move(*deleted);
  }
  return Conflict(attributes_.name);
}

Result<void> ObjectWriter::DeleteEach(const WriteAttributes& attributes,
                                      const std::vector<std::string_view>& names,
                                      const DeleteQuery& options) {
  WriteAttributes one = attributes;
  for (size_t begin = 0; begin < names.size(); begin += kDeletionsAtATime) {
    const size_t end = std::min(names.size(), begin + kDeletionsAtATime);
    PendingCommits commits(environment_.store);
    for (size_t i = begin; i < end; ++i) {
      one.name = names[i];
      Result<ObjectWrite::Deletion> deletion = Begin(one).PlanDeletion(options);
      if (!deletion.ok() && deletion.error().IsNotFound()) continue;
      if (!deletion.ok()) return deletion.error();
      if (deletion->transaction) commits.Add(one.name, *std::move(deletion->transaction));
    }
    ASSIGN_OR_RETURN(const std::vector<std::string_view> refused, commits.Wait());
    for (const std::string_view name : refused) {
      one.name = name;
      RETURN_IF_ERROR(IgnoreNotFound(Delete(one, options)));
    }
  }
  return {};
}

}  // namespace kubexms
