#include <cstdint>
#include <string_view>

#include "kubexms/api/patch/apply.h"
#include "kubexms/api/patch/managed_fields.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/check.h"

namespace {

using namespace kubexms;

// A kind with one field of each merge behavior.
const Schema* MakeSchema(SchemaArena& arena) {
  const auto make = [&](SchemaType type) {
    Schema* schema = arena.New();
    schema->type = type;
    return schema;
  };
  Schema* text = make(SchemaType::kString);
  Schema* protocol = make(SchemaType::kString);
  protocol->default_value = Json("TCP");
  Schema* item = make(SchemaType::kObject);
  item->properties = {{"n", text}, {"p", protocol}, {"v", text}};
  Schema* by_key = make(SchemaType::kArray);
  by_key->items = item;
  by_key->list_type = ListType::kMap;
  by_key->list_map_keys = {"n", "p"};
  Schema* set = make(SchemaType::kArray);
  set->items = text;
  set->list_type = ListType::kSet;
  Schema* map = make(SchemaType::kObject);
  map->additional_properties = item;
  Schema* atomic = make(SchemaType::kObject);
  atomic->map_atomic = true;
  Schema* any = make(SchemaType::kObject);
  any->preserve_unknown_fields = true;
  Schema* root = make(SchemaType::kObject);
  root->properties = {{"a", atomic},     {"k", by_key}, {"m", map},
                      {"metadata", any}, {"s", set},    {"x", any}};
  return root;
}

// The next line of the input.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool IsManaged(const Json& object) {
  const Json* metadata = FindMember(object, "metadata");
  return metadata != nullptr && FindMember(*metadata, "managedFields") != nullptr;
}

// Properties of every live object and configuration.
void Check(const Json& live, const Json& config, const FieldManagerOptions& options) {
  const Result<Applied> first = Apply(live, config, options, true);
  if (!first.ok()) return;
  const Result<Applied> again = Apply(first->object, config, options, false);
  KUBEXMS_CHECK(again.ok());
  // An object without managers gets managed fields anew.
  if (IsManaged(first->object)) {
    KUBEXMS_CHECK(!again->changed);
    KUBEXMS_CHECK(JsonEqual(again->object, first->object));
  }
  (void)TrackUpdate(live, first->object, options);
  (void)TrackUpdate(first->object, config, options);
}

}  // namespace

// The input has three lines: a live object, a configuration, and managed fields of the live object.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Json> live = ParseJson(TakeLine(text));
  const Result<Json> config = ParseJson(TakeLine(text));
  const Result<Json> fields = ParseJson(TakeLine(text));
  if (!live.ok() || !config.ok()) return 0;
  if (live->is_object() && fields.ok()) {
    live->get_object()["metadata"] = {{"managedFields",
                                       {{{"manager", "m"},
                                         {"operation", "Apply"},
                                         {"apiVersion", "v1"},
                                         {"fieldsType", "FieldsV1"},
                                         {"fieldsV1", *fields}},
                                        {{"manager", "u"},
                                         {"operation", "Update"},
                                         {"apiVersion", "v1"},
                                         {"fieldsType", "FieldsV1"},
                                         {"fieldsV1", *fields}}}}};
  }
  SchemaArena arena;
  FieldManagerOptions options{.manager = "m",
                              .api_version = "v1",
                              .time = "2026-11-15T07:51:00Z",
                              .schema = MakeSchema(arena)};
  Check(*live, *config, options);
  options.schema = nullptr;
  options.manager = "n";
  Check(*live, *config, options);
  return 0;
}
