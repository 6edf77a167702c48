#include "kubexms/apiserver/handlers/local_request.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kubexms/client/client.h"

namespace kubexms {
namespace {

const ResourceType kPods{.version = "v1", .kind = "Pod", .plural = "pods"};
const ResourceType kDeployments{
    .group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments"};
const ResourceType kNodes{.version = "v1", .kind = "Node", .plural = "nodes", .namespaced = false};
const ResourceType kNamespaces{
    .version = "v1", .kind = "Namespace", .plural = "namespaces", .namespaced = false};

auto Members(const RequestAttributes& attributes) {
  return std::tie(attributes.verb, attributes.is_resource, attributes.group, attributes.version,
                  attributes.resource, attributes.subresource, attributes.namespace_name,
                  attributes.name);
}

auto Members(const ListQuery& query) {
  return std::tuple(query.labels.ToString(), query.fields.ToString(), query.limit,
                    query.continue_token, query.version.number(), query.match, query.bookmarks,
                    query.send_initial_events, query.timeout_seconds);
}

auto Members(const WriteQuery& query) {
  return std::tie(query.dry_run, query.field_validation, query.field_manager, query.force);
}

std::string_view MethodOf(Verb verb) {
  switch (verb) {
    case Verb::kGet:
    case Verb::kList:
    case Verb::kWatch: return "GET";
    case Verb::kCreate: return "POST";
    case Verb::kUpdate: return "PUT";
    case Verb::kPatch: return "PATCH";
    case Verb::kDelete:
    case Verb::kDeleteCollection: return "DELETE";
  }
  return "";
}

ClientRequest Request(Verb verb, const ResourceType& type, std::string namespace_name = "",
                      std::string name = "", std::string subresource = "") {
  ClientRequest request;
  request.verb = verb;
  request.resource = type;
  request.namespace_name = std::move(namespace_name);
  request.name = std::move(name);
  request.subresource = std::move(subresource);
  return request;
}

// Checks that the server reads the same from the call as from its HTTP request.
void ExpectSameAsHttp(const ClientRequest& request) {
  const HttpRequest http{.method = std::string(MethodOf(request.verb)),
                         .target = request.Path() + request.Query()};
  SCOPED_TRACE(http.target);
  const QueryParameters query = QueryParameters::Parse(http.query()).value();
  const RequestAttributes attributes = ReadAttributes(http, query).value();
  const HttpApiRequest remote(http, query, attributes);
  const LocalApiRequest local = LocalApiRequest::Make(request, "").value();
  EXPECT_EQ(Members(local.attributes()), Members(attributes));
  EXPECT_EQ(local.Uri(), remote.Uri());
  EXPECT_EQ(*local.NegotiateForm(ResponseSubject::kObjects),
            *remote.NegotiateForm(ResponseSubject::kObjects));
  EXPECT_EQ(local.ReadResourceVersion()->number(), remote.ReadResourceVersion()->number());
  const bool watch = request.verb == Verb::kWatch;
  const Result<ListQuery> list = remote.ReadListOptions(watch);
  ASSERT_EQ(local.ReadListOptions(watch).ok(), list.ok());
  if (list.ok()) {
    EXPECT_EQ(Members(*local.ReadListOptions(watch)), Members(*list));
  } else {
    EXPECT_EQ(local.ReadListOptions(watch).error().message(), list.error().message());
  }
  const Result<WriteQuery> write = remote.ReadWriteOptions("PatchOptions");
  ASSERT_EQ(local.ReadWriteOptions("PatchOptions").ok(), write.ok());
  if (write.ok()) {
    EXPECT_EQ(Members(*local.ReadWriteOptions("PatchOptions")), Members(*write));
  } else {
    EXPECT_EQ(local.ReadWriteOptions("PatchOptions").error().message(), write.error().message());
  }
}

TEST(LocalRequestTest, ResourcesAreThoseOfTheUrl) {
  ExpectSameAsHttp(Request(Verb::kGet, kPods, "default", "a"));
  ExpectSameAsHttp(Request(Verb::kList, kPods));
  ExpectSameAsHttp(Request(Verb::kList, kDeployments, "default"));
  ExpectSameAsHttp(Request(Verb::kCreate, kDeployments, "default"));
  ExpectSameAsHttp(Request(Verb::kUpdate, kDeployments, "default", "a b%c", "status"));
  ExpectSameAsHttp(Request(Verb::kDeleteCollection, kPods, "default"));
  ExpectSameAsHttp(Request(Verb::kDelete, kNodes, "ignored", "a"));
  ExpectSameAsHttp(Request(Verb::kGet, kNamespaces, "", "a"));
  ExpectSameAsHttp(Request(Verb::kUpdate, kNamespaces, "", "a", "finalize"));
  ExpectSameAsHttp(Request(Verb::kList, kNamespaces));
  ExpectSameAsHttp(Request(Verb::kCreate, kPods, "default", "a", "eviction"));
}

TEST(LocalRequestTest, OptionsAreThoseOfTheUrl) {
  ClientRequest list = Request(Verb::kList, kPods, "default");
  list.label_selector = Selector::Parse("a in (b, c),!d").value();
  list.field_selector = FieldSelector::Equal("metadata.name", "one");
  list.limit = 7;
  list.continue_token = "abc==";
  ExpectSameAsHttp(list);
  list.resource_version = "5";
  list.resource_version_match = "Exact";
  ExpectSameAsHttp(list);  // refused: with a continue token
  list.continue_token.clear();
  ExpectSameAsHttp(list);
  ClientRequest watch = Request(Verb::kWatch, kPods);
  watch.resource_version = "5";
  watch.bookmarks = true;
  watch.timeout = std::chrono::seconds(9);
  ExpectSameAsHttp(watch);
  watch.send_initial_events = true;
  ExpectSameAsHttp(watch);  // refused: without resourceVersionMatch
  watch.resource_version_match = "NotOlderThan";
  ExpectSameAsHttp(watch);
  ClientRequest patch = Request(Verb::kPatch, kPods, "default", "a");
  patch.dry_run = true;
  patch.force = true;
  patch.field_manager = "me & you";
  patch.field_validation = "Strict";
  ExpectSameAsHttp(patch);
  patch.field_validation = "Sometimes";
  ExpectSameAsHttp(patch);
  patch.field_manager = std::string(129, 'x');
  ExpectSameAsHttp(patch);
}

TEST(LocalRequestTest, DeleteOptionsAreThoseOfTheBody) {
  const ClientRequest request = Request(Verb::kDelete, kPods, "default", "a");
  const LocalApiRequest local = LocalApiRequest::Make(request, "").value();
  const DeleteQuery query =
      local.ReadDeleteOptions(R"({"gracePeriodSeconds":3,"propagationPolicy":"Orphan"})").value();
  EXPECT_EQ(query.grace_period_seconds, 3);
  EXPECT_EQ(query.propagation, Propagation::kOrphan);
}

TEST(LocalRequestTest, RefusesNamesThatAreNoPathSegment) {
  for (const std::string& name :
       {std::string("a/b"), std::string("."), std::string(".."), std::string("a\0b", 3)}) {
    const ClientRequest by_name = Request(Verb::kGet, kPods, "default", name);
    EXPECT_FALSE(LocalApiRequest::Make(by_name, "").ok()) << name;
    const ClientRequest by_namespace = Request(Verb::kList, kPods, name);
    EXPECT_FALSE(LocalApiRequest::Make(by_namespace, "").ok()) << name;
  }
}

TEST(LocalRequestTest, RefusesANamespaceInANamespace) {
  ResourceType namespaced = kNamespaces;
  namespaced.namespaced = true;
  const ClientRequest request = Request(Verb::kGet, namespaced, "tenant", "other");
  EXPECT_TRUE(LocalApiRequest::Make(request, "").error().IsNotFound());
}

TEST(LocalRequestTest, RefusesANameWhereASelectorIsMeant) {
  for (const Verb verb : {Verb::kList, Verb::kDeleteCollection}) {
    const ClientRequest request = Request(verb, kPods, "default", "a");
    EXPECT_TRUE(LocalApiRequest::Make(request, "").error().IsBadRequest());
  }
}

TEST(LocalRequestTest, StrategicMergePatchesAreForBuiltinKinds) {
  ClientRequest request = Request(Verb::kPatch, kPods, "default", "a");
  request.patch_type = PatchType::kStrategicMerge;
  const LocalApiRequest local = LocalApiRequest::Make(request, "").value();
  EXPECT_EQ(*local.ReadPatchType(false), PatchType::kStrategicMerge);
  EXPECT_EQ(local.ReadPatchType(true).error().code(), 415);
}

}  // namespace
}  // namespace kubexms
