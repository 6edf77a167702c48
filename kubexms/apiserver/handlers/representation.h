#pragma once

// The representation of objects in a response, as the client's Accept header requests it: JSON as
// stored, YAML, a table, or only metadata.

#include <memory>
#include <string>
#include <vector>

#include "kubexms/apiserver/handlers/api_request.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/table/table.h"
#include "kubexms/apiserver/watch/watch_events.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// The value of a Warning header.
std::string WarningHeader(std::string_view text);

class Representation {
 public:
  // Fails with 406 when the server has no form that the client accepts.
  static Result<Representation> Of(const ApiRequest& request,
                                   ResponseSubject subject = ResponseSubject::kObjects);

  Result<HttpResponse> Object(int status, const Resource& resource, SharedBytes object,
                              const std::vector<std::string>& warnings = {}) const;
  Result<HttpResponse> List(const Resource& resource, ObjectList list) const;
  // The same for a client of this process: each object separately, as stored or as metadata.
  Result<ObjectPage> Page(const Resource& resource, ObjectList list) const;
  // The format of the objects in the events of a watch; null: as stored.
  std::unique_ptr<EventFormat> Events(const Resource& resource) const;

 private:
  Result<Body> ObjectBody(const Resource& resource, SharedBytes object) const;
  // These move the records out of the list.
  Result<Body> ListBody(const Resource& resource, ObjectList& list) const;
  static Result<std::vector<SharedBytes>> Objects(const Resource& resource, ObjectList& list);
  Result<Body> PlainList(const Resource& resource, ObjectList& list) const;
  // The response with the body in the requested format.
  HttpResponse Respond(int status, Body body) const;

  ResponseForm form_;
  RowObject row_object_ = RowObject::kMetadata;
};

}  // namespace kubexms
