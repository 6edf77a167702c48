#include "kubexms/apiserver/request/accept.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace kubexms {
namespace {

constexpr std::string_view kMetaGroup = "meta.k8s.io";
constexpr std::string_view kDiscoveryGroup = "apidiscovery.k8s.io";

// A kind that an object can be converted to.
struct Transform {
  std::string_view group;
  std::string_view version;
  std::string_view name;
  ResponseKind kind;
};

constexpr Transform kObjectTransforms[] = {
    {kMetaGroup, "v1", "Table", ResponseKind::kTable},
    {kMetaGroup, "v1beta1", "Table", ResponseKind::kTable},
    {kMetaGroup, "v1", "PartialObjectMetadata", ResponseKind::kPartialObjectMetadata},
    {kMetaGroup, "v1beta1", "PartialObjectMetadata", ResponseKind::kPartialObjectMetadata},
    {kMetaGroup, "v1", "PartialObjectMetadataList", ResponseKind::kPartialObjectMetadataList},
    {kMetaGroup, "v1beta1", "PartialObjectMetadataList", ResponseKind::kPartialObjectMetadataList},
};
constexpr std::string_view kDiscoveryKind = "APIGroupDiscoveryList";
constexpr Transform kDiscoveryTransforms[] = {
    {kDiscoveryGroup, "v2", kDiscoveryKind, ResponseKind::kAggregatedDiscovery},
    {kDiscoveryGroup, "v2beta1", kDiscoveryKind, ResponseKind::kAggregatedDiscovery},
};

std::span<const Transform> TransformsOf(ResponseSubject subject) {
  switch (subject) {
    case ResponseSubject::kObjects:
    case ResponseSubject::kEvents: return kObjectTransforms;
    case ResponseSubject::kDiscovery: return kDiscoveryTransforms;
    case ResponseSubject::kDocument: break;
  }
  return {};
}

// One media range of an Accept header.
struct MediaRange {
  std::string_view type;
  std::string_view subtype;
  double quality = 1;
  // The parameters that the server supports.
  std::string_view as;
  std::string_view group;
  std::string_view version;
  std::string_view stream;
  bool pretty = false;

  bool Matches(std::string_view wanted_type, std::string_view wanted_subtype) const {
    return (type == "*" || type == wanted_type) && (subtype == "*" || subtype == wanted_subtype);
  }
};

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Returns `text` up to the first `separator` and removes both from `text`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view piece = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return Trim(piece);
}

double ParseQuality(std::string_view text) {
  double quality = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quality);
  return error == std::errc() && end == text.data() + text.size() ? quality : 1;
}

void SetParameter(MediaRange& range, std::string_view name, std::string_view value) {
  if (name == "q") range.quality = ParseQuality(value);
  if (name == "as") range.as = value;
  if (name == "g") range.group = value;
  if (name == "v") range.version = value;
  if (name == "stream") range.stream = value;
  if (name == "pretty") range.pretty = value == "1";
}

MediaRange ParseRange(std::string_view text) {
  MediaRange range;
  std::string_view type = TakeUntil(text, ';');
  range.type = TakeUntil(type, '/');
  range.subtype = type;
  if (range.type == "*" && range.subtype.empty()) range.subtype = "*";
  while (!text.empty()) {
    std::string_view parameter = TakeUntil(text, ';');
    const std::string_view name = TakeUntil(parameter, '=');
    SetParameter(range, name, Trim(parameter));
  }
  return range;
}

// Sorted by preference: by the client's weights, then by specificity.
std::vector<MediaRange> ParseAccept(std::string_view header) {
  std::vector<MediaRange> ranges;
  while (!header.empty()) ranges.push_back(ParseRange(TakeUntil(header, ',')));
  std::erase_if(ranges, [](const MediaRange& range) { return range.quality <= 0; });
  std::ranges::stable_sort(ranges, [](const MediaRange& a, const MediaRange& b) {
    if (a.quality != b.quality) return a.quality > b.quality;
    if ((a.type == "*") != (b.type == "*")) return b.type == "*";
    return a.subtype != "*" && b.subtype == "*";
  });
  return ranges;
}

std::optional<ResponseFormat> FormatOf(const MediaRange& range, ResponseSubject subject) {
  if (range.Matches("application", "json")) return ResponseFormat::kJson;
  if (subject != ResponseSubject::kEvents && range.Matches("application", "yaml")) {
    return ResponseFormat::kYaml;
  }
  return std::nullopt;
}

// The form that a media range stands for, if the server supports it.
std::optional<ResponseForm> FormOf(const MediaRange& range, ResponseSubject subject) {
  const std::optional<ResponseFormat> format = FormatOf(range, subject);
  if (!format || (!range.stream.empty() && range.stream != "watch")) return std::nullopt;
  ResponseForm form{.format = *format, .pretty = range.pretty};
  if (range.as.empty() && range.group.empty() && range.version.empty()) return form;
  for (const Transform& transform : TransformsOf(subject)) {
    if (transform.name == range.as && transform.group == range.group &&
        transform.version == range.version) {
      form.kind = transform.kind;
      form.version = transform.version;
      return form;
    }
  }
  return std::nullopt;
}

bool IsInteractiveClient(std::string_view user_agent) {
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

bool IsPrettyRequested(const HttpHeaders& headers, const QueryParameters& query) {
  const std::string_view pretty = query.Get("pretty").value_or("");
  if (pretty.empty()) return IsInteractiveClient(headers.Get("User-Agent").value_or(""));
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  return std::ranges::find(kTrue, pretty) != std::end(kTrue);
}

Error NotAcceptable(ResponseSubject subject) {
  std::string message = "406: Not Acceptable\n\nAvailable representations: ";
  switch (subject) {
    case ResponseSubject::kObjects:
      message += "application/json, application/yaml, application/json;stream=watch";
      break;
    case ResponseSubject::kEvents: message += "application/json;stream=watch"; break;
    case ResponseSubject::kDiscovery:
    case ResponseSubject::kDocument: message += "application/json, application/yaml"; break;
  }
  return Error::NotAcceptable(std::move(message));
}

}  // namespace

std::string ResponseForm::ContentType() const {
  std::string type = format == ResponseFormat::kYaml ? "application/yaml" : "application/json";
  if (kind == ResponseKind::kAggregatedDiscovery) {
    type.append(";g=").append(kDiscoveryGroup).append(";v=").append(version);
    type.append(";as=").append(kDiscoveryKind);
  }
  return type;
}

Result<ResponseForm> NegotiateResponse(const HttpHeaders& headers, const QueryParameters& query,
                                       ResponseSubject subject) {
  const bool pretty = IsPrettyRequested(headers, query);
  const std::string_view accept = Trim(headers.Get("Accept").value_or(""));
  if (accept.empty()) return ResponseForm{.pretty = pretty};
  for (const MediaRange& range : ParseAccept(accept)) {
    std::optional<ResponseForm> form = FormOf(range, subject);
    if (!form) continue;
    form->pretty = form->pretty || pretty;
    return *std::move(form);
  }
  return NotAcceptable(subject);
}

std::optional<size_t> PreferredMediaType(std::string_view accept,
                                         std::span<const std::string_view> available) {
  if (Trim(accept).empty()) return 0;
  for (const MediaRange& range : ParseAccept(accept)) {
    for (size_t i = 0; i < available.size(); ++i) {
      std::string_view subtype = available[i];
      const std::string_view type = TakeUntil(subtype, '/');
      if (range.Matches(type, subtype)) return i;
    }
  }
  return std::nullopt;
}

}  // namespace kubexms
