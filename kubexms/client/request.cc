#include "kubexms/client/request.h"

#include <fmt/core.h>

namespace kubexms {
namespace {

// Collects "?a=b&c=d".
class QueryWriter {
 public:
  void Add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_.append(name).append("=").append(PercentEncode(value));
  }
  void AddFlag(std::string_view name, bool value) {
    if (value) Add(name, "true");
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet: return "get";
    case Verb::kList: return "list";
    case Verb::kWatch: return "watch";
    case Verb::kCreate: return "create";
    case Verb::kUpdate: return "update";
    case Verb::kPatch: return "patch";
    case Verb::kDelete: return "delete";
    case Verb::kDeleteCollection: return "deletecollection";
  }
  return "";
}

bool IsWrite(Verb verb) {
  return verb != Verb::kGet && verb != Verb::kList && verb != Verb::kWatch;
}

std::string_view PatchContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson: return "application/json-patch+json";
    case PatchType::kMerge: return "application/merge-patch+json";
    case PatchType::kStrategicMerge: return "application/strategic-merge-patch+json";
    case PatchType::kApply: return "application/apply-patch+yaml";
  }
  return "";
}

std::string_view ObjectEventTypeName(ObjectEventType type) {
  switch (type) {
    case ObjectEventType::kAdded: return "ADDED";
    case ObjectEventType::kModified: return "MODIFIED";
    case ObjectEventType::kDeleted: return "DELETED";
    case ObjectEventType::kBookmark: return "BOOKMARK";
  }
  return "";
}

Result<void> ClientRequest::Check() const {
  const bool one = verb == Verb::kGet || verb == Verb::kUpdate || verb == Verb::kPatch ||
                   verb == Verb::kDelete || !subresource.empty();
  if (!one || !name.empty()) return {};
  return Error::BadRequest(fmt::format("{} {}: metadata.name is empty: set the name of the object",
                                       VerbName(verb), resource.QualifiedName()));
}

std::string ClientRequest::Path() const {
  std::string path = resource.Path(namespace_name);
  if (!name.empty()) path += "/" + PercentEncode(name);
  if (!subresource.empty()) path += "/" + subresource;
  return path;
}

std::string ClientRequest::Query() const {
  QueryWriter query;
  query.Add("labelSelector", label_selector.ToString());
  query.Add("fieldSelector", field_selector.ToString());
  query.Add("resourceVersion", resource_version);
  query.Add("resourceVersionMatch", resource_version_match);
  if (const int64_t most = limit > 0 ? limit : page_size; most > 0) {
    query.Add("limit", std::to_string(most));
  }
  query.Add("continue", continue_token);
  query.AddFlag("watch", verb == Verb::kWatch);
  if (timeout) query.Add("timeoutSeconds", std::to_string(timeout->count()));
  query.AddFlag("allowWatchBookmarks", bookmarks);
  query.AddFlag("sendInitialEvents", send_initial_events);
  query.Add("dryRun", dry_run ? "All" : "");
  query.Add("fieldManager", field_manager);
  query.Add("fieldValidation", field_validation);
  query.AddFlag("force", force);
  return std::move(query).Take();
}

}  // namespace kubexms
