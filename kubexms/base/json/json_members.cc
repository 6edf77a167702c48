#include "kubexms/base/json/json_members.h"

namespace kubexms {

const Json& MemberOrNull(const Json& object, std::string_view key) {
  static const Json kNull;
  const Json* member = FindMember(object, key);
  return member == nullptr ? kNull : *member;
}

const JsonArray& MemberItems(const Json& object, std::string_view key) {
  static const JsonArray kEmpty;
  const Json& member = MemberOrNull(object, key);
  return member.is_array() ? member.get_array() : kEmpty;
}

bool IsMemberTrue(const Json& object, std::string_view key) {
  const Json& member = MemberOrNull(object, key);
  return member.is_bool() && member.get_bool();
}

}  // namespace kubexms
