#include "kubexms/controller/informers/informer_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/api/stored_object.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/client/no_response.h"

namespace kubexms {
namespace {

// The uid in the details of a Status; nothing if the answer is no Status.
std::optional<std::string> UidOfStatus(const SharedBytes& answer) {
  const Result<Status> status = Decode<Status>(answer.view());
  if (!status.ok()) return std::nullopt;
  return status->details ? status->details->uid : std::string();
}

// The object that the response to a write describes.
struct Written {
  ObjectKey key;
  std::string uid;
  bool deleted = false;
  std::optional<ObjectHeader> object;  // nothing in a Status
};

const std::vector<std::string> kGracePeriod = {"metadata.deletionGracePeriodSeconds"};

// Whether the object in the response to a deletion has been removed from the store. The server
// returns either the unchanged last state of a removed object, or the object with its
// deletionTimestamp. The latter is removed, too, if neither a grace period nor a finalizer is left:
// so the server answers when the grace period of a Pod is over. A Namespace is marked without a
// grace period, since its finalizers are in the spec.
bool IsRemoved(const ClientRequest& request, const ObjectHeader& answered) {
  if (request.verb != Verb::kDelete) return false;
  if (!answered.deleting) return true;
  return answered.fields.front() == "0" && !answered.has_finalizers;
}

std::optional<Written> ReadWritten(const ClientRequest& request, const SharedBytes& answer) {
  Result<ObjectHeader> header = ReadHeader(answer.view(), kGracePeriod);
  if (header.ok() && !header->name.empty()) {
    return Written{.key = {header->namespace_name, header->name},
                   .uid = header->uid,
                   .deleted = IsRemoved(request, *header),
                   .object = std::move(*header)};
  }
  if (request.verb != Verb::kDelete) return std::nullopt;
  std::optional<std::string> uid = UidOfStatus(answer);
  if (!uid) return std::nullopt;
  return Written{
      .key = {request.namespace_name, request.name}, .uid = std::move(*uid), .deleted = true};
}

// The object is decoded only if the watch has not returned it yet.
void Record(const Written& written, const SharedBytes& answer, Informer& informer) {
  ObjectCache& cache = informer.cache();
  if (written.deleted) return cache.RecordDeletion(written.key, written.uid);
  const ObjectHeader& header = *written.object;
  if (!cache.IsNewer(header.resource_version)) return;
  if (!informer.options().scope.label_selector.Matches(header.labels)) {
    return cache.RecordAbsence(written.key, header.resource_version);
  }
  const Result<CachedObject> object = informer.options().form.Decode(answer.view());
  if (object.ok()) cache.RecordWrite(*object);
}

constexpr size_t kMaxPendingWrites = 1000;

// How long the client tries to resolve a pending write with a server that responds with errors.
constexpr auto kResolveTimeout = std::chrono::seconds(30);

// The code of a call whose stop token was requested.
constexpr int kCanceled = 499;

// Whether the server may have applied a write in spite of this error: the response was lost, or
// comes from a proxy or a server that does not know the result. An internal error (500) is a
// definite failure, unless it says that etcd did not respond.
bool MayBeApplied(const Error& error) {
  const int code = error.code();
  return code == kCanceled || code == 502 || code == 503 || code == 504 || IsNoResponse(error) ||
         error.message().find("etcdserver: ") != std::string::npos;
}

// The uid precondition of a deletion.
std::string DeletedUid(const ClientRequest& request) {
  if (request.verb != Verb::kDelete) return "";
  const Result<DeleteOptions> options = Decode<DeleteOptions>(request.body);
  return options.ok() && options->preconditions ? options->preconditions->uid.value_or("") : "";
}

// Empty if the server generates the name.
std::string NameIn(const ClientRequest& write) {
  if (write.verb != Verb::kCreate) return write.name;
  const Result<ObjectHeader> header = ReadHeader(write.body);
  return header.ok() ? header->name : "";
}

}  // namespace

InformerSet::~InformerSet() = default;

std::shared_ptr<Informer> InformerSet::Get(const ObjectForm& form, const InformerScope& scope) {
  MutexLock lock(mutex_);
  for (const auto& member : members_) {
    const InformerOptions& options = member->informer()->options();
    if (options.form == form && options.scope == scope) return member->informer();
  }
  Environment environment = environment_;
  environment.log = environment.log.With("resource", form.resource.QualifiedName());
  auto informer = std::make_shared<Informer>(
      InformerOptions{.form = form, .scope = scope, .cache = options_}, std::move(environment));
  members_.push_back(std::make_shared<InformerRunner>(informer, threads_));
  if (running_) members_.back()->Start();
  return informer;
}

void InformerSet::Remove(const std::shared_ptr<Informer>& informer) {
  std::shared_ptr<InformerRunner> removed;
  {
    MutexLock lock(mutex_);
    const auto member = std::find_if(members_.begin(), members_.end(), [&](const auto& other) {
      return other->informer() == informer;
    });
    if (member == members_.end()) return;
    removed = std::move(*member);
    members_.erase(member);
  }
  informer->Stop();
  removed->AwaitEnd();
}

void InformerSet::Run(std::stop_token stop) {
  {
    MutexLock lock(mutex_);
    running_ = true;
    for (const auto& member : members_) member->Start();
  }
  WaitForStop(stop);
  std::vector<std::shared_ptr<InformerRunner>> members;
  {
    MutexLock lock(mutex_);
    running_ = false;
    members = members_;
  }
  for (const auto& member : members) member->informer()->Stop();
  for (const auto& member : members) member->AwaitEnd();
}

std::vector<std::shared_ptr<Informer>> InformerSet::All() const {
  std::vector<std::shared_ptr<Informer>> all;
  MutexLock lock(mutex_);
  all.reserve(members_.size());
  for (const auto& member : members_) all.push_back(member->informer());
  return all;
}

bool InformerSet::HasSynced() const {
  const auto all = All();
  return std::all_of(all.begin(), all.end(),
                     [](const auto& informer) { return informer->HasSynced(); });
}

bool InformerSet::WaitForSync(std::stop_token stop) const {
  const auto all = All();
  return std::all_of(all.begin(), all.end(),
                     [&](const auto& informer) { return informer->WaitForSync(stop); });
}

Result<void> InformerSet::Health() const {
  for (const auto& informer : All()) RETURN_IF_ERROR(informer->Health());
  return {};
}

std::vector<std::shared_ptr<Informer>> InformerSet::Covering(
    const ResourceType& resource, std::string_view namespace_name) const {
  std::vector<std::shared_ptr<Informer>> covering = All();
  std::erase_if(covering,
                [&](const auto& informer) { return !informer->Covers(resource, namespace_name); });
  return covering;
}

void InformerSet::RecordWrite(const ClientRequest& request, const SharedBytes& answer) {
  const auto covering = Covering(request.resource, request.namespace_name);
  if (covering.empty()) return;
  const std::optional<Written> written = ReadWritten(request, answer);
  if (!written) return;
  for (const auto& informer : covering) Record(*written, answer, *informer);
}

void InformerSet::RecordDeletion(const ResourceType& resource, const ObjectKey& key,
                                 std::string_view uid) {
  for (const auto& informer : Covering(resource, key.namespace_name)) {
    informer->cache().RecordDeletion(key, uid);
  }
}

std::optional<uint64_t> InformerSet::KnownVersion(const ResourceType& resource,
                                                  const ObjectKey& key) const {
  std::optional<uint64_t> oldest;
  for (const auto& informer : Covering(resource, key.namespace_name)) {
    const uint64_t version = informer->cache().Get(key).version;
    oldest = std::min(oldest.value_or(version), version);
  }
  return oldest;
}

Result<SharedBytes> CacheAwareClient::DoWithReadSet(Resources read_set,
                                                    const ClientRequest& request) {
  if (!IsWrite(request.verb) || request.dry_run) return inner().Do(request);
  const Resources written_resource(&request.resource, 1);
  for (const Resources resources : {written_resource, read_set}) {
    ASSIGN_OR_RETURN(const std::string written, ResolvePendingWrites(resources, request.stop));
    if (written.empty()) continue;
    // Not a conflict: controllers take a conflict for a change whose watch event is still to come,
    // and would not retry.
    return Error::ServiceUnavailable(
        fmt::format("an earlier write of {} was applied although its response was lost: retry with "
                    "the current state",
                    written));
  }
  if (std::optional<SharedBytes> known = unchanged_.FindResponse(request)) return *std::move(known);
  Result<SharedBytes> answer = inner().Do(request);
  if (!answer.ok()) {
    // An error is ignored: the next write or reconcile resolves it then.
    if (MayBeApplied(answer.error()) && AddPendingWrite(request)) {
      (void)ResolvePendingWrites(written_resource, request.stop).ok();
    }
    return answer;
  }
  unchanged_.Record(request, *answer);
  const bool whole_object = request.subresource.empty() || request.subresource == "status";
  const bool one_object = request.verb != Verb::kDeleteCollection;
  if (whole_object && one_object) informers_.RecordWrite(request, *answer);
  return answer;
}

bool CacheAwareClient::AddPendingWrite(const ClientRequest& write) {
  ObjectKey key{write.namespace_name, NameIn(write)};
  std::string uid = DeletedUid(write);
  const bool deletes = write.verb == Verb::kDelete || write.verb == Verb::kDeleteCollection;
  if (key.name.empty() || !write.subresource.empty() || (deletes && uid.empty())) return false;
  const std::optional<uint64_t> version = informers_.KnownVersion(write.resource, key);
  if (!version) return false;
  MutexLock lock(mutex_);
  if (pending_writes_.size() >= kMaxPendingWrites) pending_writes_.pop_front();
  pending_writes_.push_back({.resource = write.resource,
                             .key = std::move(key),
                             .version = *version,
                             .deleted_uid = std::move(uid),
                             .id = next_id_++,
                             .since = informers_.environment().clock.MonotonicNow()});
  pending_count_ = pending_writes_.size();
  return true;
}

CacheAwareClient::PendingWrites::iterator CacheAwareClient::Find(uint64_t id) {
  return std::find_if(pending_writes_.begin(), pending_writes_.end(),
                      [&](const PendingWrite& pending) { return pending.id == id; });
}

Result<std::optional<CacheAwareClient::PendingWrite>> CacheAwareClient::Claim(Resources resources) {
  MutexLock lock(mutex_);
  while (true) {
    auto pending = std::find_if(
        pending_writes_.begin(), pending_writes_.end(), [&](const PendingWrite& other) {
          return std::find(resources.begin(), resources.end(), other.resource) != resources.end();
        });
    if (pending == pending_writes_.end()) return std::optional<PendingWrite>();
    if (!std::exchange(pending->is_claimed, true)) return std::optional<PendingWrite>(*pending);
    const uint64_t id = pending->id;
    const int failed_attempts = pending->failed_attempts;
    finished_.Wait(mutex_);
    pending = Find(id);
    // All waiting threads share this failure: queries one after another would multiply the wait.
    if (pending != pending_writes_.end() && pending->failed_attempts > failed_attempts) {
      return *pending->failure;
    }
  }
}

bool CacheAwareClient::HasTimedOut(const PendingWrite& pending, const Error& failure) const {
  // While the server cannot be reached, no other write would succeed either.
  if (IsNoResponse(failure) || failure.code() == kCanceled) return false;
  const Informer::Environment& environment = informers_.environment();
  if (environment.clock.MonotonicNow() - pending.since < kResolveTimeout) return false;
  environment.log.Warn("cannot resolve a pending write; relying on the watch",
                       {{"resource", pending.resource.QualifiedName()},
                        {"object", pending.key.ToString()},
                        {"error", failure}});
  return true;
}

void CacheAwareClient::Finish(const PendingWrite& pending, const Result<bool>& changed) {
  const bool is_over = changed.ok() || HasTimedOut(pending, changed.error());
  MutexLock lock(mutex_);
  finished_.NotifyAll();
  const auto place = Find(pending.id);
  if (place == pending_writes_.end()) return;
  if (is_over) {
    pending_writes_.erase(place);
    pending_count_ = pending_writes_.size();
    return;
  }
  place->is_claimed = false;
  if (changed.error().code() == kCanceled) return;  // only this caller stopped: others query next
  place->failure = changed.error();
  ++place->failed_attempts;
}

Result<bool> CacheAwareClient::Query(const PendingWrite& pending, const std::stop_token& stop) {
  const ClientRequest read = ListRequest(
      pending.resource, {.namespace_name = pending.key.namespace_name,
                         .field_selector = FieldSelector::Equal("metadata.name", pending.key.name),
                         .stop = stop});
  const Result<ObjectPage> found = ListAll(read);
  if (!found.ok()) {
    const bool is_final = found.error().IsForbidden() || found.error().IsNotFound();
    if (is_final) return false;
    return found.error().WithContext(fmt::format("resolve a pending write of {} \"{}\"",
                                                 pending.resource.QualifiedName(),
                                                 pending.key.name));
  }
  if (found->items.empty()) {
    informers_.RecordDeletion(pending.resource, pending.key, pending.deleted_uid);
    return !pending.deleted_uid.empty();
  }
  informers_.RecordWrite(read, found->items.front());
  ASSIGN_OR_RETURN(const ObjectHeader object, ReadHeader(found->items.front().view()));
  return object.resource_version != pending.version;
}

Result<std::string> CacheAwareClient::ResolvePendingWrites(Resources resources,
                                                           const std::stop_token& stop) {
  std::string written;
  while (pending_count_.load(std::memory_order_relaxed) > 0) {
    ASSIGN_OR_RETURN(const std::optional<PendingWrite> pending, Claim(resources));
    if (!pending) break;
    const Result<bool> changed = Query(*pending, stop);
    Finish(*pending, changed);
    if (!changed.ok()) return changed.error();
    if (*changed) {
      written = fmt::format("{} \"{}\"", pending->resource.QualifiedName(), pending->key.name);
    }
  }
  return written;
}

}  // namespace kubexms
