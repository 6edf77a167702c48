#include <fmt/format.h>

#include <ostream>

#include "kubexms/cli/commands.h"
#include "kubexms/cli/scaffold.h"

namespace kubexms {
namespace {

ScaffoldStyle StyleNamed(std::string_view name) {
  if (name == "stages") return ScaffoldStyle::kStages;
  return name == "request" ? ScaffoldStyle::kRequest : ScaffoldStyle::kReconciler;
}

Result<ExitCode> NewController(const Invocation& call) {
  const ControllerScaffold scaffold{.name = call.Value("NAME"),
                                    .group = call.Value("group"),
                                    .version = call.Value("version"),
                                    .kind = call.Value("kind"),
                                    .cluster_scoped = call.Given("cluster-scoped"),
                                    .style = StyleNamed(call.Value("style"))};
  RETURN_IF_ERROR(scaffold.Validate());
  const std::string directory = call.Given("directory") ? call.Value("directory") : scaffold.name;
  RETURN_IF_ERROR(WriteScaffold(MakeScaffold(scaffold), directory));
  call.out() << fmt::format(
      "Created the project {0} in {1}. Build the project and run the tests:\n\n"
      "  cd {1}\n"
      "  cmake -G Ninja -B build\n"
      "  cmake --build build\n"
      "  ctest --test-dir build --output-on-failure\n\n"
      "Then edit src/{2}.h and src/{2}_controller.cc; README.md describes how to run the\n"
      "controller.\n",
      scaffold.name, directory, FileNameOfKind(scaffold.kind));
  return ExitCode::kDone;
}

Command NewControllerCommand() {
  return {
      .name = "controller",
      .summary = "Create a project with a custom kind and its controller",
      .description =
          "Create a project directory with a kind, its controller, tests against a real API "
          "server,\n"
          "manifests to install both, and a Containerfile. The project builds with CMake against "
          "the\n"
          "installed kubexms libraries, and its tests pass.",
      .flags = {{.name = "group",
                 .value = "GROUP",
                 .doc = "API group of the kind, a domain that you own, such as example.io",
                 .required = true},
                {.name = "kind",
                 .value = "KIND",
                 .doc = "name of the kind in CamelCase, such as WebSite",
                 .required = true},
                {.name = "version",
                 .value = "VERSION",
                 .doc = "API version of the kind",
                 .fallback = "v1"},
                {.name = "style",
                 .value = "STYLE",
                 .doc = "programming model of the controller",
                 .fallback = "reconciler",
                 .choices = {"reconciler", "stages", "request"}},
                {.name = "cluster-scoped",
                 .doc = "make the kind cluster-scoped instead of namespaced"},
                {.name = "directory",
                 .value = "DIR",
                 .doc = "directory of the project, empty or not existing; defaults to NAME"}},
      .arguments = {{.name = "NAME",
                     .doc = "name of the program and of its objects, such as web-sites"}},
      .run = NewController,
  };
}

}  // namespace

Command NewCommand() {
  return {
      .name = "new",
      .summary = "Create projects from templates",
      .commands = {NewControllerCommand()},
  };
}

}  // namespace kubexms
