#include "kubexms/api/schema/scalars.h"

#include <fmt/format.h>

#include <limits>

#include "kubexms/base/json/json.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {

void ScalarTraits<Time>::AppendJson(const Time& time, TextBuffer& out) {
  if (time.IsZero()) {
    out.Append("null");
  } else {
    AppendJsonString(time.ToString(), out);
  }
}

void ScalarTraits<Time>::Describe(Schema& schema) {
  schema.type = SchemaType::kString;
  schema.format = "date-time";
  schema.nullable = true;
}

void ScalarTraits<MicroTime>::AppendJson(const MicroTime& time, TextBuffer& out) {
  if (time.IsZero()) {
    out.Append("null");
  } else {
    AppendJsonString(time.ToString(), out);
  }
}

void ScalarTraits<MicroTime>::Describe(Schema& schema) {
  schema.type = SchemaType::kString;
  schema.format = "date-time";
  schema.micro_time = true;
  schema.nullable = true;
}

void ScalarTraits<Duration>::AppendJson(const Duration& duration, TextBuffer& out) {
  AppendJsonString(duration.ToString(), out);
}

void ScalarTraits<Duration>::Describe(Schema& schema) {
  schema.type = SchemaType::kString;
  schema.format = "duration";
}

Result<Quantity> ScalarTraits<Quantity>::FromDouble(double number) {
  TextBuffer text(64);
  AppendJsonNumber(number, text);
  return Quantity::Parse(text.view());
}

void ScalarTraits<Quantity>::AppendJson(const Quantity& quantity, TextBuffer& out) {
  AppendJsonString(quantity.ToString(), out);
}

void ScalarTraits<Quantity>::Describe(Schema& schema) {
  schema.definition = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  schema.doc =
      "An amount of a resource: a decimal number, possibly with a suffix such as m, k or Mi.";
  schema.type = SchemaType::kString;
  schema.quantity = true;
}

Result<IntOrString> ScalarTraits<IntOrString>::FromInteger(int64_t number) {
  if (number < std::numeric_limits<int32_t>::min() ||
      number > std::numeric_limits<int32_t>::max()) {
    return Error::BadRequest(fmt::format("{} is out of the range of a 32-bit integer", number));
  }
  return IntOrString(static_cast<int32_t>(number));
}

void ScalarTraits<IntOrString>::AppendJson(const IntOrString& value, TextBuffer& out) {
  if (value.IsInt()) {
    AppendJsonNumber(value.IntValue(), out);
  } else {
    AppendJsonString(value.StringValue(), out);
  }
}

void ScalarTraits<IntOrString>::Describe(Schema& schema) {
  schema.definition = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  schema.doc = "A number, or a text such as a percentage or the name of a port.";
  schema.int_or_string = true;
}

Result<Bytes> ScalarTraits<Bytes>::FromText(std::string_view text) {
  ASSIGN_OR_RETURN(std::string value, DecodeBase64(text));
  return Bytes{std::move(value)};
}

void ScalarTraits<Bytes>::AppendJson(const Bytes& bytes, TextBuffer& out) {
  AppendJsonString(EncodeBase64(bytes.value), out);
}

void ScalarTraits<Bytes>::Describe(Schema& schema) {
  schema.type = SchemaType::kString;
  schema.format = "byte";
}

}  // namespace kubexms
