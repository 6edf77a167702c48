#pragma once

// The steps of the cluster's modules that are more than resources. Each can be taken back from the
// journal alone.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"

namespace kubexms::cluster {

// A step that is a function from answers to a change.
automation::StepPtr MakeStep(std::string step_name, std::vector<automation::Operation> queries,
                             std::function<Result<automation::Change>(
                                 const automation::StepContext&, const automation::Facts&)>
                                 plan);

// The same step, which is not taken back.
automation::StepPtr WithoutUndo(automation::StepPtr step);

// The host has this name, now and after the next boot.
automation::StepPtr SetHostname(std::string step_name,
                                std::function<std::string(const automation::StepContext&)> name);

// Nothing is swapped, now and after the next boot: the lines of /etc/fstab whose third field is
// "swap" become comments.
automation::StepPtr SwapOff(std::string step_name);
// For tests: the text of /etc/fstab without its swap.
std::string WithoutSwap(std::string_view fstab);

// A directory for data: to take it back removes it with all that has come into it, unless it was
// there before.
automation::StepPtr EnsureDataDirectory(std::string step_name, automation::Directory directory);
// The same for a program that sees to mode and owner itself: what is there is left as it is.
automation::StepPtr EnsureDataDirectory(std::string step_name, std::string path);

struct UndoScripts {
  std::string before;
  std::string restart;  // a service that then reads the old state, if it runs
  std::string after;
};
// `step`, and what else is done on the host when it is taken back. The scripts, each of which may
// be empty, must do no harm when there is nothing to do for them.
automation::StepPtr WithUndo(automation::StepPtr step, UndoScripts scripts);
// `step`, which writes what a service reads. When the old state is back, the service reads that, if
// it runs.
automation::StepPtr RestartAfterUndo(automation::StepPtr step, std::string_view service);

struct UploadedFile {
  std::string source;  // on the operator's machine
  std::string path;    // on the host; its directory exists
  std::string mode = "0644";
};
// Files of the operator are on the host. Their checksums are taken once, here; one that cannot be
// read is an error of every plan.
automation::StepPtr EnsureUploaded(std::string step_name, std::vector<UploadedFile> files);

// For hosts that leave: what kubexms keeps there for itself goes, and the directory above it unless
// it is also another cluster's.
std::vector<automation::Operation> RemovalOfOwnFiles(const automation::Runtime& runtime);

}  // namespace kubexms::cluster
