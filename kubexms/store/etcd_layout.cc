#include "kubexms/store/etcd_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kubexms::store {

namespace pb = ::etcdserverpb;

namespace {

std::string EncodeValue(const Transaction::Operation& operation) {
  std::string stored = *operation.value + "\n";
  if (operation.revision_offset) stored += fmt::format("{}", *operation.revision_offset);
  return stored;
}

// Returns values that no store of this kind wrote unchanged.
std::string DecodeValue(std::string stored, uint64_t revision) {
  const size_t line = stored.rfind('\n');
  if (line == std::string::npos) return stored;
  size_t offset = 0;
  const bool spliced = line + 1 < stored.size();
  if (spliced) {
    const char* end = stored.data() + stored.size();
    const auto parsed = std::from_chars(stored.data() + line + 1, end, offset);
    if (parsed.ec != std::errc() || parsed.ptr != end || offset > line) return stored;
  }
  stored.resize(line);
  return spliced ? SpliceRevision(std::move(stored), offset, revision) : stored;
}

}  // namespace

RecordPtr EtcdLayout::Decode(pb::KeyValue* kv) const {
  if (!IsData(kv->key()) || kv->create_revision() <= 0 ||
      kv->mod_revision() < kv->create_revision()) {
    return nullptr;
  }
  const auto mod_revision = static_cast<uint64_t>(kv->mod_revision());
  return Record::Make(std::string_view(kv->key()).substr(data.size()),
                      DecodeValue(std::move(*kv->mutable_value()), mod_revision),
                      static_cast<uint64_t>(kv->create_revision()), mod_revision);
}

EventPtr EtcdLayout::Decode(pb::Event* event) const {
  const pb::KeyValue& kv = event->kv();
  if (!IsData(kv.key()) || kv.mod_revision() <= 0) return nullptr;
  auto decoded = std::make_shared<Event>();
  const bool deleted = event->type() == pb::Event::DELETE;
  const bool had_previous = deleted || kv.create_revision() != kv.mod_revision();
  if (had_previous) {
    if (!event->has_prev_kv()) return nullptr;
    decoded->previous = Decode(event->mutable_prev_kv());
    if (!decoded->previous) return nullptr;
  }
  decoded->record = deleted ? Record::MakeDeletion(std::string_view(kv.key()).substr(data.size()),
                                                   static_cast<uint64_t>(kv.mod_revision()))
                            : Decode(event->mutable_kv());
  return decoded->record ? decoded : nullptr;
}

pb::TxnRequest EtcdLayout::Encode(const Transaction& transaction) const {
  pb::TxnRequest request;
  for (const Transaction::Condition& condition : transaction.conditions()) {
    pb::Compare* compare = request.add_compare();
    compare->set_target(pb::Compare::MOD);
    compare->set_key(StoredKey(condition.key));
    compare->set_mod_revision(static_cast<int64_t>(condition.mod_revision));
    request.add_failure()->mutable_request_range()->set_key(StoredKey(condition.key));
  }
  for (const Transaction::Operation& operation : transaction.operations()) {
    pb::RequestOp* change = request.add_success();
    if (operation.value) {
      change->mutable_request_put()->set_key(StoredKey(operation.key));
      change->mutable_request_put()->set_value(EncodeValue(operation));
    } else {
      change->mutable_request_delete_range()->set_key(StoredKey(operation.key));
    }
  }
  return request;
}

Result<CommitResult> EtcdLayout::Decode(const Transaction& transaction,
                                        pb::TxnResponse& response) const {
  CommitResult result{.revision = static_cast<uint64_t>(response.header().revision())};
  if (response.succeeded()) return result;
  const size_t answered =
      std::min<size_t>(response.responses_size(), transaction.conditions().size());
  for (size_t i = 0; i < answered; ++i) {
    const Transaction::Condition& condition = transaction.conditions()[i];
    pb::RangeResponse* found =
        response.mutable_responses(static_cast<int>(i))->mutable_response_range();
    RecordPtr current = found->kvs_size() > 0 ? Decode(found->mutable_kvs(0)) : nullptr;
    if ((current ? current->mod_revision : 0) == condition.mod_revision) continue;
    result.mismatch = {.key = condition.key, .current = std::move(current)};
    return result;
  }
  return UnexpectedResponse();
}

Error UnexpectedResponse() {
  return Error::Internal(
      "etcd sent an invalid response; check which other programs write to the store's keys");
}

}  // namespace kubexms::store
