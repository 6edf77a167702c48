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
      "The controller {0} is in {1}. Build it and run its tests:\n\n"
      "  cd {1}\n"
      "  cmake -G Ninja -B build\n"
      "  cmake --build build\n"
      "  ctest --test-dir build --output-on-failure\n\n"
      "Then make it yours, beginning with src/{2}.h and src/{2}_controller.cc; README.md says how\n"
      "to run it.\n",
      scaffold.name, directory, FileNameOfKind(scaffold.kind));
  return ExitCode::kDone;
}

Command NewControllerCommand() {
  return {
      .name = "controller",
      .summary = "Write a project with a kind of its own and its controller",
      .description =
          "Writes a small project: a kind, its controller, tests against a real API server, the\n"
          "manifests to install it, and a description of an image. It builds with CMake against\n"
          "the installed libraries, and its tests pass.",
      .flags = {{.name = "group",
                 .value = "GROUP",
                 .doc = "API group of the kind, a domain of yours: example.io",
                 .required = true},
                {.name = "kind",
                 .value = "KIND",
                 .doc = "name of the kind, in CamelCase: WebSite",
                 .required = true},
                {.name = "version",
                 .value = "VERSION",
                 .doc = "API version of the kind",
                 .fallback = "v1"},
                {.name = "style",
                 .value = "STYLE",
                 .doc = "how the controller works",
                 .fallback = "reconciler",
                 .choices = {"reconciler", "stages", "request"}},
                {.name = "cluster-scoped", .doc = "objects of the kind are in no namespace"},
                {.name = "directory",
                 .value = "DIR",
                 .doc = "where to write, empty or not there yet; default: NAME"}},
      .arguments = {{.name = "NAME", .doc = "of the program and its objects: web-sites"}},
      .run = NewController,
  };
}

}  // namespace

Command NewCommand() {
  return {
      .name = "new",
      .summary = "Write the beginning of a project",
      .commands = {NewControllerCommand()},
  };
}

}  // namespace kubexms
