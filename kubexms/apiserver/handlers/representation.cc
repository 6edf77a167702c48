#include "kubexms/apiserver/handlers/representation.h"

#include <fmt/format.h>

#include "kubexms/apiserver/read/partial_metadata.h"
#include "kubexms/base/json/yaml.h"

namespace kubexms {
namespace {

// Objects are scattered in memory: those so many positions ahead are prefetched.
constexpr size_t kFetchAhead = 8;

ListMeta MetadataOf(const ObjectList& list) {
  ListMeta metadata;
  if (list.revision != 0) metadata.resource_version = std::to_string(list.revision);
  metadata.continue_ = list.continue_token;
  if (list.remaining_count) {
    metadata.remaining_item_count = static_cast<int64_t>(*list.remaining_count);
  }
  return metadata;
}

// Kubernetes sets `continue` of custom resources even after the last page.
JsonObject MetadataJson(const Resource& resource, const ObjectList& list) {
  JsonObject metadata;
  if (resource.custom) metadata["continue"] = "";
  if (list.revision != 0) metadata["resourceVersion"] = std::to_string(list.revision);
  if (!list.continue_token.empty()) metadata["continue"] = list.continue_token;
  if (list.remaining_count) metadata["remainingItemCount"] = *list.remaining_count;
  return metadata;
}

Body OneBuffer(std::string text) {
  Body body;
  body.emplace_back(std::move(text));
  return body;
}

// Every event is a table with one row; the first one has the column definitions.
class TableEvents final : public EventFormat {
 public:
  TableEvents(const Resource& resource, RowObject row_object, std::string version)
      : printer_(resource), row_object_(row_object), version_(std::move(version)) {}

  Result<SharedBytes> Format(const SharedBytes& object) override {
    const TableOptions options{.now = std::chrono::system_clock::now(),
                               .row_object = row_object_,
                               .column_definitions = std::exchange(first_, false),
                               .version = version_};
    ASSIGN_OR_RETURN(std::string table, printer_.Print(object.view(), options));
    return SharedBytes(std::move(table));
  }

 private:
  const TablePrinter printer_;
  const RowObject row_object_;
  const std::string version_;
  bool first_ = true;
};

class MetadataEvents final : public EventFormat {
 public:
  explicit MetadataEvents(std::string version) : version_(std::move(version)) {}

  Result<SharedBytes> Format(const SharedBytes& object) override {
    ASSIGN_OR_RETURN(std::string metadata, MakePartialObjectMetadata(object.view(), version_));
    return SharedBytes(std::move(metadata));
  }

 private:
  const std::string version_;
};

}  // namespace

std::string WarningHeader(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fmt::format("299 - \"{}\"", escaped);
}

Result<Representation> Representation::Of(const ApiRequest& request, ResponseSubject subject) {
  Representation representation;
  ASSIGN_OR_RETURN(representation.form_, request.NegotiateForm(subject));
  ASSIGN_OR_RETURN(representation.row_object_, request.ReadRowObject());
  return representation;
}

Result<HttpResponse> Representation::Object(int status, const Resource& resource,
                                            SharedBytes object,
                                            const std::vector<std::string>& warnings) const {
  ASSIGN_OR_RETURN(Body body, ObjectBody(resource, std::move(object)));
  HttpResponse response = Respond(status, std::move(body));
  constexpr size_t kMaxWarnings = 4096;
  size_t bytes = 0;
  for (const std::string& warning : warnings) {
    bytes += warning.size();
    if (bytes > kMaxWarnings) break;
    response.headers.Add("Warning", WarningHeader(warning));
  }
  return response;
}

Result<HttpResponse> Representation::List(const Resource& resource, ObjectList list) const {
  ASSIGN_OR_RETURN(Body body, ListBody(resource, list));
  return Respond(200, std::move(body));
}

Result<ObjectPage> Representation::Page(const Resource& resource, ObjectList list) const {
  ObjectPage page{.resource_version = std::to_string(list.revision),
                  .continue_token = list.continue_token};
  if (list.remaining_count) page.remaining = static_cast<int64_t>(*list.remaining_count);
  ASSIGN_OR_RETURN(page.items, Objects(resource, list));
  if (form_.kind == ResponseKind::kObject) return page;
  for (SharedBytes& item : page.items) {
    ASSIGN_OR_RETURN(std::string metadata, MakePartialObjectMetadata(item.view(), form_.version));
    item = SharedBytes(std::move(metadata));
  }
  return page;
}

std::unique_ptr<EventFormat> Representation::Events(const Resource& resource) const {
  if (form_.kind == ResponseKind::kTable) {
    return std::make_unique<TableEvents>(resource, row_object_, form_.version);
  }
  if (form_.kind == ResponseKind::kObject) return nullptr;
  return std::make_unique<MetadataEvents>(form_.version);
}

Result<Body> Representation::ObjectBody(const Resource& resource, SharedBytes object) const {
  if (form_.kind == ResponseKind::kTable) {
    const TablePrinter printer(resource);
    ASSIGN_OR_RETURN(std::string table,
                     printer.Print(object.view(), {.now = std::chrono::system_clock::now(),
                                                   .row_object = row_object_,
                                                   .version = form_.version}));
    return OneBuffer(std::move(table));
  }
  if (form_.kind == ResponseKind::kObject) return Body{std::move(object)};
  ASSIGN_OR_RETURN(std::string metadata, MakePartialObjectMetadata(object.view(), form_.version));
  return OneBuffer(std::move(metadata));
}

Result<Body> Representation::ListBody(const Resource& resource, ObjectList& list) const {
  if (form_.kind == ResponseKind::kObject) return PlainList(resource, list);
  ASSIGN_OR_RETURN(const std::vector<SharedBytes> objects, Objects(resource, list));
  if (form_.kind == ResponseKind::kTable) {
    const TablePrinter printer(resource);
    TableWriter table(printer, {.now = std::chrono::system_clock::now(),
                                .row_object = row_object_,
                                .version = form_.version});
    for (const SharedBytes& object : objects) RETURN_IF_ERROR(table.Add(object.view()));
    return OneBuffer(table.Finish(MetadataOf(list)));
  }
  std::vector<std::string_view> views;
  views.reserve(objects.size());
  for (const SharedBytes& object : objects) views.push_back(object.view());
  ASSIGN_OR_RETURN(std::string text,
                   MakePartialObjectMetadataList(views, MetadataOf(list), form_.version));
  return OneBuffer(std::move(text));
}

Result<std::vector<SharedBytes>> Representation::Objects(const Resource& resource,
                                                         ObjectList& list) {
  std::vector<SharedBytes> objects;
  objects.reserve(list.records.size());
  for (store::RecordPtr& record : list.records) {
    ASSIGN_OR_RETURN(SharedBytes bytes, ReadBytes(resource, std::move(record)));
    objects.push_back(std::move(bytes));
  }
  return objects;
}

Result<Body> Representation::PlainList(const Resource& resource, ObjectList& list) const {
  Body body;
  body.reserve(list.records.size() + 2);
  body.emplace_back(fmt::format(R"({{"apiVersion":"{}","items":[)", resource.api_version()));
  std::vector<store::RecordPtr>& records = list.records;
  for (size_t i = 0; i < records.size(); ++i) {
    if (i + kFetchAhead < records.size()) {
      __builtin_prefetch(records[i + kFetchAhead]->value.data());
    }
    const bool last = i + 1 == records.size();
    ASSIGN_OR_RETURN(SharedBytes item, last ? ReadBytes(resource, std::move(records[i]))
                                            : ReadBytesAndComma(resource, std::move(records[i])));
    body.push_back(std::move(item));
  }
  body.emplace_back(fmt::format(R"(],"kind":"{}","metadata":{}}})", resource.list_kind,
                                WriteJson(MetadataJson(resource, list))));
  return body;
}

HttpResponse Representation::Respond(int status, Body body) const {
  if (form_.format == ResponseFormat::kYaml || form_.pretty) {
    const Result<Json> document = ParseJson(Flatten(body));
    if (document.ok()) {
      body = OneBuffer(form_.format == ResponseFormat::kYaml ? WriteYaml(*document)
                                                             : WriteJsonPretty(*document));
    }
  }
  return HttpResponse(
      status, {{"Content-Type", form_.ContentType()}, {"Cache-Control", "no-cache, private"}},
      std::move(body));
}

}  // namespace kubexms
