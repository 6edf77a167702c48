#pragma once

// Arbitrary JSON documents for properties.

#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <string>

#include "kubexms/base/json/json.h"

namespace kubexms {

// Any finite double, all exponents equally likely.
inline double GenDouble() {
  const auto bits = *rc::gen::arbitrary<uint64_t>();
  double number;
  std::memcpy(&number, &bits, sizeof(number));
  return std::isfinite(number) ? number : static_cast<double>(bits);
}

// A document at most `depth` levels deep whose strings and keys come from `gen_text`.
inline Json GenJson(int depth, const rc::Gen<std::string>& gen_text) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0: return nullptr;
    case 1: return *rc::gen::arbitrary<bool>();
    case 2: return *rc::gen::arbitrary<int64_t>();
    case 3: return *rc::gen::arbitrary<uint64_t>();
    case 4: return GenDouble();
    case 5: return Json(*gen_text);
    case 6: {
      JsonArray items;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        items.push_back(GenJson(depth - 1, gen_text));
      }
      return items;
    }
    default: {
      JsonObject object;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        object[*gen_text] = GenJson(depth - 1, gen_text);
      }
      return object;
    }
  }
}

}  // namespace kubexms
