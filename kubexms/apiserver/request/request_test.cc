#include "kubexms/apiserver/request/request.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

RequestAttributes Read(std::string method, std::string target) {
  HttpRequest request{.method = std::move(method), .target = std::move(target)};
  const QueryParameters query = QueryParameters::Parse(request.query()).value();
  return ReadAttributes(request, query).value();
}

QueryParameters Query(std::string_view text) { return QueryParameters::Parse(text).value(); }

TEST(RequestTest, ParsesPathsOfNamespacedObjects) {
  const RequestAttributes get = Read("GET", "/apis/apps/v1/namespaces/a/deployments/b/scale");
  EXPECT_TRUE(get.is_resource);
  EXPECT_EQ(get.verb, "get");
  EXPECT_EQ(get.group, "apps");
  EXPECT_EQ(get.version, "v1");
  EXPECT_EQ(get.namespace_name, "a");
  EXPECT_EQ(get.resource, "deployments");
  EXPECT_EQ(get.name, "b");
  EXPECT_EQ(get.subresource, "scale");
}

TEST(RequestTest, ParsesPathsOfClusterScopedObjects) {
  const RequestAttributes node = Read("DELETE", "/api/v1/nodes/n1");
  EXPECT_EQ(node.verb, "delete");
  EXPECT_EQ(node.group, "");
  EXPECT_EQ(node.resource, "nodes");
  EXPECT_EQ(node.name, "n1");
  EXPECT_EQ(node.namespace_name, "");
}

TEST(RequestTest, SetsTheNamespaceOfANamespaceToItself) {
  const RequestAttributes get = Read("GET", "/api/v1/namespaces/a");
  EXPECT_EQ(get.resource, "namespaces");
  EXPECT_EQ(get.name, "a");
  EXPECT_EQ(get.namespace_name, "a");
  const RequestAttributes finalize = Read("PUT", "/api/v1/namespaces/a/finalize");
  EXPECT_EQ(finalize.resource, "namespaces");
  EXPECT_EQ(finalize.subresource, "finalize");
  EXPECT_EQ(Read("GET", "/api/v1/namespaces/a/pods").resource, "pods");
}

TEST(RequestTest, DerivesTheVerbFromMethodNameAndWatch) {
  EXPECT_EQ(Read("GET", "/api/v1/pods").verb, "list");
  EXPECT_EQ(Read("GET", "/api/v1/pods?watch=1").verb, "watch");
  EXPECT_EQ(Read("GET", "/api/v1/pods?watch=true").verb, "watch");
  EXPECT_EQ(Read("GET", "/api/v1/pods?watch=True").verb, "watch");
  EXPECT_EQ(Read("GET", "/api/v1/pods?watch=false").verb, "list");
  EXPECT_EQ(Read("POST", "/api/v1/namespaces/a/pods").verb, "create");
  EXPECT_EQ(Read("PUT", "/api/v1/namespaces/a/pods/b").verb, "update");
  EXPECT_EQ(Read("PATCH", "/api/v1/namespaces/a/pods/b").verb, "patch");
  EXPECT_EQ(Read("DELETE", "/api/v1/namespaces/a/pods").verb, "deletecollection");
}

TEST(RequestTest, ParsesDeprecatedWatchPaths) {
  const RequestAttributes watch = Read("GET", "/api/v1/watch/namespaces/a/pods/b");
  EXPECT_EQ(watch.verb, "watch");
  EXPECT_EQ(watch.namespace_name, "a");
  EXPECT_EQ(watch.resource, "pods");
  EXPECT_EQ(watch.name, "b");
}

TEST(RequestTest, TreatsOtherPathsAsNonResourcePaths) {
  for (const char* path : {"/", "/version", "/api", "/apis", "/api/v1", "/apis/apps/v1",
                           "/openapi/v3/apis/apps/v1", "/metrics"}) {
    const RequestAttributes attributes = Read("GET", path);
    EXPECT_FALSE(attributes.is_resource) << path;
    EXPECT_EQ(attributes.verb, "get");
    EXPECT_EQ(attributes.path, path);
  }
}

TEST(RequestTest, RefusesMalformedPaths) {
  for (const char* path : {"/api/v1/namespaces/../pods", "/api/v1//pods", "/api/v1/pods/%zz"}) {
    EXPECT_FALSE(ReadAttributes({.target = path}, {}).ok()) << path;
  }
}

TEST(ListQueryTest, ParsesAllOptions) {
  const ListQuery query =
      ReadListQuery(Query("labelSelector=a%3Db&fieldSelector=metadata.name%3Dc&limit=5&"
                          "resourceVersion=7&resourceVersionMatch=Exact&timeoutSeconds=3"),
                    false)
          .value();
  EXPECT_EQ(query.labels.ToString(), "a=b");
  EXPECT_EQ(query.fields.ToString(), "metadata.name=c");
  EXPECT_EQ(query.limit, 5);
  EXPECT_EQ(query.version.number(), 7);
  EXPECT_EQ(query.match, VersionMatch::kExact);
  EXPECT_EQ(query.timeout_seconds, 3);
}

TEST(ListQueryTest, RefusesContradictoryOptions) {
  for (const char* text :
       {"limit=x", "resourceVersion=abc", "resourceVersionMatch=Exact",
        "resourceVersionMatch=Sometimes&resourceVersion=1", "labelSelector=a%20in%20b",
        "sendInitialEvents=true", "continue=abc&resourceVersion=5",
        "resourceVersion=0&resourceVersionMatch=Exact"}) {
    EXPECT_FALSE(ReadListQuery(Query(text), false).ok()) << text;
  }
  for (const char* text : {"sendInitialEvents=true", "resourceVersionMatch=NotOlderThan"}) {
    EXPECT_FALSE(ReadListQuery(Query(text), true).ok()) << text;
  }
}

TEST(WriteQueryTest, ParsesAllOptions) {
  const WriteQuery query =
      ReadWriteQuery(Query("dryRun=All&fieldManager=me&fieldValidation=Strict&force=true"),
                     "PatchOptions")
          .value();
  EXPECT_TRUE(query.dry_run);
  EXPECT_EQ(query.field_manager, "me");
  EXPECT_EQ(query.field_validation, FieldValidation::kStrict);
  EXPECT_TRUE(query.force);
}

TEST(WriteQueryTest, NamesTheOptionsKindInErrors) {
  const Error error = ReadWriteQuery(Query("dryRun=Some"), "CreateOptions").error();
  EXPECT_EQ(error.message(),
            R"(CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: )"
            R"(supported values: "All")");
}

TEST(WriteQueryTest, RefusesUnprintableFieldManagers) {
  const auto manager = [](std::string_view query) {
    return ReadWriteQuery(Query(query), "CreateOptions");
  };
  EXPECT_EQ(manager("fieldManager=%ff").value().field_manager, "\uFFFD");
  EXPECT_EQ(manager("fieldManager=gr%c3%bcn").value().field_manager, "grün");
  EXPECT_EQ(manager("fieldManager=a%0Ab%7F").error().message(),
            R"(CreateOptions.meta.k8s.io "" is invalid: [fieldManager: Invalid value: )"
            R"("a\nb\x7f": invalid character U+000A (at position 1), fieldManager: Invalid value: )"
            R"("a\nb\x7f": invalid character U+007F (at position 3)])");
  EXPECT_TRUE(manager("fieldManager=" + std::string(128, 'x')).ok());
  EXPECT_EQ(manager("fieldManager=" + std::string(129, 'x')).error().code(), 422);
}

TEST(DeleteQueryTest, MergesTheBodyAndTheQuery) {
  const DeleteQuery query =
      ReadDeleteQuery(Query("gracePeriodSeconds=5"),
                      R"({"propagationPolicy":"Orphan","preconditions":{"uid":"u"}})")
          .value();
  EXPECT_EQ(query.grace_period_seconds, 5);
  EXPECT_EQ(query.propagation, Propagation::kOrphan);
  EXPECT_EQ(query.precondition_uid, "u");
  EXPECT_FALSE(ReadDeleteQuery(Query(""), R"({"propagationPolicy":"Sideways"})").ok());
}

TEST(RequestTest, TheUserAgentNamesTheManager) {
  EXPECT_EQ(DefaultFieldManager("kubectl/v1.34 (linux)"), "kubectl");
  EXPECT_EQ(DefaultFieldManager(""), "unknown");
  EXPECT_EQ(DefaultFieldManager("a\xFF\tb"), "a\uFFFDb");
  EXPECT_EQ(DefaultFieldManager(std::string(127, 'x') + "ü"), std::string(127, 'x'));
  EXPECT_EQ(DefaultFieldManager("/"), "unknown");
}

}  // namespace
}  // namespace kubexms
