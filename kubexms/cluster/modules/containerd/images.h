#pragma once

// Images that hosts have before anything asks for them, from an artifact.

#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/modules/packages.h"

namespace kubexms::cluster {

std::vector<std::string> ImageNames(const ContainerRuntimeSpec& runtime);

// The runtime of the host, which runs, has exactly these images of the artifact, as it says itself
// by CRI. Only layers that it lacks are sent. To take it back removes those that were not there and
// gives a name back to the image that had it before.
automation::StepPtr EnsureImages(std::string step_name, std::vector<std::string> names,
                                 const ArtifactPtr& artifact);

// Changes nothing: what the host lacks of the images is in the artifact, for its architecture and
// undamaged.
automation::StepPtr RequireImages(std::string step_name, std::vector<std::string> names,
                                  const ArtifactPtr& artifact);

}  // namespace kubexms::cluster
