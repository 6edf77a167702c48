#pragma once

// Writes of stored objects: create, update, patch, apply and delete, with all that the server
// promises about metadata, defaults, validation, managed fields, finalizers and concurrency.
//
// One ObjectWrite is one write of one object, from the body of the request to the commit. An object
// is committed together with the records of its CommitHook (the addresses of a Service), and only
// if the object and its namespace are still those that the write was decided on.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/stored_object.h"
#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/commit_hook.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/write/field_management.h"
#include "kubexms/apiserver/write/patch.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/random.h"
#include "kubexms/store/store.h"

namespace kubexms {

// The object that is written, the user and the options. Borrows for the time of the write.
struct WriteAttributes {
  const Resource& resource;  // in the version in which objects are stored
  // In the version of the request, which is that of the fields it owns; null: as stored.
  const Resource* requested = nullptr;
  std::string_view subresource;  // empty, "status", "scale", "finalize" …
  std::string_view namespace_name;
  std::string_view name;  // empty for a creation
  const UserInfo& user;
  std::string manager;  // the field manager
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  bool force = false;  // of apply: take over fields that others own
};

struct Written {
  std::string object;  // canonical bytes with the resourceVersion
  bool created = false;
  bool removed = false;  // the write removed the last finalizer of an object in deletion
};

struct Deleted {
  std::string object;  // as stored now, or as last stored
  std::string uid;
  bool completed = false;  // false: it waits for its finalizers or its grace period
  bool damaged = false;    // the stored object could not be read, and was removed at once
};

// Everything is borrowed and must outlive the writer.
struct WriteEnvironment {
  store::Store& store;
  const Clock& clock;
  Random& random;
  const AdmissionChain& admissions;
  std::vector<CommitHook*> commit_hooks = {};  // at most one for a resource
  Logger log = {};
};

class ObjectWrite {
 public:
  // What an update makes of the stored object.
  struct Change {
    Json document;
    // managedFields are already those of the new document, as after server-side apply.
    bool applied = false;
  };
  // Called again when another write of the object was committed in between, unless the new document
  // names the version that it is based on.
  using ChangeFunction = std::function<Result<Change>(const Json& old)>;
  // Whether the user may create objects, too: the permission to update or to patch does not
  // suffice. Called when the object is known to be valid.
  using AuthorizeFunction = std::function<Result<void>()>;
  // What an update does when the object does not exist; without: NotFound.
  struct Creation {
    std::function<Result<Change>()> make;
    AuthorizeFunction authorize;
  };

  // `environment` is borrowed.
  ObjectWrite(WriteEnvironment& environment, WriteAttributes attributes);

  // ---- Writes of the body of a request, in the version of the request.

  Result<Written> CreateFrom(std::string_view body, BodyFormat format);
  // Kinds that allow it are created when they do not exist, if `authorize` permits.
  Result<Written> ReplaceFrom(std::string_view body, BodyFormat format,
                              const AuthorizeFunction& authorize);
  // An apply creates an object that does not exist, if `authorize` permits.
  Result<Written> PatchFrom(std::string_view body, PatchType type,
                            const AuthorizeFunction& authorize);
  // Of the last body: problems that fieldValidation does not refuse.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // ---- Writes of documents of the stored version, pruned and with defaults.

  Result<Written> Create(Json document);
  Result<Written> Update(const ChangeFunction& change,
                         const std::optional<Creation>& creation = {});
  Result<Deleted> Delete(const DeleteQuery& options);

  // A deletion that is decided on and not yet committed.
  struct Deletion {
    Deleted deleted;
    EncodedObject encoded;                          // what remains stored, if anything does
    std::optional<store::Transaction> transaction;  // none: nothing changes
  };
  Result<Deletion> PlanDeletion(const DeleteQuery& options);

 private:
  // ---- Bodies (write_body.cc). The resource in the version of the request:
  const Resource& requested() const {
    return attributes_.requested == nullptr ? resource_ : *attributes_.requested;
  }
  GroupVersionKind RequestedKind() const;
  FieldManagement ManagementAt(Time now) const;
  // The body as an object of the requested kind, without defaults.
  Result<Json> ReadObject(std::string_view body, BodyFormat format, const JsonStorage& storage);
  // The body of an apply, without defaults. Fields that the kind does not have are refused.
  Result<Json> ReadConfiguration(std::string_view body);
  // Refuses a configuration with fields that the kind does not declare, as apply does.
  Result<void> CheckDeclared(std::string_view body) const;
  // Refuses a document without a resourceVersion where the resource requires one.
  Result<void> CheckReplaceable(const Json& document) const;
  // From the requested to the stored version, with defaults, and back.
  Result<Json> Complete(Json document) const;
  Result<Json> ToRequested(const Json& stored) const;
  Result<Json> Patched(const Json& stored, const RequestPatch& patch) const;
  Result<Change> ApplyPatchTo(const Json& stored, const RequestPatch& patch);
  Result<Change> ApplyConfigurationTo(const Json* live, const Json& config) const;
  // Sets the warnings, or fails where fieldValidation says so.
  Result<void> HandleErrors(std::vector<std::string> messages);
  // An object that cannot be read after a patch is the fault of the patch.
  Error InvalidPatch(const Json& stored, const RequestPatch& patch, const Error& error) const;

  // ---- Stored documents (object_writer.cc).
  Time Now() const { return Time::Now(environment_.clock); }
  // Events are stored in one API group and written through two, which validate them differently.
  const Strategy& Rules() const { return *requested().strategy; }
  std::string KeyOf(std::string_view name) const;
  Error Conflict(std::string_view name) const;
  // Sets the managed fields of a document that is to be stored in place of `old`, if any.
  Result<Json> Track(const Json* old, Json document) const;
  Result<void> Admit(AdmissionRequest::Operation operation, Json& document, const Json* old,
                     std::string_view name) const;
  Result<void> Validate(AdmissionRequest::Operation operation, const Json& document,
                        const Json* old) const;
  // `authorize` is empty where the request itself was authorized as a creation.
  Result<void> PrepareCreation(Json& document, bool applied, const AuthorizeFunction& authorize);
  Error NameIsTaken(std::string_view name) const;
  // Nothing when another object has the name and another one can be generated.
  Result<std::optional<Written>> CommitCreation(const Json& document);
  // Nothing when another write was committed first and this one may be tried again.
  Result<std::optional<Written>> TryUpdate(const ChangeFunction& change,
                                           const std::optional<Creation>& creation);
  Result<std::optional<Deleted>> TryDelete(const DeleteQuery& options);
  Result<void> PrepareUpdate(Json& document, const Json& old, bool applied);
  Result<std::optional<Written>> CommitUpdate(Json document, const Json& old,
                                              const store::Record& record);
  // Of an object that cannot be read, so that its finalizers and dependents are unknown.
  Result<Deletion> PlanRemoval(const store::Record& record, const Error& why);

  WriteEnvironment& environment_;
  const WriteAttributes attributes_;
  const Resource& resource_;  // as stored
  CommitHook* const hook_;    // null: the resource has none
  std::vector<std::string> warnings_;
};

class ObjectWriter {
 public:
  using Environment = WriteEnvironment;
  using Change = ObjectWrite::Change;

  explicit ObjectWriter(Environment environment) : environment_(std::move(environment)) {}

  ObjectWrite Begin(WriteAttributes attributes) { return {environment_, std::move(attributes)}; }

  // The writes of ObjectWrite in one call.
  Result<Written> Create(WriteAttributes attributes, Json document) {
    return Begin(std::move(attributes)).Create(std::move(document));
  }
  Result<Written> Update(WriteAttributes attributes, const ObjectWrite::ChangeFunction& change) {
    return Begin(std::move(attributes)).Update(change);
  }
  Result<Deleted> Delete(WriteAttributes attributes, const DeleteQuery& options) {
    return Begin(std::move(attributes)).Delete(options);
  }
  // Deletes several objects; attributes.name is ignored. Their commits wait together, so many cost
  // little more than one. Names that do not exist are skipped.
  Result<void> DeleteEach(const WriteAttributes& attributes,
                          const std::vector<std::string_view>& names, const DeleteQuery& options);

 private:
  Environment environment_;
};

}  // namespace kubexms
