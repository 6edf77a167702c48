#include "kubexms/store/etcd_client.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms::store {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectPoll(10);
constexpr milliseconds kRetryPause(50);

std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const EtcdOptions& options) {
  if (options.certificate_authority.empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = options.certificate_authority,
                               .pem_private_key = options.private_key,
                               .pem_cert_chain = options.certificate});
}

grpc::ChannelArguments MakeArguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // etcd limits its responses, and lists are read in pages
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

bool IsUnreachable(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
}

bool Says(const grpc::Status& status, std::string_view text) {
  return status.error_message().find(text) != std::string::npos;
}

}  // namespace

EtcdClient::EtcdClient(const EtcdOptions& options) : timeout_(options.timeout) {
  const auto credentials = MakeCredentials(options);
  for (const std::string& name : options.endpoints) {
    auto channel = grpc::CreateCustomChannel(name, credentials, MakeArguments());
    endpoints_.push_back({.number = endpoints_.size(),
                          .channel = channel,
                          .kv = etcdserverpb::KV::NewStub(channel),
                          .watch = etcdserverpb::Watch::NewStub(channel)});
  }
}

EtcdClient::Endpoint* EtcdClient::FindReady() {
  const size_t preferred = preferred_;
  for (size_t i = 0; i < endpoints_.size(); ++i) {
    Endpoint& endpoint = endpoints_[(preferred + i) % endpoints_.size()];
    if (endpoint.channel->GetState(/*try_to_connect=*/true) == GRPC_CHANNEL_READY) {
      preferred_ = endpoint.number;
      return &endpoint;
    }
  }
  return nullptr;
}

EtcdClient::Endpoint& EtcdClient::Ready() {
  Endpoint* ready = FindReady();
  return ready ? *ready : endpoints_[preferred_];
}

EtcdClient::Endpoint* EtcdClient::WaitReady(Deadline deadline) {
  while (true) {
    if (Endpoint* ready = FindReady()) return ready;
    const auto now = std::chrono::system_clock::now();
    if (now >= deadline) return nullptr;
    // Polls all channels by a short wait on one of them.
    const Endpoint& endpoint = endpoints_[preferred_];
    endpoint.channel->WaitForStateChange(endpoint.channel->GetState(true),
                                         std::min(deadline, now + kConnectPoll));
  }
}

void EtcdClient::Avoid(const Endpoint& endpoint) {
  preferred_ = (endpoint.number + 1) % endpoints_.size();
}

grpc::Status EtcdClient::Invoke(Retry retry, const Call& call) {
  const Deadline deadline = NewDeadline();
  grpc::Status status(grpc::StatusCode::UNAVAILABLE, "no endpoint can be reached");
  while (Endpoint* endpoint = WaitReady(deadline)) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    status = call(*endpoint->kv, &context);
    if (status.ok()) return status;
    if (IsUnreachable(status)) Avoid(*endpoint);
    const bool may_repeat =
        IsTransientRefusal(status) || (retry == Retry::kAlways && IsUnreachable(status));
    const auto again = std::chrono::system_clock::now() + kRetryPause;
    if (!may_repeat || again >= deadline) return status;
    endpoint->channel->WaitForStateChange(endpoint->channel->GetState(false), again);
  }
  return status;
}

bool IsTransientRefusal(const grpc::Status& status) {
  return Says(status, "etcdserver: no leader") || Says(status, "etcdserver: too many requests");
}

bool IsCompacted(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::OUT_OF_RANGE && Says(status, "compacted");
}

bool IsFuture(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::OUT_OF_RANGE && Says(status, "future revision");
}

Error ToError(const grpc::Status& status, std::string_view operation) {
  std::string message = fmt::format("etcd: {}: {}", operation, status.error_message());
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
      if (Says(status, "too large") || Says(status, "too many operations")) {
        return Error::RequestTooLarge(std::move(message));
      }
      return Error::Internal(std::move(message));
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED: return Error::ServiceUnavailable(std::move(message));
    default: return Error::Internal(std::move(message));
  }
}

}  // namespace kubexms::store
