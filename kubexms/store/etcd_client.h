#pragma once

// Calls to an etcd cluster: one channel per endpoint, failover between them, and the translation of
// etcd's errors. Any thread may use it.

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/store/etcd_store.h"
#include "kubexms/store/proto/etcd.grpc.pb.h"

namespace kubexms::store {

class EtcdClient {
 public:
  using Deadline = std::chrono::system_clock::time_point;
  struct Endpoint {
    size_t number;
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<etcdserverpb::KV::Stub> kv;
    std::unique_ptr<etcdserverpb::Watch::Stub> watch;
  };
  using Call = std::function<grpc::Status(etcdserverpb::KV::Stub&, grpc::ClientContext*)>;
  enum class Retry {
    kAlways,       // the call is idempotent
    kWhenRefused,  // only if etcd has refused the call without executing it
  };

  explicit EtcdClient(const EtcdOptions& options);

  // Calls one endpoint after the other until a call succeeds, etcd returns an error other than
  // being unreachable, or the timeout has passed.
  grpc::Status Invoke(Retry retry, const Call& call);

  // A connected endpoint, or else the last used one. Does not wait.
  Endpoint& Ready();
  // Waits for a connected endpoint; null at the deadline.
  Endpoint* WaitReady(Deadline deadline);
  // Prefers other endpoints from now on, because this one did not respond.
  void Avoid(const Endpoint& endpoint);

  Deadline NewDeadline() const { return std::chrono::system_clock::now() + timeout_; }

 private:
  Endpoint* FindReady();

  const std::chrono::milliseconds timeout_;
  std::vector<Endpoint> endpoints_;
  std::atomic<size_t> preferred_ = 0;
};

// Whether etcd has refused the call without executing it, for a transient reason.
bool IsTransientRefusal(const grpc::Status& status);
bool IsCompacted(const grpc::Status& status);
bool IsFuture(const grpc::Status& status);
// The error for the callers of the store; `operation` names the failed call.
Error ToError(const grpc::Status& status, std::string_view operation);

}  // namespace kubexms::store
