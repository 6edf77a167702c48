#include "kubexms/api/patch/apply.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>

#include "kubexms/api/patch/managed_fields.h"
#include "kubexms/api/schema/type.h"

namespace kubexms {
namespace {

struct Metadata : Struct {
  std::string name;
  StringMap annotations;
  StringMap labels;
  std::vector<std::string> finalizers;

  static void Describe(Type<Metadata>& type) {
    type.Field("annotations", &Metadata::annotations);
    type.Field("name", &Metadata::name);
    type.Field("namespace", &Metadata::name);
    type.Field("uid", &Metadata::name);
    type.Field("resourceVersion", &Metadata::name);
    type.Field("labels", &Metadata::labels);
    type.Field("finalizers", &Metadata::finalizers).ListSet();
  }
};

struct ContainerPort : Struct {
  int32_t container_port = 0;
  std::string protocol;

  static void Describe(Type<ContainerPort>& type) {
    type.Field("containerPort", &ContainerPort::container_port);
    type.Field("protocol", &ContainerPort::protocol).Default("TCP");
  }
};

struct Container : Struct {
  std::string name;
  std::string image;
  std::string pull_policy;
  std::vector<ContainerPort> ports;

  static void Describe(Type<Container>& type) {
    type.Field("name", &Container::name);
    type.Field("image", &Container::image);
    type.Field("imagePullPolicy", &Container::pull_policy);
    type.Field("ports", &Container::ports).ListMap({"containerPort", "protocol"});
  }
};

struct Spec : Struct {
  int32_t replicas = 0;
  StringMap selector;
  std::vector<Container> containers;

  static void Describe(Type<Spec>& type) {
    type.Field("replicas", &Spec::replicas);
    type.Field("selector", &Spec::selector).MapAtomic();
    type.Field("containers", &Spec::containers).ListMap({"name"});
  }
};

struct Status : Struct {
  int32_t replicas = 0;

  static void Describe(Type<Status>& type) { type.Field("replicas", &Status::replicas); }
};

// Something between a ConfigMap and a Deployment.
struct Workload : Struct {
  Metadata metadata;
  StringMap data;
  Spec spec;
  Status status;

  static void Describe(Type<Workload>& type) {
    type.Field("apiVersion", &Workload::version);
    type.Field("kind", &Workload::version);
    type.Field("metadata", &Workload::metadata);
    type.Field("data", &Workload::data);
    type.Field("spec", &Workload::spec);
    type.Field("status", &Workload::status);
  }

  std::string version;
};

Json Doc(std::string_view text) { return ParseJson(text).value(); }
FieldSet Set(std::string_view text) { return FieldSet::FromJson(Doc(text)).value(); }

// One object, and requests that write it. Each request advances the time.
class Cluster {
 public:
  explicit Cluster(const Schema* schema = &TypeOf<Workload>().schema) : schema_(schema) {}

  std::string Apply(std::string_view manager, std::string_view config, bool force = false) {
    const Result<Applied> applied =
        kubexms::Apply(object_, Config(config), Options(manager), force);
    if (!applied.ok()) {
      error_ = applied.error();
      return applied.error().message();
    }
    changed_ = applied->changed;
    object_ = applied->object;
    return Without("managedFields");
  }

  void Update(std::string_view manager, std::string_view document,
              std::string_view subresource = "") {
    Json updated = Config(document);
    if (object_.is_object()) {
      JsonObject& metadata = updated.get_object()["metadata"].get_object();
      metadata["uid"] = "1";
      if (const Json* managed = FindMember(*FindMember(object_, "metadata"), "managedFields")) {
        if (!metadata.contains("managedFields")) metadata["managedFields"] = *managed;
      }
    }
    const Json live = object_.is_object() ? object_ : Json(JsonObject());
    object_ = TrackUpdate(live, std::move(updated), Options(manager, subresource));
    object_.get_object()["metadata"].get_object()["uid"] = "1";
  }

  // "one Apply 2: {…}" for each entry, one a line.
  std::string Managers() const {
    std::string out;
    const Json* list = FindMember(*FindMember(object_, "metadata"), "managedFields");
    if (list == nullptr) return out;
    for (const Json& entry : list->get_array()) {
      if (!out.empty()) out += '\n';
      const std::string_view time = FindString(entry, "time");
      const std::string_view subresource = FindString(entry, "subresource");
      fmt::format_to(std::back_inserter(out), "{}{}{} {} {}: {}", FindString(entry, "manager"),
                     subresource.empty() ? "" : "/", subresource, FindString(entry, "operation"),
                     time.empty() ? "-" : time.substr(18, 1),
                     WriteJson(*FindMember(entry, "fieldsV1")));
    }
    return out;
  }

  void Write(Json object) { object_ = std::move(object); }
  void StripTime() { stripped_time_ = true; }
  const Json& object() const { return object_; }
  bool changed() const { return changed_; }
  const Error& error() const { return *error_; }
  const FieldSet* reset_fields = nullptr;

 private:
  static Json Config(std::string_view text) {
    Json config = Doc(text);
    config.get_object().emplace("metadata", JsonObject());
    config.get_object()["metadata"].get_object()["name"] = "x";
    return config;
  }

  FieldManagerOptions Options(std::string_view manager, std::string_view subresource = "") {
    time_ = stripped_time_ ? "" : fmt::format("2026-11-15T07:51:0{}Z", ++second_);
    return {.manager = manager,
            .subresource = subresource,
            .api_version = "apps/v1",
            .time = time_,
            .schema = schema_,
            .reset_fields = reset_fields};
  }

  std::string Without(std::string_view name) const {
    Json copy = object_;
    copy.get_object()["metadata"].get_object().erase(name);
    copy.get_object()["metadata"].get_object().erase("name");
    copy.get_object()["metadata"].get_object().erase("uid");
    if (copy.get_object()["metadata"].get_object().empty()) copy.get_object().erase("metadata");
    return WriteJson(copy);
  }

  const Schema* schema_;
  Json object_;
  std::string time_;
  int second_ = 0;
  bool stripped_time_ = false;
  bool changed_ = false;
  std::optional<Error> error_;
};

// ---- What was seen on a real cluster. ----

TEST(ApplyTest, TwoManagersShareAMap) {
  Cluster cluster;
  EXPECT_EQ(cluster.Apply("one", R"({"data":{"a":"1","b":"1"}})"), R"({"data":{"a":"1","b":"1"}})");
  EXPECT_EQ(cluster.Managers(), R"(one Apply 1: {"f:data":{"f:a":{},"f:b":{}}})");

  EXPECT_EQ(cluster.Apply("two", R"({"data":{"c":"1"}})"), R"({"data":{"a":"1","b":"1","c":"1"}})");
  EXPECT_EQ(cluster.Managers(),
            "one Apply 1: {\"f:data\":{\"f:a\":{},\"f:b\":{}}}\n"
            "two Apply 2: {\"f:data\":{\"f:c\":{}}}");

  EXPECT_EQ(cluster.Apply("two", R"({"data":{"a":"2"}})"),
            "Apply failed with 1 conflict: conflict with \"one\": .data.a");
  EXPECT_EQ(cluster.error().code(), 409);
  EXPECT_EQ(cluster.error().reason(), "Conflict");
  EXPECT_EQ(
      cluster.error().details().causes,
      (std::vector<ErrorCause>{{"FieldManagerConflict", "conflict with \"one\"", ".data.a"}}));

  EXPECT_EQ(cluster.Apply("two", R"({"data":{"a":"2"}})", true), R"({"data":{"a":"2","b":"1"}})");
  EXPECT_EQ(cluster.Managers(),
            "one Apply 1: {\"f:data\":{\"f:b\":{}}}\n"
            "two Apply 4: {\"f:data\":{\"f:a\":{}}}");

  EXPECT_EQ(cluster.Apply("one", R"({"data":{}})"), R"({"data":{"a":"2"}})");
  EXPECT_EQ(cluster.Managers(),
            "two Apply 4: {\"f:data\":{\"f:a\":{}}}\n"
            "one Apply 5: {\"f:data\":{}}");
}

constexpr std::string_view kDeployment =
    R"({"spec":{"replicas":2,"selector":{"app":"d"},"containers":[{"name":"a","image":"x",)"
    R"("ports":[{"containerPort":80}]}]}})";

TEST(ApplyTest, AnotherManagerMayOwnReplicas) {
  Cluster cluster;
  cluster.Apply("one", kDeployment);
  EXPECT_EQ(cluster.Managers(),
            R"(one Apply 1: {"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},)"
            R"("f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
            R"("f:containerPort":{}}}}},"f:replicas":{},"f:selector":{}}})");

  // The server sets defaults, which have no owner, and another manager scales.
  Json defaulted = cluster.object();
  Json& container = defaulted.at("spec").at("containers").at(0);
  container.get_object()["imagePullPolicy"] = "Always";
  container.at("ports").at(0).get_object()["protocol"] = "TCP";
  cluster.Write(defaulted);
  defaulted.at("spec").get_object()["replicas"] = 5;
  const FieldManagerOptions hpa{.manager = "hpa",
                                .subresource = "scale",
                                .api_version = "apps/v1",
                                .schema = &TypeOf<Workload>().schema};
  cluster.Write(TrackUpdate(cluster.object(), defaulted, hpa));

  EXPECT_EQ(cluster.Apply("one", kDeployment),
            "Apply failed with 1 conflict: conflict with \"hpa\" with subresource \"scale\" using "
            "apps/v1: .spec.replicas");
  EXPECT_EQ(cluster.error().details().causes[0].message,
            "conflict with \"hpa\" with subresource \"scale\" using apps/v1");

  EXPECT_EQ(cluster.Apply("one", R"({"spec":{"selector":{"app":"d"},)"
                                 R"("containers":[{"name":"a","image":"y"}]}})"),
            R"({"spec":{"containers":[{"image":"y","imagePullPolicy":"Always","name":"a"}],)"
            R"("replicas":5,"selector":{"app":"d"}}})");
  EXPECT_EQ(cluster.Managers(),
            R"(one Apply 3: {"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},)"
            R"("f:name":{}}},"f:selector":{}}})"
            "\n"
            R"(hpa/scale Update -: {"f:spec":{"f:replicas":{}}})");
}

TEST(TrackUpdateTest, EachManagerOwnsTheFieldsThatItChangedLast) {
  Cluster cluster;
  cluster.Update("maker", R"({"data":{"a":"1"}})");
  EXPECT_EQ(cluster.Managers(), R"(maker Update 1: {"f:data":{".":{},"f:a":{}}})");
  cluster.Update("upd", R"({"data":{"a":"2"}})");
  EXPECT_EQ(cluster.Managers(),
            "maker Update 1: {\"f:data\":{}}\n"
            "upd Update 2: {\"f:data\":{\"f:a\":{}}}");
  cluster.Update("tool", R"({"data":{"a":"2","b":"x"}})");
  cluster.Update("tool", R"({"data":{"b":"x","c":"3"}})");
  EXPECT_EQ(cluster.Managers(),
            "maker Update 1: {\"f:data\":{}}\n"
            "tool Update 4: {\"f:data\":{\"f:b\":{},\"f:c\":{}}}");
}

TEST(TrackUpdateTest, ItemsAndTheirListsAreOwned) {
  Cluster cluster;
  cluster.Update("tool", R"({"metadata":{"finalizers":["example.com/x"]},"data":{"x":"y"}})");
  EXPECT_EQ(cluster.Managers(),
            R"(tool Update 1: {"f:data":{".":{},"f:x":{}},"f:metadata":{"f:finalizers":{".":{},)"
            R"("v:\"example.com/x\"":{}}}})");
}

TEST(TrackUpdateTest, TheCreatorDoesNotOwnFieldsThatTheKindAlwaysHas) {
  const Json zero = Doc(R"({"spec":{"containers":[],"selector":null},"status":{}})");
  const Json created = TrackUpdate(
      zero, Doc(R"({"spec":{"containers":[{"name":"a"}],"selector":{"a":"b"}},"status":{}})"),
      {.manager = "m", .api_version = "apps/v1", .schema = &TypeOf<Workload>().schema});
  EXPECT_EQ(WriteJson(created.at("metadata").at("managedFields").at(0).at("fieldsV1")),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}},)"
            R"("f:selector":{}}})");
}

TEST(TrackUpdateTest, AnUpdateWithoutChangesPreservesManagedFields) {
  Cluster cluster;
  cluster.Update("one", R"({"data":{"a":"1"}})");
  const Json before = cluster.object();
  cluster.Update("two", R"({"data":{"a":"1"}})");
  EXPECT_TRUE(JsonEqual(cluster.object(), before));
}

TEST(TrackUpdateTest, ASubresourceHasItsOwnEntry) {
  Cluster cluster;
  cluster.Update("tool", R"({"spec":{"replicas":1}})");
  const FieldSet all_but_status = Set(R"({"f:spec":{},"f:metadata":{}})");
  cluster.reset_fields = &all_but_status;
  cluster.Update("tool", R"({"spec":{"replicas":1},"status":{"replicas":1}})", "status");
  EXPECT_EQ(cluster.Managers(),
            "tool Update 1: {\"f:spec\":{\".\":{},\"f:replicas\":{}}}\n"
            "tool/status Update 2: {\"f:status\":{\".\":{},\"f:replicas\":{}}}");
}

TEST(TrackUpdateTest, AnUpdateRemovesFieldsFromAppliers) {
  Cluster cluster;
  cluster.Apply("one", R"({"data":{"a":"1","b":"1"}})");
  cluster.Update("tool", R"({"data":{"a":"2","b":"1"}})");
  EXPECT_EQ(cluster.Managers(),
            "one Apply 1: {\"f:data\":{\"f:b\":{}}}\n"
            "tool Update 2: {\"f:data\":{\"f:a\":{}}}");
}

TEST(TrackUpdateTest, ManagedFieldsCanBeResetAndAreThenNoLongerTracked) {
  Cluster cluster;
  cluster.Update("one", R"({"data":{"a":"1"}})");
  cluster.Update("one", R"({"metadata":{"managedFields":[{}]},"data":{"a":"1"}})");
  EXPECT_EQ(cluster.Managers(), "");
  cluster.Update("two", R"({"data":{"a":"2"}})");
  EXPECT_EQ(cluster.Managers(), "");
}

TEST(TrackUpdateTest, MalformedManagedFieldsOfARequestAreIgnored) {
  Cluster cluster;
  cluster.Update("one", R"({"data":{"a":"1"}})");
  cluster.Update("two", R"({"metadata":{"managedFields":[{"operation":"Nonsense"}]},)"
                        R"("data":{"a":"2"}})");
  EXPECT_EQ(cluster.Managers(),
            "one Update 1: {\"f:data\":{}}\n"
            "two Update 2: {\"f:data\":{\"f:a\":{}}}");
}

TEST(TrackUpdateTest, MergesTheOldestUpdateEntries) {
  Cluster cluster;
  cluster.StripTime();
  Json data = JsonObject();
  for (int i = 0; i < 12; ++i) {
    data.get_object()[fmt::format("k{:02}", i)] = "v";
    cluster.Update(fmt::format("m{:02}", i), fmt::format(R"({{"data":{}}})", WriteJson(data)));
  }
  const JsonArray& entries = cluster.object().at("metadata").at("managedFields").get_array();
  EXPECT_EQ(entries.size(), kMaxUpdateManagers);
  EXPECT_EQ(FindString(entries[0], "manager"), "ancient-changes");
  EXPECT_EQ(WriteJson(entries[0].at("fieldsV1")),
            R"({"f:data":{".":{},"f:k00":{},"f:k01":{},"f:k02":{}}})");
}

TEST(ApplyTest, EqualValuesHaveSharedOwners) {
  Cluster cluster;
  cluster.Apply("one", R"({"data":{"a":"1"}})");
  EXPECT_EQ(cluster.Apply("two", R"({"data":{"a":"1"}})"), R"({"data":{"a":"1"}})");
  EXPECT_TRUE(cluster.changed());
  EXPECT_EQ(cluster.Managers(),
            "one Apply 1: {\"f:data\":{\"f:a\":{}}}\n"
            "two Apply 2: {\"f:data\":{\"f:a\":{}}}");
  EXPECT_EQ(cluster.Apply("one", "{}"), R"({"data":{"a":"1"}})");
  EXPECT_EQ(cluster.Apply("two", "{}"), "{}");
}

TEST(ApplyTest, ApplyingTheSameAgainChangesNothing) {
  Cluster cluster;
  cluster.Apply("one", kDeployment);
  const Json before = cluster.object();
  cluster.Apply("one", kDeployment);
  EXPECT_FALSE(cluster.changed());
  EXPECT_TRUE(JsonEqual(cluster.object(), before));
}

TEST(ApplyTest, ListsEveryConflictByManager) {
  Cluster cluster;
  cluster.Apply("one", R"({"data":{"a":"1","b":"1"}})");
  cluster.Update("tool", R"({"data":{"a":"1","b":"1","c":"1"}})");
  EXPECT_EQ(cluster.Apply("two", R"({"data":{"a":"2","b":"2","c":"2"}})"),
            "Apply failed with 3 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b\n"
            "conflicts with \"tool\" using apps/v1:\n- .data.c");
  EXPECT_EQ(cluster.error().details().causes.size(), 3u);
  EXPECT_EQ(
      cluster.error().details().causes[2],
      (ErrorCause{"FieldManagerConflict", "conflict with \"tool\" using apps/v1", ".data.c"}));
}

TEST(ApplyTest, NamesItemsInConflicts) {
  Cluster cluster;
  cluster.Apply("one", kDeployment);
  EXPECT_EQ(cluster.Apply("two", R"({"spec":{"containers":[{"name":"a","image":"z"}]}})"),
            "Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.containers[name=\"a\"].image");
}

TEST(ApplyTest, RemovesItemsWithoutAnOwner) {
  Cluster cluster;
  cluster.Apply("one", R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b"}]}})");
  cluster.Apply("two", R"({"spec":{"containers":[{"name":"c"},{"name":"b"}]}})");
  EXPECT_EQ(cluster.Apply("one", R"({"spec":{"containers":[{"name":"d"}]}})"),
            R"({"spec":{"containers":[{"name":"c"},{"name":"b"},{"name":"d"}]}})");
}

TEST(ApplyTest, RemovingTheLastLabelPreservesNameAndNamespace) {
  for (const std::string_view field :
       {R"("labels":{"a":"1"})", R"("annotations":{"a":"1"})", R"("finalizers":["a"])"}) {
    Cluster cluster;
    cluster.Apply("one", fmt::format(R"({{"metadata":{{"name":"x",{}}}}})", field));
    cluster.Apply("one", R"({"metadata":{"name":"x"}})");
    EXPECT_EQ(WriteJson(cluster.object()), R"({"metadata":{"name":"x"}})");
  }
}

TEST(ApplyTest, FieldsFromBeforeTheFirstApplyHaveAnOwner) {
  Cluster cluster;
  cluster.Write(Doc(R"({"metadata":{"name":"x","uid":"1"},"data":{"a":"1"}})"));
  EXPECT_EQ(cluster.Apply("one", R"({"data":{"a":"2"}})"),
            "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: "
            ".data.a");
  cluster.Apply("one", R"({"data":{"b":"1"}})");
  EXPECT_EQ(cluster.Managers(),
            "one Apply 2: {\"f:data\":{\"f:b\":{}}}\n"
            "before-first-apply Update 2: {\"f:data\":{\".\":{},\"f:a\":{}}}");
}

TEST(ApplyTest, ResetFieldsAreNeitherOwnedNorChanged) {
  Cluster cluster;
  const FieldSet status = Set(R"({"f:status":{}})");
  cluster.reset_fields = &status;
  EXPECT_EQ(cluster.Apply("one", R"({"data":{"a":"1"},"status":{"replicas":3}})"),
            R"({"data":{"a":"1"}})");
  EXPECT_EQ(cluster.Managers(), R"(one Apply 1: {"f:data":{"f:a":{}}})");
}

TEST(ApplyTest, WorksWithoutASchema) {
  Cluster cluster(nullptr);
  cluster.Apply("one", R"({"spec":{"a":{"b":1},"list":[1,2]}})");
  EXPECT_EQ(cluster.Managers(),
            R"(one Apply 1: {"f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:list":{}}})");
  EXPECT_EQ(cluster.Apply("two", R"({"spec":{"list":[3]}})"),
            "Apply failed with 1 conflict: conflict with \"one\": .spec.list");
  EXPECT_EQ(cluster.Apply("one", R"({"spec":{"list":[1]}})"), R"({"spec":{"list":[1]}})");
}

TEST(ApplyTest, RefusesManagedFieldsAndUndeclaredFields) {
  Cluster cluster;
  EXPECT_EQ(cluster.Apply("one", R"({"metadata":{"managedFields":[]}})"),
            "metadata.managedFields must be nil");
  EXPECT_EQ(cluster.Apply("one", R"({"apiVersion":"v1","kind":"Workload","spec":{"what":1}})"),
            "failed to create typed patch object (/x; /v1, Kind=Workload): .spec.what: field not "
            "declared in schema");
}

TEST(ApplyTest, RefusesALiveObjectWithMalformedManagedFields) {
  Cluster cluster;
  cluster.Write(Doc(R"({"metadata":{"managedFields":[{"manager":"one","operation":"Apply",)"
                    R"("apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"x":{}}}]}})"));
  EXPECT_EQ(cluster.Apply("one", R"({"data":{"a":"1"}})"),
            "managed fields of \"one\": path element \"x\": expected one of \"f:\", \"i:\", "
            "\"k:\" and \"v:\" in front");
}

// ---- Properties, on random configurations. ----

// Says something about some of a few keys and containers; `who` makes the keys unique.
Json RandomConfig(std::string_view who = "") {
  Json config = JsonObject();
  JsonObject& data = config.get_object()["data"].emplace_object();
  JsonArray containers;
  for (int key = 0; key < 6; ++key) {
    if (*rc::gen::arbitrary<bool>()) continue;
    data[fmt::format("{}{}", who, key)] = fmt::format("{}", *rc::gen::inRange(0, 3));
  }
  for (int name = 0; name < 4; ++name) {
    if (*rc::gen::arbitrary<bool>()) continue;
    JsonObject container = {{"name", fmt::format("{}{}", who, name)}};
    if (*rc::gen::arbitrary<bool>()) container["image"] = fmt::format("{}", name);
    containers.push_back(container);
  }
  if (*rc::gen::arbitrary<bool>()) std::reverse(containers.begin(), containers.end());
  // An empty list of items has no owner.
  if (!containers.empty()) config.get_object()["spec"] = {{"containers", containers}};
  config.get_object()["metadata"] = {{"name", "x"}};
  return config;
}

Json ForcedApply(Json live, std::string_view manager, const Json& config) {
  const FieldManagerOptions options{.manager = manager,
                                    .api_version = "apps/v1",
                                    .time = "2026-11-15T07:51:00Z",
                                    .schema = &TypeOf<Workload>().schema};
  return Apply(std::move(live), config, options, true).value().object;
}

TEST(ApplyTest, IsIdempotent) {
  EXPECT_TRUE(rc::check([] {
    const Json live = ForcedApply({}, "other", RandomConfig());
    const Json config = RandomConfig();
    const FieldManagerOptions options{
        .manager = "one", .api_version = "apps/v1", .schema = &TypeOf<Workload>().schema};
    const Json once = Apply(live, config, options, true).value().object;
    const Result<Applied> twice = Apply(once, config, options, false);
    RC_ASSERT(twice.ok());
    RC_ASSERT(!twice->changed);
    RC_ASSERT(JsonEqual(twice->object, once));
  }));
}

// Sorted, so that only the contents of lists count.
Json Sorted(Json object) {
  if (Json* spec = FindMember(object, "spec")) {
    if (Json* containers = FindMember(*spec, "containers")) {
      JsonArray& items = containers->get_array();
      std::sort(items.begin(), items.end(),
                [](const Json& a, const Json& b) { return WriteJson(a) < WriteJson(b); });
    }
  }
  return object;
}

TEST(ApplyTest, DisjointManagersMayApplyInAnyOrder) {
  EXPECT_TRUE(rc::check([] {
    const Json one = RandomConfig("p");
    const Json two = RandomConfig("q");
    const Json a = ForcedApply(ForcedApply({}, "one", one), "two", two);
    const Json b = ForcedApply(ForcedApply({}, "two", two), "one", one);
    RC_ASSERT(JsonEqual(Sorted(a), Sorted(b)));
  }));
}

TEST(ApplyTest, AnEmptyConfigurationRemovesAllFieldsOfTheManager) {
  EXPECT_TRUE(rc::check([] {
    const Json alone = ForcedApply({}, "two", RandomConfig("q"));
    const Json both = ForcedApply(alone, "one", RandomConfig("p"));
    const Json left = ForcedApply(both, "one", Doc(R"({"metadata":{"name":"x"}})"));
    const auto one_is_gone = [](const Json& object) {
      const Json* managed = FindMember(object.at("metadata"), "managedFields");
      if (managed == nullptr) return true;
      for (const Json& entry : managed->get_array()) {
        if (FindString(entry, "manager") == "one") return false;
      }
      return true;
    };
    RC_ASSERT(one_is_gone(left));
    RC_ASSERT(WriteJson(left).find("\"p") == std::string::npos);
    RC_ASSERT(JsonEqual(CompareFields(left, alone, &TypeOf<Workload>().schema).added.ToJson(),
                        JsonObject()));
  }));
}

TEST(ApplyTest, ForceTransfersOwnership) {
  EXPECT_TRUE(rc::check([] {
    Json live = ForcedApply({}, "one", RandomConfig());
    live = ForcedApply(live, "two", RandomConfig());
    const Json config = RandomConfig();
    live = ForcedApply(live, "three", config);
    const FieldManagerOptions options{
        .manager = "three", .api_version = "apps/v1", .schema = &TypeOf<Workload>().schema};
    RC_ASSERT(Apply(live, config, options, false).ok());
  }));
}

// ---- From kubectl's client-side apply to the server's. ----

// What kubectl stores when it applies from its side.
std::string ClientSideApplied(std::string_view data, std::string_view last_applied_data) {
  const std::string last_applied = fmt::format(
      R"({{"apiVersion":"apps/v1","data":{},"metadata":{{"name":"x"}}}})", last_applied_data);
  JsonObject document;
  document["data"] = Doc(data);
  document["metadata"]
      .emplace_object()["annotations"]
      .emplace_object()["kubectl.kubernetes.io/last-applied-configuration"] = last_applied;
  return WriteJson(document);
}

std::string LastApplied(const Cluster& cluster) {
  const Json& annotations = cluster.object().at("metadata").at("annotations");
  return std::string(FindString(annotations, "kubectl.kubernetes.io/last-applied-configuration"));
}

TEST(ApplyTest, KubectlOwnsTheFieldsOfItsClientSideApply) {
  Cluster cluster;
  cluster.Update("kubectl-client-side-apply", ClientSideApplied(R"({"a":"1"})", R"({"a":"1"})"));
  cluster.Apply("kubectl", R"({"apiVersion":"apps/v1","data":{"a":"2"}})");
  EXPECT_EQ(FindString(cluster.object().at("data"), "a"), "2");
  EXPECT_EQ(cluster.Managers().substr(0, 45), R"(kubectl Apply 2: {"f:data":{"f:a":{}}}
kubect)");
  EXPECT_EQ(LastApplied(cluster),
            "{\"apiVersion\":\"apps/v1\",\"data\":{\"a\":\"2\"},\"metadata\":{\"name\":\"x\"}}\n");
  cluster.Apply("kubectl", R"({"apiVersion":"apps/v1","data":{"a":"2"}})");
  EXPECT_FALSE(cluster.changed());
}

TEST(ApplyTest, KubectlConflictsOnFieldsThatOthersChangedSinceItsClientSideApply) {
  Cluster cluster;
  cluster.Update("kubectl-client-side-apply",
                 ClientSideApplied(R"({"a":"1","b":"1"})", R"({"a":"1","b":"1"})"));
  cluster.Update("editor", ClientSideApplied(R"({"a":"1","b":"9"})", R"({"a":"1","b":"1"})"));
  EXPECT_EQ(cluster.Apply("kubectl", R"({"apiVersion":"apps/v1","data":{"a":"2","b":"2"}})"),
            "Apply failed with 1 conflict: conflict with \"editor\" using apps/v1: .data.b");
}

TEST(ApplyTest, OnlyKubectlUsesTheLastAppliedConfiguration) {
  Cluster cluster;
  const std::string applied = ClientSideApplied(R"({"a":"1"})", R"({"a":"1"})");
  cluster.Update("kubectl-client-side-apply", applied);
  EXPECT_EQ(cluster.Apply("helm", R"({"apiVersion":"apps/v1","data":{"a":"2"}})"),
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using "
            "apps/v1: .data.a");
  cluster.Apply("helm", R"({"apiVersion":"apps/v1","data":{"b":"2"}})");
  EXPECT_EQ(LastApplied(cluster),
            R"({"apiVersion":"apps/v1","data":{"a":"1"},"metadata":{"name":"x"}})");
}

TEST(ApplyTest, IgnoresALastAppliedConfigurationOfAnotherVersionOrType) {
  for (const std::string_view last_applied :
       {"", "{", R"({"apiVersion":"apps/v2","data":{"a":"1"}})",
        R"({"apiVersion":"apps/v1","data":{"a":"1"},"nonsense":1})"}) {
    Cluster cluster;
    Json document = Doc(ClientSideApplied(R"({"a":"1"})", "{}"));
    document.at("metadata")
        .at("annotations")
        .get_object()["kubectl.kubernetes.io/last-applied-configuration"] = last_applied;
    cluster.Update("kubectl-client-side-apply", WriteJson(document));
    EXPECT_EQ(cluster.Apply("kubectl", R"({"apiVersion":"apps/v1","data":{"a":"2"}})"),
              "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using "
              "apps/v1: .data.a");
  }
}

TEST(ApplyTest, DropsALastAppliedConfigurationThatIsTooLarge) {
  Cluster cluster;
  cluster.Update("kubectl-client-side-apply", ClientSideApplied(R"({"a":"1"})", R"({"a":"1"})"));
  cluster.Apply("kubectl", fmt::format(R"({{"data":{{"a":"{}"}}}})", std::string(300'000, 'x')));
  EXPECT_EQ(LastApplied(cluster), "");
  EXPECT_TRUE(cluster.changed());
}

}  // namespace
}  // namespace kubexms
