#pragma once

// Resolves plain YAML scalars with the rules that Kubernetes applies to manifests: YAML 1.1 with a
// few additions. yes/no/on/off/y/n are booleans; 0x, 0o, 0b and a leading zero set the base of an
// integer; underscores between digits are ignored; dates are strings.

#include <cstdint>
#include <string>
#include <string_view>

namespace kubexms {

struct YamlScalar {
  enum class Kind {
    kString,
    kNull,
    kBool,
    kInt,   // fits int64
    kUint,  // fits only uint64
    kDouble,
    kNotFinite,   // .inf and .nan: JSON has no form for them
    kOutOfRange,  // a number that fits neither a 64-bit integer nor, if it has a fraction, a double
  };

  Kind kind = Kind::kString;
  bool boolean = false;
  int64_t integer = 0;
  uint64_t unsigned_integer = 0;
  double number = 0;
};

YamlScalar ResolveYamlScalar(std::string_view text);

// The text of a number that is a key, as Go's YAML libraries format it.
std::string YamlKeyOf(double number);

}  // namespace kubexms
