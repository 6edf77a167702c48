#include "kubexms/api/patch/strategic_patch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kubexms/api/schema/type.h"

namespace kubexms {
namespace {

struct Port : Struct {
  int32_t container_port = 0;
  std::string protocol;

  static void Describe(Type<Port>& type) {
    type.Field("containerPort", &Port::container_port);
    type.Field("protocol", &Port::protocol);
  }
};

struct Variable : Struct {
  std::string name;
  std::string value;

  static void Describe(Type<Variable>& type) {
    type.Field("name", &Variable::name);
    type.Field("value", &Variable::value);
  }
};

struct Container : Struct {
  std::string name;
  std::string image;
  std::vector<std::string> args;
  std::vector<Variable> env;
  std::vector<Port> ports;

  static void Describe(Type<Container>& type) {
    type.Field("name", &Container::name);
    type.Field("image", &Container::image);
    type.Field("args", &Container::args);
    type.Field("env", &Container::env).PatchMerge("name");
    type.Field("ports", &Container::ports).PatchMerge("containerPort");
  }
};

struct Volume : Struct {
  std::string name;
  RawJson empty_dir;
  RawJson host_path;

  static void Describe(Type<Volume>& type) {
    type.Field("name", &Volume::name);
    type.Field("emptyDir", &Volume::empty_dir);
    type.Field("hostPath", &Volume::host_path);
  }
};

struct Strategy : Struct {
  std::string kind;
  StringMap rolling_update;

  static void Describe(Type<Strategy>& type) {
    type.Field("type", &Strategy::kind);
    type.Field("rollingUpdate", &Strategy::rolling_update);
  }
};

struct Workload : Struct {
  StringMap labels;
  std::vector<std::string> finalizers;
  std::vector<std::string> words;
  std::vector<Container> containers;
  std::vector<Volume> volumes;
  std::vector<Variable> keyless;
  Strategy strategy;
  StringMap selector;
  int32_t replicas = 0;

  static void Describe(Type<Workload>& type) {
    type.Field("labels", &Workload::labels);
    type.Field("finalizers", &Workload::finalizers).PatchMerge();
    type.Field("words", &Workload::words);
    type.Field("containers", &Workload::containers).PatchMerge("name");
    type.Field("volumes", &Workload::volumes).PatchMergeRetainKeys("name");
    type.Field("keyless", &Workload::keyless).PatchMerge();
    type.Field("strategy", &Workload::strategy).PatchRetainKeys();
    type.Field("selector", &Workload::selector);
    type.Field("replicas", &Workload::replicas);
  }
};

const Schema& WorkloadSchema() { return TypeOf<Workload>().schema; }

Json Parse(std::string_view text) { return ParseJson(text).value(); }

std::string TextOf(const Result<Json>& result) {
  return result.ok() ? WriteJson(*result) : result.error().message();
}

std::string Patched(std::string_view document, std::string_view patch) {
  return TextOf(ApplyStrategicPatch(Parse(document), Parse(patch), WorkloadSchema()));
}

std::string Created(std::string_view original, std::string_view modified,
                    const StrategicPatchOptions& options = {}) {
  return TextOf(CreateStrategicPatch(Parse(original), Parse(modified), WorkloadSchema(), options));
}

std::string ThreeWay(std::string_view original, std::string_view modified, std::string_view current,
                     OnPatchConflict on_conflict = OnPatchConflict::kOverwrite) {
  return TextOf(CreateThreeWayStrategicPatch(Parse(original), Parse(modified), Parse(current),
                                             WorkloadSchema(), on_conflict));
}

TEST(StrategicPatchTest, MergesObjectsAndDeletesNulls) {
  EXPECT_EQ(Patched(R"({"labels":{"a":"1","b":"2"},"replicas":1})",
                    R"({"labels":{"a":null,"c":"3"},"replicas":2})"),
            R"({"labels":{"b":"2","c":"3"},"replicas":2})");
  EXPECT_EQ(Patched(R"({"replicas":1})", R"({"labels":{"a":null,"b":"1"},"selector":null})"),
            R"({"labels":{"b":"1"},"replicas":1})");
}

TEST(StrategicPatchTest, ReplacesListsWithoutAStrategy) {
  EXPECT_EQ(Patched(R"({"words":["a","b"]})", R"({"words":["c"]})"), R"({"words":["c"]})");
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a","args":["x","y"]}]})",
                    R"({"containers":[{"name":"a","args":["z"]}]})"),
            R"({"containers":[{"args":["z"],"name":"a"}]})");
}

TEST(StrategicPatchTest, MergesListsByKeyAtEveryLevel) {
  EXPECT_EQ(
      Patched(R"({"containers":[{"name":"a","image":"x:1","env":[{"name":"K","value":"1"},
                        {"name":"L","value":"1"}]},{"name":"b","image":"y"}]})",
              R"({"containers":[{"name":"a","image":"x:2","env":[{"name":"L","value":"2"}]}]})"),
      R"({"containers":[{"env":[{"name":"K","value":"1"},{"name":"L","value":"2"}],)"
      R"("image":"x:2","name":"a"},{"image":"y","name":"b"}]})");
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a","ports":[{"containerPort":80}]}]})",
                    R"({"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"UDP"},
                                                           {"containerPort":81}]}]})"),
            R"({"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"UDP"},)"
            R"({"containerPort":81}]}]})");
}

TEST(StrategicPatchTest, NewItemsPrecedeTheOthersWithoutSetElementOrder) {
  const char* live = R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})";
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"n"}]})"),
            R"({"containers":[{"name":"n"},{"name":"a"},{"name":"b"},{"name":"c"}]})");
  // Items in the patch have the order of the patch; the others retain their position.
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"c"},{"name":"a"}]})"),
            R"({"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]})");
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"b"},{"name":"n"}]})"),
            R"({"containers":[{"name":"a"},{"name":"b"},{"name":"n"},{"name":"c"}]})");
}

TEST(StrategicPatchTest, AddsScalarsToMergeLists) {
  EXPECT_EQ(Patched(R"({"finalizers":["a","b"]})", R"({"finalizers":["b","c"]})"),
            R"({"finalizers":["a","b","c"]})");
  EXPECT_EQ(Patched(R"({"finalizers":["a","a"]})", R"({"finalizers":["b","b"]})"),
            R"({"finalizers":["b","a"]})");
  EXPECT_EQ(Patched(R"({})", R"({"finalizers":["b"]})"), R"({"finalizers":["b"]})");
}

TEST(StrategicPatchTest, PatchDirectiveOfAnObject) {
  EXPECT_EQ(
      Patched(R"({"labels":{"a":"1"}})", R"({"labels":{"$patch":"replace","b":"2","c":null}})"),
      R"({"labels":{"b":"2"}})");
  EXPECT_EQ(Patched(R"({"labels":{"a":"1"}})", R"({"labels":{"$patch":"delete","b":"2"}})"),
            R"({"labels":{}})");
  EXPECT_EQ(Patched(R"({"replicas":1})", R"({"$patch":"replace","labels":{}})"),
            R"({"labels":{}})");
  EXPECT_EQ(Patched(R"({"replicas":1})", R"({"$patch":"delete"})"), "{}");
  EXPECT_EQ(Patched(R"({"labels":{}})", R"({"labels":{"$patch":"merge","b":"2"}})"),
            "unknown patch type: merge in map: map[$patch:merge b:2]");
  EXPECT_EQ(Patched(R"({"labels":{}})", R"({"labels":{"$patch":1}})"),
            "unknown patch type: 1 in map: map[$patch:1]");
}

TEST(StrategicPatchTest, DirectivesForAbsentFieldsAddNothing) {
  EXPECT_EQ(Patched("{}", R"({"labels":{"$patch":"delete"}})"), "{}");
  EXPECT_EQ(Patched("{}", R"({"strategy":{"$retainKeys":["type"],"type":"Recreate"}})"),
            R"({"strategy":{"type":"Recreate"}})");
  EXPECT_EQ(Patched("{}", R"({"$deleteFromPrimitiveList/finalizers":["a"]})"), "{}");
  EXPECT_EQ(Patched("{}", R"({"$setElementOrder/containers":[{"name":"a"}]})"), "{}");
  EXPECT_EQ(Patched("{}", R"({"containers":[{"name":"a","$patch":"delete"},{"name":"b",
                              "$setElementOrder/env":[{"name":"K"}],"env":[{"name":"K"}]}]})"),
            R"({"containers":[{"env":[{"name":"K"}],"name":"b"}]})");
}

TEST(StrategicPatchTest, PatchDirectiveOfAnItem) {
  const char* live = R"({"containers":[{"name":"a","image":"x"},{"name":"b"}]})";
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"a","$patch":"delete"}]})"),
            R"({"containers":[{"name":"b"}]})");
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"zz","$patch":"delete"}]})"),
            R"({"containers":[{"image":"x","name":"a"},{"name":"b"}]})");
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"c"},{"$patch":"replace"}]})"),
            R"({"containers":[{"name":"c"}]})");
  EXPECT_EQ(Patched(live, R"({"containers":[{"$patch":"replace"}]})"), R"({"containers":[]})");
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"a","$patch":"merge"}]})"),
            "merging lists cannot yet be specified in the patch");
  EXPECT_EQ(Patched(live, R"({"containers":[{"name":"a","$patch":"spread"}]})"),
            "unknown patch type: spread in map: map[$patch:spread name:a]");
  EXPECT_EQ(Patched(live, R"({"containers":[{"$patch":"delete"}]})"),
            "map: map[$patch:delete] does not contain declared merge key: name");
}

TEST(StrategicPatchTest, DeletesEveryItemWithTheKey) {
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"a","image":"x"}]})",
                    R"({"containers":[{"name":"a","$patch":"delete"}]})"),
            R"({"containers":[{"name":"b"}]})");
}

TEST(StrategicPatchTest, RetainKeysDropsTheOtherMembers) {
  const char* live = R"({"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"1"}}})";
  EXPECT_EQ(Patched(live, R"({"strategy":{"$retainKeys":["type"],"type":"Recreate"}})"),
            R"({"strategy":{"type":"Recreate"}})");
  EXPECT_EQ(Patched(live, R"({"strategy":{"$retainKeys":["type"]}})"),
            R"({"strategy":{"type":"RollingUpdate"}})");
  EXPECT_EQ(Patched(live, R"({"strategy":{"$retainKeys":["type"],"rollingUpdate":null}})"),
            R"({"strategy":{"type":"RollingUpdate"}})");
  EXPECT_EQ(Patched(live, R"({"strategy":{"$retainKeys":["rollingUpdate"],"type":"Recreate"}})"),
            "invalid patch format of retainKeys");
  EXPECT_EQ(Patched(live, R"({"strategy":{"$retainKeys":"type"}})"),
            "invalid patch format of retainKeys");
  EXPECT_EQ(Patched(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                    R"({"volumes":[{"name":"v","$retainKeys":["name","hostPath"],
                                    "hostPath":{"path":"/x"}}]})"),
            R"({"volumes":[{"hostPath":{"path":"/x"},"name":"v"}]})");
}

TEST(StrategicPatchTest, DeletesFromPrimitiveLists) {
  EXPECT_EQ(Patched(R"({"finalizers":["a","b","c"]})",
                    R"({"$deleteFromPrimitiveList/finalizers":["a","c"],"finalizers":["d"]})"),
            R"({"finalizers":["d","b"]})");
  EXPECT_EQ(Patched(R"({"finalizers":["a"]})", R"({"$deleteFromPrimitiveList/finalizers":["a"]})"),
            R"({"finalizers":[]})");
  EXPECT_EQ(Patched(R"({"finalizers":["a"]})", R"({"$deleteFromPrimitiveList":["a"]})"),
            "invalid patch format of primitive list");
  EXPECT_EQ(Patched(R"({"finalizers":["a"]})", R"({"$deleteFromPrimitiveList/finalizers":"a"})"),
            "invalid patch format of primitive list");
}

TEST(StrategicPatchTest, SetElementOrderOrdersScalars) {
  EXPECT_EQ(Patched(R"({"finalizers":["a","b","c"]})",
                    R"({"$setElementOrder/finalizers":["c","b","a"]})"),
            R"({"finalizers":["c","b","a"]})");
  // "x" is set by the server and remains before "b".
  EXPECT_EQ(Patched(R"({"finalizers":["a","x","b"]})",
                    R"({"$setElementOrder/finalizers":["n","a","b"],"finalizers":["n"]})"),
            R"({"finalizers":["n","a","x","b"]})");
  EXPECT_EQ(Patched(R"({"finalizers":["a","b","c"]})",
                    R"({"$setElementOrder/finalizers":["c","a"],
                        "$deleteFromPrimitiveList/finalizers":["b"]})"),
            R"({"finalizers":["c","a"]})");
}

TEST(StrategicPatchTest, SetElementOrderOrdersItems) {
  EXPECT_EQ(
      Patched(R"({"containers":[{"name":"a"},{"name":"srv"},{"name":"b","image":"x"}]})",
              R"({"$setElementOrder/containers":[{"name":"b"},{"name":"n"},{"name":"a"}],
                        "containers":[{"name":"b","image":"y"},{"name":"n"}]})"),
      R"({"containers":[{"name":"srv"},{"image":"y","name":"b"},{"name":"n"},{"name":"a"}]})");
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                    R"({"$setElementOrder/containers":[{"name":"b"}],
                        "containers":[{"name":"a","$patch":"delete"}]})"),
            R"({"containers":[{"name":"b"}]})");
  EXPECT_EQ(Patched("{}", R"({"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],
                              "containers":[{"name":"a"},{"name":"b"}]})"),
            R"({"containers":[{"name":"a"},{"name":"b"}]})");
}

TEST(StrategicPatchTest, SetElementOrderMustAgreeWithThePatch) {
  const char* live = R"({"finalizers":["a"],"containers":[{"name":"a"}]})";
  EXPECT_EQ(Patched(live, R"({"$setElementOrder/finalizers":["a","b"],"finalizers":["b","a"]})"),
            "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n");
  EXPECT_EQ(Patched(live, R"({"$setElementOrder/containers":[{"name":"a"}],
                              "containers":[{"name":"n"}]})"),
            "The order in patch list:\n[map[name:n]]\n doesn't match $setElementOrder list:\n"
            "[map[name:a]]\n");
  EXPECT_EQ(Patched(live, R"({"$setElementOrder/finalizers":"a"})"),
            "expected a []interface {}, but received a string");
  EXPECT_EQ(Patched(live, R"({"$setElementOrder/finalizers":["a"],"finalizers":null})"),
            "expected a []interface {}, but received a nil");
  EXPECT_EQ(Patched(live, R"({"$setElementOrder":["a"]})"),
            "invalid patch format of setElementOrder list");
  EXPECT_EQ(Patched(live, R"({"$setElementOrder/containers":[{"nome":"a"}]})"),
            "map: map[nome:a] does not contain declared merge key: name");
}

TEST(StrategicPatchTest, RefusesListsItCannotMerge) {
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"image":"x"}]})"),
            "map: map[image:x] does not contain declared merge key: name");
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a"}]})", R"({"containers":["a"]})"),
            "list element types are not identical: [[map[name:a]] [a]]");
  EXPECT_EQ(Patched(R"({"finalizers":[["a"]]})", R"({"finalizers":["a"]})"),
            "lists of lists are not supported");
  EXPECT_EQ(Patched(R"({"keyless":[{"name":"a"}]})", R"({"keyless":[{"name":"b"}]})"),
            "cannot merge lists without merge key for map");
  EXPECT_EQ(Patched("[]", "{}"),
            "expected a map[string]interface {}, but received a []interface {}");
  EXPECT_EQ(Patched("{}", "1"), "expected a map[string]interface {}, but received a int64");
}

TEST(StrategicPatchTest, MergesFieldsWithoutASchemaAsJson) {
  EXPECT_EQ(Patched(R"({"unknown":{"list":[{"name":"a"}],"map":{"x":1,"y":2}}})",
                    R"({"unknown":{"list":[{"name":"b"}],"map":{"x":null}}})"),
            R"({"unknown":{"list":[{"name":"b"}],"map":{"y":2}}})");
  EXPECT_EQ(Patched(R"({"volumes":[{"name":"v","emptyDir":{"a":{"b":1}}}]})",
                    R"({"volumes":[{"name":"v","emptyDir":{"a":{"c":[1]}}}]})"),
            R"({"volumes":[{"emptyDir":{"a":{"b":1,"c":[1]}},"name":"v"}]})");
}

TEST(StrategicPatchTest, CreatesNothingForEqualDocuments) {
  const char* document = R"({"containers":[{"name":"a"},{"name":"b"}],"finalizers":["x","y"],
                             "strategy":{"type":"A"},"volumes":[{"name":"v"}],"q":[[1]]})";
  EXPECT_EQ(Created(document, document), "{}");
}

TEST(StrategicPatchTest, CreatesSmallPatchesOfNestedLists) {
  EXPECT_EQ(
      Created(R"({"containers":[{"name":"a","image":"1","env":[{"name":"K"}]},{"name":"b"}]})",
              R"({"containers":[{"name":"a","image":"2","env":[{"name":"K"}]},{"name":"b"}]})"),
      R"({"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],)"
      R"("containers":[{"image":"2","name":"a"}]})");
  EXPECT_EQ(Created(R"({"containers":[{"name":"b"},{"name":"a"}]})",
                    R"({"containers":[{"name":"a"},{"name":"c"}]})"),
            R"({"$setElementOrder/containers":[{"name":"a"},{"name":"c"}],)"
            R"("containers":[{"name":"c"},{"$patch":"delete","name":"b"}]})");
  EXPECT_EQ(Created(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                    R"({"containers":[{"name":"b"},{"name":"a"}]})"),
            R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]})");
  EXPECT_EQ(Created(R"({"containers":[{"name":"a"}]})", R"({"containers":[]})"),
            R"({"containers":[{"$patch":"delete","name":"a"}]})");
  EXPECT_EQ(Created(R"({"containers":[]})", R"({"containers":[{"name":"a"}]})"),
            R"({"containers":[{"name":"a"}]})");
  EXPECT_EQ(Created(R"({"containers":[{"name":"a"}]})", "{}"), R"({"containers":null})");
}

TEST(StrategicPatchTest, CreatesPatchesOfScalarLists) {
  EXPECT_EQ(Created(R"({"finalizers":["a","b"]})", R"({"finalizers":["c","b"]})"),
            R"({"$deleteFromPrimitiveList/finalizers":["a"],)"
            R"("$setElementOrder/finalizers":["c","b"],"finalizers":["c"]})");
  EXPECT_EQ(Created(R"({"words":["a","b"]})", R"({"words":["b"]})"), R"({"words":["b"]})");
}

TEST(StrategicPatchTest, CreatesRetainKeysByTheSchema) {
  EXPECT_EQ(Created(R"({"strategy":{"type":"A","rollingUpdate":{"x":"1"}}})",
                    R"({"strategy":{"type":"B"}})"),
            R"({"strategy":{"$retainKeys":["type"],"rollingUpdate":null,"type":"B"}})");
  EXPECT_EQ(Created(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                    R"({"volumes":[{"name":"v","hostPath":{"path":"/"}}]})"),
            R"({"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{"$retainKeys":["hostPath",)"
            R"("name"],"emptyDir":null,"hostPath":{"path":"/"},"name":"v"}]})");
}

TEST(StrategicPatchTest, OmitsDirectivesByOption) {
  EXPECT_EQ(Created(R"({"strategy":{"type":"A"},"finalizers":["a"],"containers":[{"name":"a"}]})",
                    R"({"strategy":{"type":"B"},"finalizers":["b"],"containers":[{"name":"b"}]})",
                    {.set_element_order = false, .retain_keys = false}),
            R"({"$deleteFromPrimitiveList/finalizers":["a"],"containers":[{"name":"b"},)"
            R"({"$patch":"delete","name":"a"}],"finalizers":["b"],"strategy":{"type":"B"}})");
}

TEST(StrategicPatchTest, ComparesItemsThatShareAKeyInPairs) {
  EXPECT_EQ(Created(R"({"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"},
                                                           {"containerPort":53,"protocol":"UDP"}]}]})",
                    R"({"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"},
                                                           {"containerPort":53,"protocol":"UDP"}]}]})"),
            "{}");
}

TEST(StrategicPatchTest, RefusesToCreateWithoutMergeKeys) {
  EXPECT_EQ(Created(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"image":"a"}]})"),
            "map: map[image:a] does not contain declared merge key: name");
  EXPECT_EQ(Created("[]", "{}"),
            "expected a map[string]interface {}, but received a []interface {}");
}

TEST(StrategicPatchTest, ThreeWayPreservesFieldsOfTheServer) {
  EXPECT_EQ(ThreeWay(R"({"labels":{"a":"1"},"containers":[{"name":"a","image":"1"}]})",
                     R"({"labels":{"a":"2"},"containers":[{"name":"a","image":"2"}]})",
                     R"({"labels":{"a":"1","srv":"x"},"replicas":3,
                         "containers":[{"name":"a","image":"1","args":["d"]}]})"),
            R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"2",)"
            R"("name":"a"}],"labels":{"a":"2"}})");
}

TEST(StrategicPatchTest, ThreeWayDeletesOnlyFieldsOfTheClient) {
  const char* current = R"({"labels":{"mine":"1","srv":"x"},
                            "containers":[{"name":"mine"},{"name":"srv"},{"name":"kept"}],
                            "finalizers":["mine","srv"]})";
  const std::string patch =
      ThreeWay(R"({"labels":{"mine":"1"},"containers":[{"name":"mine"},{"name":"kept"}],
                   "finalizers":["mine"]})",
               R"({"labels":{},"containers":[{"name":"kept"}],"finalizers":[]})", current);
  EXPECT_EQ(patch,
            R"({"$deleteFromPrimitiveList/finalizers":["mine"],"$setElementOrder/containers":)"
            R"([{"name":"kept"}],"containers":[{"$patch":"delete","name":"mine"}],)"
            R"("labels":{"mine":null}})");
  EXPECT_EQ(Patched(current, patch),
            R"({"containers":[{"name":"srv"},{"name":"kept"}],"finalizers":["srv"],)"
            R"("labels":{"srv":"x"}})");
}

TEST(StrategicPatchTest, ThreeWayMergesDeletionsAndChangesOfOneItem) {
  const char* current = R"({"containers":[{"name":"b","image":"1","args":["x"]},{"name":"srv"}]})";
  const std::string patch =
      ThreeWay(R"({"containers":[{"name":"gone"},{"name":"b","image":"1","args":["x"]}]})",
               R"({"containers":[{"name":"n"},{"name":"b","image":"2"}]})", current);
  EXPECT_EQ(
      patch,
      R"({"$setElementOrder/containers":[{"name":"n"},{"name":"b"}],"containers":[)"
      R"({"name":"n"},{"args":null,"image":"2","name":"b"},{"$patch":"delete","name":"gone"}]})");
  EXPECT_EQ(Patched(current, patch),
            R"({"containers":[{"name":"n"},{"image":"2","name":"b"},{"name":"srv"}]})");
}

TEST(StrategicPatchTest, ThreeWayRetainKeysRemovesFieldsOfTheServer) {
  EXPECT_EQ(ThreeWay(R"({"strategy":{"type":"A"}})", R"({"strategy":{"type":"B"}})",
                     R"({"strategy":{"type":"A","rollingUpdate":{"x":"1"}}})"),
            R"({"strategy":{"$retainKeys":["type"],"type":"B"}})");
}

TEST(StrategicPatchTest, ThreeWayReportsConflictsByOption) {
  const auto create = [](std::string_view modified, std::string_view current) {
    return CreateThreeWayStrategicPatch(
        Parse(R"({"replicas":1,"containers":[{"name":"a","image":"1"}]})"), Parse(modified),
        Parse(current), WorkloadSchema(), OnPatchConflict::kFail);
  };
  const Result<Json> conflict = create(R"({"replicas":2,"containers":[{"name":"a","image":"1"}]})",
                                       R"({"replicas":3,"containers":[{"name":"a","image":"1"}]})");
  ASSERT_FALSE(conflict.ok());
  EXPECT_EQ(conflict.error().code(), 409);
  EXPECT_TRUE(conflict.error().message().starts_with("patch:\n"));
  EXPECT_NE(conflict.error().message().find("conflicts with changes made from original to current"),
            std::string::npos);

  EXPECT_FALSE(create(R"({"replicas":1,"containers":[{"name":"a","image":"2"}]})",
                      R"({"replicas":1,"containers":[{"name":"a","image":"3"}]})")
                   .ok());
  // Changed in the same way, or elsewhere.
  EXPECT_TRUE(create(R"({"replicas":2,"containers":[{"name":"a","image":"1"}]})",
                     R"({"replicas":2,"containers":[{"name":"a","image":"1"}]})")
                  .ok());
  EXPECT_TRUE(create(R"({"replicas":2,"containers":[{"name":"a","image":"1"}]})",
                     R"({"replicas":1,"containers":[{"name":"a","image":"1"},{"name":"b"}],
                         "labels":{"x":"y"}})")
                  .ok());
}

// ---- Properties over random documents of the schema. ----

int Pick(int limit) { return *rc::gen::inRange(0, limit); }
JsonString Letter(int limit = 4) { return JsonString(1, static_cast<char>('a' + Pick(limit))); }

// Different letters in random order.
JsonArray RandomSet() {
  JsonArray set;
  const int size = Pick(5);
  for (int i = 0; i < size; ++i) {
    const Json letter = Letter(6);
    if (std::find(set.begin(), set.end(), letter) == set.end()) set.push_back(letter);
  }
  return set;
}

template <class Fill>
JsonArray RandomItems(Fill fill) {
  JsonArray items;
  for (const Json& name : RandomSet()) {
    JsonObject item{{"name", name}};
    fill(item);
    items.push_back(std::move(item));
  }
  return items;
}

JsonObject RandomMap() {
  JsonObject map;
  const int size = Pick(4);
  for (int i = 0; i < size; ++i) map[Letter(5)] = Letter();
  return map;
}

JsonArray RandomEnv() {
  return RandomItems([](JsonObject& item) {
    if (Pick(2) == 0) item["value"] = Letter();
  });
}

JsonArray RandomContainers() {
  return RandomItems([](JsonObject& item) {
    if (Pick(2) == 0) item["image"] = Letter();
    if (Pick(2) == 0) item["args"] = RandomSet();
    if (Pick(2) == 0) item["env"] = RandomEnv();
    if (Pick(3) == 0) item["more"] = JsonObject{{"list", RandomSet()}, {"map", RandomMap()}};
  });
}

JsonArray RandomVolumes() {
  return RandomItems([](JsonObject& item) {
    if (Pick(2) == 0) {
      item["emptyDir"] = RandomMap();
    } else {
      item["hostPath"] = RandomMap();
    }
  });
}

JsonObject RandomStrategy() {
  JsonObject strategy{{"type", Letter(2)}};
  if (Pick(2) == 0) strategy["rollingUpdate"] = RandomMap();
  return strategy;
}

Json RandomWorkload() {
  JsonObject workload;
  if (Pick(3) != 0) workload["labels"] = RandomMap();
  if (Pick(3) != 0) workload["finalizers"] = RandomSet();
  if (Pick(3) != 0) workload["words"] = RandomSet();
  if (Pick(4) != 0) workload["containers"] = RandomContainers();
  if (Pick(4) != 0) workload["volumes"] = RandomVolumes();
  if (Pick(3) != 0) workload["strategy"] = RandomStrategy();
  if (Pick(2) != 0) workload["replicas"] = Pick(3);
  if (Pick(3) == 0) workload["unknown"] = RandomMap();
  return workload;
}

RC_GTEST_PROP(StrategicPatchPropertyTest, ApplyingACreatedPatchGivesTheTarget, ()) {
  const Json original = RandomWorkload();
  const Json modified = RandomWorkload();
  const Json patch = CreateStrategicPatch(original, modified, WorkloadSchema()).value();
  RC_LOG() << WriteJson(patch);
  const Json patched = ApplyStrategicPatch(original, patch, WorkloadSchema()).value();
  RC_ASSERT(WriteJson(patched) == WriteJson(modified));
}

RC_GTEST_PROP(StrategicPatchPropertyTest, TheEmptyPatchChangesNothing, ()) {
  const Json document = RandomWorkload();
  RC_ASSERT(WriteJson(CreateStrategicPatch(document, document, WorkloadSchema()).value()) == "{}");
  const Json patched = ApplyStrategicPatch(document, JsonObject(), WorkloadSchema()).value();
  RC_ASSERT(WriteJson(patched) == WriteJson(document));
}

RC_GTEST_PROP(StrategicPatchPropertyTest, ThreeWayPatchWithoutOtherChangesGivesTheTarget, ()) {
  const Json original = RandomWorkload();
  const Json modified = RandomWorkload();
  const Json patch = CreateThreeWayStrategicPatch(original, modified, original, WorkloadSchema(),
                                                  OnPatchConflict::kFail)
                         .value();
  const Json patched = ApplyStrategicPatch(original, patch, WorkloadSchema()).value();
  RC_ASSERT(WriteJson(patched) == WriteJson(modified));
}

RC_GTEST_PROP(StrategicPatchPropertyTest, ThreeWayPatchIsEmptyAfterOneApply, ()) {
  const Json original = RandomWorkload();
  const Json modified = RandomWorkload();
  const Json current = RandomWorkload();
  const auto apply = [&](const Json& last, const Json& live) {
    const Json patch = CreateThreeWayStrategicPatch(last, modified, live, WorkloadSchema(),
                                                    OnPatchConflict::kOverwrite)
                           .value();
    return ApplyStrategicPatch(live, patch, WorkloadSchema()).value();
  };
  const Json once = apply(original, current);
  RC_ASSERT(WriteJson(apply(modified, once)) == WriteJson(once));
}

}  // namespace
}  // namespace kubexms
