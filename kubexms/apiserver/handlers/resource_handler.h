#pragma once

// The verbs of the API on resources: from a request that is already authenticated and authorized
// to its answer.

#include <memory>
#include <string>

#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/handlers/component_statuses.h"
#include "kubexms/apiserver/handlers/representation.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/watch/wake_timer.h"
#include "kubexms/apiserver/watch/watch_events.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/client/request.h"
#include "kubexms/net/http/http.h"
#include "kubexms/store/store.h"

namespace kubexms {

class Subresources;

// Where the answer to a list or a watch goes when the caller is in this process: the objects
// themselves, for which a response would be a detour. The response then has no body.
struct DirectAnswer {
  ObjectPage page;
  std::unique_ptr<WatchEvents> events;
  WakeTimer* timer = nullptr;  // of the server, with `events`
  // The response to a list has its body all the same, for the audit log.
  bool with_body = false;
};

// One request. Everything is borrowed for the time of the call.
struct ResourceCall {
  const HttpRequest& http;
  const QueryParameters& query;
  const RequestAttributes& attributes;
  const UserInfo& user;
  const ResourceSet& resources;
  const ResourcePtr& resource;
  DirectAnswer* direct = nullptr;  // null: all is in the response
};

class ResourceHandler {
 public:
  struct Environment {
    store::Store& store;
    ObjectReader& reader;
    ObjectWriter& writer;
    WakeTimer& timer;
    OpenWatches& watches;
    Random& random;
    const Clock& clock;
    TokenIssuer& tokens;
    const ComponentStatuses& components;
    RbacAuthorizer& authorizer;
  };

  explicit ResourceHandler(Environment environment) : environment_(environment) {}

  // To be called after a write of flow control, see flow_schemas.h.
  Result<void> MarkFlowSchemas(const ResourceSet& resources);

  // An error is answered as a Status.
  Result<HttpResponse> Handle(const ResourceCall& call);

 private:
  Result<HttpResponse> Get(const ResourceCall& call);
  Result<HttpResponse> List(const ResourceCall& call);
  Result<HttpResponse> Watch(const ResourceCall& call);
  Result<HttpResponse> Create(const ResourceCall& call);
  Result<HttpResponse> Update(const ResourceCall& call);
  Result<HttpResponse> Patch(const ResourceCall& call);
  Result<HttpResponse> Delete(const ResourceCall& call);
  Result<HttpResponse> DeleteCollection(const ResourceCall& call);
  Result<HttpResponse> HandleSubresource(const ResourceCall& call);
  // Of an update or patch that creates the object.
  Result<void> AuthorizeCreation(const ResourceCall& call);
  Subresources OtherKinds();
  // What is read, wherever it comes from.
  Result<store::RecordPtr> ReadOne(const ResourceCall& call);
  Result<ObjectList> ReadMany(const ResourceCall& call, const ListQuery& query);

  Environment environment_;
};

}  // namespace kubexms
