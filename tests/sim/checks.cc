#include "tests/sim/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/status.h"

namespace kubexms::sim {
namespace {

constexpr size_t kMaxViolations = 10;

}  // namespace

void Violations::Add(std::string violation) {
  MutexLock lock(mutex_);
  if (all_.size() < kMaxViolations) all_.push_back(std::move(violation));
}

std::vector<std::string> Violations::All() const {
  MutexLock lock(mutex_);
  return all_;
}

void WorkLedger::MarkDead(const std::string& process) {
  MutexLock lock(mutex_);
  dead_.insert(process);
  working_.erase(process);
}

bool WorkLedger::IsAlive(const std::string& process) const {
  MutexLock lock(mutex_);
  return !dead_.contains(process);
}

void WorkLedger::Begin(const std::string& process, const std::string& what) {
  ++begun_;
  MutexLock lock(mutex_);
  if (dead_.contains(process)) return;
  if (!working_[process].insert(what).second) {
    violations_.Add(fmt::format("{} has two workers on {}", process, what));
  }
  for (const auto& [other, at_work] : working_) {
    if (!one_leader_ || other == process || at_work.empty()) continue;
    violations_.Add(
        fmt::format("{} works on {} while {} works on {}", process, what, other, *at_work.begin()));
  }
}

void WorkLedger::End(const std::string& process, const std::string& what) {
  MutexLock lock(mutex_);
  const auto at_work = working_.find(process);
  if (at_work != working_.end()) at_work->second.erase(what);
}

void OwnWrites::Record(const ClientRequest& request, const SharedBytes& answer) {
  const Result<DynamicObject> object = DynamicObject::Decode(answer.view());
  const bool is_object = object.ok() && object->kind != "Status";
  MutexLock lock(mutex_);
  if (is_object) {
    const ObjectMeta& metadata = object->metadata;
    Expected& expected = writes_[{request.resource.plural, ObjectKey::Of(metadata)}];
    const uint64_t version = VersionNumber(metadata.resource_version);
    if (version <= expected.version) return;
    expected.version = version;
    expected.uid = metadata.uid;
    return;
  }
  const Result<Status> status = Decode<Status>(answer.view());
  if (request.verb != Verb::kDelete || !status.ok() || !status->details) return;
  writes_[{request.resource.plural, {request.namespace_name, request.name}}].deleted.insert(
      status->details->uid);
}

OwnWrites::Expected OwnWrites::ExpectedOf(const ResourceType& resource,
                                          const ObjectKey& key) const {
  MutexLock lock(mutex_);
  const auto known = writes_.find({resource.plural, key});
  return known == writes_.end() ? Expected() : known->second;
}

void OwnWrites::Check(const ResourceType& resource, const ObjectKey& key, const Expected& expected,
                      const CachedObject& object) {
  const std::string name = resource.plural + " " + key.ToString();
  if (object) {
    if (object.version < expected.version) {
      violations_.Add(fmt::format("{} was read at version {} after own write {}", name,
                                  object.version, expected.version));
    }
    if (expected.deleted.contains(object.uid())) {
      violations_.Add(
          fmt::format("{} was read at version {} after its own deletion", name, object.version));
    }
    return;
  }
  if (expected.version == 0 || expected.deleted.contains(expected.uid)) return;
  // Another client may have deleted the object; but an existing one must be in the cache.
  const Result<DynamicObject> stored = server_.Get(resource, key);
  if (stored.ok() && stored->metadata.uid == expected.uid) {
    violations_.Add(fmt::format("{} was not found after own write {}", name, expected.version));
  }
}

}  // namespace kubexms::sim
