#pragma once

// A program that is a manager: what is left to write is main().
//
//   int main(int argc, char** argv) {
//     return RunManagerProgram(argc, argv, {.name = "hello-controller",
//                                           .kinds = {&TypeOf<Hello>()},
//                                           .controllers = {HelloController()}});
//   }
//
// It finds its server as kubectl does (--kubeconfig, $KUBECONFIG, ~/.kube/config, the pod it runs
// in), takes settings from a file (--config) and from the command line (--set), ends cleanly on
// SIGTERM and Ctrl-C, and can print what an administrator needs to install it: its kinds
// (--print-crds) and the roles that its controllers need (--print-rbac).

#include <functional>
#include <string>
#include <vector>

#include "kubexms/controller/controller.h"
#include "kubexms/controller/manager/manager.h"

namespace kubexms {

struct ManagerProgram {
  std::string name;  // of the program, its roles, its events and its lease
  std::string description;
  std::vector<const TypeInfo*> kinds;  // that it brings along
  // kubexms is to record who creates objects of these kinds, as requests want it (api/creator.h).
  bool record_creators = false;
  std::vector<Controller> controllers;
  // Adds what else there is to the manager: runnables, ready checks.
  std::function<void(Manager&)> setup;
};

// The exit code: 0 done, 1 failed, 2 wrong usage.
int RunManagerProgram(int argc, char** argv, const ManagerProgram& program);

}  // namespace kubexms
