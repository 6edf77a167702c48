#pragma once

// The rules of where a volume is: sources that pods and PersistentVolumes have in common, and what
// both say about paths and file modes.

#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {

// The source of a volume, by its name in the JSON: "nfs", "iscsi". A name that has no rules is
// accepted.
void ValidateCommonSource(std::string_view type, const Field& source);

// The name of a CSI driver.
void ValidateDriverName(const Field& driver);

// A path without "..".
void ValidateNoBacksteps(const Field& path);
// The same, and relative.
void ValidateDescendingPath(const Field& path);
// The same, and not beginning with "..", which is the kubelet's.
void ValidateNonReservedPath(const Field& path);

}  // namespace kubexms
