#pragma once

// How a container runtime is asked on its host what a kubelet would ask: by calls of CRI over its
// socket. Debian has no program for that, so a few lines of Perl, which it always has, are sent
// along. Text only; nothing here talks to a host.

#include <span>
#include <string>

namespace kubexms::cluster {

// A command that ends with 0 when the runtime is ready, and says otherwise why not.
std::string RuntimeReadyCommand();

// A command that prints "NAME ID" for each of these images that the runtime has. It ends with 0
// when the runtime answers.
std::string ListImagesCommand(std::span<const std::string> names);

}  // namespace kubexms::cluster
