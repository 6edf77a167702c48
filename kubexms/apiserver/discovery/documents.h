#pragma once

// Serves discovery, OpenAPI and the version of the server. Documents are created on first use and
// cached until the resources change.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/discovery/openapi_documents.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/base/mutex.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

class Documents {
 public:
  // `build` identifies the build of the server.
  Documents(const ResourceRegistry& registry, std::string build)
      : registry_(registry), build_(std::move(build)) {}

  // The address that clients use. Must be called before the first HTTP request.
  void SetServerAddress(std::string address) { server_address_ = std::move(address); }

  // Handles a GET. NotFound (as an Error with no Status form) when the path is none of these
  // documents.
  Result<HttpResponse> Handle(const HttpRequest& request) EXCLUDES(mutex_);

 private:
  struct Snapshot {
    std::shared_ptr<const ResourceSet> resources;
    std::unique_ptr<OpenApiDocuments> open_api;
    std::map<std::string, SharedBytes> discovery;
  };

  std::shared_ptr<Snapshot> Current() REQUIRES(mutex_);
  Result<HttpResponse> HandleDiscovery(const HttpRequest& request) EXCLUDES(mutex_);
  Result<Json> MakeDiscovery(const ResourceSet& resources, std::string_view path,
                             std::string_view aggregated_version) const;

  const ResourceRegistry& registry_;
  const std::string build_;
  std::string server_address_;

  Mutex mutex_;
  std::shared_ptr<Snapshot> snapshot_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
