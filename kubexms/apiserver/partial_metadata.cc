#include "kubexms/apiserver/partial_metadata.h"

#include "kubexms/api/codec.h"
#include "kubexms/apiserver/printers/json_view.h"

namespace kubexms {

void AppendPartialObjectMetadata(const JsonView& object, std::string_view version,
                                 TextBuffer& out) {
  out.Append(R"({"apiVersion":"meta.k8s.io/)");
  out.Append(version);
  out.Append(R"(","kind":"PartialObjectMetadata","metadata":)");
  object["metadata"].AppendTo(out);
  out.Append('}');
}

Result<std::string> MakePartialObjectMetadata(std::string_view object, std::string_view version) {
  ASSIGN_OR_RETURN(const simdjson::dom::element root, JsonReader::Read(object));
  TextBuffer out;
  AppendPartialObjectMetadata(JsonView(root), version, out);
  return out.ToString();
}

Json MakePartialObjectMetadata(const JsonObject& object, std::string_view version) {
  const Json* metadata = object.if_contains("metadata");
  return JsonObject{{"apiVersion", std::string("meta.k8s.io/").append(version)},
                    {"kind", "PartialObjectMetadata"},
                    {"metadata", metadata == nullptr ? Json(JsonObject()) : *metadata}};
}

Result<std::string> MakePartialObjectMetadataList(std::span<const std::string_view> objects,
                                                  const ListMeta& metadata,
                                                  std::string_view version) {
  TextBuffer out(64 * 1024);
  out.Append(R"({"apiVersion":"meta.k8s.io/)");
  out.Append(version);
  out.Append(R"(","items":[)");
  bool first = true;
  for (const std::string_view object : objects) {
    ASSIGN_OR_RETURN(const simdjson::dom::element root, JsonReader::Read(object));
    if (!std::exchange(first, false)) out.Append(',');
    AppendPartialObjectMetadata(JsonView(root), version, out);
  }
  out.Append(R"(],"kind":"PartialObjectMetadataList","metadata":)");
  AppendEncoded(metadata, out);
  out.Append('}');
  return out.ToString();
}

}  // namespace kubexms
