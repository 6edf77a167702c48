#pragma once

// Decisions about a write that need more than the object itself: who writes it, and what else is
// stored. Admissions run in order on every write: Admit after defaulting and before validation,
// where each may change the object or refuse it, and Validate after validation.

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
  // For messages: the object's name as the request gives it, or else its generateName.
  std::string_view name;
};

class Admission {
 public:
  virtual ~Admission() = default;

  // `object` is the new object; for a deletion it is the stored one and changes are ignored.
  virtual Result<void> Admit(const AdmissionRequest&, Json& /*object*/) { return {}; }
  // `object` is what would be stored: valid, and changed by nothing any more. Not for deletions.
  virtual Result<void> Validate(const AdmissionRequest&, const Json& /*object*/) { return {}; }
};

using AdmissionChain = std::vector<std::unique_ptr<Admission>>;

}  // namespace kubexms
