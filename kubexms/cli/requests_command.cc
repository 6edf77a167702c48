#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>

#include "kubexms/api/time.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/stop.h"
#include "kubexms/cli/commands.h"
#include "kubexms/client/kubeconfig.h"
#include "kubexms/client/rest_client.h"
#include "kubexms/controller/request_controller.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms {
namespace {

Result<FinishedRequests> ReadWhich(const Invocation& call) {
  FinishedRequests which{.name_space = call.Value("namespace"), .phase = call.Value("phase")};
  const Result<Duration> age = Duration::Parse(call.Value("older-than"));
  if (!age.ok()) return age.error().WithContext("--older-than");
  which.older_than = age->value();
  return which;
}

Result<ExitCode> Prune(const Invocation& call) {
  const StopSignals signals;
  const SystemClock clock;
  ASSIGN_OR_RETURN(FinishedRequests which, ReadWhich(call));
  which.stop = signals.token();
  ASSIGN_OR_RETURN(
      const ClientConfig config,
      LoadClientConfig({.kubeconfig = call.Value("kubeconfig"), .context = call.Value("context")}));
  ASSIGN_OR_RETURN(const std::unique_ptr<Client> client, RestClient::Make({.config = config}));
  ASSIGN_OR_RETURN(const int operations,
                   DeleteFinishedRequests<userv1::Operationrequest>(*client, clock, which));
  int deletions = 0;
  if (which.name_space.empty()) {
    ASSIGN_OR_RETURN(deletions,
                     DeleteFinishedRequests<userv1::DeleteRequest>(*client, clock, which));
  }
  call.out() << fmt::format("deleted {} operationrequests and {} deleterequests\n", operations,
                            deletions);
  return ExitCode::kDone;
}

Command PruneCommand() {
  return {
      .name = "prune",
      .summary = "Delete requests that are finished",
      .description =
          "Deletes Operationrequests and DeleteRequests that have been Completed or Failed for a\n"
          "while. The controllers do so by themselves after the time they are configured for;\n"
          "what was asked for stays in the records that `kubexms audit` shows.",
      .flags = {{.name = "older-than",
                 .value = "SPAN",
                 .doc = "finished at least so long ago",
                 .fallback = "1h"},
                {.name = "phase",
                 .value = "PHASE",
                 .doc = "only such ones",
                 .choices = {"Completed", "Failed"}},
                {.name = "namespace",
                 .letter = 'n',
                 .value = "NAME",
                 .doc = "only Operationrequests of this namespace"},
                {.name = "kubeconfig",
                 .value = "FILE",
                 .doc = "which server, and as whom; where kubectl looks if not given"},
                {.name = "context", .value = "NAME", .doc = "of the kubeconfig"}},
      .run = Prune,
  };
}

}  // namespace

Command RequestsCommand() {
  return {
      .name = "requests",
      .summary = "Work with the requests of the platform",
      .commands = {PruneCommand()},
  };
}

}  // namespace kubexms
