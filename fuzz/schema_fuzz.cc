#include <cstdint>
#include <string_view>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/schema_json.h"
#include "kubexms/api/schema/validation.h"
#include "kubexms/base/check.h"
#include "kubexms/base/json/json.h"

namespace {

using namespace kubexms;

void Prepare(Json& value, const Schema& schema) {
  Prune(value, schema);
  RemoveNulls(value, schema);
  ApplyDefaults(value, schema);
}

void Check(const Json& schema_json, const Json& value, bool structural) {
  const FieldPath path("spec.versions[0].schema.openAPIV3Schema");
  const CrdSchema parsed = ParseCrdSchema(schema_json, path, {.structural = structural});
  KUBEXMS_CHECK((parsed.schema == nullptr) == !parsed.errors.empty());
  if (parsed.schema == nullptr) return;
  const Schema& schema = *parsed.schema;

  Json once = value;
  Prepare(once, schema);
  Json again = value;
  Prepare(again, schema);
  KUBEXMS_CHECK(WriteJson(once) == WriteJson(again));
  KUBEXMS_CHECK(Validate(once, schema) == Validate(again, schema));
  KUBEXMS_CHECK(!ApplyDefaults(again, schema));
  (void)SchemaToOpenApi(schema, SchemaDialect::kOpenApiV2);
  (void)SchemaToOpenApi(schema, SchemaDialect::kOpenApiV3);

  const JsonObject written = SchemaToOpenApi(schema, SchemaDialect::kCrd);
  KUBEXMS_CHECK(ParseCrdSchema(written, path, {.structural = false}).errors.empty());
}

}  // namespace

// A schema and a document, separated by a line break: validation, defaulting and pruning must not
// crash and must be deterministic.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const JsonOptions options{.max_depth = 64};
  const Result<Json> schema = ParseJson(text.substr(0, end), options);
  const Result<Json> value = ParseJson(text.substr(end + 1), options);
  if (!schema.ok() || !value.ok()) return 0;
  Check(*schema, *value, true);
  Check(*schema, *value, false);
  return 0;
}
