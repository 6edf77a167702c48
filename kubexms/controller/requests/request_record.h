#pragma once

// The executor's records of started requests: ConfigMaps in a namespace that requesters cannot
// write. The status of a request displays the record but is never trusted: a client that may write
// it could claim an execution that never happened, or block other requests.
//
// A record is created before the first execution, and deleted after its request is deleted. A
// request without a record counts as never started.

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

// The ConfigMap. A separate C++ type, so that its cache is not shared with controllers that watch
// all ConfigMaps.
struct RequestRecord : Struct {
  static constexpr KindName kKind{.version = "v1", .kind = "ConfigMap"};

  ObjectMeta metadata;
  StringMap data;

  static void Describe(Type<RequestRecord>& type);
};

// The contents of a record.
struct RecordedRequest : Struct {
  std::string namespace_name;
  std::string name;
  std::string uid;
  Time created;
  std::string turn;  // its ordering_key key
  RequestStatus status;

  static void Describe(Type<RecordedRequest>& type);

  ObjectKey Key() const { return {namespace_name, name}; }
};

Result<RecordedRequest> ReadRecord(const RequestRecord& record);

// The default namespace of records.
inline constexpr std::string_view kRecordNamespace = "kube-system";

// The location of the records of one kind of requests.
struct RecordLocation {
  ResourceType type;  // of the requests
  std::string namespace_name;

  // Of all records of the kind.
  InformerScope Scope() const;
  ObjectKey KeyOf(std::string_view request_uid) const;
};

// The cache of records, and its indexes: records of started, unfinished requests by ordering key,
// and all records by the key of their request.
const ObjectCache& RecordCache(const ReconcileContext& context);
inline constexpr std::string_view kBegunIndex = "kubexms.io/begun";
inline constexpr std::string_view kRequestIndex = "kubexms.io/request";
std::vector<std::string> BegunValues(const RequestRecord& record);
std::vector<std::string> RequestValues(const RequestRecord& record);
std::string RequestValue(const ObjectKey& request);

// The record of one request during one reconcile.
class RecordHandle {
 public:
  // All references are borrowed.
  RecordHandle(ReconcileContext& context, const RecordLocation& place, const ObjectMeta& request,
               std::string turn)
      : context_(context), place_(place), request_(request), turn_(std::move(turn)) {}

  // Reads the record from the cache.
  Result<void> Load();
  // Reads the record from the server.
  Result<void> Reload();
  // Pending without a record.
  const RequestStatus& status() const { return status_; }
  // Whether Store() of this status creates the record.
  bool Begins(const RequestStatus& status) const { return !record_ && IsRecorded(status); }
  // Records a status, unless it is Pending or unchanged. A conflict if another process has written
  // the record.
  Result<void> Store(const RequestStatus& status);

 private:
  static bool IsRecorded(const RequestStatus& status) {
    return !status.phase.empty() && status.phase != kRequestPending;
  }
  static RequestStatus Pending();
  Result<void> Take(std::optional<RequestRecord> record);
  RequestRecord Empty() const;

  ReconcileContext& context_;
  const RecordLocation& place_;
  const ObjectMeta& request_;
  const std::string turn_;
  std::optional<RequestRecord> record_;
  RequestStatus status_ = Pending();
};

// Deletes the records of deleted requests of that name, according to the cache and confirmed by the
// server, and returns their uids. `kept` is the uid of the existing request; empty: none.
Result<std::vector<std::string>> DeleteRecordsOfGone(ReconcileContext& context,
                                                     const RecordLocation& place,
                                                     const ObjectKey& request,
                                                     std::string_view kept);

}  // namespace kubexms
