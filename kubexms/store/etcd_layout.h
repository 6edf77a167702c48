#pragma once

// The layout of records in etcd: the names of their keys, the form of their values, and the
// decoding of etcd's responses. Pure functions of messages; etcd_store.cc sends and receives these.
// Responses are validated: other programs can write to the same etcd.

#include <string>
#include <string_view>

#include "kubexms/store/proto/etcd.pb.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct EtcdLayout {
  explicit EtcdLayout(const std::string& root)
      : everything(root + "/"), data(root + "/data"), progress(root + "/progress") {}

  std::string StoredKey(std::string_view key) const { return data + std::string(key); }
  bool IsData(std::string_view stored) const { return stored.starts_with(data); }

  // The record of a key that IsData(). Moves the value. Null for another key, or for impossible
  // revisions.
  RecordPtr Decode(etcdserverpb::KeyValue* kv) const;
  // Null when etcd has compacted the previous version, or when the event is invalid.
  EventPtr Decode(etcdserverpb::Event* event) const;

  etcdserverpb::TxnRequest Encode(const Transaction& transaction) const;
  // Fails when etcd refused the transaction although all of its conditions hold.
  Result<CommitResult> Decode(const Transaction& transaction,
                              etcdserverpb::TxnResponse& response) const;

  const std::string everything;
  const std::string data;
  const std::string progress;
};

// The error for a response that etcd never sends.
Error UnexpectedResponse();

}  // namespace kubexms::store
