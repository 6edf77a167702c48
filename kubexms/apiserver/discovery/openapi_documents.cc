#include "kubexms/apiserver/discovery/openapi_documents.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/protobuf/openapi_protobuf.h"
#include "kubexms/api/schema/openapi.h"
#include "kubexms/apiserver/request/accept.h"

namespace kubexms {
namespace {

constexpr std::string_view kJson = "application/json";
// The media type of protobuf in responses, and the one that older clients request.
constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr std::string_view kOldProtobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

ResourceDescription Describe(const Resource& resource) {
  ResourceDescription description{.group = resource.group,
                                  .version = resource.version,
                                  .kind = resource.kind,
                                  .resource = resource.plural,
                                  .namespaced = resource.namespaced,
                                  .verbs = resource.verbs,
                                  .strategic_patch = !resource.custom,
                                  .schema = resource.schema.get()};
  for (const Subresource& part : resource.subresources) {
    description.subresources.push_back({.name = part.name,
                                        .verbs = part.verbs,
                                        .group = part.kind.group,
                                        .version = part.kind.version,
                                        .kind = part.kind.kind,
                                        .schema = part.schema.get()});
  }
  return description;
}

std::vector<ResourceDescription> DescribeAll(const std::vector<ResourcePtr>& resources) {
  std::vector<ResourceDescription> descriptions;
  for (const ResourcePtr& resource : resources) descriptions.push_back(Describe(*resource));
  return descriptions;
}

OpenApiOptions Options() { return {.object_meta = &TypeOf<ObjectMeta>().schema}; }

// Whether the client already has the document with this ETag.
bool HasCurrentTag(const HttpHeaders& headers, std::string_view tag) {
  return headers.HasToken("If-None-Match", tag) || headers.HasToken("If-None-Match", "*");
}

HttpResponse Reply(const HttpRequest& request, std::string_view content_type,
                   const SharedBytes& bytes, std::string_view hash) {
  const std::string tag = fmt::format("\"{}\"", hash);
  if (HasCurrentTag(request.headers, tag)) return HttpResponse(304, {{"ETag", tag}});
  HttpHeaders headers{{"Content-Type", content_type}, {"ETag", tag}, {"Vary", "Accept"}};
  return HttpResponse(200, std::move(headers), {bytes});
}

HttpResponse NotAcceptable() {
  return HttpResponse::Text(406, "text/plain; charset=utf-8", "406 not acceptable\n");
}

bool AcceptsJson(const HttpRequest& request) {
  return PreferredMediaType(request.headers.Get("Accept").value_or(""), {&kJson, 1}).has_value();
}

// The value of ?hash=; empty if absent.
std::string HashOf(const HttpRequest& request) {
  const Result<QueryParameters> query = QueryParameters::Parse(request.query());
  return query.ok() ? std::string(query->Get("hash").value_or("")) : std::string();
}

}  // namespace

OpenApiDocuments::Document OpenApiDocuments::MakeDocument(std::string text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string hash;
  for (const unsigned char byte : digest) hash += fmt::format("{:02X}", byte);
  return {.bytes = SharedBytes(std::move(text)), .hash = std::move(hash)};
}

std::map<std::string, std::vector<ResourcePtr>> OpenApiDocuments::ByGroupVersion() const {
  std::map<std::string, std::vector<ResourcePtr>> found;
  for (const ResourcePtr& resource : resources_) {
    const std::string_view root = resource->group.empty() ? "api/" : "apis/";
    found[std::string(root) + resource->api_version()].push_back(resource);
  }
  return found;
}

OpenApiDocuments::Document OpenApiDocuments::V2(bool protobuf) {
  MutexLock lock(mutex_);
  std::optional<Document>& document = protobuf ? v2_protobuf_ : v2_json_;
  if (!document) {
    const Json json = MakeOpenApiV2(DescribeAll(resources_), Options());
    document = MakeDocument(protobuf ? EncodeOpenApiV2(json) : WriteJson(json));
  }
  return *document;
}

const OpenApiDocuments::Document* OpenApiDocuments::FindV3(std::string_view group_version) {
  const auto cached = v3_.find(group_version);
  if (cached != v3_.end()) return &cached->second;
  const auto groups = ByGroupVersion();
  const auto resources = groups.find(std::string(group_version));
  if (resources == groups.end()) return nullptr;
  const Json json = MakeOpenApiV3(DescribeAll(resources->second), Options());
  return &v3_.emplace(group_version, MakeDocument(WriteJson(json))).first->second;
}

std::optional<OpenApiDocuments::Document> OpenApiDocuments::V3(std::string_view group_version) {
  MutexLock lock(mutex_);
  const Document* document = FindV3(group_version);
  return document == nullptr ? std::nullopt : std::optional(*document);
}

OpenApiDocuments::Document OpenApiDocuments::Index() {
  MutexLock lock(mutex_);
  if (!index_) {
    std::vector<std::pair<std::string, std::string>> hashes;
    for (const auto& [group_version, resources] : ByGroupVersion()) {
      hashes.emplace_back(group_version, FindV3(group_version)->hash);
    }
    index_ = MakeDocument(WriteJson(MakeOpenApiV3Index(hashes)));
  }
  return *index_;
}

HttpResponse OpenApiDocuments::HandleV2(const HttpRequest& request) {
  constexpr std::array kTypes = {kJson, kProtobuf, kOldProtobuf};
  const std::optional<size_t> type =
      PreferredMediaType(request.headers.Get("Accept").value_or(""), kTypes);
  if (!type) return NotAcceptable();
  const bool protobuf = *type != 0;
  const Document document = V2(protobuf);
  return Reply(request, protobuf ? kProtobuf : kJson, document.bytes, document.hash);
}

HttpResponse OpenApiDocuments::HandleIndex(const HttpRequest& request) {
  if (!AcceptsJson(request)) return NotAcceptable();
  const Document document = Index();
  return Reply(request, kJson, document.bytes, document.hash);
}

std::optional<HttpResponse> OpenApiDocuments::HandleV3(std::string_view group_version,
                                                       const HttpRequest& request) {
  const std::optional<Document> document = V3(group_version);
  if (!document) return std::nullopt;
  if (!AcceptsJson(request)) return NotAcceptable();
  const std::string hash = HashOf(request);
  if (!hash.empty() && hash != document->hash) {
    const std::string location =
        fmt::format("/openapi/v3/{}?hash={}", group_version, document->hash);
    return HttpResponse(301, {{"Location", location}});
  }
  HttpResponse response = Reply(request, kJson, document->bytes, document->hash);
  if (!hash.empty()) response.headers.Set("Cache-Control", "public, immutable, max-age=31536000");
  return response;
}

std::optional<HttpResponse> OpenApiDocuments::Handle(const HttpRequest& request) {
  constexpr std::string_view kV3 = "/openapi/v3";
  std::string_view path = request.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path == "/openapi/v2") return HandleV2(request);
  if (path == kV3) return HandleIndex(request);
  if (!path.starts_with(kV3) || path[kV3.size()] != '/') return std::nullopt;
  return HandleV3(path.substr(kV3.size() + 1), request);
}

}  // namespace kubexms
