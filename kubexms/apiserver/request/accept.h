#pragma once

// Content negotiation: out of what a client's Accept header takes, the form that it prefers and the
// server has. Besides the format (JSON or YAML) a client may ask for another kind than that of the
// object itself:
//
//   Accept: application/json;as=Table;v=v1;g=meta.k8s.io, application/json
//
// is how `kubectl get` asks for a table, or for the object if there are no tables.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

enum class AnswerFormat { kJson, kYaml };

enum class AnswerKind {
  kObject,  // as it is
  kTable,
  kPartialObjectMetadata,
  kPartialObjectMetadataList,
  kAggregatedDiscovery,
};

struct AnswerForm {
  AnswerFormat format = AnswerFormat::kJson;
  AnswerKind kind = AnswerKind::kObject;
  std::string version;  // of the kind's group: "v1", "v2beta1"; empty for kObject
  bool pretty = false;  // indented, for people

  // What the Content-Type header says.
  std::string ContentType() const;

  bool operator==(const AnswerForm&) const = default;
};

// What the answer to a request is about; each can be had in other kinds.
enum class AnswerSubject {
  kObjects,    // an object or a list; as a table, or reduced to metadata
  kEvents,     // a watch: the same, but not as YAML
  kDiscovery,  // /api and /apis; aggregated, too
  kDocument,   // as it is only
};

// Without an Accept header the answer is JSON. NotAcceptable when the client takes nothing that
// there is. `pretty` follows the query, then the client: browsers, curl and wget have people.
Result<AnswerForm> NegotiateAnswer(const HttpHeaders& headers, const QueryParameters& query,
                                   AnswerSubject subject);

// Out of the media types that a document is available in ("application/json"), the index of the one
// that the header prefers; the first one when it has no wish, nothing when it takes none of them.
std::optional<size_t> PreferredMediaType(std::string_view accept,
                                         std::span<const std::string_view> available);

}  // namespace kubexms
