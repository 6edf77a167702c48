#include "kubexms/controller/informers/unchanged_updates.h"

#include "kubexms/api/stored_object.h"

namespace kubexms {
namespace {

bool IsOfOneObject(const ClientRequest& request) {
  return request.verb == Verb::kUpdate && !request.dry_run;
}

// 0 if the object has no numeric resourceVersion.
uint64_t VersionOf(std::string_view object) {
  const Result<ObjectHeader> header = ReadHeader(object);
  return header.ok() ? header->resource_version : 0;
}

}  // namespace

std::optional<SharedBytes> UnchangedUpdates::FindResponse(const ClientRequest& request) {
  if (!IsOfOneObject(request)) return std::nullopt;
  MutexLock lock(mutex_);
  const Update& last = updates_.FindOrMake(request.Path(), [] { return Update(); });
  if (last.body.empty() || last.body != request.body) return std::nullopt;
  return last.response;
}

void UnchangedUpdates::Record(const ClientRequest& request, const SharedBytes& response) {
  if (!IsOfOneObject(request)) return;
  const uint64_t version = VersionOf(request.body);
  const bool unchanged = version != 0 && version == VersionOf(response.view());
  MutexLock lock(mutex_);
  updates_.FindOrMake(request.Path(), [] { return Update(); }) =
      unchanged ? Update{request.body, response} : Update();
}

}  // namespace kubexms
