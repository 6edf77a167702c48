#pragma once

// Shell commands that query containerd by ctr, the client of its own package. Text only; nothing
// here calls a host.

#include <span>
#include <string>

namespace kubexms::cluster {

// Exits with 0 when containerd serves CRI; otherwise prints the reason and exits with 1.
std::string RuntimeReadyCommand();

// Prints "NAME ID" for each of these images that CRI has; the id is the digest of the image's
// configuration. Prints nothing when containerd does not run.
std::string ListImagesCommand(std::span<const std::string> names);

}  // namespace kubexms::cluster
