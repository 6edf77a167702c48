#pragma once

// Where the value of a selectable field is stored. A field selector names a field of the API, which
// mostly is the path in the stored object. The path differs where the object is stored in another
// version. An absent field is selected by its zero value: spec.unschedulable=false selects all
// nodes that are not cordoned.

#include <string>
#include <string_view>

#include "kubexms/apiserver/resources/resource.h"

namespace kubexms {

struct SelectableField {
  std::string path;           // in the stored object: "spec.nodeName"
  std::string fallback_path;  // used when the first path is absent; may be empty
  std::string zero;           // the value when both are absent: "", "false" or "0"

  bool operator==(const SelectableField&) const = default;
};

// `name` is metadata.name, metadata.namespace or a selectable field of the resource.
SelectableField FindSelectableField(const Resource& resource, std::string_view name);

}  // namespace kubexms
