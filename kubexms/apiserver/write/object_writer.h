#pragma once

// Every change of a stored object goes through here: create, update, the patches and delete, with
// all that the server promises about metadata, defaults, validation, managed fields, finalizers and
// concurrency. One object changes in one commit, together with what belongs to it (the addresses of
// a Service), and a commit takes place only when the object and its namespace are still what the
// decision was made on.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/random.h"
#include "kubexms/store/store.h"

namespace kubexms {

class ServiceAddresses;

// What is written, by whom and how. All is borrowed for the time of the call.
struct WriteRequest {
  const Resource& resource;  // as it is stored
  // In the version that the client writes, which is that of the fields it owns; null: as stored.
  const Resource* requested = nullptr;
  std::string_view subresource;  // empty, "status", "scale", "finalize" …
  std::string_view namespace_name;
  std::string_view name;  // empty for a creation
  const UserInfo& user;
  std::string_view manager;  // of the fields that change
  bool dry_run = false;
};

struct Written {
  std::string object;  // canonical bytes with the resource version
  bool created = false;
  bool removed = false;  // the write took the last finalizer of an object that was being deleted
};

struct Deleted {
  std::string object;  // as it is now, or as it last was
  std::string uid;
  bool completed = false;  // false: it waits for its finalizers or its grace period
  bool damaged = false;    // nothing could be read of it, so it was removed at once
};

class ObjectWriter {
 public:
  // Everything is borrowed and must outlive the writer.
  struct Environment {
    store::Store& store;
    const Clock& clock;
    Random& random;
    const AdmissionChain& admissions;
    ServiceAddresses& addresses;
    Logger log = {};
  };

  explicit ObjectWriter(Environment environment) : environment_(environment) {}

  // `document` is of the resource's kind, pruned and with defaults.
  Result<Written> Create(const WriteRequest& request, Json document);

  // What an update makes of the stored object. It is asked again when somebody else wrote in
  // between, unless the new document says which version it is based on.
  struct Change {
    Json document;
    // managedFields are already those of the new document, as after server-side apply.
    bool applied = false;
  };
  using ChangeFunction = std::function<Result<Change>(const Json& old)>;
  // What an update does when the object does not exist; without: that is an error.
  struct Creation {
    std::function<Result<Change>()> make;
    // Whether the user may create, too: the right to update or to patch does not suffice. Asked
    // when the object is known to be valid.
    std::function<Result<void>()> authorize;
  };
  Result<Written> Update(const WriteRequest& request, const ChangeFunction& change,
                         const std::optional<Creation>& creation = {});

  Result<Deleted> Delete(const WriteRequest& request, const DeleteQuery& options);
  // Several objects; request.name means nothing. Their commits wait together, so many cost little
  // more than one. Names that are gone are passed over.
  Result<void> DeleteEach(const WriteRequest& request, const std::vector<std::string_view>& names,
                          const DeleteQuery& options);

 private:
  Environment environment_;
};

}  // namespace kubexms
