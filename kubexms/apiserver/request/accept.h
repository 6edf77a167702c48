#pragma once

// Content negotiation: selects, among the representations that the Accept header allows, the one
// the client prefers and the server can produce. Besides a format (JSON or YAML), a client may
// request a kind other than that of the object:
//
//   Accept: application/json;as=Table;v=v1;g=meta.k8s.io, application/json
//
// `kubectl get` sends this header: a table, or the object where the server has no table.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

enum class ResponseFormat { kJson, kYaml };

enum class ResponseKind {
  kObject,  // the requested object or list, unchanged
  kTable,
  kPartialObjectMetadata,
  kPartialObjectMetadataList,
  kAggregatedDiscovery,
};

struct ResponseForm {
  ResponseFormat format = ResponseFormat::kJson;
  ResponseKind kind = ResponseKind::kObject;
  std::string version;  // of the kind's group: "v1", "v2beta1"; empty for kObject
  bool pretty = false;  // indented, for people

  // The value of the Content-Type header.
  std::string ContentType() const;

  bool operator==(const ResponseForm&) const = default;
};

// What the response contains, which determines the representations it is available in.
enum class ResponseSubject {
  kObjects,    // an object or a list; also as a table, or reduced to metadata
  kEvents,     // a watch: as kObjects, but not as YAML
  kDiscovery,  // /api and /apis; also in aggregated form
  kDocument,   // any other document; unchanged only
};

// Without an Accept header the response is JSON. NotAcceptable when the server has no
// representation that the client accepts. `pretty` follows the query parameter of that name;
// without it, the response is indented for browsers, curl and wget.
Result<ResponseForm> NegotiateResponse(const HttpHeaders& headers, const QueryParameters& query,
                                       ResponseSubject subject);

// The index, in `available` (media types such as "application/json"), of the media type that the
// header prefers: the first one when the header has no preference, nothing when it accepts none of
// them.
std::optional<size_t> PreferredMediaType(std::string_view accept,
                                         std::span<const std::string_view> available);

}  // namespace kubexms
