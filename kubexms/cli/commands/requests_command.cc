#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kubexms/api/values/time.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/cli/commands.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/client/discovery.h"
#include "kubexms/client/rest/rest_client.h"
#include "kubexms/controller/requests/request_controller.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms {
namespace {

Result<FinishedRequestFilter> ReadWhich(const Invocation& call) {
  FinishedRequestFilter which{.namespace_name = call.Value("namespace"),
                              .phase = call.Value("phase")};
  const Result<Duration> age = Duration::Parse(call.Value("older-than"));
  if (!age.ok()) return age.error().WithContext("--older-than");
  which.older_than = age->value();
  return which;
}

// The kinds of the command line; defaults to those of the platform.
Result<std::vector<ResourceType>> ReadKinds(const Invocation& call, Client& client,
                                            const Clock& clock, const std::stop_token& stop) {
  if (!call.Given("RESOURCE")) {
    return std::vector{ResourceType::Of<userv1::Operationrequest>(),
                       ResourceType::Of<userv1::Deleterequest>()};
  }
  ResourceMapper mapper(client, clock);
  std::vector<ResourceType> kinds;
  for (const std::string& name : call.All("RESOURCE")) {
    ASSIGN_OR_RETURN(kinds.emplace_back(), mapper.Find(name, stop));
  }
  return kinds;
}

Result<ExitCode> Prune(const Invocation& call) {
  const StopSignals signals;
  const SystemClock clock;
  ASSIGN_OR_RETURN(FinishedRequestFilter which, ReadWhich(call));
  which.stop = signals.token();
  ASSIGN_OR_RETURN(
      const ClientConfig config,
      LoadClientConfig({.kubeconfig = call.Value("kubeconfig"), .context = call.Value("context")}));
  ASSIGN_OR_RETURN(const std::unique_ptr<Client> client, RestClient::Make({.config = config}));
  ASSIGN_OR_RETURN(const std::vector<ResourceType> kinds,
                   ReadKinds(call, *client, clock, which.stop));
  std::vector<std::string> deleted;
  for (const ResourceType& kind : kinds) {
    const bool skipped = !kind.namespaced && !which.namespace_name.empty();
    const Result<int> count =
        skipped ? Result<int>(0) : DeleteFinishedRequests(*client, kind, clock, which);
    if (!count.ok() && count.error().IsNotFound()) {
      call.err() << fmt::format("{} are not served by this server\n", kind.QualifiedName());
      continue;
    }
    if (!count.ok()) return count.error();
    deleted.push_back(fmt::format("{} {}", *count, kind.plural));
  }
  if (!deleted.empty()) call.out() << fmt::format("deleted {}\n", fmt::join(deleted, " and "));
  return ExitCode::kDone;
}

Command PruneCommand() {
  return {
      .name = "prune",
      .summary = "Delete finished requests",
      .description =
          "Delete requests that have been Completed or Failed for a while. Defaults to\n"
          "Operationrequests and Deleterequests. The controllers do the same after their\n"
          "configured time; audit records are retained.",
      .flags = {{.name = "older-than",
                 .value = "DURATION",
                 .doc = "minimum time since the request finished",
                 .fallback = "1h"},
                {.name = "phase",
                 .value = "PHASE",
                 .doc = "only requests with this phase",
                 .choices = {"Completed", "Failed"}},
                {.name = "namespace",
                 .letter = 'n',
                 .value = "NAME",
                 .doc = "only requests in this namespace"},
                {.name = "kubeconfig",
                 .value = "FILE",
                 .doc = "kubeconfig file of the server; defaults to that of kubectl"},
                {.name = "context", .value = "NAME", .doc = "context of the kubeconfig"}},
      .arguments = {{.name = "RESOURCE",
                     .doc = "resources of requests, such as configcopies.example.io",
                     .optional = true,
                     .repeated = true}},
      .run = Prune,
  };
}

}  // namespace

Command RequestsCommand() {
  return {
      .name = "requests",
      .summary = "Manage requests of the platform and of your own controllers",
      .commands = {PruneCommand()},
  };
}

}  // namespace kubexms
