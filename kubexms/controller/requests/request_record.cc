#include "kubexms/controller/requests/request_record.h"

#include <fmt/format.h>

#include <utility>

#include "kubexms/base/text/fnv.h"

namespace kubexms {
namespace {

constexpr const char* kKindLabel = "kubexms.io/request-record";
constexpr const char* kContent = "request";
constexpr size_t kMaxLabelBytes = 63;

// "orders.example.io", or a hash of it where that is too long for a label.
std::string LabelOf(const ResourceType& type) {
  std::string name = type.QualifiedName();
  return name.size() <= kMaxLabelBytes ? name : fmt::format("{:016x}", Fnv1a64(name));
}

const ObjectForm& RecordForm() {
  static const ObjectForm kForm = FormOf<RequestRecord>(&StripManagedFields<RequestRecord>);
  return kForm;
}

}  // namespace

void RequestRecord::Describe(Type<RequestRecord>& type) {
  type.Field("metadata", &RequestRecord::metadata);
  type.Field("data", &RequestRecord::data);
}

void RecordedRequest::Describe(Type<RecordedRequest>& type) {
  type.Field("namespace", &RecordedRequest::namespace_name);
  type.Field("name", &RecordedRequest::name);
  type.Field("uid", &RecordedRequest::uid);
  type.Field("created", &RecordedRequest::created);
  type.Field("orderingKey", &RecordedRequest::turn);
  type.Field("status", &RecordedRequest::status);
}

Result<RecordedRequest> ReadRecord(const RequestRecord& record) {
  const auto content = record.data.find(kContent);
  if (content != record.data.end()) {
    Result<RecordedRequest> read = Decode<RecordedRequest>(content->second);
    if (read.ok()) return read;
  }
  return Error::Internal(fmt::format(
      "ConfigMap {}/{} is not a valid record of a request; delete it to execute the request "
      "again",
      record.metadata.namespace_name, record.metadata.name));
}

InformerScope RecordLocation::Scope() const {
  return {.namespace_name = namespace_name,
          .label_selector = Selector::FromLabels({{kKindLabel, LabelOf(type)}})};
}

ObjectKey RecordLocation::KeyOf(std::string_view request_uid) const {
  return {namespace_name, std::string("request-").append(request_uid)};
}

const ObjectCache& RecordCache(const ReconcileContext& context) {
  return context.CacheOf(RecordForm());
}

std::vector<std::string> BegunValues(const RequestRecord& record) {
  const Result<RecordedRequest> request = ReadRecord(record);
  const bool begun = request.ok() && request->status.phase == kRequestProcessing;
  if (!begun || request->turn.empty()) return {};
  return {request->turn};
}

std::vector<std::string> RequestValues(const RequestRecord& record) {
  const Result<RecordedRequest> request = ReadRecord(record);
  if (!request.ok()) return {};
  return {RequestValue(request->Key())};
}

std::string RequestValue(const ObjectKey& request) {
  return request.namespace_name + "/" + request.name;
}

RequestStatus RecordHandle::Pending() {
  RequestStatus pending;
  pending.phase = kRequestPending;
  return pending;
}

Result<void> RecordHandle::Take(std::optional<RequestRecord> record) {
  status_ = Pending();
  if (record) {
    ASSIGN_OR_RETURN(RecordedRequest content, ReadRecord(*record));
    status_ = std::move(content.status);
  }
  record_ = std::move(record);
  return {};
}

Result<void> RecordHandle::Load() {
  const auto cached = Lister<RequestRecord>(RecordCache(context_)).Get(place_.KeyOf(request_.uid));
  return Take(cached == nullptr ? std::nullopt : std::optional<RequestRecord>(*cached));
}

Result<void> RecordHandle::Reload() {
  Result<RequestRecord> stored =
      context_.client.Get<RequestRecord>(place_.KeyOf(request_.uid), {.stop = context_.stop});
  if (stored.ok()) return Take(*std::move(stored));
  if (!stored.error().IsNotFound()) return stored.error();
  return Take(std::nullopt);
}

RequestRecord RecordHandle::Empty() const {
  RequestRecord record;
  const ObjectKey key = place_.KeyOf(request_.uid);
  record.metadata.namespace_name = key.namespace_name;
  record.metadata.name = key.name;
  record.metadata.labels[kKindLabel] = LabelOf(place_.type);
  return record;
}

Result<void> RecordHandle::Store(const RequestStatus& status) {
  if (!IsRecorded(status)) return {};
  if (record_ && Encode(status) == Encode(status_)) return {};
  RecordedRequest content;
  content.namespace_name = request_.namespace_name;
  content.name = request_.name;
  content.uid = request_.uid;
  content.created = request_.creation_timestamp;
  content.turn = turn_;
  content.status = status;
  RequestRecord next = record_ ? *record_ : Empty();
  next.data[kContent] = Encode(content);
  Result<RequestRecord> stored = record_ ? context_.client.Update(next, {.stop = context_.stop})
                                         : context_.client.Create(next, {.stop = context_.stop});
  if (!stored.ok()) return stored.error().WithContext("record the request");
  record_ = *std::move(stored);
  status_ = status;
  return {};
}

Result<std::vector<std::string>> DeleteRecordsOfGone(ReconcileContext& context,
                                                     const RecordLocation& place,
                                                     const ObjectKey& request,
                                                     std::string_view kept) {
  std::vector<std::string> gone;
  const Lister<RequestRecord> records(RecordCache(context));
  for (const auto& record : records.ByIndex(kRequestIndex, RequestValue(request))) {
    const Result<RecordedRequest> content = ReadRecord(*record);
    if (!content.ok() || content->uid == kept) continue;
    // The cache of requests may be behind that of records.
    const Result<DynamicObject> stored =
        context.client.Get(place.type, request, {.stop = context.stop});
    if (!stored.ok() && !stored.error().IsNotFound()) return stored.error();
    if (stored.ok() && stored->metadata.uid == content->uid) continue;
    RETURN_IF_ERROR(
        IgnoreNotFound(context.client.Delete<RequestRecord>(ObjectKey::Of(record->metadata))));
    gone.push_back(content->uid);
  }
  return gone;
}

}  // namespace kubexms
