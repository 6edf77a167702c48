#pragma once

// Image archives, as written by `docker save`, `ctr images export`, `skopeo copy … oci-archive:`
// and `buildah push … oci-archive:`. The image of one architecture is read as parts of the file;
// nothing is extracted.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/file_part.h"
#include "kubexms/base/result.h"

namespace kubexms::cluster {

struct ImageBlob {
  std::string sha256;
  int64_t size = 0;
  automation::FilePart part;
};

struct ImageContent {
  std::string media_type;        // of the manifest
  std::string manifest;          // its bytes; generated for docker archives, which have none
  std::vector<ImageBlob> blobs;  // the configuration, then the layers; each once

  // "sha256:…" of the configuration.
  std::string Id() const { return "sha256:" + blobs.front().sha256; }
};

// The image for Linux on `architecture` ("amd64"): the only image of the file whatever its name, or
// else the one named `name`. Verifies the checksum of every blob. Fails, with the content of the
// file, when the image or the architecture is missing, a blob is missing or damaged, or the file is
// compressed or no image archive.
Result<ImageContent> ReadImageArchive(const std::string& path, std::string_view name,
                                      std::string_view architecture);

}  // namespace kubexms::cluster
