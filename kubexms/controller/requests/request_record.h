#pragma once

// What the executor of requests remembers of each that it has begun: in a ConfigMap of a namespace
// into which those who ask cannot write. The status of a request shows it, and is never believed:
// whoever may write there could claim an execution that never was, or keep others from theirs.
//
// A record is made before the first execution, and deleted once its request is gone. Without it a
// request counts as one that was never begun.

#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/object.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/informers/informer.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/requests/request_status.h"

namespace kubexms {

// The ConfigMap. A type of its own, so that controllers which watch ConfigMaps have another cache.
struct RequestRecord : Struct {
  static constexpr KindName kKind{.version = "v1", .kind = "ConfigMap"};

  ObjectMeta metadata;
  StringMap data;

  static void Describe(Type<RequestRecord>& type);
};

// What is in it.
struct RecordedRequest : Struct {
  std::string namespace_name;
  std::string name;
  std::string uid;
  Time created;
  std::string turn;  // its one_at_a_time key
  RequestStatus status;

  static void Describe(Type<RecordedRequest>& type);

  ObjectKey Key() const { return {namespace_name, name}; }
};

Result<RecordedRequest> ReadRecord(const RequestRecord& record);

// Where records are, unless the author of a controller chooses another namespace.
inline constexpr std::string_view kRecordNamespace = "kube-system";

// Where the records of one kind of requests are.
struct RecordPlace {
  ResourceType type;  // of the requests
  std::string namespace_name;

  // Of all records of the kind.
  InformerScope Scope() const;
  ObjectKey KeyOf(std::string_view request_uid) const;
};

// The cache of them that a request controller declares, and its indexes: records of requests that
// were begun and are not finished by their turn, and all by the key of their request.
const ObjectCache& RecordCache(const ReconcileContext& context);
inline constexpr std::string_view kBegunIndex = "kubexms.io/begun";
inline constexpr std::string_view kRequestIndex = "kubexms.io/request";
std::vector<std::string> BegunValues(const RequestRecord& record);
std::vector<std::string> RequestValues(const RequestRecord& record);
std::string RequestValue(const ObjectKey& request);

// The record of one request during one reconcile.
class RecordKeeper {
 public:
  // All is borrowed.
  RecordKeeper(ReconcileContext& context, const RecordPlace& place, const ObjectMeta& request,
               std::string turn)
      : context_(context), place_(place), request_(request), turn_(std::move(turn)) {}

  // What the cache has.
  Result<void> Load();
  // What the server has.
  Result<void> Reload();
  // Pending, when nothing is recorded.
  const RequestStatus& status() const { return status_; }
  // Whether there will be a first record when this status is stored.
  bool Begins(const RequestStatus& status) const { return !record_ && IsRecorded(status); }
  // Records a status, unless it is Pending or recorded already. Another process may have been
  // faster: a conflict.
  Result<void> Store(const RequestStatus& status);

 private:
  static bool IsRecorded(const RequestStatus& status) {
    return !status.phase.empty() && status.phase != kRequestPending;
  }
  static RequestStatus Pending();
  Result<void> Take(std::optional<RequestRecord> record);
  RequestRecord Empty() const;

  ReconcileContext& context_;
  const RecordPlace& place_;
  const ObjectMeta& request_;
  const std::string turn_;
  std::optional<RequestRecord> record_;
  RequestStatus status_ = Pending();
};

// Deletes the records of requests of that name which are gone, as the cache says and the server
// confirms. `kept` is the uid of the one that the cache has; empty: none. The uids of the others.
Result<std::vector<std::string>> DeleteRecordsOfGone(ReconcileContext& context,
                                                     const RecordPlace& place,
                                                     const ObjectKey& request,
                                                     std::string_view kept);

}  // namespace kubexms
