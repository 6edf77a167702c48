#pragma once

// Validation of names. Each function returns Kubernetes' error messages for the value, in
// Kubernetes' order; none when the value is valid. Valid values allocate nothing.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/type.h"

namespace kubexms {

using Messages = std::vector<std::string>;

// "my-name": up to 63 of a-z, 0-9 and '-'. Names of namespaces, containers, volumes.
Messages ValidateDns1123Label(std::string_view value);
// "example.com": labels joined by dots, up to 253 bytes. Names of most objects.
Messages ValidateDns1123Subdomain(std::string_view value);
// Like a DNS-1123 label, but starting with a letter. Names of services.
Messages ValidateDns1035Label(std::string_view value);
// "*.example.com".
Messages ValidateWildcardDns1123Subdomain(std::string_view value);

// "app" or "example.com/app": label keys, resource names, finalizers, condition types.
Messages ValidateQualifiedName(std::string_view value);
Messages ValidateLabelValue(std::string_view value);
// A qualified name in upper or lower case.
Messages ValidateAnnotationKey(std::string_view value);

// The limit on the total size of all annotation keys and values of an object.
inline constexpr size_t kMaxAnnotationsSize = 256 * 1024;
Messages ValidateAnnotationsSize(const StringMap& annotations);

// Printable ASCII without '=': the name of an environment variable of a container.
Messages ValidateEnvVarName(std::string_view value);
// The older, stricter rule: letters, digits, '_', '-' and '.', not starting with a digit.
Messages ValidateStrictEnvVarName(std::string_view value);
Messages ValidateConfigMapKey(std::string_view value);

// "http": up to 15 of a-z, 0-9 and single '-' (IANA_SVC_NAME).
Messages ValidatePortName(std::string_view value);
Messages ValidatePortNumber(int64_t value);
// "25%".
Messages ValidatePercent(std::string_view value);

// Like Kubernetes, accepts leading zeros in IPv4 addresses ("010.0.0.1").
Messages ValidateIp(std::string_view value);
Messages ValidateCidr(std::string_view value);

}  // namespace kubexms
