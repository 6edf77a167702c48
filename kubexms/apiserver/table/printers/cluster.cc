// Columns of nodes, namespaces and other cluster-scoped objects.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "kubexms/apiserver/table/printers/human_duration.h"
#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

constexpr Column kNodeColumns[] = {
    kName,
    Text("Status", "Whether the node can run pods."),
    Text("Roles", "The roles of the node, from its labels."),
    kAge,
    Text("Version", "The version of the kubelet."),
    Wide("Internal-IP", "The IP address inside the cluster."),
    Wide("External-IP", "The external IP address."),
    Wide("OS-Image", "The operating system."),
    Wide("Kernel-Version", "The version of the kernel."),
    Wide("Container-Runtime", "The container runtime and its version."),
};

std::string NodeStatus(JsonView node) {
  const JsonView ready = FindCondition(node, "Ready");
  std::string status = !ready ? "Unknown" : ready["status"].Text() == "True" ? "Ready" : "NotReady";
  if (node["spec"]["unschedulable"].Bool()) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(JsonView node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const auto& [key, value] : node["metadata"]["labels"].Members()) {
    if (key.starts_with(kPrefix)) roles.insert(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role") roles.insert(value.Text());
  }
  roles.erase("");
  return roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ","));
}

std::string_view NodeAddress(JsonView node, std::string_view type) {
  for (const JsonView& address : node["status"]["addresses"].Items()) {
    if (address["type"].Text() == type) return address["address"].Text();
  }
  return "<none>";
}

std::string_view OrUnknown(JsonView text) {
  return text.Text().empty() ? "<unknown>" : text.Text();
}

void PrintNode(JsonView node, Row& row) {
  const JsonView info = node["status"]["nodeInfo"];
  row.Add(Name(node), NodeStatus(node), NodeRoles(node), row.Age(node),
          info["kubeletVersion"].Text(), NodeAddress(node, "InternalIP"),
          NodeAddress(node, "ExternalIP"), OrUnknown(info["osImage"]),
          OrUnknown(info["kernelVersion"]), OrUnknown(info["containerRuntimeVersion"]));
}

constexpr Column kNamespaceColumns[] = {
    kName,
    Text("Status", "The phase: Active or Terminating."),
    kAge,
};

void PrintNamespace(JsonView object, Row& row) {
  row.Add(Name(object), object["status"]["phase"].Text(), row.Age(object));
}

constexpr Column kComponentColumns[] = {
    kName,
    Text("Status", "Whether the component is healthy."),
    Text("Message", "The message of the component."),
    Text("Error", "The error of an unhealthy component."),
};

void PrintComponent(JsonView object, Row& row) {
  for (const JsonView& condition : object["conditions"].Items()) {
    if (condition["type"].Text() != "Healthy") continue;
    row.Add(Name(object), condition["status"].Text() == "True" ? "Healthy" : "Unhealthy",
            condition["message"].Text(), condition["error"].Text());
    return;
  }
  row.Add(Name(object), "Unknown", "", "");
}

constexpr Column kSigningRequestColumns[] = {
    kName,
    kAge,
    Text("SignerName", "The signer that is requested to sign."),
    Text("Requestor", "The user who created the request."),
    Text("RequestedDuration", "The requested duration of the certificate."),
    Text("Condition",
         "Whether the request is pending, approved, denied or failed, and the certificate is "
         "issued."),
};

std::string SigningRequestState(JsonView request) {
  std::string state = FindCondition(request, "Denied")     ? "Denied"
                      : FindCondition(request, "Approved") ? "Approved"
                                                           : "Pending";
  if (FindCondition(request, "Failed")) state += ",Failed";
  if (!request["status"]["certificate"].Text().empty()) state += ",Issued";
  return state;
}

void PrintSigningRequest(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  const JsonView expiration = spec["expirationSeconds"];
  const std::chrono::seconds duration(expiration.Number());
  row.Add(Name(object), row.Age(object), spec["signerName"].Text("<none>"), spec["username"].Text(),
          expiration ? HumanDuration(duration) : "<none>", SigningRequestState(object));
}

constexpr Column kApiServiceColumns[] = {
    kName,
    Text("Service", "The service that serves the API; Local is this server."),
    Text("Available", "Whether the API is available."),
    kAge,
};

std::string Availability(JsonView api_service) {
  const JsonView condition = FindCondition(api_service, "Available");
  const std::string_view status = condition["status"].Text("Unknown");
  const std::string_view reason = condition["reason"].Text();
  if (status == "True" || reason.empty()) return std::string(status);
  return fmt::format("{} ({})", status, reason);
}

void PrintApiService(JsonView object, Row& row) {
  const JsonView service = object["spec"]["service"];
  row.Add(
      Name(object),
      service ? fmt::format("{}/{}", service["namespace"].Text(), service["name"].Text()) : "Local",
      Availability(object), row.Age(object));
}

constexpr Column kRuntimeClassColumns[] = {
    kName,
    Text("Handler", "The handler of the container runtime for this class."),
    kAge,
};

void PrintRuntimeClass(JsonView object, Row& row) {
  row.Add(Name(object), object["handler"].Text(), row.Age(object));
}

constexpr Column kPriorityClassColumns[] = {
    kName,
    Integer("Value", "The priority; pods with higher values are scheduled first."),
    Boolean("Global-Default", "Whether this class is the default of pods without a class."),
    kAge,
    Text("PreemptionPolicy", "Whether pods of this class may preempt other pods."),
};

void PrintPriorityClass(JsonView object, Row& row) {
  row.Add(Name(object), object["value"].Number(), object["globalDefault"].Bool(), row.Age(object),
          object["preemptionPolicy"].Text());
}

constexpr Column kFlowSchemaColumns[] = {
    kName,
    Text("PriorityLevel", "The priority level of matching requests."),
    Text("MatchingPrecedence", "The precedence among matching schemas; the lowest value wins."),
    Text("DistinguisherMethod", "How requests are assigned to flows."),
    kAge,
    Text("MissingPL", "Whether the referenced priority level is missing."),
};

void PrintFlowSchema(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["priorityLevelConfiguration"]["name"].Text(),
          spec["matchingPrecedence"].Number(), spec["distinguisherMethod"]["type"].Text("<none>"),
          row.Age(object), FindCondition(object, "Dangling")["status"].Text("?"));
}

constexpr Column kPriorityLevelColumns[] = {
    kName,
    Text("Type", "Whether requests of this priority level are limited."),
    Text("NominalConcurrencyShares", "The share of the server's concurrent requests."),
    Text("Queues", "The number of queues."),
    Text("HandSize", "The number of queues that a flow may use."),
    Text("QueueLengthLimit", "The maximum length of a queue."),
    kAge,
};

void AddNumberOrNone(JsonView number, Row& row) {
  if (number) {
    row.Add(number.Number());
  } else {
    row.Add("<none>");
  }
}

void PrintPriorityLevel(JsonView object, Row& row) {
  const JsonView limited = object["spec"]["limited"];
  const JsonView queuing = limited["limitResponse"]["queuing"];
  row.Add(Name(object), object["spec"]["type"].Text());
  AddNumberOrNone(limited["nominalConcurrencyShares"], row);
  AddNumberOrNone(queuing["queues"], row);
  AddNumberOrNone(queuing["handSize"], row);
  AddNumberOrNone(queuing["queueLengthLimit"], row);
  row.Add(row.Age(object));
}

constexpr Printer kPrinters[] = {
    {"", "v1", "ComponentStatus", kComponentColumns, PrintComponent},
    {"", "v1", "Namespace", kNamespaceColumns, PrintNamespace},
    {"", "v1", "Node", kNodeColumns, PrintNode},
    {"apiregistration.k8s.io", "v1", "APIService", kApiServiceColumns, PrintApiService},
    {"certificates.k8s.io", "v1", "CertificateSigningRequest", kSigningRequestColumns,
     PrintSigningRequest},
    {"flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", kFlowSchemaColumns, PrintFlowSchema},
    {"flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration", kPriorityLevelColumns,
     PrintPriorityLevel},
    {"node.k8s.io", "v1", "RuntimeClass", kRuntimeClassColumns, PrintRuntimeClass},
    {"scheduling.k8s.io", "v1", "PriorityClass", kPriorityClassColumns, PrintPriorityClass},
};

}  // namespace

std::span<const Printer> ClusterPrinters() { return kPrinters; }

}  // namespace kubexms::printers
