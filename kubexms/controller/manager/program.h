#pragma once

// A program that runs a manager. The author writes main():
//
//   int main(int argc, char** argv) {
//     return RunManagerProgram(argc, argv, {.name = "hello-controller",
//                                           .kinds = {&TypeOf<Hello>()},
//                                           .controllers = {HelloController()}});
//   }
//
// The program finds its server as kubectl does (--kubeconfig, $KUBECONFIG, ~/.kube/config, the
// service account of its pod), reads its configuration from a file (--config) and from the command
// line (--set), and shuts down gracefully on SIGTERM and SIGINT. It prints the manifests to install
// it: the CustomResourceDefinitions of its kinds (--print-crds) and the roles of its controllers
// (--print-rbac).

#include <functional>
#include <string>
#include <vector>

#include "kubexms/controller/controller.h"
#include "kubexms/controller/manager/manager.h"

namespace kubexms {

struct ManagerProgram {
  std::string name;  // of the program, its roles, its events and its Lease
  std::string description;
  std::vector<const TypeInfo*> kinds;  // custom resources that it defines
  // Have the kubexms server record the creator of objects of these kinds, as requests need it
  // (api/creator.h).
  bool record_creators = false;
  std::vector<Controller> controllers;
  // Adds runnables and readyz checks to the manager; optional.
  std::function<void(Manager&)> setup;
};

// Returns the exit code: 0 success, 1 failure, 2 wrong usage.
int RunManagerProgram(int argc, char** argv, const ManagerProgram& program);

}  // namespace kubexms
