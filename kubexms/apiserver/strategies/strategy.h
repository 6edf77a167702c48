#pragma once

// What the server does with the objects of one kind beyond what their schema says: defaults that
// depend on other fields, what a writer may not set, and the rules that need code.
//
// The life of a write. The server parses the document, checks that its values have the types of the
// schema, removes unknown fields, normalises quantities and times and fills in the schema's
// defaults. Then it calls, in this order,
//
//   SetDefaults → PrepareForCreate → Validate → ValidateCreate        for a creation
//   SetDefaults → PrepareForUpdate → Validate → ValidateUpdate        for an update or patch
//
// with schema validation before Validate; the errors of both are answered together. The server
// itself does what is the same for every kind: metadata and its rules, dropping `status` on
// creation, keeping the stored `status` on updates (and everything but `status` on updates of
// /status), counting generations, managed fields.
//
// Documents that reach a strategy have the types that the schema says, but required fields may be
// missing until Validate has been passed. Strategies are stateless: any thread may call them.

#include <string_view>
#include <vector>

#include "kubexms/api/names.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

using FieldErrors = std::vector<ErrorCause>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Called for every document that is read from a client, also when it is later compared with the
  // stored one: doing it twice must be the same as once.
  virtual void SetDefaults(JsonObject&) const {}

  virtual void PrepareForCreate(JsonObject&) const {}
  virtual void PrepareForUpdate(JsonObject&, const JsonObject& /*old*/) const {}
  virtual void Validate(const JsonObject&, FieldErrors&) const {}
  virtual void ValidateCreate(const JsonObject&, FieldErrors&) const {}
  virtual void ValidateUpdate(const JsonObject&, const JsonObject& /*old*/, FieldErrors&) const {}

  // The same for updates of /status.
  virtual void PrepareForStatusUpdate(JsonObject&, const JsonObject& /*old*/) const {}
  virtual void ValidateStatusUpdate(const JsonObject&, const JsonObject& /*old*/,
                                    FieldErrors&) const {}

  // For updates of a subresource that writes another part of the object, as pods/resize does; what
  // it may not write is as it was.
  virtual void ValidatePartUpdate(std::string_view /*subresource*/, const JsonObject&,
                                  const JsonObject& /*old*/, FieldErrors&) const {}

  // What is wrong with a name of such an object; most are DNS subdomains.
  virtual Messages ValidateName(std::string_view name) const {
    return ValidateDns1123Subdomain(name);
  }

  // Whether metadata.generation is kept: 1 at creation, one more when anything changes outside of
  // metadata and status.
  virtual bool CountsGenerations() const { return false; }

  // Whether the kind has a `status` that only /status writes.
  virtual bool HasStatus() const { return false; }

  // Whether a creation may bring its status along instead of having it dropped.
  virtual bool KeepsStatusOnCreate() const { return false; }

  // Whether PUT on a name that does not exist creates the object.
  virtual bool AllowsCreateOnUpdate() const { return false; }
};

// The strategy of a built-in kind; never null: kinds without rules of their own share one.
const Strategy* BuiltinStrategy(std::string_view group, std::string_view kind);
// Of all custom resources; their rules are all in their schema.
const Strategy* CustomResourceStrategy(bool has_status);

}  // namespace kubexms
