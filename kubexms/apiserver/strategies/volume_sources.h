#pragma once

// The rules of volume sources that pods and PersistentVolumes share, and of paths in volumes.

#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {

// The source of a volume, by its JSON name: "nfs", "iscsi". A source without rules is accepted.
void ValidateCommonSource(std::string_view type, const Field& source);

// The name of a CSI driver.
void ValidateDriverName(const Field& driver);

// A path without "..".
void ValidateNoBacksteps(const Field& path);
// A relative path without "..".
void ValidateDescendingPath(const Field& path);
// As ValidateDescendingPath, and not starting with "..", which is reserved for the kubelet.
void ValidateNonReservedPath(const Field& path);

}  // namespace kubexms
