#include "kubexms/apiserver/discovery/documents.h"

#include <fmt/format.h>

#include "kubexms/apiserver/discovery/discovery.h"
#include "kubexms/apiserver/request/accept.h"
#include "kubexms/base/json/yaml.h"

namespace kubexms {
namespace {

constexpr std::string_view kJson = "application/json";

Error NoSuchPath() { return {404, "", "404 page not found\n"}; }

}  // namespace

std::shared_ptr<Documents::Snapshot> Documents::Current() {
  std::shared_ptr<const ResourceSet> resources = registry_.Current();
  if (snapshot_ == nullptr || snapshot_->resources != resources) {
    snapshot_ = std::make_shared<Snapshot>();
    snapshot_->resources = resources;
    snapshot_->open_api = std::make_unique<OpenApiDocuments>(resources->all());
  }
  return snapshot_;
}

Result<HttpResponse> Documents::Handle(const HttpRequest& request) {
  const std::string_view path = request.path();
  if (path == "/version") {
    return HttpResponse::Text(200, kJson, WriteJson(MakeVersion(build_)));
  }
  if (path.starts_with("/openapi/")) {
    std::shared_ptr<Snapshot> snapshot;
    {
      MutexLock lock(mutex_);
      snapshot = Current();
    }
    std::optional<HttpResponse> response = snapshot->open_api->Handle(request);
    if (!response) return NoSuchPath();
    return std::move(*response);
  }
  return HandleDiscovery(request);
}

Result<HttpResponse> Documents::HandleDiscovery(const HttpRequest& request) {
  std::string_view path = request.path();
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const bool root = path == "/api" || path == "/apis";
  ASSIGN_OR_RETURN(const ResponseForm form, NegotiateResponse(request.headers, {},
                                                              root ? ResponseSubject::kDiscovery
                                                                   : ResponseSubject::kDocument));
  const std::string& aggregated = form.version;
  const std::string key = fmt::format("{} {}", path, aggregated);
  SharedBytes bytes;
  {
    MutexLock lock(mutex_);
    const std::shared_ptr<Snapshot> snapshot = Current();
    const auto found = snapshot->discovery.find(key);
    if (found != snapshot->discovery.end()) {
      bytes = found->second;
    } else {
      ASSIGN_OR_RETURN(const Json document, MakeDiscovery(*snapshot->resources, path, aggregated));
      bytes = SharedBytes(WriteJson(document));
      snapshot->discovery.emplace(key, bytes);
    }
  }
  if (form.format == ResponseFormat::kYaml) {
    ASSIGN_OR_RETURN(const Json document, ParseJson(bytes.view()));
    bytes = SharedBytes(WriteYaml(document));
  }
  return HttpResponse(200, {{"Content-Type", form.ContentType()}}, {std::move(bytes)});
}

Result<Json> Documents::MakeDiscovery(const ResourceSet& resources, std::string_view path,
                                      std::string_view aggregated_version) const {
  const std::vector<ResourcePtr>& all = resources.all();
  ASSIGN_OR_RETURN(const std::vector<std::string> segments, PathSegments(path));
  const bool core = segments[0] == "api";
  if (!aggregated_version.empty()) {
    return MakeAggregatedDiscovery(all, core ? DiscoveryScope::kCore : DiscoveryScope::kGroups,
                                   aggregated_version);
  }
  std::optional<Json> document;
  if (core) {
    if (segments.size() == 1) return MakeApiVersions(server_address_);
    if (segments.size() == 2) document = MakeApiResourceList(all, "", segments[1]);
  } else {
    if (segments.size() == 1) return MakeApiGroupList(all);
    if (segments.size() == 2) document = MakeApiGroup(all, segments[1]);
    if (segments.size() == 3) document = MakeApiResourceList(all, segments[1], segments[2]);
  }
  if (!document) return NoSuchPath();
  return std::move(*document);
}

}  // namespace kubexms
