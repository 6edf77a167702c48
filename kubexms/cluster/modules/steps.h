#pragma once

// Steps of the cluster's modules that are more than resources. Each can be undone from the journal
// alone.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"

namespace kubexms::cluster {

// A step whose plan is a function.
automation::StepPtr MakeStep(std::string step_name, std::vector<automation::Operation> queries,
                             std::function<Result<automation::Change>(
                                 const automation::StepContext&, const automation::Facts&)>
                                 plan);

// `step` without undo data.
automation::StepPtr WithoutUndo(automation::StepPtr step);

// Sets the hostname, now and after a boot.
automation::StepPtr SetHostname(std::string step_name,
                                std::function<std::string(const automation::StepContext&)> name);

// Disables swap, now and after a boot: comments out the swap entries of /etc/fstab.
automation::StepPtr SwapOff(std::string step_name);
// For tests: the text of /etc/fstab with swap entries commented out.
std::string WithoutSwap(std::string_view fstab);

// Creates a data directory. The undo removes it with its content, unless it existed before.
automation::StepPtr EnsureDataDirectory(std::string step_name, automation::Directory directory);
// The same for a program that sets mode and owner itself: an existing directory is not changed.
automation::StepPtr EnsureDataDirectory(std::string step_name, std::string path);

struct UndoScripts {
  std::string before;
  std::string restart;  // a service to restart after the undo, if it runs
  std::string after;
};
// `step` with additional undo scripts. Each may be empty, and must be harmless when there is
// nothing to undo.
automation::StepPtr WithUndo(automation::StepPtr step, UndoScripts scripts);
// `step` that writes the configuration of a service: the undo also restarts the service, if it
// runs.
automation::StepPtr RestartAfterUndo(automation::StepPtr step, std::string_view service);

struct UploadedFile {
  std::string source;  // on the operator's machine
  std::string path;    // on the host; its directory exists
  std::string mode = "0644";
};
// Uploads files of the operator's machine. Checksums are computed once, by this call; an unreadable
// file is an error of every plan.
automation::StepPtr EnsureUploaded(std::string step_name, std::vector<UploadedFile> files);

// Removes kubexms' own files of the cluster from a host that leaves it, and the parent directory
// unless other clusters use it.
std::vector<automation::Operation> RemovalOfOwnFiles(const automation::Runtime& runtime);

}  // namespace kubexms::cluster
