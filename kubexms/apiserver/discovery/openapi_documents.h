#pragma once

// Serves the OpenAPI documents of a fixed set of resources below /openapi. Documents are created on
// first use and cached for the lifetime of this object. They have an ETag, so a client that has the
// current document gets 304 Not Modified.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/mutex.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

class OpenApiDocuments {
 public:
  explicit OpenApiDocuments(std::vector<ResourcePtr> resources)
      : resources_(std::move(resources)) {}

  // Handles a GET; nothing when the path is none of
  //   /openapi/v2                   everything in one document, as JSON or protobuf
  //   /openapi/v3                   the index of the documents, with a hash of each
  //   /openapi/v3/apis/apps/v1      one group and version. With ?hash= of the index the response
  //                                 is immutable; another hash is redirected to the right one.
  // Any thread may call; callers wait for a document that another thread is creating.
  std::optional<HttpResponse> Handle(const HttpRequest& request) EXCLUDES(mutex_);

 private:
  struct Document {
    SharedBytes bytes;
    std::string hash;
  };

  static Document MakeDocument(std::string text);
  // "api/v1" and "apis/apps/v1", each with its resources.
  std::map<std::string, std::vector<ResourcePtr>> ByGroupVersion() const;

  HttpResponse HandleV2(const HttpRequest& request) EXCLUDES(mutex_);
  HttpResponse HandleIndex(const HttpRequest& request) EXCLUDES(mutex_);
  std::optional<HttpResponse> HandleV3(std::string_view group_version, const HttpRequest& request)
      EXCLUDES(mutex_);
  Document V2(bool protobuf) EXCLUDES(mutex_);
  Document Index() EXCLUDES(mutex_);
  // Nothing when the group and version do not exist.
  std::optional<Document> V3(std::string_view group_version) EXCLUDES(mutex_);
  const Document* FindV3(std::string_view group_version) REQUIRES(mutex_);

  const std::vector<ResourcePtr> resources_;
  Mutex mutex_;
  std::optional<Document> v2_json_ GUARDED_BY(mutex_);
  std::optional<Document> v2_protobuf_ GUARDED_BY(mutex_);
  std::optional<Document> index_ GUARDED_BY(mutex_);
  std::map<std::string, Document, std::less<>> v3_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
