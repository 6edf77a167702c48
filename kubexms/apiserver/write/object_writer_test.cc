#include "kubexms/apiserver/write/object_writer.h"

#include <gtest/gtest.h>

#include <thread>

#include "kubexms/apiserver/write/written_objects_test.h"

namespace kubexms {
namespace {

class ObjectWriterTest : public WrittenObjects {
 protected:
  static std::string Number(const Json& object) {
    return std::string(FindString(*FindMember(object, "data"), "n"));
  }
};

TEST_F(ObjectWriterTest, SetsTheMetadataOfTheServer) {
  const Json made = Create("", "configmaps",
                           R"({"metadata":{"name":"a","uid":"mine","generation":7,)"
                           R"("deletionTimestamp":"2020-01-01T00:00:00Z"}})")
                        .value();
  EXPECT_NE(UidOf(made), "mine");
  EXPECT_EQ(UidOf(made).size(), 36);
  EXPECT_EQ(FindString(*FindMember(made, "metadata"), "creationTimestamp"), "2024-01-01T00:00:00Z");
  EXPECT_FALSE(IsBeingDeleted(made));
  EXPECT_FALSE(MetadataOf(made).contains("generation"));
  EXPECT_FALSE(ResourceVersionOf(made).empty());
}

TEST_F(ObjectWriterTest, RefusesASecondObjectWithTheSameName) {
  ASSERT_TRUE(Create("", "configmaps", R"({"metadata":{"name":"a"}})").ok());
  EXPECT_TRUE(Create("", "configmaps", R"({"metadata":{"name":"a"}})").error().IsAlreadyExists());
}

TEST_F(ObjectWriterTest, RefusesACreationInAMissingOrTerminatingNamespace) {
  WriteAttributes attributes = Attributes(Find("", "configmaps"));
  attributes.namespace_name = "none";
  Json document =
      ParseJson(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})").value();
  EXPECT_TRUE(writer_.Create(attributes, document).error().IsNotFound());
  ASSERT_FALSE(Delete("", "namespaces", "default").value().completed);
  EXPECT_TRUE(Create("", "configmaps", R"({"metadata":{"name":"a"}})").error().IsForbidden());
}

TEST_F(ObjectWriterTest, LosesNoConcurrentUpdate) {
  ASSERT_TRUE(Create("", "configmaps", R"({"metadata":{"name":"a"},"data":{"n":""}})").ok());
  constexpr int kThreads = 4;
  constexpr int kUpdates = 25;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([this] {
        for (int done = 0; done < kUpdates;) {
          const Result<Written> written = Update("", "configmaps", "a", [](Json& document) {
            Json& data = document.get_object()["data"];
            data.get_object()["n"] = Number(document) + "x";
          });
          if (written.ok()) {
            ++done;
          } else {
            EXPECT_TRUE(written.error().IsConflict()) << written.error().message();
          }
        }
      });
    }
  }
  const Result<Written> last = Update("", "configmaps", "a", [](Json&) {});
  EXPECT_EQ(Number(ParseJson(last->object).value()).size(), kThreads * kUpdates);
}

TEST_F(ObjectWriterTest, AnUpdateOfAnOldResourceVersionIsAConflict) {
  const Json made = Create("", "configmaps", R"({"metadata":{"name":"a"}})").value();
  const auto set_label = [](Json& document) {
    MetadataOf(document)["labels"] = JsonObject{{"a", "b"}};
  };
  ASSERT_TRUE(Update("", "configmaps", "a", set_label).ok());
  const Result<Written> stale = Update("", "configmaps", "a", [&](Json& d) { d = made; });
  EXPECT_TRUE(stale.error().IsConflict());
}

TEST_F(ObjectWriterTest, AnUpdateWithoutChangesWritesNothing) {
  ASSERT_TRUE(Create("", "configmaps", R"({"metadata":{"name":"a"}})").ok());
  const uint64_t before = store_->CurrentRevision().value();
  ASSERT_TRUE(Update("", "configmaps", "a", [](Json&) {}).ok());
  EXPECT_EQ(store_->CurrentRevision().value(), before);
}

TEST_F(ObjectWriterTest, OnlyChangesOfTheSpecCountAsGenerations) {
  ASSERT_TRUE(Create("apps", "deployments",
                     R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"x":"y"}},)"
                     R"("template":{"metadata":{"labels":{"x":"y"}},"spec":{"containers":)"
                     R"([{"name":"c","image":"i"}]}}}})")
                  .ok());
  const auto generation = [](const Result<Written>& written) {
    return MetadataOf(ParseJson(written->object).value()).at("generation").get_int64();
  };
  EXPECT_EQ(generation(Update("apps", "deployments", "a",
                              [](Json& document) {
                                MetadataOf(document)["labels"] = JsonObject{{"a", "b"}};
                              })),
            1);
  EXPECT_EQ(generation(Update("apps", "deployments", "a",
                              [](Json& document) {
                                document.get_object()["spec"].get_object()["replicas"] = 3;
                              })),
            2);
}

TEST_F(ObjectWriterTest, ADeletionWaitsForFinalizers) {
  ASSERT_TRUE(
      Create("", "configmaps", R"({"metadata":{"name":"a","finalizers":["example.com/x"]}})").ok());
  const Deleted deleted = Delete("", "configmaps", "a").value();
  EXPECT_FALSE(deleted.completed);
  EXPECT_TRUE(IsBeingDeleted(ParseJson(deleted.object).value()));
  const Result<Written> added = Update("", "configmaps", "a", [](Json& document) {
    MetadataOf(document)["finalizers"].get_array().emplace_back("example.com/y");
  });
  EXPECT_TRUE(added.error().IsInvalid());
  const Result<Written> removed = Update(
      "", "configmaps", "a", [](Json& document) { MetadataOf(document).erase("finalizers"); });
  EXPECT_TRUE(removed->removed);
  EXPECT_TRUE(Delete("", "configmaps", "a").error().IsNotFound());
}

TEST_F(ObjectWriterTest, APropagationPolicyBecomesAFinalizer) {
  for (const auto& [propagation, finalizer] :
       {std::pair(Propagation::kForeground, "foregroundDeletion"),
        std::pair(Propagation::kOrphan, "orphan")}) {
    ASSERT_TRUE(Create("", "configmaps",
                       R"({"metadata":{"name":")" +
                           std::string(finalizer == std::string("orphan") ? "b" : "a") + R"("}})")
                    .ok());
    const char* name = finalizer == std::string("orphan") ? "b" : "a";
    const Deleted deleted = Delete("", "configmaps", name, {.propagation = propagation}).value();
    EXPECT_FALSE(deleted.completed);
    EXPECT_EQ(MetadataOf(ParseJson(deleted.object).value()).at("finalizers"),
              Json(JsonArray{finalizer}));
  }
}

TEST_F(ObjectWriterTest, ChecksThePreconditionsOfADeletion) {
  ASSERT_TRUE(Create("", "configmaps", R"({"metadata":{"name":"a"}})").ok());
  EXPECT_TRUE(Delete("", "configmaps", "a", {.precondition_uid = "other"}).error().IsConflict());
  EXPECT_TRUE(Delete("", "configmaps", "a").ok());
}

TEST_F(ObjectWriterTest, DeletesACollection) {
  std::vector<std::string> names = {"never-was"};
  for (int i = 0; i < 600; ++i) names.push_back("n" + std::to_string(i));
  for (size_t i = 1; i < names.size(); ++i) {
    const bool held = i % 100 == 0;
    ASSERT_TRUE(Create("", "configmaps",
                       R"({"metadata":{"name":")" + names[i] + R"(","finalizers":[)" +
                           (held ? R"("example.com/x")" : "") + "]}}")
                    .ok());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  ASSERT_TRUE(writer_.DeleteEach(Attributes(Find("", "configmaps")), views, {}).ok());
  for (size_t i = 1; i < names.size(); ++i) {
    EXPECT_EQ(Delete("", "configmaps", names[i]).ok(), i % 100 == 0) << names[i];
  }
}

TEST_F(ObjectWriterTest, DryRunsChangeNothing) {
  WriteAttributes attributes = Attributes(Find("", "configmaps"));
  attributes.dry_run = true;
  const Json document =
      ParseJson(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})").value();
  const uint64_t before = store_->CurrentRevision().value();
  EXPECT_TRUE(writer_.Create(attributes, document)->created);
  EXPECT_EQ(store_->CurrentRevision().value(), before);
}

TEST_F(ObjectWriterTest, GeneratesNamesUntilOneIsFree) {
  for (int i = 0; i < 20; ++i) {
    const Result<Json> made = Create("", "configmaps", R"({"metadata":{"generateName":"gen-"}})");
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(NameOf(*made).size(), 9);
    EXPECT_TRUE(NameOf(*made).starts_with("gen-"));
  }
}

}  // namespace
}  // namespace kubexms
