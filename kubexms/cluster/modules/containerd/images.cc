#include "kubexms/cluster/modules/containerd/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "kubexms/base/json/json.h"
#include "kubexms/cluster/artifact/artifact.h"
#include "kubexms/cluster/modules/containerd/ctr_commands.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr std::chrono::seconds kImagesTimeout(30);

constexpr std::chrono::minutes kImportTimeout(30);

Probe QueryFor(const std::vector<std::string>& names) { return {ListImagesCommand(names)}; }

// From "NAME ID" lines. Empty when containerd does not run.
std::map<std::string, std::string> IdsOf(const ProbeResult& probe) {
  std::map<std::string, std::string> ids;
  std::istringstream lines(probe.output);
  for (std::string name, id; lines >> name >> id;) ids[name] = id;
  return ids;
}

// The images that a host lacks.
struct ImagePlan {
  std::string architecture;
  std::vector<const ArtifactImage*> images;
  std::map<std::string, std::string> former;  // the ids of other images with the same names

  // Each once.
  std::map<std::string, const ArtifactFile*> Blobs() const {
    std::map<std::string, const ArtifactFile*> blobs;
    for (const ArtifactImage* image : images) {
      for (const ArtifactFile& blob : image->blobs) blobs.emplace(blob.sha256, &blob);
    }
    return blobs;
  }
  int64_t Size() const {
    int64_t size = 0;
    for (const auto& [sum, blob] : Blobs()) size += blob->size;
    return size;
  }
};

// `facts` has the results of QueryFor(names) and GetSystemFacts.
Result<ImagePlan> PlanImages(const std::vector<std::string>& names, const Facts& facts,
                             const Artifact& artifact) {
  ASSIGN_OR_RETURN(const ArtifactTarget* target, artifact.TargetFor(facts.Get(GetSystemFacts{})));
  const std::map<std::string, std::string> ids = IdsOf(facts.Get(QueryFor(names)));
  ImagePlan plan{.architecture = target->architecture};
  std::vector<std::string> absent;
  for (const std::string& name : names) {
    const ArtifactImage* image = target->FindImage(name);
    const auto present = ids.find(name);
    if (!image) {
      absent.push_back(name);
    } else if (present == ids.end() || present->second != image->id) {
      plan.images.push_back(image);
      if (present != ids.end()) plan.former.insert(*present);
    }
  }
  if (absent.empty()) return plan;
  return Error::BadRequest(fmt::format(
      "the artifact {} lacks the image {} for {}; build it again: kubexms artifact build",
      artifact.path(), fmt::join(absent, ", "), target->architecture));
}

// index.json of an OCI image layout. containerd uses the annotation of an entry as image name.
std::string IndexOf(const ImagePlan& plan) {
  JsonArray manifests;
  for (const ArtifactImage* image : plan.images) {
    manifests.push_back(
        JsonObject{{"mediaType", image->media_type},
                   {"digest", image->Digest()},
                   {"size", image->blobs.front().size},
                   {"platform", JsonObject{{"os", "linux"}, {"architecture", plan.architecture}}},
                   {"annotations", JsonObject{{"io.containerd.image.name", image->name}}}});
  }
  return WriteJson(Json(JsonObject{{"schemaVersion", 2}, {"manifests", std::move(manifests)}}));
}

// Imports an OCI image layout, and waits until CRI has the images. Images that lose their names are
// kept by their ids, as CRI does when it pulls an image.
std::string ImportScript(const ImagePlan& plan, const std::string& directory) {
  std::vector<std::string> names;
  std::string expected, keep;
  for (const ArtifactImage* image : plan.images) {
    names.push_back(image->name);
    expected += fmt::format("{} {}\n", image->name, image->id);
  }
  for (const auto& [name, id] : plan.former) {
    keep += fmt::format("ctr -n k8s.io images tag {} {} >/dev/null 2>&1\n", ShellQuote(name), id);
  }
  return fmt::format(
      "# import images\n{}"
      "output=$(tar -C {} -cf - oci-layout index.json blobs | ctr -n k8s.io images import - 2>&1) "
      "|| "
      "{{ printf '%s\\n' \"$output\" >&2; exit 1; }}\n"
      "{}",
      keep, ShellQuote(directory),
      WaitScript(fmt::format("[ \"$({})\" = {} ]", ListImagesCommand(names),
                             ShellQuote(expected.substr(0, expected.size() - 1))),
                 kImagesTimeout, "echo 'CRI does not have the images'; exit 1"));
}

// Removes the references by digest and id, which CRI has created, with the last reference by name.
// The previous image of a name still exists by its id, unless a user has deleted it.
constexpr std::string_view kUndoImport = R"sh(# undo the import of images
systemctl -q is-active containerd || exit 0
images() { ctr -n k8s.io images "$@"; }
prune() {
  left=$(images list | awk -v digest="$1" '$3 == digest { print $1 }')
  printf '%s\n' "$left" | grep -v '^sha256:' | grep -qv '@sha256:' || [ -z "$left" ] ||
    images remove $left >/dev/null
}
remove() { images remove "$1" >/dev/null 2>&1; prune "$2"; }
restore() {
  images list -q | grep -qxF "$3" || return
  images tag --force "$3" "$1" >/dev/null && prune "$2"
}
)sh";

std::string UndoImportScript(const ImagePlan& plan) {
  std::string script(kUndoImport);
  for (const ArtifactImage* image : plan.images) {
    const std::string what = fmt::format("{} {}", ShellQuote(image->name), image->Digest());
    const auto former = plan.former.find(image->name);
    script += former == plan.former.end() ? fmt::format("remove {}\n", what)
                                          : fmt::format("restore {} {}\n", what, former->second);
  }
  return script + "true";
}

class ImagesStep final : public NamedStep {
 public:
  ImagesStep(std::string name, std::vector<std::string> images, ArtifactPtr artifact)
      : NamedStep(std::move(name)), names_(std::move(images)), artifact_(std::move(artifact)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    return std::vector<Operation>{GetSystemFacts{}, QueryFor(names_),
                                  GetPath{DirectoryFor(context)}};
  }

  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(const ImagePlan plan, PlanImages(names_, facts, *artifact_));
    const std::string directory = DirectoryFor(context);
    Change change;
    if (plan.images.empty()) {
      if (!facts.Get(GetPath{directory}).exists()) return change;
      change.summary = {"remove image files of an interrupted run"};
      change.operations = {RemovePath{directory, true}};
      return change;
    }
    std::vector<std::string> names;
    for (const ArtifactImage* image : plan.images) names.push_back(image->name);
    change.summary = {fmt::format("import {} from {} ({})", fmt::join(names, ", "),
                                  artifact_->path(), FormatSize(plan.Size()))};
    for (const char* below : {"", "/blobs", "/blobs/sha256"}) {
      change.operations.emplace_back(MakeDirectory{.path = directory + below, .mode = "0700"});
    }
    change.operations.emplace_back(WriteFile{.path = directory + "/oci-layout",
                                             .content = R"({"imageLayoutVersion":"1.0.0"})"});
    change.operations.emplace_back(
        WriteFile{.path = directory + "/index.json", .content = IndexOf(plan)});
    change.undo = {RemovePath{directory, true}, RunScript{UndoImportScript(plan)}};
    return change;
  }

  bool HasAction() const override { return true; }
  // Blobs that were sent before a crash are not sent again.
  Result<void> RunAction(const StepContext& context, Runner& runner, const Change&) const override {
    ASSIGN_OR_RETURN(const Facts facts,
                     runner.Gather(std::vector<Operation>{GetSystemFacts{}, QueryFor(names_)}));
    ASSIGN_OR_RETURN(const ImagePlan plan, PlanImages(names_, facts, *artifact_));
    if (plan.images.empty()) return {};
    const std::string directory = DirectoryFor(context);
    for (const auto& [sum, blob] : plan.Blobs()) {
      RETURN_IF_ERROR(runner.Upload({.source = artifact_->PartOf(*blob),
                                     .sha256 = sum,
                                     .path = fmt::format("{}/blobs/sha256/{}", directory, sum)}));
    }
    RETURN_IF_ERROR(runner.Perform(std::vector<Operation>{RunScript{ImportScript(plan, directory)},
                                                          RemovePath{directory, true}},
                                   kImportTimeout));
    return {};
  }

 private:
  static std::string DirectoryFor(const StepContext& context) {
    return context.runtime.host_directory() + "/images";
  }

  const std::vector<std::string> names_;
  const ArtifactPtr artifact_;
};

}  // namespace

std::vector<std::string> ImageNames(const ContainerRuntimeSpec& runtime) {
  std::vector<std::string> names;
  for (const ImageSpec& image : runtime.images) names.push_back(image.name);
  return names;
}

StepPtr EnsureImages(std::string step_name, std::vector<std::string> names,
                     const ArtifactPtr& artifact) {
  return std::make_shared<ImagesStep>(std::move(step_name), std::move(names), artifact);
}

StepPtr RequireImages(std::string step_name, std::vector<std::string> names,
                      const ArtifactPtr& artifact) {
  const Probe query = QueryFor(names);
  return Require(
      std::move(step_name), {GetSystemFacts{}, query},
      [names = std::move(names), artifact](const StepContext&, const Facts& facts) -> Result<void> {
        ASSIGN_OR_RETURN(const ImagePlan plan, PlanImages(names, facts, *artifact));
        for (const auto& [sum, blob] : plan.Blobs()) {
          RETURN_IF_ERROR(artifact->Verify(*blob));
        }
        return {};
      });
}

}  // namespace kubexms::cluster
