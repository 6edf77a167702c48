#pragma once

// Serves the verbs of the API on resources, for requests that are authenticated and authorized.

#include <memory>
#include <string>

#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/handlers/api_request.h"
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

// The result of a list or a watch for a client of this process: the objects themselves. The
// response then has no body.
struct DirectResult {
  ObjectPage page;
  std::unique_ptr<WatchEvents> events;
  WakeTimer* timer = nullptr;  // of the server; set with `events`
  // Set by the caller: the response to a list has a body nevertheless, for the API audit log.
  bool with_body = false;
};

// One request to a resource. Everything is borrowed for the time of the call.
struct ResourceCall {
  const ApiRequest& request;
  // Those of the request, or of the resource that it stands for: a Binding posted to /bindings is
  // a request to pods/binding.
  const RequestAttributes& attributes;
  const UserInfo& user;
  const ResourceSet& resources;
  const ResourcePtr& resource;
  DirectResult* direct = nullptr;  // null: the response has the result
};

// The manager of the fields that a write changes: as the options name it, or the user agent.
std::string FieldManagerOf(const ResourceCall& call, const WriteQuery& options);

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

  // An error is to be answered with its Status.
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
  Result<ObjectWrite> BeginWrite(const ResourceCall& call, std::string_view options_kind);
  // Checks that the user of an update or patch may create the object.
  Result<void> AuthorizeCreation(const ResourceCall& call);
  Subresources MakeSubresources();
  // Reads from the store, or computes objects that are not stored.
  Result<store::RecordPtr> ReadOne(const ResourceCall& call);
  Result<ObjectList> ReadMany(const ResourceCall& call, const ListQuery& query);

  Environment environment_;
};

}  // namespace kubexms
