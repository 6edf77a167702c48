#include "kubexms/controller/finalizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/base/json/json.h"

namespace kubexms::finalizer_internal {
namespace {

// Attempts in spite of concurrent changes of the finalizers.
constexpr int kAttempts = 5;

using Finalizers = std::vector<std::string>;

std::string Operation(std::string_view name, std::string_view path, std::string_view value) {
  return fmt::format(R"({{"op":"{}","path":"{}","value":{}}})", name, path, value);
}

std::string List(const Finalizers& finalizers) {
  std::string list;
  for (const std::string& finalizer : finalizers) {
    list += list.empty() ? "[" : ",";
    list += QuoteJson(finalizer);
  }
  return list + "]";
}

// A JSON patch operation that fails if the object was recreated under the same name.
std::string SameObject(const ObjectMeta& metadata) {
  return Operation("test", "/metadata/uid", QuoteJson(metadata.uid));
}

std::string AddPatch(const ObjectMeta& metadata, const Finalizers& missing) {
  constexpr std::string_view kPath = "/metadata/finalizers";
  const Finalizers& present = metadata.finalizers;
  Finalizers all = present;
  all.insert(all.end(), missing.begin(), missing.end());
  return fmt::format("[{},{},{}]", SameObject(metadata),
                     Operation("test", kPath, present.empty() ? "null" : List(present)),
                     Operation(present.empty() ? "add" : "replace", kPath, List(all)));
}

std::string RemovePatch(const ObjectMeta& metadata, size_t index) {
  const std::string path = fmt::format("/metadata/finalizers/{}", index);
  return fmt::format(R"([{},{},{{"op":"remove","path":"{}"}}])", SameObject(metadata),
                     Operation("test", path, QuoteJson(metadata.finalizers[index])), path);
}

// Sends the patch and updates the metadata of the target.
Result<SharedBytes> Send(Client& client, Target& target, std::string patch,
                         const std::stop_token& stop) {
  ASSIGN_OR_RETURN(SharedBytes stored,
                   client.Do(Client::PatchRequest(
                       target.type, ObjectKey::Of(target.metadata),
                       {.type = PatchType::kJson, .body = std::move(patch)}, {.stop = stop})));
  ASSIGN_OR_RETURN(DynamicObject object, DynamicObject::Decode(stored.view()));
  target.metadata = std::move(object.metadata);
  return stored;
}

// Reads the object again after a refused patch. If it is unchanged, the patch was refused for
// another reason and `refusal` is returned. False if the object does not exist.
Result<bool> Refresh(Client& client, Target& target, const Error& refusal,
                     const std::stop_token& stop) {
  if (refusal.IsNotFound()) return false;
  if (!refusal.IsInvalid() && !refusal.IsConflict()) return refusal;
  Result<DynamicObject> object =
      client.Get(target.type, ObjectKey::Of(target.metadata), {.stop = stop});
  if (!object.ok() && object.error().IsNotFound()) return false;
  if (!object.ok()) return object.error();
  if (object->metadata.uid != target.metadata.uid) return false;
  if (object->metadata.resource_version == target.metadata.resource_version) return refusal;
  target.metadata = std::move(object->metadata);
  return true;
}

Finalizers Missing(const ObjectMeta& metadata, const Finalizers& wanted) {
  Finalizers missing;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(missing),
               [&](const std::string& name) { return !HasFinalizer(metadata, name); });
  return missing;
}

}  // namespace

Result<Added> Add(Client& client, Target& target, const Finalizers& finalizers, SharedBytes& stored,
                  const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    const Finalizers missing = Missing(target.metadata, finalizers);
    if (missing.empty() && attempt == 1) return Added::kPresent;
    // After a refresh nothing may be missing any more; then the patch only fetches the object.
    Result<SharedBytes> patched = Send(client, target, AddPatch(target.metadata, missing), stop);
    if (patched.ok()) {
      stored = std::move(*patched);
      return Added::kAdded;
    }
    if (attempt == kAttempts) return patched.error();
    ASSIGN_OR_RETURN(const bool exists, Refresh(client, target, patched.error(), stop));
    if (!exists || !target.metadata.deletion_timestamp.IsZero()) return Added::kDeleting;
  }
}

Result<void> Remove(Client& client, Target& target, const std::string& finalizer,
                    const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    const Finalizers& present = target.metadata.finalizers;
    const auto found = std::find(present.begin(), present.end(), finalizer);
    if (found == present.end()) return {};
    const auto index = static_cast<size_t>(found - present.begin());
    const Result<SharedBytes> patched =
        Send(client, target, RemovePatch(target.metadata, index), stop);
    if (patched.ok()) return {};
    if (attempt == kAttempts) return patched.error();
    ASSIGN_OR_RETURN(const bool exists, Refresh(client, target, patched.error(), stop));
    if (!exists) return {};
  }
}

}  // namespace kubexms::finalizer_internal
