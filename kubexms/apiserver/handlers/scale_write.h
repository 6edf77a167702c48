#pragma once

// A write to /scale: reads the request, and changes the scaled object. Updates, patches and apply
// refer to the Scale, and so do the managed fields.

#include <string>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/handlers/resource_handler.h"
#include "kubexms/apiserver/write/patch.h"

namespace kubexms {

class ScaleWrite {
 public:
  // The request is borrowed.
  static Result<ScaleWrite> Read(const ResourceCall& call, const Subresource& subresource);

  const WriteQuery& options() const { return options_; }
  const std::string& manager() const { return manager_; }

  // The object after the write, with its managedFields.
  Result<Json> Change(const Json& object, Time now) const;

 private:
  ScaleWrite(const ResourceCall& call, const Subresource& subresource, WriteQuery options);

  Result<Json> ChangeScale(const Json& current, Time now) const;
  std::string_view ReplicasPathOf(std::string_view api_version) const;

  const ResourceCall* call_;
  const Subresource* subresource_;
  WriteQuery options_;
  std::string manager_;
  std::optional<PatchType> patch_;  // none: an update
  Json given_;                      // the Scale, the patch, or the configuration
};

}  // namespace kubexms
