#pragma once

// Generates the files of a new project for `kubexms new` from the templates in kubexms/cli/scaffold
// (the README.md in that folder describes the templates).

#include <string>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

// The programming model of the new controller.
enum class ScaffoldStyle {
  kReconciler,  // one Reconcile function
  kStages,      // a list of named stages
  kRequest,     // a request kind: the controller executes each object once
};

struct ControllerScaffold {
  std::string name;  // of the program and of its objects
  std::string group;
  std::string version = "v1";
  std::string kind;
  bool cluster_scoped = false;
  ScaffoldStyle style = ScaffoldStyle::kReconciler;

  // Fails with the first invalid field.
  Result<void> Validate() const;
};

struct ScaffoldFile {
  std::string path;  // below the project's directory
  std::string text;
};

// The files of a valid scaffold, sorted by path.
std::vector<ScaffoldFile> MakeScaffold(const ControllerScaffold& scaffold);

// Writes all files, or none if an error occurs. `directory` must be empty or must not exist;
// missing parent directories are created.
Result<void> WriteScaffold(const std::vector<ScaffoldFile>& files, const std::string& directory);

// "WebSite" → "web_site".
std::string FileNameOfKind(const std::string& kind);

}  // namespace kubexms
