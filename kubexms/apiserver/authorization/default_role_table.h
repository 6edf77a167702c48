#pragma once

// The default roles as text, one line per rule, parsed by default_roles.cc:
//
//   ROLE +AGGREGATED =AGGREGATING        the name; +edit: its rules are aggregated to `edit`;
//                                        =edit: its rules are all those marked +edit
//     VERBS: RESOURCES @GROUPS #NAMES    a rule; the group defaults to core
//     VERBS paths: PATHS                 a rule for non-resource URLs
//     events                             the rule for creating events
//
// `read` stands for get, list and watch; `write` for create, delete, deletecollection, patch and
// update. Lines that are indented further continue a rule.

#include <string_view>

namespace kubexms {

extern const std::string_view kDefaultClusterRoles;
// Each is the role system:controller:NAME, bound to the service account NAME in kube-system.
extern const std::string_view kDefaultControllerRoles;
extern const std::string_view kDefaultSystemNamespaceRoles;  // in kube-system
extern const std::string_view kDefaultPublicNamespaceRoles;  // in kube-public

}  // namespace kubexms
