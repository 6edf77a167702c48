#pragma once

// The paths of additionalPrinterColumns: Kubernetes' JSONPath without scripts. Supported are fields
// (.a.b, ['a.b'], .a\.b), indices ([0], [-1]), wildcards ([*], .*) and filters
// ([?(@.type=="Ready")]).

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/table/printers/json_view.h"
#include "kubexms/base/result.h"

namespace kubexms {

class JsonPath {
 public:
  // `text` is ".spec.replicas", with or without braces.
  static Result<JsonPath> Parse(std::string_view text);

  // The first value at the path; absent if none.
  JsonView FirstIn(JsonView root) const { return FirstFrom(root, 0); }

 private:
  struct Step {
    enum class Kind { kField, kIndex, kAll, kFilter };
    enum class Comparison {
      kExists,
      kEqual,
      kNotEqual,
      kLess,
      kLessEqual,
      kGreater,
      kGreaterEqual
    };

    Kind kind = Kind::kField;
    std::string name;                 // kField
    int64_t index = 0;                // kIndex; negative: from the end
    std::vector<std::string> fields;  // kFilter: the compared field of the item
    Comparison comparison = Comparison::kExists;
    std::string operand;  // kFilter, without quotes
  };

  class Parser;

  static bool Selects(const Step& filter, JsonView item);
  JsonView FirstFrom(JsonView value, size_t step) const;
  JsonView FirstOf(const std::vector<JsonView>& values, size_t step) const;

  std::vector<Step> steps_;
};

}  // namespace kubexms
