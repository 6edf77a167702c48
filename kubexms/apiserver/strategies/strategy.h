#pragma once

// The rules of one kind beyond its schema: defaults that depend on other fields, fields that
// clients may not set, and validation that needs code.
//
// The life of a write: the server parses the document, checks the types of its values against the
// schema, removes unknown fields, normalizes quantities and times and sets the schema's defaults.
// Then it calls, in this order,
//
//   SetDefaults → PrepareForCreate → Validate → ValidateCreate        for a creation
//   SetDefaults → PrepareForUpdate → Validate → ValidateUpdate        for an update or patch
//
// The schema is validated before Validate; the errors of both are returned together. The server
// does what is common to all kinds: metadata and its rules, dropping `status` on creation,
// preserving the stored `status` on updates (and everything but `status` on updates of /status),
// incrementing the generation, managed fields.
//
// Values have the types of the schema, but required fields may be missing until Validate.
// Strategies are stateless: any thread may call them.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexms/api/names.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

class FieldSet;

using FieldErrors = std::vector<ErrorCause>;

// The members of metadata that clients write.
inline constexpr std::array<std::string_view, 4> kClientMetadata = {"annotations", "finalizers",
                                                                    "labels", "ownerReferences"};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Called for every document of a client, also before a comparison with the stored one: must be
  // idempotent.
  virtual void SetDefaults(JsonObject&) const {}

  virtual void PrepareForCreate(JsonObject&) const {}
  virtual void PrepareForUpdate(JsonObject&, const JsonObject& /*old*/) const {}
  virtual void Validate(const JsonObject&, FieldErrors&) const {}
  virtual void ValidateCreate(const JsonObject&, FieldErrors&) const {}
  virtual void ValidateUpdate(const JsonObject&, const JsonObject& /*old*/, FieldErrors&) const {}

  // As above, for updates of /status.
  virtual void PrepareForStatusUpdate(JsonObject&, const JsonObject& /*old*/) const {}
  virtual void ValidateStatusUpdate(const JsonObject&, const JsonObject& /*old*/,
                                    FieldErrors&) const {}

  // The members of metadata that an update of /status retains as stored.
  virtual std::vector<std::string_view> MetadataRetainedByStatus() const { return {}; }
  // The fields that an update of /status neither changes nor owns.
  virtual const FieldSet& FieldsResetByStatus() const;

  // For updates of a subresource that writes another part of the object, as pods/resize does; what
  // it may not write is as it was.
  virtual void ValidateSubresourceUpdate(std::string_view /*subresource*/, const JsonObject&,
                                         const JsonObject& /*old*/, FieldErrors&) const {}

  // Deletion, in the order in which the server calls them.
  //
  // Called when a deletion starts, before the server decides whether the object can be removed.
  virtual void PrepareForDelete(JsonObject&) const {}
  // The grace period in seconds of a kind whose objects need time to end; `requested` is that of
  // the client. Nothing: the kind has no grace period.
  virtual std::optional<int64_t> GracePeriod(const JsonObject&,
                                             std::optional<int64_t> /*requested*/) const {
    return std::nullopt;
  }
  // Whether the object has finalizers outside of metadata.
  virtual bool HasContentFinalizers(const JsonObject&) const { return false; }
  // Whether a deletion that waits for finalizers sets deletionGracePeriodSeconds and counts as a
  // generation.
  virtual bool CountsDeletions() const { return true; }
  // Called when the deletion has to wait for finalizers or the grace period.
  virtual void MarkTerminating(JsonObject&) const {}

  // What is wrong with a name of such an object; most are DNS subdomains.
  virtual Messages ValidateName(std::string_view name) const {
    return ValidateDns1123Subdomain(name);
  }

  // Whether the server maintains metadata.generation: 1 at creation, incremented when anything
  // outside of metadata and status changes.
  virtual bool CountsGenerations() const { return false; }

  // Whether the kind has a `status` that only /status writes.
  virtual bool HasStatus() const { return false; }

  // Whether a creation may set the status.
  virtual bool AllowsStatusOnCreate() const { return false; }

  // Whether PUT on a name that does not exist creates the object.
  virtual bool AllowsCreateOnUpdate() const { return false; }
};

// The finalizer that blocks the deletion of a CustomResourceDefinition until its objects are
// deleted.
inline constexpr std::string_view kCustomResourceCleanup =
    "customresourcecleanup.apiextensions.k8s.io";

// The strategy of a built-in kind. Never null: kinds without rules of their own share one.
const Strategy* BuiltinStrategy(std::string_view group, std::string_view kind);
// The strategy of custom resources, whose rules are in their schema.
const Strategy* CustomResourceStrategy(bool has_status);

}  // namespace kubexms
