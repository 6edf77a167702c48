#pragma once

// Images in files: what `docker save`, `ctr images export`, `skopeo copy … oci-archive:` and
// `buildah push … oci-archive:` write. An image of one architecture is taken out of such a file as
// the parts of the file that it is made of; nothing is unpacked.

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
  std::string manifest;          // its bytes; made here when the file has none, as docker's
  std::vector<ImageBlob> blobs;  // the configuration, then the layers; each once

  // "sha256:…" of the configuration.
  std::string Id() const { return "sha256:" + blobs.front().sha256; }
};

// The image for Linux on `architecture` ("amd64"). A file with one image is that image, whatever
// it is called there; of several it is the one that is called `name`. Every blob's checksum is
// verified. Refused, with what the file has instead: no such image, another architecture, blobs
// that are missing or damaged, a file that is compressed or no such file at all.
Result<ImageContent> ReadImageArchive(const std::string& path, std::string_view name,
                                      std::string_view architecture);

}  // namespace kubexms::cluster
