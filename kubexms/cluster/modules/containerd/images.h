#pragma once

// Images from an artifact in the container runtime of hosts, before any pod needs them.

#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/modules/packages.h"

namespace kubexms::cluster {

std::vector<std::string> ImageNames(const ContainerRuntimeSpec& runtime);

// Imports the images that CRI on the host lacks; the runtime must run. The undo removes imported
// images, and restores the previous image of a name.
automation::StepPtr EnsureImages(std::string step_name, std::vector<std::string> names,
                                 const ArtifactPtr& artifact);

// A check: the artifact has the images that the host lacks, for its architecture and undamaged.
automation::StepPtr RequireImages(std::string step_name, std::vector<std::string> names,
                                  const ArtifactPtr& artifact);

}  // namespace kubexms::cluster
