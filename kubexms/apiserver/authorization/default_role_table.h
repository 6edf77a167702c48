#pragma once

// The default roles as text, one line a rule, read by default_roles.cc:
//
//   ROLE +AGGREGATED =AGGREGATING        its name; +edit: its rules become part of `edit`;
//                                        =edit: its rules are all those marked +edit
//     VERBS: RESOURCES @GROUPS #NAMES    a rule; without a group it is of core
//     VERBS paths: PATHS                 a rule for paths that are not resources
//     events                             the rule of those who write events
//
// `read` stands for get, list and watch; `write` for create, delete, deletecollection, patch and
// update. Rules go on in lines that are indented further.

#include <string_view>

namespace kubexms {

extern const std::string_view kDefaultClusterRoles;
// Each is the role system:controller:NAME, bound to the service account NAME in kube-system.
extern const std::string_view kDefaultControllerRoles;
extern const std::string_view kDefaultSystemNamespaceRoles;  // in kube-system
extern const std::string_view kDefaultPublicNamespaceRoles;  // in kube-public

}  // namespace kubexms
