#include "kubexms/apiserver/handlers/flow_schemas.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/resources/metadata.h"

namespace kubexms {
namespace {

constexpr std::string_view kDangling = "Dangling";
constexpr std::string_view kManager = "api-priority-and-fairness-config-consumer-v1";

JsonObject MakeCondition(std::string_view level, bool exists, Time now) {
  return {{"type", kDangling},
          {"status", exists ? "False" : "True"},
          {"lastTransitionTime", now.ToString()},
          {"reason", exists ? "Found" : "NotFound"},
          {"message",
           fmt::format("This FlowSchema references the PriorityLevelConfiguration "
                       "object named {} {}",
                       Quoted(level), exists ? "and it exists" : "but there is no such object")}};
}

// Sets the condition. Returns false when the conditions have it already.
bool SetCondition(JsonObject condition, JsonArray& conditions) {
  const auto other = std::ranges::find_if(
      conditions, [](const Json& each) { return FindString(each, "type") == kDangling; });
  if (other == conditions.end()) {
    conditions.push_back(std::move(condition));
    return true;
  }
  const Json wanted(std::move(condition));
  if (FindString(*other, "message") == FindString(wanted, "message") &&
      FindString(*other, "status") == FindString(wanted, "status")) {
    return false;
  }
  *other = wanted;
  return true;
}

bool SetDangling(bool exists, Time now, Json& schema) {
  const Json& level = MemberOrNull(MemberOrNull(schema, "spec"), "priorityLevelConfiguration");
  Json& conditions = ObjectMember(schema.get_object(), "status")["conditions"];
  if (!conditions.is_array()) conditions.emplace_array();
  return SetCondition(MakeCondition(FindString(level, "name"), exists, now),
                      conditions.get_array());
}

}  // namespace

Result<void> MarkDanglingFlowSchemas(const ResourceSet& resources, store::Store& store,
                                     ObjectWriter& writer, Time now) {
  const ResourcePtr* resource = resources.Find(kFlowControlGroup, "v1", "flowschemas");
  if (resource == nullptr) return {};
  ASSIGN_OR_RETURN(const store::ListPage page,
                   store.List({.prefix = StoragePrefix(kFlowControlGroup, "flowschemas")}));
  const std::string levels = StoragePrefix(kFlowControlGroup, "prioritylevelconfigurations");
  for (const store::RecordPtr& record : page.records) {
    Result<Json> read = ReadDocument(**resource, *record);
    if (!read.ok()) continue;  // damaged
    Json schema = std::move(*read);
    const Json& level = MemberOrNull(MemberOrNull(schema, "spec"), "priorityLevelConfiguration");
    ASSIGN_OR_RETURN(const store::RecordPtr found,
                     store.Get(levels + std::string(FindString(level, "name"))));
    if (!SetDangling(found != nullptr, now, schema)) continue;
    const std::string name(NameOf(schema));
    const WriteAttributes attributes{.resource = **resource,
                                     .subresource = "status",
                                     .namespace_name = "",
                                     .name = name,
                                     .user = ApiServerUser(),
                                     .manager = std::string(kManager)};
    const auto change = [&](const Json& old) -> Result<ObjectWriter::Change> {
      Json document = old;
      SetDangling(found != nullptr, now, document);
      return ObjectWriter::Change{std::move(document)};
    };
    RETURN_IF_ERROR(IgnoreNotFound(writer.Update(attributes, change)));
  }
  return {};
}

}  // namespace kubexms
