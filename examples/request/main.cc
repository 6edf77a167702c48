// Runs the controller of config_copy.h. Audit records are written to config-copy.log.
//
//   request --print-crds | kubectl apply -f -
//   request &
//   kubectl create configmap fonts --from-literal=size=12
//   kubectl apply -f - <<END
//   apiVersion: example.io/v1
//   kind: ConfigCopy
//   metadata: {name: fonts}
//   spec: {name: fonts, to: kube-public}
//   END
//   kubectl wait --for=jsonpath='{.status.phase}'=Completed configcopy/fonts

#include <iostream>

#include "config_copy.h"
#include "kubexms/controller.h"

using namespace kubexms;

int main(int argc, char** argv) {
  const Result<std::unique_ptr<FileAuditSink>> audit = FileAuditSink::Open("config-copy.log");
  if (!audit.ok()) {
    std::cerr << "error: " << audit.error().message() << "\n";
    return 1;
  }
  return RunManagerProgram(argc, argv,
                           {.name = "config-copy-controller",
                            .description = "Run the controller that executes ConfigCopies.",
                            .kinds = {&TypeOf<config_copy::ConfigCopy>()},
                            .record_creators = true,
                            .controllers = {config_copy::ConfigCopyController(audit->get())}});
}
