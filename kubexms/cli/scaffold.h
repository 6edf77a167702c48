#pragma once

// A new project, as files: what `kubexms new` writes, from the templates in kubexms/cli/scaffold
// (whose README.md says how they are made).

#include <string>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

// How the controller of a new project works.
enum class ScaffoldStyle {
  kReconciler,  // one function
  kStages,      // a list of named stages
  kRequest,     // done once for every object: the object asks for it
};

struct ControllerScaffold {
  std::string name;  // of the program
  std::string group;
  std::string version = "v1";
  std::string kind;
  bool cluster_scoped = false;
  ScaffoldStyle style = ScaffoldStyle::kReconciler;

  // What is wrong with the first name that cannot be used.
  Result<void> Validate() const;
};

struct ScaffoldFile {
  std::string path;  // below the project's directory
  std::string text;
};

// The files of a valid scaffold, sorted by path.
std::vector<ScaffoldFile> MakeScaffold(const ControllerScaffold& scaffold);

// Writes all files, or, with an error, none. `directory` must be empty or not exist; its parents
// are made.
Result<void> WriteScaffold(const std::vector<ScaffoldFile>& files, const std::string& directory);

// "WebSite" → "web_site".
std::string FileNameOfKind(const std::string& kind);

}  // namespace kubexms
