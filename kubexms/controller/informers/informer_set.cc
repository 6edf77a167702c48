#include "kubexms/controller/informers/informer_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/api/stored_object.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/client/not_answered.h"

namespace kubexms {
namespace {

// The uid of the object that a Status is about, if the answer is a Status.
std::optional<std::string> UidOfStatus(const SharedBytes& answer) {
  const Result<Status> status = Decode<Status>(answer.view());
  if (!status.ok()) return std::nullopt;
  return status->details ? status->details->uid : std::string();
}

// What the answer to a write is about.
struct Written {
  ObjectKey key;
  std::string uid;
  bool deleted = false;
  std::optional<ObjectHeader> object;  // as it is now
};

const std::vector<std::string> kGracePeriod = {"metadata.deletionGracePeriodSeconds"};

// Whether nothing is left of an object that a deletion answered with. The last state of a Pod says
// that it is being deleted and that its grace period is zero; that of other kinds is what they were
// before.
bool IsGone(const ClientRequest& request, const ObjectHeader& answered) {
  if (request.verb != Verb::kDelete) return false;
  if (!answered.deleting) return true;
  return request.resource.QualifiedName() == "pods" && answered.fields.front() == "0" &&
         !answered.has_finalizers;
}

std::optional<Written> ReadWritten(const ClientRequest& request, const SharedBytes& answer) {
  Result<ObjectHeader> header = ReadHeader(answer.view(), kGracePeriod);
  if (header.ok() && !header->name.empty()) {
    return Written{.key = {header->namespace_name, header->name},
                   .uid = header->uid,
                   .deleted = IsGone(request, *header),
                   .object = std::move(*header)};
  }
  if (request.verb != Verb::kDelete) return std::nullopt;
  std::optional<std::string> uid = UidOfStatus(answer);
  if (!uid) return std::nullopt;
  return Written{
      .key = {request.namespace_name, request.name}, .uid = std::move(*uid), .deleted = true};
}

// The answer is decoded only where the watch was not faster.
void Record(const Written& written, const SharedBytes& answer, Informer& informer) {
  ObjectCache& cache = informer.cache();
  if (written.deleted) return cache.RecordDeletion(written.key, written.uid);
  const ObjectHeader& header = *written.object;
  if (!cache.IsNews(header.resource_version)) return;
  if (!informer.options().scope.label_selector.Matches(header.labels)) {
    return cache.RecordAbsence(written.key, header.resource_version);
  }
  const Result<CachedObject> object = informer.options().form.Decode(answer.view());
  if (object.ok()) cache.RecordWrite(*object);
}

constexpr size_t kMaxPendingWrites = 1000;

// After which a server that answers, but not the question, is not asked any more.
constexpr auto kMostTimeToAsk = std::chrono::seconds(30);

// A call that was told to stop.
constexpr int kCanceled = 499;

// Whether a write with this error may have been done all the same: the answer was lost, or is of
// somebody on the way or a server that does not know itself. A plain failure (500) is an answer,
// unless it tells that the database did not answer.
bool MayBeDone(const Error& error) {
  const int code = error.code();
  return code == kCanceled || code == 502 || code == 503 || code == 504 || IsNotAnswered(error) ||
         error.message().find("etcdserver: ") != std::string::npos;
}

// The object that it deletes, if it says which.
std::string DeletedUid(const ClientRequest& request) {
  if (request.verb != Verb::kDelete) return "";
  const Result<DeleteOptions> options = Decode<DeleteOptions>(request.body);
  return options.ok() && options->preconditions ? options->preconditions->uid.value_or("") : "";
}

// Empty when the server is to choose it.
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
  auto informer =
      std::make_shared<Informer>(InformerOptions{.form = form,
                                                 .scope = scope,
                                                 .max_bytes = defaults_.max_bytes,
                                                 .streaming_list = defaults_.streaming_list,
                                                 .list_timeout = defaults_.list_timeout,
                                                 .watch_timeout = defaults_.watch_timeout,
                                                 .backoff = defaults_.backoff},
                                 std::move(environment));
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

std::vector<std::shared_ptr<Informer>> InformerSet::Concerned(
    const ResourceType& resource, std::string_view namespace_name) const {
  std::vector<std::shared_ptr<Informer>> concerned = All();
  std::erase_if(concerned,
                [&](const auto& informer) { return !informer->Covers(resource, namespace_name); });
  return concerned;
}

void InformerSet::RecordWrite(const ClientRequest& request, const SharedBytes& answer) {
  const auto concerned = Concerned(request.resource, request.namespace_name);
  if (concerned.empty()) return;
  const std::optional<Written> written = ReadWritten(request, answer);
  if (!written) return;
  for (const auto& informer : concerned) Record(*written, answer, *informer);
}

void InformerSet::RecordDeletion(const ResourceType& resource, const ObjectKey& key,
                                 std::string_view uid) {
  for (const auto& informer : Concerned(resource, key.namespace_name)) {
    informer->cache().RecordDeletion(key, uid);
  }
}

std::optional<uint64_t> InformerSet::KnownVersion(const ResourceType& resource,
                                                  const ObjectKey& key) const {
  std::optional<uint64_t> oldest;
  for (const auto& informer : Concerned(resource, key.namespace_name)) {
    const uint64_t version = informer->cache().Get(key).version;
    oldest = std::min(oldest.value_or(version), version);
  }
  return oldest;
}

Result<SharedBytes> CacheAwareClient::DoKnowing(Resources resources, const ClientRequest& request) {
  if (!IsWrite(request.verb) || request.dry_run) return inner().Do(request);
  const Resources its_own(&request.resource, 1);
  for (const Resources concerned : {its_own, resources}) {
    ASSIGN_OR_RETURN(const std::string written, ResolvePendingWrites(concerned, request.stop));
    if (written.empty()) continue;
    // Not a conflict: some take that for a change that they have yet to be told of.
    return Error::ServiceUnavailable(written + " was written although no answer came; look again");
  }
  if (std::optional<SharedBytes> known = unchanged_.AnswerTo(request)) return *std::move(known);
  Result<SharedBytes> answer = inner().Do(request);
  if (!answer.ok()) {
    // Later, if it cannot be found out now.
    if (MayBeDone(answer.error()) && Remember(request)) {
      (void)ResolvePendingWrites(its_own, request.stop).ok();
    }
    return answer;
  }
  unchanged_.Note(request, *answer);
  const bool whole_object = request.subresource.empty() || request.subresource == "status";
  const bool one_object = request.verb != Verb::kDeleteCollection;
  if (whole_object && one_object) informers_.RecordWrite(request, *answer);
  return answer;
}

bool CacheAwareClient::Remember(const ClientRequest& write) {
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
  doubt_count_ = pending_writes_.size();
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
    if (!std::exchange(pending->being_asked, true)) return std::optional<PendingWrite>(*pending);
    const uint64_t id = pending->id;
    const int failed_questions = pending->failed_questions;
    concluded_.Wait(mutex_);
    pending = Find(id);
    // All who waited have this answer; each asking again would take that long once more.
    if (pending != pending_writes_.end() && pending->failed_questions > failed_questions) {
      return *pending->failure;
    }
  }
}

bool CacheAwareClient::IsTooOld(const PendingWrite& pending, const Error& failure) const {
  // Whoever cannot reach the server can do nothing, so nothing is lost by asking on.
  if (IsNotAnswered(failure) || failure.code() == kCanceled) return false;
  const Informer::Environment& environment = informers_.environment();
  if (environment.clock.MonotonicNow() - pending.since < kMostTimeToAsk) return false;
  environment.log.Warn("it was not found out whether a write was done; the watch has to tell",
                       {{"resource", pending.resource.QualifiedName()},
                        {"object", pending.key.ToString()},
                        {"error", failure}});
  return true;
}

void CacheAwareClient::Conclude(const PendingWrite& pending, const Result<bool>& changed) {
  const bool over = changed.ok() || IsTooOld(pending, changed.error());
  MutexLock lock(mutex_);
  concluded_.NotifyAll();
  const auto place = Find(pending.id);
  if (place == pending_writes_.end()) return;
  if (over) {
    pending_writes_.erase(place);
    doubt_count_ = pending_writes_.size();
    return;
  }
  place->being_asked = false;
  if (changed.error().code() == kCanceled) return;  // the others can still ask
  place->failure = changed.error();
  ++place->failed_questions;
}

Result<bool> CacheAwareClient::Ask(const PendingWrite& pending, const std::stop_token& stop) {
  const ClientRequest read = ListRequest(
      pending.resource, {.namespace_name = pending.key.namespace_name,
                         .field_selector = FieldSelector::Equal("metadata.name", pending.key.name),
                         .stop = stop});
  const Result<ObjectPage> found = ListAll(read);
  if (!found.ok()) {
    const bool never = found.error().IsForbidden() || found.error().IsNotFound();
    if (never) return false;
    return found.error().WithContext("it is not known whether " + pending.key.name +
                                     " was written");
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
  while (doubt_count_.load(std::memory_order_relaxed) > 0) {
    ASSIGN_OR_RETURN(const std::optional<PendingWrite> pending, Claim(resources));
    if (!pending) break;
    const Result<bool> changed = Ask(*pending, stop);
    Conclude(*pending, changed);
    if (!changed.ok()) return changed.error();
    if (*changed) {
      written = fmt::format("{} \"{}\"", pending->resource.QualifiedName(), pending->key.name);
    }
  }
  return written;
}

}  // namespace kubexms
