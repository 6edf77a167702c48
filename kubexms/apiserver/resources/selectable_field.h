#pragma once

// Where the value of a selectable field is found. A field selector names fields as the API does,
// and mostly that is the path in the stored object. It is not where the object is stored in another
// form, and a field that is absent because it has its zero value is still selected by that value:
// spec.unschedulable=false selects all nodes that nobody has cordoned.

#include <string>
#include <string_view>

#include "kubexms/apiserver/resources/resource.h"

namespace kubexms {

struct SelectableField {
  std::string path;           // in the stored object: "spec.nodeName"
  std::string fallback_path;  // looked at when there is nothing at the first; may be empty
  std::string zero;           // the value when there is nothing at all: "", "false" or "0"

  bool operator==(const SelectableField&) const = default;
};

// `name` is metadata.name, metadata.namespace or one of the resource's selectable fields.
SelectableField FindSelectableField(const Resource& resource, std::string_view name);

}  // namespace kubexms
