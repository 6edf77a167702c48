#include "kubexms/apiserver/read/partial_metadata.h"

#include "kubexms/api/codec.h"
#include "kubexms/apiserver/read/raw_member.h"

namespace kubexms {
namespace {

Result<std::string_view> FindMetadata(std::string_view object) {
  const std::string_view metadata = FindRawMember(object, "metadata");
  if (!metadata.starts_with('{')) {
    return Error::BadRequest("metadata: Required value: an object must have it");
  }
  return metadata;
}

}  // namespace

void AppendPartialObjectMetadata(std::string_view metadata, std::string_view version,
                                 TextBuffer& out) {
  out.Append(R"({"apiVersion":"meta.k8s.io/)");
  out.Append(version);
  out.Append(R"(","kind":"PartialObjectMetadata","metadata":)");
  out.Append(metadata);
  out.Append('}');
}

Result<std::string> MakePartialObjectMetadata(std::string_view object, std::string_view version) {
  ASSIGN_OR_RETURN(const std::string_view metadata, FindMetadata(object));
  TextBuffer out(metadata.size() + 128);
  AppendPartialObjectMetadata(metadata, version, out);
  return out.ToString();
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
    ASSIGN_OR_RETURN(const std::string_view item, FindMetadata(object));
    if (!std::exchange(first, false)) out.Append(',');
    AppendPartialObjectMetadata(item, version, out);
  }
  out.Append(R"(],"kind":"PartialObjectMetadataList","metadata":)");
  AppendEncoded(metadata, out);
  out.Append('}');
  return out.ToString();
}

}  // namespace kubexms
