#include "kubexms/controller/create_or_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/patch/merge_patch.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

std::string_view OperationResultName(OperationResult result) {
  switch (result) {
    case OperationResult::kUnchanged: return "unchanged";
    case OperationResult::kCreated: return "created";
    case OperationResult::kUpdated: return "updated";
  }
  return "";
}

namespace create_or_update_internal {
namespace {

constexpr int kAttempts = 5;

std::string VersionOf(const Json& object) {
  const Json* metadata = FindMember(object, "metadata");
  return metadata == nullptr ? "" : std::string(FindString(*metadata, "resourceVersion"));
}

// Removes the status from an object and returns it; an empty object if there is none.
Json TakeStatus(Json& object) {
  JsonObject& members = object.as_object();
  const auto status = members.find("status");
  if (status == members.end()) return JsonObject();
  Json taken = std::move(status->value());
  members.erase(status);
  return taken;
}

// An object before and after the mutate function, with the status separated.
struct Difference {
  Json before;
  Json after;  // with the schema's defaults
  Json status_before;
  Json status_after;

  bool ObjectChanged() const { return !JsonEqual(before, after); }
  bool StatusChanged() const { return !JsonEqual(status_before, status_after); }
};

// The object with the defaults of its schema, in the form that typed objects are written in.
Result<Json> WithDefaults(Json object, const TypeInfo& type) {
  if (!ApplyDefaults(object, type.schema)) return object;
  const std::shared_ptr<void> typed = type.make();
  RETURN_IF_ERROR(codec_internal::Decode(type, typed.get(), WriteJson(object)));
  TextBuffer text(8192);
  codec_internal::AppendEncoded(type, typed.get(), text);
  ASSIGN_OR_RETURN(object, ParseJson(text.ToString()));
  TakeStatus(object);
  return object;
}

Result<Difference> DifferenceOf(const Change& change, const TypeInfo* type) {
  Difference difference;
  ASSIGN_OR_RETURN(difference.before, ParseJson(change.before.empty() ? "{}" : change.before));
  ASSIGN_OR_RETURN(difference.after, ParseJson(change.after));
  difference.status_before = TakeStatus(difference.before);
  difference.status_after = TakeStatus(difference.after);
  if (type == nullptr || !difference.ObjectChanged()) return difference;
  ASSIGN_OR_RETURN(difference.after, WithDefaults(std::move(difference.after), *type));
  return difference;
}

// One attempt of CreateOrUpdate or CreateOrPatch.
class Attempt {
 public:
  Attempt(Client& client, const Call& call, bool read_cached)
      : client_(client), call_(call), read_cached_(read_cached) {}

  Result<Answer> Update() {
    ASSIGN_OR_RETURN(const bool exists, Prepare());
    if (!exists) return Create();
    if (!difference_.ObjectChanged())
      return Answer{OperationResult::kUnchanged, std::move(stored_)};
    return Send(Request(Verb::kUpdate, change_.after));
  }

  Result<Answer> Patch() {
    ASSIGN_OR_RETURN(const bool exists, Prepare());
    Answer answer{OperationResult::kUnchanged, stored_};
    if (!exists) {
      ASSIGN_OR_RETURN(answer, Create());
    } else if (difference_.ObjectChanged()) {
      ASSIGN_OR_RETURN(answer, Send(PatchRequest(ObjectPatch())));
    }
    if (!difference_.StatusChanged()) return answer;
    ClientRequest request = PatchRequest(StatusPatch());
    request.subresource = "status";
    ASSIGN_OR_RETURN(Answer status, Send(request));
    if (answer.result == OperationResult::kUnchanged) answer.result = status.result;
    answer.object = std::move(status.object);
    return answer;
  }

  // Whether the error means that the object has changed since it was read: by a concurrent write,
  // or because the cache was outdated. NotFound of a creation means a missing namespace instead.
  bool IsRace(const Error& error) const {
    return error.IsConflict() || error.IsAlreadyExists() || (!creates_ && error.IsNotFound());
  }

 private:
  // Reads and mutates the object. False if it does not exist.
  Result<bool> Prepare() {
    Result<SharedBytes> stored = client_.Do(Client::GetRequest(
        call_.type, call_.key, {.allow_cached = read_cached_, .stop = call_.options.stop}));
    if (!stored.ok() && !stored.error().IsNotFound()) return stored.error();
    if (stored.ok()) stored_ = std::move(*stored);
    ASSIGN_OR_RETURN(change_,
                     call_.change(stored.ok() ? std::optional(stored_.view()) : std::nullopt));
    ASSIGN_OR_RETURN(difference_, DifferenceOf(change_, call_.type_info));
    version_ = VersionOf(difference_.before);
    creates_ = !stored.ok();
    return stored.ok();
  }

  Result<Answer> Create() {
    ASSIGN_OR_RETURN(SharedBytes created, client_.Do(Request(Verb::kCreate, change_.after)));
    ASSIGN_OR_RETURN(const Json object, ParseJson(created.view()));
    version_ = VersionOf(object);
    return Answer{OperationResult::kCreated, std::move(created)};
  }

  // An unchanged resourceVersion means that the server did not store the write.
  Result<Answer> Send(const ClientRequest& request) {
    ASSIGN_OR_RETURN(SharedBytes written, client_.Do(request));
    ASSIGN_OR_RETURN(const Json object, ParseJson(written.view()));
    std::string version = VersionOf(object);
    const bool same = std::exchange(version_, version) == version;
    return Answer{same ? OperationResult::kUnchanged : OperationResult::kUpdated,
                  std::move(written)};
  }

  ClientRequest Request(Verb verb, std::string body) const {
    ObjectMeta metadata;
    metadata.namespace_name = call_.key.namespace_name;
    metadata.name = call_.key.name;
    return Client::WriteRequest(verb, call_.type, metadata, std::move(body), call_.options);
  }

  ClientRequest PatchRequest(const Json& patch) const {
    return Client::PatchRequest(call_.type, call_.key,
                                {.type = PatchType::kMerge, .body = WriteJson(patch)},
                                call_.options);
  }

  Json ObjectPatch() const {
    return WithVersion(CreateMergePatch(difference_.before, difference_.after));
  }

  Json StatusPatch() const {
    const Json status = CreateMergePatch(difference_.status_before, difference_.status_after);
    Json patch = JsonObject();
    patch.as_object()["status"] = status;
    return WithVersion(std::move(patch));
  }

  // Adds the resourceVersion that was read to a patch that replaces a list.
  Json WithVersion(Json patch) const {
    if (!HasList(patch)) return patch;
    Json& metadata = patch.as_object()["metadata"];
    if (!metadata.is_object()) metadata.emplace_object();
    metadata.as_object()["resourceVersion"] = version_;
    return patch;
  }

  static bool HasList(const Json& patch) {
    if (patch.is_array()) return true;
    if (!patch.is_object()) return false;
    const JsonObject& members = patch.as_object();
    return std::any_of(members.begin(), members.end(),
                       [](const auto& member) { return HasList(member.value()); });
  }

  Client& client_;
  const Call& call_;
  const bool read_cached_;
  SharedBytes stored_;
  Change change_;
  Difference difference_;
  std::string version_;  // of the object as it was read or written last
  bool creates_ = false;
};

Result<Answer> Repeat(Client& client, const Call& call, Result<Answer> (Attempt::*run)()) {
  for (int attempts = 1;; ++attempts) {
    // A cache that was outdated in the first attempt may still be.
    Attempt attempt(client, call, attempts == 1);
    Result<Answer> answer = (attempt.*run)();
    if (answer.ok() || !attempt.IsRace(answer.error()) || attempts == kAttempts) return answer;
  }
}

}  // namespace

Result<Answer> CreateOrUpdate(Client& client, const Call& call) {
  return Repeat(client, call, &Attempt::Update);
}

Result<Answer> CreateOrPatch(Client& client, const Call& call) {
  return Repeat(client, call, &Attempt::Patch);
}

Error KeyChanged(const ResourceType& type, const ObjectKey& key, const ObjectKey& changed_to) {
  return Error::BadRequest(fmt::format(
      "the mutate function changed the key of {} \"{}\" to \"{}\": namespace and name of an object "
      "cannot be changed",
      type.QualifiedName(), key.ToString(), changed_to.ToString()));
}

}  // namespace create_or_update_internal

namespace {

using create_or_update_internal::Answer;
using create_or_update_internal::Call;
using create_or_update_internal::Change;

Result<Change> ChangeOf(std::optional<std::string_view> stored, const ResourceType& type,
                        const ObjectKey& key, const MutateDynamic& mutate) {
  DynamicObject object;
  object.api_version = type.ApiVersion();
  object.kind = type.kind;
  object.metadata.namespace_name = key.namespace_name;
  object.metadata.name = key.name;
  Change change;
  if (stored) {
    ASSIGN_OR_RETURN(object, DynamicObject::Decode(*stored));
    change.before = object.Encode();
  }
  RETURN_IF_ERROR(mutate(object));
  const ObjectKey now = ObjectKey::Of(object.metadata);
  if (now != key) return create_or_update_internal::KeyChanged(type, key, now);
  change.after = object.Encode();
  return change;
}

Call CallFor(const ResourceType& type, const ObjectKey& key, const MutateDynamic& mutate,
             const WriteOptions& options) {
  return {.type = type,
          .key = key,
          .type_info = nullptr,
          .change = [&](auto stored) { return ChangeOf(stored, type, key, mutate); },
          .options = options};
}

Result<WrittenDynamic> Decoded(const Result<Answer>& answer) {
  if (!answer.ok()) return answer.error();
  ASSIGN_OR_RETURN(DynamicObject object, DynamicObject::Decode(answer->object.view()));
  return WrittenDynamic{answer->result, std::move(object)};
}

}  // namespace

Result<WrittenDynamic> CreateOrUpdate(Client& client, const ResourceType& type,
                                      const ObjectKey& key, const MutateDynamic& mutate,
                                      const WriteOptions& options) {
  return Decoded(
      create_or_update_internal::CreateOrUpdate(client, CallFor(type, key, mutate, options)));
}

Result<WrittenDynamic> CreateOrPatch(Client& client, const ResourceType& type, const ObjectKey& key,
                                     const MutateDynamic& mutate, const WriteOptions& options) {
  return Decoded(
      create_or_update_internal::CreateOrPatch(client, CallFor(type, key, mutate, options)));
}

}  // namespace kubexms
