#pragma once

// Admission: decisions about a write that depend on the user or on other stored objects. The
// plugins of an admission chain are called in order on every write: Admit after defaulting and
// before validation, where a plugin may change or refuse the object, and Validate after validation.

#include <memory>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct AdmissionRequest {
  enum class Operation { kCreate, kUpdate, kDelete };

  Operation operation;
  const Resource& resource;
  std::string_view subresource;
  const UserInfo& user;
  const Json* old = nullptr;  // the stored object; null for a creation
  // For error messages: the object's name in the path or document, or else its generateName.
  std::string_view name;
};

class Admission {
 public:
  virtual ~Admission() = default;

  // `object` is the new object; for a deletion it is the stored one, and changes are ignored.
  virtual Result<void> Admit(const AdmissionRequest&, Json& /*object*/) { return {}; }
  // `object` is the validated object, as it is about to be stored. Not called for deletions.
  virtual Result<void> Validate(const AdmissionRequest&, const Json& /*object*/) { return {}; }
};

using AdmissionChain = std::vector<std::unique_ptr<Admission>>;

}  // namespace kubexms
