#include "kubexms/apiserver/table/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

const Clock::WallTime kNow = Time::Parse("2024-05-06T12:00:00Z")->value();

// "apps/v1/deployments", "v1/pods".
std::string PathOf(const Resource& resource) {
  return resource.api_version() + "/" + resource.plural;
}

const Resource& Find(std::string_view path) {
  static const std::vector<ResourcePtr> kResources = BuiltinResources();
  const auto found = std::ranges::find_if(
      kResources, [&](const ResourcePtr& resource) { return PathOf(*resource) == path; });
  KUBEXMS_CHECK(found != kResources.end());
  return **found;
}

Json PrintRow(const Resource& resource, std::string_view object) {
  const Result<std::string> table = TablePrinter(resource).Print(object, {.now = kNow});
  EXPECT_TRUE(table.ok()) << table.error().message();
  return ParseJson(*table)->at("rows").at(0);
}

// The cells of an object, as JSON without the brackets. Checks that there is one per column.
std::string Cells(std::string_view path, std::string_view object) {
  const Json cells = PrintRow(Find(path), object).at("cells");
  EXPECT_EQ(cells.as_array().size(), TablePrinter(Find(path)).columns().size());
  const std::string text = WriteJson(cells);
  return text.substr(1, text.size() - 2);
}

// An object that was created five minutes ago, with these further members.
std::string Named(std::string_view members) {
  return fmt::format(
      R"({{"metadata":{{"creationTimestamp":"2024-05-06T11:55:00Z","name":"x"}},{}}})", members);
}

std::string Pod(std::string_view spec, std::string_view status) {
  return Named(fmt::format(R"("spec":{{{}}},"status":{{{}}})", spec, status));
}

// READY, STATUS and RESTARTS of a pod.
std::string PodState(std::string_view spec, std::string_view status) {
  const Json cells = PrintRow(Find("v1/pods"), Pod(spec, status)).at("cells");
  return fmt::format("{} {} {}", cells.at(1).as_string().c_str(), cells.at(2).as_string().c_str(),
                     cells.at(3).as_string().c_str());
}

// Columns separated by '|': '+' before the name for -o wide, the type after it if not string, '!'
// if the format is name.
std::string DescribeColumns(const Resource& resource) {
  const TablePrinter printer(resource);
  std::string text;
  for (const TableColumn& column : printer.columns()) {
    if (!text.empty()) text += '|';
    if (column.priority == 1) text += '+';
    text += column.name;
    if (column.type != "string") text += ":" + column.type;
    if (column.format == "name") text += '!';
    EXPECT_FALSE(column.description.empty()) << column.name;
  }
  return text;
}

TEST(TableTest, HasTheColumnsOfKubernetes) {
  const std::map<std::string, std::string> expected = {
      {"v1/componentstatuses", "Name!|Status|Message|Error"},
      {"v1/configmaps", "Name!|Data|Age"},
      {"v1/endpoints", "Name!|Endpoints|Age"},
      {"v1/events",
       "Last Seen|Type|Reason|Object|+Subobject|+Source|Message|+First Seen|+Count|+Name!"},
      {"v1/limitranges", "Name!|Created At:date"},
      {"v1/namespaces", "Name!|Status|Age"},
      {"v1/nodes",
       "Name!|Status|Roles|Age|Version|+Internal-IP|+External-IP|+OS-Image|+Kernel-Version|"
       "+Container-Runtime"},
      {"v1/persistentvolumeclaims",
       "Name!|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|"
       "+VolumeMode"},
      {"v1/persistentvolumes",
       "Name!|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|"
       "VolumeAttributesClass|Reason|Age|+VolumeMode"},
      {"v1/pods", "Name!|Ready|Status|Restarts|Age|+IP|+Node|+Nominated Node|+Readiness Gates"},
      {"v1/podtemplates", "Name!|Containers|Images|Pod Labels"},
      {"v1/replicationcontrollers",
       "Name!|Desired:integer|Current:integer|Ready:integer|Age|+Containers|+Images|+Selector"},
      {"v1/resourcequotas", "Name!|Request|Limit|Age"},
      {"v1/secrets", "Name!|Type|Data|Age"},
      {"v1/serviceaccounts", "Name!|Secrets|Age"},
      {"v1/services", "Name!|Type|Cluster-IP|External-IP|Port(s)|Age|+Selector"},
      {"admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
       "Name!|Webhooks:integer|Age"},
      {"admissionregistration.k8s.io/v1/validatingadmissionpolicies",
       "Name!|Validations:integer|ParamKind|Age"},
      {"admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
       "Name!|PolicyName|ParamRef|Age"},
      {"admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
       "Name!|Webhooks:integer|Age"},
      {"apiextensions.k8s.io/v1/customresourcedefinitions", "Name!|Created At:date"},
      {"apiregistration.k8s.io/v1/apiservices", "Name!|Service|Available|Age"},
      {"apps/v1/controllerrevisions", "Name!|Controller|Revision|Age"},
      {"apps/v1/daemonsets",
       "Name!|Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|"
       "Available:integer|Node Selector|Age|+Containers|+Images|+Selector"},
      {"apps/v1/deployments", "Name!|Ready|Up-to-date|Available|Age|+Containers|+Images|+Selector"},
      {"apps/v1/replicasets",
       "Name!|Desired:integer|Current:integer|Ready:integer|Age|+Containers|+Images|+Selector"},
      {"apps/v1/statefulsets", "Name!|Ready|Age|+Containers|+Images"},
      {"autoscaling/v1/horizontalpodautoscalers",
       "Name!|Reference|Targets|MinPods|MaxPods|Replicas|Age"},
      {"autoscaling/v2/horizontalpodautoscalers",
       "Name!|Reference|Targets|MinPods|MaxPods|Replicas|Age"},
      {"batch/v1/cronjobs",
       "Name!|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|+Containers|"
       "+Images|+Selector"},
      {"batch/v1/jobs", "Name!|Status|Completions|Duration|Age|+Containers|+Images|+Selector"},
      {"certificates.k8s.io/v1/certificatesigningrequests",
       "Name!|Age|SignerName|Requestor|RequestedDuration|Condition"},
      {"coordination.k8s.io/v1/leases", "Name!|Holder|Age"},
      {"discovery.k8s.io/v1/endpointslices", "Name!|AddressType|Ports|Endpoints|Age"},
      {"events.k8s.io/v1/events",
       "Last Seen|Type|Reason|Object|+Subobject|+Source|Message|+First Seen|+Count|+Name!"},
      {"flowcontrol.apiserver.k8s.io/v1/flowschemas",
       "Name!|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL"},
      {"flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
       "Name!|Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age"},
      {"networking.k8s.io/v1/ingressclasses", "Name!|Controller|Parameters|Age"},
      {"networking.k8s.io/v1/ingresses", "Name!|Class|Hosts|Address|Ports|Age"},
      {"networking.k8s.io/v1/ipaddresses", "Name!|ParentRef"},
      {"networking.k8s.io/v1/networkpolicies", "Name!|Pod-Selector|Age"},
      {"networking.k8s.io/v1/servicecidrs", "Name!|CIDRs|Age"},
      {"node.k8s.io/v1/runtimeclasses", "Name!|Handler|Age"},
      {"policy/v1/poddisruptionbudgets",
       "Name!|Min Available|Max Unavailable|Allowed Disruptions:integer|Age"},
      {"rbac.authorization.k8s.io/v1/clusterrolebindings",
       "Name!|Role|Age|+Users|+Groups|+ServiceAccounts"},
      {"rbac.authorization.k8s.io/v1/clusterroles", "Name!|Created At:date"},
      {"rbac.authorization.k8s.io/v1/rolebindings",
       "Name!|Role|Age|+Users|+Groups|+ServiceAccounts"},
      {"rbac.authorization.k8s.io/v1/roles", "Name!|Created At:date"},
      {"resource.k8s.io/v1/deviceclasses", "Name!|Age"},
      {"resource.k8s.io/v1/resourceclaims", "Name!|State|Age"},
      {"resource.k8s.io/v1/resourceclaimtemplates", "Name!|Age"},
      {"resource.k8s.io/v1/resourceslices", "Name!|Node|Driver|Pool|Age"},
      {"scheduling.k8s.io/v1/priorityclasses",
       "Name!|Value:integer|Global-Default:boolean|Age|PreemptionPolicy"},
      {"storage.k8s.io/v1/csidrivers",
       "Name!|AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|"
       "TokenRequests|RequiresRepublish:boolean|Modes|Age"},
      {"storage.k8s.io/v1/csinodes", "Name!|Drivers:integer|Age"},
      {"storage.k8s.io/v1/csistoragecapacities", "Name!|Created At:date"},
      {"storage.k8s.io/v1/storageclasses",
       "Name!|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age"},
      {"storage.k8s.io/v1/volumeattachments", "Name!|Attacher!|PV|Node|Attached:boolean|Age"},
      {"storage.k8s.io/v1/volumeattributesclasses", "Name!|DriverName|Age"},
  };
  for (const auto& [path, columns] : expected) {
    EXPECT_EQ(DescribeColumns(Find(path)), columns) << path;
  }
}

TEST(TableTest, PrintsEveryKindEvenWhenItsObjectIsEmpty) {
  for (const ResourcePtr& resource : BuiltinResources()) {
    const TablePrinter printer(*resource);
    const Result<std::string> table = printer.Print("{}", {.now = kNow});
    ASSERT_TRUE(table.ok());
    const Result<Json> document = ParseJson(*table);
    ASSERT_TRUE(document.ok()) << *table;
    EXPECT_EQ(document->at("rows").at(0).at("cells").as_array().size(), printer.columns().size())
        << PathOf(*resource);
  }
}

// ---- The document. ----

TEST(TableTest, WritesAListAsOneDocument) {
  const TablePrinter printer(Find("v1/namespaces"));
  TableWriter writer(printer, {.now = kNow});
  ASSERT_TRUE(
      writer.Add(R"({"metadata":{"name":"a","uid":"1"},"status":{"phase":"Active"}})").ok());
  ASSERT_TRUE(writer.Add(R"({"metadata":{"name":"b"},"status":{"phase":"Terminating"}})").ok());
  ListMeta metadata;
  metadata.resource_version = "7";
  const Json table = *ParseJson(writer.Finish(metadata));
  EXPECT_EQ(FindString(table, "kind"), "Table");
  EXPECT_EQ(FindString(table, "apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(WriteJson(table.at("metadata")), R"({"resourceVersion":"7"})");
  EXPECT_EQ(FindString(table.at("columnDefinitions").at(0), "name"), "Name");
  EXPECT_EQ(WriteJson(table.at("rows")),
            R"([{"cells":["a","Active","<unknown>"],"object":{"apiVersion":"meta.k8s.io/v1",)"
            R"("kind":"PartialObjectMetadata","metadata":{"name":"a","uid":"1"}}},)"
            R"({"cells":["b","Terminating","<unknown>"],"object":{"apiVersion":"meta.k8s.io/v1",)"
            R"("kind":"PartialObjectMetadata","metadata":{"name":"b"}}}])");
}

TEST(TableTest, OfAnEmptyListHasNoRows) {
  const TablePrinter printer(Find("v1/pods"));
  TableWriter writer(printer, {.now = kNow});
  const Json table = *ParseJson(writer.Finish({}));
  EXPECT_EQ(table.at("rows").as_array().size(), 0U);
  EXPECT_EQ(table.at("columnDefinitions").as_array().size(), 9U);
}

TEST(TableTest, OfOneObjectHasItsResourceVersion) {
  const TablePrinter printer(Find("v1/secrets"));
  const TableOptions options{.now = kNow,
                             .row_object = RowObject::kNone,
                             .column_definitions = false,
                             .version = "v1beta1"};
  const std::string_view object =
      R"({"data":{"a":""},"metadata":{"name":"s","resourceVersion":"12"},"type":"Opaque"})";
  EXPECT_EQ(*printer.Print(object, options),
            R"({"apiVersion":"meta.k8s.io/v1beta1","columnDefinitions":null,"kind":"Table",)"
            R"("metadata":{"resourceVersion":"12"},"rows":[{"cells":["s","Opaque",1,)"
            R"("<unknown>"],"object":null}]})");
}

TEST(TableTest, ContainsTheWholeObjectOnRequest) {
  const std::string_view object = R"({"data":{"a":"1"},"metadata":{"name":"c"}})";
  const Result<std::string> table =
      TablePrinter(Find("v1/configmaps"))
          .Print(object, {.now = kNow, .row_object = RowObject::kObject});
  EXPECT_EQ(WriteJson(ParseJson(*table)->at("rows").at(0).at("object")), object);
}

TEST(TableTest, ParsesIncludeObject) {
  EXPECT_EQ(*ParseRowObject(""), RowObject::kMetadata);
  EXPECT_EQ(*ParseRowObject("Metadata"), RowObject::kMetadata);
  EXPECT_EQ(*ParseRowObject("Object"), RowObject::kObject);
  EXPECT_EQ(*ParseRowObject("None"), RowObject::kNone);
  EXPECT_TRUE(ParseRowObject("all").error().IsBadRequest());
}

TEST(TableTest, RefusesInputThatIsNotAnObject) {
  const TablePrinter printer(Find("v1/pods"));
  EXPECT_FALSE(printer.Print("{", {.now = kNow}).ok());
}

// ---- Pods. ----

constexpr std::string_view kOneContainer = R"("containers":[{"name":"c"}])";

TEST(TableTest, ShowsARunningPod) {
  EXPECT_EQ(
      Cells("v1/pods", Pod(R"("containers":[{"name":"a"},{"name":"b"}],"nodeName":"n1",)"
                           R"("readinessGates":[{"conditionType":"Up"},{"conditionType":"Down"}])",
                           R"("phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],)"
                           R"("conditions":[{"type":"Up","status":"True"}],)"
                           R"("containerStatuses":[{"name":"a","ready":true,"restartCount":1,)"
                           R"("state":{"running":{}}},{"name":"b","ready":false,"restartCount":2,)"
                           R"("state":{"running":{}},"lastState":{"terminated":)"
                           R"({"finishedAt":"2024-05-06T11:58:30Z"}}}])")),
      R"-("x","1/2","Running","3 (90s ago)","5m","10.0.0.1","n1","<none>","1/2")-");
}

TEST(TableTest, ShowsAPendingPod) {
  EXPECT_EQ(Cells("v1/pods", Pod(kOneContainer, R"("phase":"Pending")")),
            R"("x","0/1","Pending","0","5m","<none>","<none>","<none>","<none>")");
  EXPECT_EQ(PodState(kOneContainer, R"("phase":"Pending","conditions":[{"type":"PodScheduled",)"
                                    R"("status":"False","reason":"SchedulingGated"}])"),
            "0/1 SchedulingGated 0");
  EXPECT_EQ(PodState(kOneContainer, R"("phase":"Failed","reason":"Evicted")"), "0/1 Evicted 0");
}

TEST(TableTest, ShowsTheReasonOfAWaitingContainer) {
  EXPECT_EQ(PodState(kOneContainer,
                     R"("phase":"Running","containerStatuses":[{"restartCount":4,"state":)"
                     R"({"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":)"
                     R"({"exitCode":1,"finishedAt":"2024-05-06T11:55:00Z"}}}])"),
            "0/1 CrashLoopBackOff 4 (5m ago)");
  EXPECT_EQ(PodState(kOneContainer, R"("phase":"Failed","containerStatuses":[{"state":)"
                                    R"({"terminated":{"exitCode":3}}}])"),
            "0/1 ExitCode:3 0");
  EXPECT_EQ(PodState(kOneContainer, R"("phase":"Failed","containerStatuses":[{"state":)"
                                    R"({"terminated":{"exitCode":137,"signal":9}}}])"),
            "0/1 Signal:9 0");
  EXPECT_EQ(PodState(kOneContainer, R"("phase":"Failed","containerStatuses":[{"state":)"
                                    R"({"terminated":{"exitCode":137,"reason":"OOMKilled"}}}])"),
            "0/1 OOMKilled 0");
}

TEST(TableTest, ShowsACompletedPod) {
  const Json row =
      PrintRow(Find("v1/pods"),
               Pod(kOneContainer, R"("phase":"Succeeded","containerStatuses":[{"state":)"
                                  R"({"terminated":{"exitCode":0,"reason":"Completed"}}}])"));
  EXPECT_EQ(row.at("cells").at(2), Json("Completed"));
  EXPECT_EQ(FindString(row.at("conditions").at(0), "type"), "Completed");
  EXPECT_EQ(FindString(row.at("conditions").at(0), "reason"), "Succeeded");

  constexpr std::string_view kHalfDone =
      R"("phase":"Running","containerStatuses":[{"state":{"terminated":{"reason":"Completed"}}},)"
      R"({"ready":true,"state":{"running":{}}}],"conditions":[{"type":"Ready","status":")";
  EXPECT_EQ(PodState(kOneContainer, std::string(kHalfDone) + R"(True"}])"), "1/1 Running 0");
  EXPECT_EQ(PodState(kOneContainer, std::string(kHalfDone) + R"(False"}])"), "1/1 NotReady 0");
}

TEST(TableTest, ShowsTheProgressOfInitContainers) {
  constexpr std::string_view kSpec =
      R"("containers":[{"name":"c"}],"initContainers":[{"name":"i1"},{"name":"i2"}])";
  constexpr std::string_view kDone = R"({"name":"i1","state":{"terminated":{"exitCode":0}}})";
  EXPECT_EQ(PodState(kSpec, fmt::format(R"("phase":"Pending","initContainerStatuses":[{},)"
                                        R"({{"name":"i2","state":{{"running":{{}}}}}}])",
                                        kDone)),
            "0/1 Init:1/2 0");
  EXPECT_EQ(PodState(kSpec, R"("phase":"Pending","initContainerStatuses":[{"name":"i1",)"
                            R"("state":{"waiting":{"reason":"PodInitializing"}}}])"),
            "0/1 Init:0/2 0");
  EXPECT_EQ(PodState(kSpec, R"("phase":"Pending","initContainerStatuses":[{"name":"i1",)"
                            R"("restartCount":2,"state":{"waiting":)"
                            R"({"reason":"CrashLoopBackOff"}}}])"),
            "0/1 Init:CrashLoopBackOff 2");
  EXPECT_EQ(PodState(kSpec, R"("phase":"Pending","initContainerStatuses":[{"name":"i1",)"
                            R"("state":{"terminated":{"exitCode":2}}}])"),
            "0/1 Init:ExitCode:2 0");
  EXPECT_EQ(PodState(kSpec, R"("phase":"Pending","initContainerStatuses":[{"name":"i1",)"
                            R"("state":{"terminated":{"exitCode":2,"reason":"Error"}}}])"),
            "0/1 Init:Error 0");
}

TEST(TableTest, CountsSidecarsAsContainers) {
  EXPECT_EQ(PodState(R"("containers":[{"name":"c"}],)"
                     R"("initContainers":[{"name":"proxy","restartPolicy":"Always"}])",
                     R"("phase":"Running","initContainerStatuses":[{"name":"proxy","ready":true,)"
                     R"("started":true,"restartCount":1,"state":{"running":{}}}],)"
                     R"("containerStatuses":[{"ready":true,"restartCount":2,)"
                     R"("state":{"running":{}}}])"),
            "2/2 Running 3");
}

TEST(TableTest, ShowsAPodThatIsBeingDeleted) {
  const auto state = [](std::string_view status) {
    const Json row = PrintRow(
        Find("v1/pods"),
        fmt::format(
            R"({{"metadata":{{"deletionTimestamp":"2024-05-06T12:00:00Z"}},"status":{{{}}}}})",
            status));
    return std::string(row.at("cells").at(2).as_string());
  };
  EXPECT_EQ(state(R"("phase":"Running")"), "Terminating");
  EXPECT_EQ(state(R"("phase":"Running","reason":"NodeLost")"), "Unknown");
  EXPECT_EQ(state(R"("phase":"Succeeded")"), "Succeeded");
}

// ---- Workloads. ----

constexpr std::string_view kTemplate =
    R"("template":{"spec":{"containers":[{"name":"a","image":"i:1"},{"name":"b","image":"j"}]}})";

TEST(TableTest, ShowsDeploymentsAndReplicaSets) {
  const std::string object = Named(fmt::format(
      R"("spec":{{"replicas":3,"selector":{{"matchLabels":{{"app":"web"}}}},{}}},)"
      R"("status":{{"replicas":3,"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1}})",
      kTemplate));
  EXPECT_EQ(Cells("apps/v1/deployments", object), R"("x","1/3",2,1,"5m","a,b","i:1,j","app=web")");
  EXPECT_EQ(Cells("apps/v1/replicasets", object), R"("x",3,3,1,"5m","a,b","i:1,j","app=web")");
  EXPECT_EQ(Cells("apps/v1/statefulsets", object), R"("x","1/3","5m","a,b","i:1,j")");
}

TEST(TableTest, ShowsReplicationControllersWithTheirMapSelector) {
  const std::string object =
      Named(fmt::format(R"("spec":{{"replicas":1,"selector":{{"a":"b"}},{}}})", kTemplate));
  EXPECT_EQ(Cells("v1/replicationcontrollers", object), R"("x",1,0,0,"5m","a,b","i:1,j","a=b")");
}

TEST(TableTest, ShowsDaemonSets) {
  const std::string object =
      Named(R"("spec":{"selector":{"matchExpressions":[{"key":"app","operator":"Exists"}]},)"
            R"("template":{"spec":{"containers":[{"name":"c","image":"i"}],)"
            R"("nodeSelector":{"disk":"ssd"}}}},"status":{"desiredNumberScheduled":5,)"
            R"("currentNumberScheduled":4,"numberReady":3,"updatedNumberScheduled":2,)"
            R"("numberAvailable":1})");
  EXPECT_EQ(Cells("apps/v1/daemonsets", object), R"("x",5,4,3,2,1,"disk=ssd","5m","c","i","app")");
}

TEST(TableTest, ShowsJobs) {
  EXPECT_EQ(Cells("batch/v1/jobs", Named(R"("spec":{"completions":2},"status":{"succeeded":2,)"
                                         R"("startTime":"2024-05-06T11:56:00Z",)"
                                         R"("completionTime":"2024-05-06T11:57:05Z",)"
                                         R"("conditions":[{"type":"Complete","status":"True"}]})")),
            R"("x","Complete","2/2","65s","5m","","","<none>")");
  EXPECT_EQ(Cells("batch/v1/jobs", Named(R"("spec":{"parallelism":3},"status":{"succeeded":1,)"
                                         R"("startTime":"2024-05-06T11:50:00Z"})")),
            R"("x","Running","1/1 of 3","10m","5m","","","<none>")");
  EXPECT_EQ(Cells("batch/v1/jobs", Named(R"("status":{"conditions":[{"type":"Suspended",)"
                                         R"("status":"True"}]})")),
            R"("x","Suspended","0/1","","5m","","","<none>")");
}

TEST(TableTest, ShowsCronJobs) {
  EXPECT_EQ(
      Cells("batch/v1/cronjobs",
            Named(fmt::format(R"("spec":{{"schedule":"*/5 * * * *","suspend":false,)"
                              R"("timeZone":"Europe/Berlin","jobTemplate":{{"spec":{{{}}}}}}},)"
                              R"("status":{{"active":[{{}}],)"
                              R"("lastScheduleTime":"2024-05-06T11:59:30Z"}})",
                              kTemplate))),
      R"("x","*/5 * * * *","Europe/Berlin","False",1,"30s","5m","a,b","i:1,j","<none>")");
  EXPECT_EQ(Cells("batch/v1/cronjobs", Named(R"("spec":{"schedule":"@daily"})")),
            R"("x","@daily","<none>","<unset>",0,"<none>","5m","","","<none>")");
}

TEST(TableTest, ShowsTheControllerOfARevision) {
  EXPECT_EQ(Cells("apps/v1/controllerrevisions",
                  R"({"metadata":{"name":"x","ownerReferences":[{"apiVersion":"apps/v1",)"
                  R"("kind":"StatefulSet","name":"db","controller":true}]},"revision":3})"),
            R"("x","statefulset.apps/db",3,"<unknown>")");
}

TEST(TableTest, ShowsTheTargetsOfAutoscalers) {
  const auto targets = [](std::string_view metrics, std::string_view current) {
    const Json row =
        PrintRow(Find("autoscaling/v2/horizontalpodautoscalers"),
                 fmt::format(R"({{"spec":{{"metrics":[{}]}},"status":{{"currentMetrics":[{}]}}}})",
                             metrics, current));
    return std::string(row.at("cells").at(2).as_string());
  };
  constexpr std::string_view kCpu =
      R"({"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":80}}})";
  constexpr std::string_view kMemory =
      R"({"type":"Resource","resource":{"name":"memory","target":{"averageValue":"200Mi"}}})";
  constexpr std::string_view kPods = R"({"type":"Pods","pods":{"target":{"averageValue":"5"}}})";
  constexpr std::string_view kObject = R"({"type":"Object","object":{"target":{"value":"10"}}})";
  constexpr std::string_view kExternal =
      R"({"type":"External","external":{"target":{"averageValue":"7"}}})";
  EXPECT_EQ(targets("", ""), "<none>");
  EXPECT_EQ(targets(kCpu, ""), "cpu: <unknown>/80%");
  EXPECT_EQ(targets(kCpu, R"({"resource":{"current":{"averageUtilization":20}}})"), "cpu: 20%/80%");
  EXPECT_EQ(targets(kMemory, R"({"resource":{"current":{"averageValue":"100Mi"}}})"),
            "memory: 100Mi/200Mi");
  EXPECT_EQ(targets(kPods, R"({"pods":{"current":{"averageValue":"3"}}})"), "3/5");
  EXPECT_EQ(targets(kObject, R"({"object":{"current":{"value":"2"}}})"), "2/10");
  EXPECT_EQ(targets(kExternal, ""), "<unknown>/7 (avg)");
  EXPECT_EQ(targets(fmt::format("{},{},{}", kCpu, kPods, kObject), ""),
            "cpu: <unknown>/80%, <unknown>/5 + 1 more...");
}

TEST(TableTest, ShowsAutoscalersOfBothVersions) {
  EXPECT_EQ(Cells("autoscaling/v1/horizontalpodautoscalers",
                  Named(R"("spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":)"
                        R"({"kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80},)"
                        R"("status":{"currentReplicas":2,"currentCPUUtilizationPercentage":15})")),
            R"("x","Deployment/d","cpu: 15%/80%","1",3,2,"5m")");
  EXPECT_EQ(Cells("autoscaling/v2/horizontalpodautoscalers",
                  Named(R"("spec":{"maxReplicas":3,"scaleTargetRef":)"
                        R"({"kind":"Deployment","name":"d"}})")),
            R"("x","Deployment/d","<none>","<unset>",3,0,"5m")");
}

// ---- Network. ----

TEST(TableTest, ShowsServices) {
  EXPECT_EQ(Cells("v1/services", Named(R"("spec":{"type":"ClusterIP","clusterIPs":["10.96.0.1"],)"
                                       R"("ports":[{"port":443,"protocol":"TCP"}]})")),
            R"("x","ClusterIP","10.96.0.1","<none>","443/TCP","5m","<none>")");
  EXPECT_EQ(
      Cells("v1/services", Named(R"("spec":{"type":"NodePort","clusterIP":"10.96.0.1","selector":)"
                                 R"({"b":"2","a":"1"},"externalIPs":["1.1.1.1","2.2.2.2"],"ports":)"
                                 R"([{"port":80,"nodePort":30080,"protocol":"TCP"},)"
                                 R"({"port":53,"protocol":"UDP"}]})")),
      R"("x","NodePort","10.96.0.1","1.1.1.1,2.2.2.2","80:30080/TCP,53/UDP","5m","a=1,b=2")");
  EXPECT_EQ(Cells("v1/services", Named(R"("spec":{"type":"LoadBalancer"})")),
            R"("x","LoadBalancer","<none>","<pending>","<none>","5m","<none>")");
  EXPECT_EQ(Cells("v1/services",
                  Named(R"("spec":{"type":"LoadBalancer","externalIPs":["9.9.9.9"]},"status":)"
                        R"({"loadBalancer":{"ingress":[{"ip":"2.2.2.2"},{"hostname":"lb"}]}})")),
            R"("x","LoadBalancer","<none>","2.2.2.2,lb,9.9.9.9","<none>","5m","<none>")");
  EXPECT_EQ(
      Cells("v1/services", Named(R"("spec":{"type":"ExternalName","externalName":"example.com"})")),
      R"("x","ExternalName","<none>","example.com","<none>","5m","<none>")");
}

TEST(TableTest, ShowsThreeEndpointsAndCountsTheRest) {
  EXPECT_EQ(
      Cells("v1/endpoints", Named(R"("subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],)"
                                  R"("ports":[{"port":80},{"port":81}]}])")),
      R"("x","10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 1 more...","5m")");
  EXPECT_EQ(Cells("v1/endpoints", Named(R"("subsets":[])")), R"("x","<none>","5m")");
  EXPECT_EQ(Cells("discovery.k8s.io/v1/endpointslices",
                  Named(R"("addressType":"IPv4","ports":[{"port":80},{"name":"any"},{}],)"
                        R"("endpoints":[{"addresses":["1.1.1.1","2.2.2.2"]},)"
                        R"({"addresses":["3.3.3.3","4.4.4.4"]}])")),
            R"("x","IPv4","80,any,*","1.1.1.1,2.2.2.2,3.3.3.3 + 1 more...","5m")");
  EXPECT_EQ(Cells("discovery.k8s.io/v1/endpointslices", Named(R"("addressType":"IPv4")")),
            R"("x","IPv4","<unset>","<unset>","5m")");
}

TEST(TableTest, ShowsIngresses) {
  EXPECT_EQ(Cells("networking.k8s.io/v1/ingresses",
                  Named(R"("spec":{"ingressClassName":"nginx","tls":[{}],"rules":[{"host":"a"},)"
                        R"({"host":"b"},{"host":"c"},{"host":"d"}]},"status":)"
                        R"({"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}})")),
            R"("x","nginx","a,b,c + 1 more...","1.2.3.4","80, 443","5m")");
  EXPECT_EQ(Cells("networking.k8s.io/v1/ingresses", Named(R"("spec":{})")),
            R"("x","<none>","*","","80","5m")");
  EXPECT_EQ(Cells("networking.k8s.io/v1/ingressclasses",
                  Named(R"("spec":{"controller":"example.com/c","parameters":)"
                        R"({"apiGroup":"example.com","kind":"Settings","name":"s"}})")),
            R"("x","example.com/c","Settings.example.com/s","5m")");
}

TEST(TableTest, ShowsOtherNetworkKinds) {
  EXPECT_EQ(Cells("networking.k8s.io/v1/networkpolicies", Named(R"("spec":{"podSelector":{}})")),
            R"("x","<none>","5m")");
  EXPECT_EQ(Cells("networking.k8s.io/v1/ipaddresses",
                  Named(R"("spec":{"parentRef":{"resource":"services","namespace":"default",)"
                        R"("name":"kubernetes"}})")),
            R"("x","services/default/kubernetes")");
  EXPECT_EQ(Cells("networking.k8s.io/v1/servicecidrs",
                  Named(R"("spec":{"cidrs":["10.96.0.0/16","fd00::/108"]})")),
            R"("x","10.96.0.0/16,fd00::/108","5m")");
}

// ---- Nodes and the cluster. ----

TEST(TableTest, ShowsNodes) {
  EXPECT_EQ(Cells("v1/nodes",
                  R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":"",)"
                  R"("node-role.kubernetes.io/control-plane":"","kubernetes.io/role":"edge"}},)"
                  R"("spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready",)"
                  R"("status":"True"}],"addresses":[{"type":"Hostname","address":"n"},)"
                  R"({"type":"InternalIP","address":"10.0.0.9"}],"nodeInfo":)"
                  R"({"kubeletVersion":"v1.34.0","osImage":"Debian","kernelVersion":"6.1",)"
                  R"("containerRuntimeVersion":"containerd://1.7"}}})"),
            R"("n","Ready,SchedulingDisabled","control-plane,edge,worker","<unknown>","v1.34.0",)"
            R"("10.0.0.9","<none>","Debian","6.1","containerd://1.7")");
  EXPECT_EQ(Cells("v1/nodes", Named(R"("status":{"conditions":[{"type":"Ready",)"
                                    R"("status":"Unknown"}]})")),
            R"("x","NotReady","<none>","5m","","<none>","<none>","<unknown>","<unknown>",)"
            R"("<unknown>")");
  EXPECT_EQ(Cells("v1/nodes", Named(R"("spec":{})")),
            R"("x","Unknown","<none>","5m","","<none>","<none>","<unknown>","<unknown>",)"
            R"("<unknown>")");
}

TEST(TableTest, ShowsEventsOfBothGroups) {
  EXPECT_EQ(
      Cells("v1/events", R"({"metadata":{"name":"e"},"type":"Warning","reason":"Failed","message":)"
                         R"(" no image \n","count":4,"firstTimestamp":"2024-05-06T11:00:00Z",)"
                         R"("lastTimestamp":"2024-05-06T11:59:00Z","involvedObject":{"kind":"Pod",)"
                         R"("name":"web","fieldPath":"spec.containers{c}"},"source":)"
                         R"({"component":"kubelet","host":"n1"}})"),
      R"("60s","Warning","Failed","pod/web","spec.containers{c}","kubelet, n1","no image",)"
      R"("60m",4,"e")");
  EXPECT_EQ(Cells("events.k8s.io/v1/events",
                  R"({"metadata":{"name":"e"},"type":"Normal","reason":"Made","note":"made it",)"
                  R"("eventTime":"2024-05-06T11:58:00.000000Z","reportingController":"c",)"
                  R"("reportingInstance":"c-0","regarding":{"kind":"Node","name":"n1"}})"),
            R"("2m","Normal","Made","node/n1","","c, c-0","made it","2m",1,"e")");
  EXPECT_EQ(
      Cells("v1/events", R"({"metadata":{"name":"e"},"eventTime":"2024-05-06T11:58:00.000000Z",)"
                         R"("series":{"count":9,"lastObservedTime":"2024-05-06T11:59:55.000000Z"},)"
                         R"("involvedObject":{"kind":"Node"}})"),
      R"("5s","","","node","","","","2m",9,"e")");
}

TEST(TableTest, ShowsSigningRequests) {
  EXPECT_EQ(Cells("certificates.k8s.io/v1/certificatesigningrequests",
                  Named(R"("spec":{"signerName":"s","username":"u","expirationSeconds":3600},)"
                        R"("status":{"certificate":"eA==","conditions":[{"type":"Approved",)"
                        R"("status":"True"}]})")),
            R"("x","5m","s","u","60m","Approved,Issued")");
  EXPECT_EQ(Cells("certificates.k8s.io/v1/certificatesigningrequests", Named(R"("spec":{})")),
            R"("x","5m","<none>","","<none>","Pending")");
}

TEST(TableTest, ShowsOtherClusterScopedKinds) {
  EXPECT_EQ(Cells("apiregistration.k8s.io/v1/apiservices",
                  Named(R"("spec":{"service":{"namespace":"a","name":"b"}},"status":{"conditions":)"
                        R"([{"type":"Available","status":"False","reason":"Gone"}]})")),
            R"-("x","a/b","False (Gone)","5m")-");
  EXPECT_EQ(Cells("scheduling.k8s.io/v1/priorityclasses",
                  Named(R"("value":1000,"preemptionPolicy":"Never")")),
            R"("x",1000,false,"5m","Never")");
  EXPECT_EQ(Cells("flowcontrol.apiserver.k8s.io/v1/flowschemas",
                  Named(R"("spec":{"priorityLevelConfiguration":{"name":"p"},)"
                        R"("matchingPrecedence":9})")),
            R"("x","p",9,"<none>","5m","?")");
  EXPECT_EQ(Cells("flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
                  Named(R"("spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5}})")),
            R"("x","Limited",5,"<none>","<none>","<none>","5m")");
  EXPECT_EQ(Cells("apiextensions.k8s.io/v1/customresourcedefinitions", Named(R"("spec":{})")),
            R"("x","2024-05-06T11:55:00Z")");
}

// ---- Storage. ----

TEST(TableTest, ShowsVolumesAndClaims) {
  EXPECT_EQ(Cells("v1/persistentvolumes",
                  Named(R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteMany",)"
                        R"("ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain","claimRef":)"
                        R"({"namespace":"ns","name":"c"},"storageClassName":"fast",)"
                        R"("volumeMode":"Filesystem"},"status":{"phase":"Bound"})")),
            R"("x","1Gi","RWO,RWX","Retain","Bound","ns/c","fast","<unset>","","5m","Filesystem")");
  EXPECT_EQ(Cells("v1/persistentvolumeclaims",
                  Named(R"("spec":{"volumeName":"pv1","volumeMode":"Block"},"status":)"
                        R"({"phase":"Bound","capacity":{"storage":"2Gi"},)"
                        R"("accessModes":["ReadWriteOncePod"]})")),
            R"("x","Bound","pv1","2Gi","RWOP","","<unset>","5m","Block")");
  EXPECT_EQ(Cells("v1/persistentvolumeclaims",
                  Named(R"("spec":{"storageClassName":"slow"},"status":{"phase":"Pending"})")),
            R"("x","Pending","","","","slow","<unset>","5m","<unset>")");
}

TEST(TableTest, ShowsStorageClasses) {
  EXPECT_EQ(Cells("storage.k8s.io/v1/storageclasses",
                  R"({"metadata":{"name":"fast","annotations":)"
                  R"({"storageclass.kubernetes.io/is-default-class":"true"}},)"
                  R"("provisioner":"example.com/p","allowVolumeExpansion":true})"),
            R"-("fast (default)","example.com/p","Delete","Immediate",true,"<unknown>")-");
}

TEST(TableTest, ShowsDriversAndDevices) {
  EXPECT_EQ(Cells("storage.k8s.io/v1/csidrivers",
                  Named(R"("spec":{"tokenRequests":[{"audience":"a"},{"audience":"b"}],)"
                        R"("volumeLifecycleModes":["Persistent"]})")),
            R"("x",true,false,false,"a,b",false,"Persistent","5m")");
  EXPECT_EQ(Cells("resource.k8s.io/v1/resourceclaims",
                  Named(R"("status":{"allocation":{},"reservedFor":[{}]})")),
            R"("x","allocated,reserved","5m")");
  EXPECT_EQ(Cells("resource.k8s.io/v1/resourceclaims", Named(R"("spec":{})")),
            R"("x","pending","5m")");
}

// ---- Policy. ----

TEST(TableTest, ShowsBudgetsAndQuotas) {
  EXPECT_EQ(Cells("policy/v1/poddisruptionbudgets",
                  Named(R"("spec":{"maxUnavailable":"25%"},"status":{"disruptionsAllowed":2})")),
            R"("x","N/A","25%",2,"5m")");
  EXPECT_EQ(Cells("policy/v1/poddisruptionbudgets", Named(R"("spec":{"minAvailable":1})")),
            R"("x","1","N/A",0,"5m")");
  EXPECT_EQ(Cells("v1/resourcequotas",
                  Named(R"("status":{"hard":{"limits.cpu":"8","pods":"10","requests.cpu":"4"},)"
                        R"("used":{"limits.cpu":"2","requests.cpu":"1"}})")),
            R"("x","pods: 0/10, requests.cpu: 1/4","limits.cpu: 2/8","5m")");
}

TEST(TableTest, ShowsTheSubjectsOfABinding) {
  EXPECT_EQ(Cells("rbac.authorization.k8s.io/v1/rolebindings",
                  Named(R"("roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User",)"
                        R"("name":"ann"},{"kind":"User","name":"bob"},{"kind":"Group","name":"g"},)"
                        R"({"kind":"ServiceAccount","namespace":"ns","name":"sa"}])")),
            R"("x","Role/r","5m","ann, bob","g","ns/sa")");
}

TEST(TableTest, ShowsAdmissionPolicies) {
  EXPECT_EQ(Cells("admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
                  Named(R"("webhooks":[{},{}])")),
            R"("x",2,"5m")");
  EXPECT_EQ(Cells("admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
                  Named(R"("spec":{"policyName":"p","paramRef":{"name":"n"}})")),
            R"("x","p","*/n","5m")");
}

// ---- Custom resources. ----

Resource Custom(std::vector<PrinterColumn> columns) {
  return {.group = "example.com",
          .version = "v1",
          .kind = "Widget",
          .plural = "widgets",
          .custom = true,
          .printer_columns = std::move(columns)};
}

TEST(TableTest, ShowsTheColumnsOfACustomResource) {
  const Resource widgets =
      Custom({{.name = "Size", .type = "integer", .json_path = ".spec.size"},
              {.name = "Ratio", .type = "number", .json_path = ".spec.ratio"},
              {.name = "On", .type = "boolean", .json_path = ".spec.on"},
              {.name = "Ready",
               .type = "string",
               .description = "Whether it is.",
               .priority = 1,
               .json_path = R"(.status.conditions[?(@.type=="Ready")].status)"},
              {.name = "Since", .type = "date", .json_path = ".status.since"},
              {.name = "Parts", .type = "string", .json_path = ".spec.parts"}});
  EXPECT_EQ(DescribeColumns(widgets),
            "Name!|Size:integer|Ratio:number|On:boolean|+Ready|"
            "Since:date|Parts");
  const Json row =
      PrintRow(widgets, Named(R"("spec":{"size":3,"ratio":0.5,"on":true,"parts":["a",1]},"status":)"
                              R"({"since":"2024-05-06T10:00:00Z","conditions":)"
                              R"([{"type":"Ready","status":"True"}]})"));
  EXPECT_EQ(WriteJson(row.at("cells")), R"(["x",3,0.5,true,"True","120m","[\"a\",1]"])");
}

TEST(TableTest, ShowsEmptyCellsForAbsentValuesOfCustomResources) {
  const Resource widgets = Custom({{.name = "Size", .type = "integer", .json_path = ".spec.size"},
                                   {.name = "Color", .type = "string", .json_path = ".spec.color"},
                                   {.name = "Since", .type = "date", .json_path = ".spec.since"},
                                   {.name = "Bad", .type = "string", .json_path = "spec"}});
  const Json row = PrintRow(widgets, Named(R"("spec":{"size":"big","since":"soon"})"));
  EXPECT_EQ(WriteJson(row.at("cells")), R"(["x",null,null,"<invalid>",null])");
}

TEST(TableTest, ShowsTheAgeOfACustomResourceWithoutColumns) {
  EXPECT_EQ(DescribeColumns(Custom({})), "Name!|Age:date");
  EXPECT_EQ(WriteJson(PrintRow(Custom({}), Named(R"("spec":{})")).at("cells")), R"(["x","5m"])");
}

}  // namespace
}  // namespace kubexms
