#include "kubexms/controller/informers/unchanged_updates.h"

#include "kubexms/api/stored_object.h"

namespace kubexms {
namespace {

bool IsOfOneObject(const ClientRequest& request) {
  return request.verb == Verb::kUpdate && !request.dry_run;
}

// Zero: it has none that can be compared.
uint64_t VersionOf(std::string_view object) {
  const Result<ObjectHeader> header = ReadHeader(object);
  return header.ok() ? header->resource_version : 0;
}

}  // namespace

std::optional<SharedBytes> UnchangedUpdates::AnswerTo(const ClientRequest& request) {
  if (!IsOfOneObject(request)) return std::nullopt;
  MutexLock lock(mutex_);
  const Update& last = updates_.FindOrMake(request.Path(), [] { return Update(); });
  if (last.body.empty() || last.body != request.body) return std::nullopt;
  return last.answer;
}

void UnchangedUpdates::Note(const ClientRequest& request, const SharedBytes& answer) {
  if (!IsOfOneObject(request)) return;
  const uint64_t version = VersionOf(request.body);
  const bool unchanged = version != 0 && version == VersionOf(answer.view());
  MutexLock lock(mutex_);
  updates_.FindOrMake(request.Path(), [] { return Update(); }) =
      unchanged ? Update{request.body, answer} : Update();
}

}  // namespace kubexms
