#pragma once

// How an answer is shown: as the client's Accept header asks for it. Objects as they are stored, as
// YAML, as a table for people, or only their metadata.

#include <memory>
#include <string>
#include <vector>

#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/request/accept.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/table/table.h"
#include "kubexms/apiserver/watch/watch_events.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// The value of a Warning header.
std::string WarningHeader(std::string_view text);

class Representation {
 public:
  // Fails with 406 when the client takes nothing that there is.
  static Result<Representation> Of(const HttpRequest& request, const QueryParameters& query,
                                   ResponseSubject subject = ResponseSubject::kObjects);

  Result<HttpResponse> Object(int status, const Resource& resource, SharedBytes object,
                              const std::vector<std::string>& warnings = {}) const;
  Result<HttpResponse> List(const Resource& resource, ObjectList list) const;
  // The same for a caller in this process: each object for itself, as it is stored or as metadata.
  Result<ObjectPage> Page(const Resource& resource, ObjectList list) const;
  // How the objects of a watch's events are shown; null: as they are stored.
  std::unique_ptr<EventFormat> Events(const Resource& resource) const;

 private:
  Result<Body> ObjectBody(const Resource& resource, SharedBytes object) const;
  // These take the records out of the list.
  Result<Body> ListBody(const Resource& resource, ObjectList& list) const;
  static Result<std::vector<SharedBytes>> Objects(const Resource& resource, ObjectList& list);
  Result<Body> PlainList(const Resource& resource, ObjectList& list) const;
  // The body in the format that was asked for.
  HttpResponse Respond(int status, Body body) const;

  ResponseForm form_;
  RowObject row_object_ = RowObject::kMetadata;
};

}  // namespace kubexms
