#pragma once

// Base64, the standard form (data of Secrets, certificates in kubeconfigs) and the form for URLs
// without padding (tokens).

#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

enum class Base64Form {
  kStandard,  // + and /, padded with =
  kUrl,       // - and _, not padded
};

std::string EncodeBase64(std::string_view bytes, Base64Form form = Base64Form::kStandard);

// Skips line breaks. Refuses, with the offset: other characters outside of the alphabet, missing or
// misplaced padding, and trailing bits that are not zero.
Result<std::string> DecodeBase64(std::string_view text, Base64Form form = Base64Form::kStandard);

}  // namespace kubexms
