#include "kubexms/apiserver/request/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "kubexms/api/protobuf/protobuf.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/api/values/rune.h"
#include "kubexms/apiserver/request/scope.h"
#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/text/lower_case.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

constexpr size_t kMaxManagerBytes = 128;

Error InvalidOptions(std::string_view kind, std::vector<ErrorCause> errors) {
  return Error::Invalid(fmt::format("{}.meta.k8s.io", kind), "", std::move(errors));
}

Error InvalidOptions(std::string_view kind, ErrorCause cause) {
  return InvalidOptions(kind, std::vector<ErrorCause>{std::move(cause)});
}

// The field manager is stored in the object, so it must be printable.
Result<std::string> ReadFieldManager(std::string_view given, std::string_view options_kind) {
  const FieldPath path("fieldManager");
  std::vector<ErrorCause> errors;
  if (given.size() > kMaxManagerBytes) errors.push_back(TooLong(path, kMaxManagerBytes));
  std::string manager = ToValidUtf8(given);
  for (size_t at = 0; at < given.size();) {
    const Rune rune = DecodeRune(given.substr(at));
    if (!IsPrintable(rune.value)) {
      errors.push_back(Invalid(path, Json(manager),
                               fmt::format("invalid character U+{:04X} (at position {})",
                                           static_cast<uint32_t>(rune.value), at)));
      // One error is enough for a text that is too long anyway.
      if (given.size() > kMaxManagerBytes) break;
    }
    at += rune.size;
  }
  if (!errors.empty()) return InvalidOptions(options_kind, std::move(errors));
  return manager;
}

// A parameter that is present is true, unless its value is false; clients use upper and lower case.
bool ReadBool(const QueryParameters& query, std::string_view name) {
  const std::optional<std::string_view> value = query.Get(name);
  return value.has_value() && *value != "0" && LowerCase(*value) != "false";
}

std::string ResourceVerb(std::string_view method, bool named, const QueryParameters& query) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  // An empty verb: a user with all permissions gets "method not allowed".
  if (method != "GET" && method != "HEAD") return "";
  if (named) return "get";
  return ReadBool(query, "watch") ? "watch" : "list";
}

// `segments` start with the resource or with "namespaces".
Result<void> ReadResourcePath(std::span<const std::string> segments,
                              RequestAttributes& attributes) {
  if (segments.size() >= 2 && segments[0] == "namespaces") {
    attributes.namespace_name = segments[1];
    const bool of_the_namespace =
        segments.size() == 2 || segments[2] == "status" || segments[2] == "finalize";
    if (!of_the_namespace) segments = segments.subspan(2);
    // Namespaces are cluster-scoped, and a second namespace must not be mistaken for the first one.
    const bool nested = !of_the_namespace && segments[0] == "namespaces";
    if (nested && attributes.group.empty()) return NoSuchResource();
  }
  attributes.resource = segments[0];
  if (segments.size() >= 2) attributes.name = segments[1];
  if (segments.size() >= 3) attributes.subresource = segments[2];
  // No subresource has a slash in its name: authorization decides about the path, which is not
  // found.
  for (size_t i = 3; i < segments.size(); ++i) attributes.subresource += "/" + segments[i];
  return {};
}

// A segment is one name: a slash in it would make the path of another object of it.
Result<void> CheckSegments(std::span<const std::string> segments) {
  const bool split = std::ranges::any_of(
      segments, [](const std::string& segment) { return segment.find('/') != std::string::npos; });
  return split ? NoSuchResource() : Result<void>();
}

Result<bool> ReadDryRun(const QueryParameters& query, std::string_view options_kind) {
  bool dry_run = false;
  for (const auto& [name, value] : query.all()) {
    if (name != "dryRun" || value.empty()) continue;
    if (value != "All") {
      return InvalidOptions(options_kind,
                            NotSupported(FieldPath("dryRun"), JsonArray{value}, {"All"}));
    }
    dry_run = true;
  }
  return dry_run;
}

Result<void> ReadSelectors(const QueryParameters& query, ListQuery& list) {
  ASSIGN_OR_RETURN(list.labels, Selector::Parse(query.Get("labelSelector").value_or("")));
  ASSIGN_OR_RETURN(list.fields, FieldSelector::Parse(query.Get("fieldSelector").value_or("")));
  return {};
}

Result<Propagation> ReadPropagation(std::string_view text) {
  if (text.empty()) return Propagation::kDefault;
  if (text == "Orphan") return Propagation::kOrphan;
  if (text == "Background") return Propagation::kBackground;
  if (text == "Foreground") return Propagation::kForeground;
  return InvalidOptions("DeleteOptions",
                        NotSupported(FieldPath("propagationPolicy"), Json(text),
                                     {"Foreground", "Background", "Orphan", "nil"}));
}

// The members of DeleteOptions have the names of the query parameters.
Result<void> ReadDeleteOptions(const Json& options, DeleteQuery& query) {
  if (!options.is_object()) return Error::BadRequest("DeleteOptions must be an object");
  if (const Json* grace = FindMember(options, "gracePeriodSeconds");
      grace != nullptr && !grace->is_null()) {
    if (!grace->is_int64()) {
      return Error::BadRequest("DeleteOptions.gracePeriodSeconds must be an integer");
    }
    query.grace_period_seconds = grace->get_int64();
  }
  const Json* orphan = FindMember(options, "orphanDependents");
  const bool orphan_given = orphan != nullptr && orphan->is_bool();
  if (orphan_given) {
    query.propagation = orphan->get_bool() ? Propagation::kOrphan : Propagation::kBackground;
  }
  if (const std::string_view policy = FindString(options, "propagationPolicy"); !policy.empty()) {
    if (orphan_given) {
      return InvalidOptions("DeleteOptions",
                            Invalid(FieldPath("propagationPolicy"), Json(policy),
                                    "orphanDependents and deletionPropagation cannot be both set"));
    }
    ASSIGN_OR_RETURN(query.propagation, ReadPropagation(policy));
  }
  if (const Json* preconditions = FindMember(options, "preconditions")) {
    query.precondition_uid = FindString(*preconditions, "uid");
    query.precondition_version = FindString(*preconditions, "resourceVersion");
  }
  const Json* dry_run = FindMember(options, "dryRun");
  if (dry_run != nullptr && dry_run->is_array() && !dry_run->get_array().empty()) {
    if (*dry_run != Json(JsonArray{"All"})) {
      return InvalidOptions("DeleteOptions", NotSupported(FieldPath("dryRun"), *dry_run, {"All"}));
    }
    query.dry_run = true;
  }
  return {};
}

// Why Go's time.ParseDuration would refuse a text ("1h15m"); empty when it would not.
std::string ExplainDuration(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kUnits[] = {"ns", "us", "µs", "μs", "ms", "s", "m", "h"};
  std::string_view rest = text;
  const std::string invalid = fmt::format("time: invalid duration {}", Quoted(text));
  const auto take_digits = [&rest, kDigits] {
    const size_t count = std::min(rest.find_first_not_of(kDigits), rest.size());
    rest.remove_prefix(count);
    return count > 0;
  };
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return "";
  if (rest.empty()) return invalid;
  while (!rest.empty()) {
    bool number = take_digits();
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      number = take_digits() || number;
    }
    if (!number) return invalid;
    const std::string_view unit = rest.substr(0, rest.find_first_of(".0123456789"));
    if (unit.empty()) return fmt::format("time: missing unit in duration {}", Quoted(text));
    if (std::ranges::count(kUnits, unit) == 0) {
      return fmt::format("time: unknown unit {} in duration {}", Quoted(unit), Quoted(text));
    }
    rest.remove_prefix(unit.size());
  }
  return "";
}

}  // namespace

Result<void> CheckTimeout(const QueryParameters& query) {
  const std::string_view timeout = query.Get("timeout").value_or("");
  if (timeout.empty()) return {};
  const std::string problem = ExplainDuration(timeout);
  if (problem.empty()) return {};
  return Error::BadRequest("invalid timeout specified in the request URL - " + problem);
}

Result<RequestAttributes> ReadAttributes(const HttpRequest& request, const QueryParameters& query) {
  RequestAttributes attributes;
  attributes.path = request.path();
  const bool below_api =
      request.path().starts_with("/api/") || request.path().starts_with("/apis/");
  std::vector<std::string> segments;
  if (below_api) {
    ASSIGN_OR_RETURN(segments, PathSegments(request.path()));
    RETURN_IF_ERROR(CheckSegments(segments));
  }
  // /api/v1/pods and /apis/apps/v1/deployments; shorter paths are discovery.
  const size_t prefix = segments.empty() || segments[0] == "api" ? 2 : 3;
  if (segments.size() <= prefix) {
    attributes.is_resource = false;
    attributes.verb = LowerCase(request.method);
    return attributes;
  }
  if (prefix == 3) attributes.group = segments[1];
  attributes.version = segments[prefix - 1];
  std::span<const std::string> resource_path = std::span(segments).subspan(prefix);
  // The deprecated form of a watch: /api/v1/watch/pods.
  const bool watch =
      request.method == "GET" && resource_path.size() > 1 && resource_path[0] == "watch";
  if (watch) resource_path = resource_path.subspan(1);
  RETURN_IF_ERROR(ReadResourcePath(resource_path, attributes));
  attributes.verb = watch ? "watch" : ResourceVerb(request.method, !attributes.name.empty(), query);
  if (!watch && (attributes.verb == "list" || attributes.verb == "watch")) {
    const Result<FieldSelector> fields =
        FieldSelector::Parse(query.Get("fieldSelector").value_or(""));
    // A selector that cannot be parsed is refused when the options are read.
    const std::string_view selected = fields.ok() ? SelectedName(*fields) : "";
    if (!selected.empty()) attributes.name = selected;
  }
  return attributes;
}

Result<VersionMatch> ParseVersionMatch(std::string_view text) {
  if (text.empty()) return VersionMatch::kUnset;
  if (text == "Exact") return VersionMatch::kExact;
  if (text == "NotOlderThan") return VersionMatch::kNotOlderThan;
  return InvalidOptions("ListOptions", NotSupported(FieldPath("resourceVersionMatch"), Json(text),
                                                    {"", "Exact", "NotOlderThan"}));
}

Result<void> CheckListQuery(const ListQuery& query, bool watch) {
  const FieldPath match("resourceVersionMatch");
  const auto forbidden = [](const FieldPath& path, std::string_view why) {
    return InvalidOptions("ListOptions", Forbidden(path, why));
  };
  const bool matched = query.match != VersionMatch::kUnset;
  if (watch) {
    if (query.send_initial_events.has_value() && query.match != VersionMatch::kNotOlderThan) {
      return forbidden(match,
                       "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (matched && !query.send_initial_events.has_value()) {
      return forbidden(match,
                       "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                       "provided");
    }
    return {};
  }
  if (query.send_initial_events.has_value()) {
    return forbidden(FieldPath("sendInitialEvents"), "sendInitialEvents is forbidden for list");
  }
  if (matched && query.version.IsUnset()) {
    return forbidden(match, "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (matched && !query.continue_token.empty()) {
    return forbidden(match, "resourceVersionMatch is forbidden when continue is provided");
  }
  if (query.match == VersionMatch::kExact && query.version.IsAny()) {
    return forbidden(match,
                     "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
  }
  if (!query.continue_token.empty() && !query.version.IsUnset() && !query.version.IsAny()) {
    return Error::BadRequest("specifying resource version is not allowed when using continue");
  }
  return {};
}

std::string_view SelectedName(const FieldSelector& fields) {
  const std::string_view name = fields.RequiredValue("metadata.name").value_or("");
  return ValidatePathSegmentName(name).empty() ? name : "";
}

Result<ListQuery> ReadListQuery(const QueryParameters& query, bool watch) {
  ListQuery list;
  RETURN_IF_ERROR(ReadSelectors(query, list));
  if (const auto limit = query.Get("limit"); limit && !limit->empty()) {
    ASSIGN_OR_RETURN(const int64_t value, ParseInt64(*limit));
    list.limit = static_cast<size_t>(std::max<int64_t>(value, 0));
  }
  list.continue_token = query.Get("continue").value_or("");
  ASSIGN_OR_RETURN(list.version, ResourceVersion::Parse(query.Get("resourceVersion").value_or("")));
  ASSIGN_OR_RETURN(list.match, ParseVersionMatch(query.Get("resourceVersionMatch").value_or("")));
  list.bookmarks = ReadBool(query, "allowWatchBookmarks");
  if (query.Get("sendInitialEvents").has_value()) {
    list.send_initial_events = ReadBool(query, "sendInitialEvents");
  }
  if (const auto timeout = query.Get("timeoutSeconds"); timeout && !timeout->empty()) {
    ASSIGN_OR_RETURN(list.timeout_seconds, ParseInt64(*timeout));
  }
  RETURN_IF_ERROR(CheckListQuery(list, watch));
  return list;
}

Result<WriteQuery> ReadWriteQuery(const QueryParameters& query, std::string_view options_kind) {
  ASSIGN_OR_RETURN(const bool dry_run, ReadDryRun(query, options_kind));
  ASSIGN_OR_RETURN(WriteQuery write,
                   MakeWriteQuery(query.Get("fieldManager").value_or(""),
                                  query.Get("fieldValidation").value_or(""), options_kind));
  write.dry_run = dry_run;
  write.force = ReadBool(query, "force");
  return write;
}

Result<WriteQuery> MakeWriteQuery(std::string_view field_manager, std::string_view validation,
                                  std::string_view options_kind) {
  WriteQuery write;
  ASSIGN_OR_RETURN(write.field_manager, ReadFieldManager(field_manager, options_kind));
  if (validation == "Ignore") {
    write.field_validation = FieldValidation::kIgnore;
  } else if (validation == "Strict") {
    write.field_validation = FieldValidation::kStrict;
  } else if (!validation.empty() && validation != "Warn") {
    return InvalidOptions(options_kind, NotSupported(FieldPath("fieldValidation"), Json(validation),
                                                     {"", "Ignore", "Strict", "Warn"}));
  }
  return write;
}

std::string DefaultFieldManager(std::string_view user_agent) {
  std::string_view agent = user_agent.substr(0, user_agent.find('/'));
  std::string manager;
  while (!agent.empty()) {
    const Rune rune = DecodeRune(agent);
    const std::string_view text = rune.valid ? agent.substr(0, rune.size) : "\uFFFD";
    if (IsPrintable(rune.value)) {
      if (manager.size() + text.size() > kMaxManagerBytes) break;
      manager += text;
    }
    agent.remove_prefix(rune.size);
  }
  return manager.empty() ? "unknown" : manager;
}

Result<DeleteQuery> ReadDeleteQuery(const QueryParameters& query, std::string_view body) {
  DeleteQuery read;
  ASSIGN_OR_RETURN(read.dry_run, ReadDryRun(query, "DeleteOptions"));
  if (const auto grace = query.Get("gracePeriodSeconds"); grace && !grace->empty()) {
    ASSIGN_OR_RETURN(read.grace_period_seconds, ParseInt64(*grace));
  }
  if (query.Get("orphanDependents").has_value()) {
    read.propagation =
        ReadBool(query, "orphanDependents") ? Propagation::kOrphan : Propagation::kBackground;
  }
  if (const auto policy = query.Get("propagationPolicy"); policy && !policy->empty()) {
    ASSIGN_OR_RETURN(read.propagation, ReadPropagation(*policy));
  }
  RETURN_IF_ERROR(AddDeleteOptions(body, read));
  return read;
}

Result<void> AddDeleteOptions(std::string_view body, DeleteQuery& query) {
  if (body.empty()) return {};
  ASSIGN_OR_RETURN(const Json options,
                   IsProtobuf(body) ? DecodeProtobuf(body) : ParseJsonOrYaml(body));
  return ReadDeleteOptions(options, query);
}

}  // namespace kubexms
