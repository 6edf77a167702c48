#include "kubexms/client/client.h"

#include <iterator>

namespace kubexms {
namespace {

// As many as other clients ask for at a time.
constexpr int64_t kPageSize = 500;

Result<DynamicObject> DecodedObject(const Result<SharedBytes>& answer) {
  if (!answer.ok()) return answer.error();
  return DynamicObject::Decode(answer->view());
}

void Append(ObjectPage next, ObjectPage& all) {
  std::move(next.items.begin(), next.items.end(), std::back_inserter(all.items));
  all.continue_token = std::move(next.continue_token);
}

}  // namespace

ClientRequest Client::GetRequest(ResourceType type, const ObjectKey& key,
                                 const GetOptions& options) {
  ClientRequest request;
  request.verb = Verb::kGet;
  request.resource = std::move(type);
  request.namespace_name = key.namespace_name;
  request.name = key.name;
  request.resource_version = options.resource_version;
  request.allow_cached = options.allow_cached;
  request.stop = options.stop;
  return request;
}

ClientRequest Client::ListRequest(ResourceType type, const ListOptions& options) {
  ClientRequest request;
  request.verb = Verb::kList;
  request.resource = std::move(type);
  request.namespace_name = options.namespace_name;
  request.label_selector = options.label_selector;
  request.field_selector = options.field_selector;
  request.limit = options.limit;
  request.continue_token = options.continue_token;
  request.resource_version = options.resource_version;
  request.resource_version_match = options.resource_version_match;
  request.stop = options.stop;
  return request;
}

ClientRequest Client::WatchRequest(ResourceType type, const WatchOptions& options) {
  ClientRequest request;
  request.verb = Verb::kWatch;
  request.resource = std::move(type);
  request.namespace_name = options.namespace_name;
  request.label_selector = options.label_selector;
  request.field_selector = options.field_selector;
  request.resource_version = options.resource_version;
  request.bookmarks = options.bookmarks;
  request.send_initial_events = options.send_initial_events;
  if (options.send_initial_events) request.resource_version_match = "NotOlderThan";
  request.timeout = options.timeout;
  request.stop = options.stop;
  return request;
}

ClientRequest Client::WriteRequest(Verb verb, ResourceType type, const ObjectMeta& metadata,
                                   std::string body, const WriteOptions& options) {
  ClientRequest request;
  request.verb = verb;
  request.resource = std::move(type);
  request.namespace_name = metadata.namespace_name;
  const bool names_object = verb != Verb::kCreate || !options.subresource.empty();
  if (names_object) request.name = metadata.name;
  request.subresource = options.subresource;
  request.body = std::move(body);
  request.dry_run = options.dry_run;
  request.field_manager = options.field_manager;
  request.field_validation = options.field_validation;
  request.stop = options.stop;
  return request;
}

ClientRequest Client::PatchRequest(ResourceType type, const ObjectKey& key,
                                   const kubexms::Patch& patch, const WriteOptions& options) {
  ObjectMeta metadata;
  metadata.namespace_name = key.namespace_name;
  metadata.name = key.name;
  ClientRequest request =
      WriteRequest(Verb::kPatch, std::move(type), metadata, patch.body, options);
  request.patch_type = patch.type;
  return request;
}

ClientRequest Client::ApplyRequest(ResourceType type, const ObjectKey& key, std::string body,
                                   const ApplyOptions& options) {
  ClientRequest request =
      PatchRequest(std::move(type), key, {.type = PatchType::kApply, .body = std::move(body)},
                   {.dry_run = options.dry_run,
                    .field_manager = options.field_manager,
                    .subresource = options.subresource,
                    .stop = options.stop});
  request.force = options.force;
  return request;
}

ClientRequest Client::DeleteRequest(ResourceType type, const ObjectKey& key,
                                    const DeleteOptions& options, std::stop_token stop) {
  ClientRequest request;
  request.verb = Verb::kDelete;
  request.resource = std::move(type);
  request.namespace_name = key.namespace_name;
  request.name = key.name;
  request.body = Encode(options);
  request.dry_run = !options.dry_run.empty();
  request.stop = std::move(stop);
  return request;
}

Result<ObjectPage> Client::ListAll(ClientRequest request) {
  if (request.limit > 0) return ListPage(request);
  // A version that is asked for is served from the server's memory, where pages would only cost.
  if (request.resource_version.empty()) request.page_size = kPageSize;
  ASSIGN_OR_RETURN(ObjectPage all, ListPage(request));
  while (!all.continue_token.empty()) {
    request.continue_token = all.continue_token;
    Result<ObjectPage> next = ListPage(request);
    if (!next.ok() && next.error().IsExpired()) {
      request.continue_token.clear();
      request.page_size = 0;
      return ListPage(request);
    }
    if (!next.ok()) return next.error();
    Append(std::move(*next), all);
  }
  all.remaining.reset();
  return all;
}

ListMeta Client::ListMetaOf(const ObjectPage& page) {
  ListMeta metadata;
  metadata.resource_version = page.resource_version;
  metadata.continue_ = page.continue_token;
  metadata.remaining_item_count = page.remaining;
  return metadata;
}

Result<DynamicObject> Client::Get(const ResourceType& type, const ObjectKey& key,
                                  const GetOptions& options) {
  return DecodedObject(Do(GetRequest(type, key, options)));
}

Result<ObjectPage> Client::List(const ResourceType& type, const ListOptions& options) {
  return ListAll(ListRequest(type, options));
}

Result<std::unique_ptr<ObjectWatch>> Client::Watch(const ResourceType& type,
                                                   const WatchOptions& options) {
  return OpenWatch(WatchRequest(type, options));
}

Result<DynamicObject> Client::Create(const ResourceType& type, const DynamicObject& object,
                                     const WriteOptions& options) {
  return DecodedObject(
      Do(WriteRequest(Verb::kCreate, type, object.metadata, object.Encode(), options)));
}

Result<DynamicObject> Client::Update(const ResourceType& type, const DynamicObject& object,
                                     const WriteOptions& options) {
  return DecodedObject(
      Do(WriteRequest(Verb::kUpdate, type, object.metadata, object.Encode(), options)));
}

Result<DynamicObject> Client::Patch(const ResourceType& type, const ObjectKey& key,
                                    const kubexms::Patch& patch, const WriteOptions& options) {
  return DecodedObject(Do(PatchRequest(type, key, patch, options)));
}

Result<DynamicObject> Client::Apply(const ResourceType& type, const DynamicObject& object,
                                    const ApplyOptions& options) {
  return DecodedObject(
      Do(ApplyRequest(type, ObjectKey::Of(object.metadata), object.Encode(), options)));
}

Result<void> Client::Delete(const ResourceType& type, const ObjectKey& key,
                            const DeleteOptions& options, std::stop_token stop) {
  RETURN_IF_ERROR(Do(DeleteRequest(type, key, options, std::move(stop))));
  return {};
}

Result<void> Client::DeleteAllOf(const ResourceType& type, const ListOptions& which,
                                 const DeleteOptions& options) {
  ClientRequest request = ListRequest(type, which);
  request.verb = Verb::kDeleteCollection;
  request.body = Encode(options);
  request.dry_run = !options.dry_run.empty();
  RETURN_IF_ERROR(Do(request));
  return {};
}

}  // namespace kubexms
