#include "kubexms/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kubexms::store {

namespace {

// Allocates additional bytes behind the requested memory.
template <class T>
class AllocatorWithTail {
 public:
  using value_type = T;

  explicit AllocatorWithTail(size_t tail) : tail_(tail) {}
  template <class U>
  explicit AllocatorWithTail(const AllocatorWithTail<U>& other) : tail_(other.tail()) {}

  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T) + tail_)); }
  void deallocate(T* memory, size_t) { ::operator delete(memory); }
  size_t tail() const { return tail_; }
  bool operator==(const AllocatorWithTail&) const = default;

 private:
  size_t tail_;
};

// Copies key, value and comma to `text`, which has room for them.
char* WriteText(char* text, std::string_view key, std::string_view value) {
  char* end = std::ranges::copy(key, text).out;
  end = std::ranges::copy(value, end).out;
  *end = ',';
  return text;
}

}  // namespace

class Record::WithTail {};

RecordPtr Record::Make(std::string_view key, std::string_view value, uint64_t create_revision,
                       uint64_t mod_revision) {
  const AllocatorWithTail<Record> allocator(key.size() + value.size() + 1);
  return std::allocate_shared<Record>(allocator, WithTail(), key, value, create_revision,
                                      mod_revision);
}

RecordPtr Record::MakeDeletion(std::string_view key, uint64_t mod_revision) {
  return Make(key, {}, 0, mod_revision);
}

Record::Record(const WithTail&, std::string_view record_key, std::string_view record_value,
               uint64_t created_at, uint64_t modified_at)
    : key(WriteText(reinterpret_cast<char*>(this + 1), record_key, record_value),
          record_key.size()),
      value(key.data() + record_key.size(), record_value.size()),
      create_revision(created_at),
      mod_revision(modified_at),
      deleted(created_at == 0) {}

Transaction Transaction::IfRevision(std::string key, uint64_t mod_revision) && {
  conditions_.push_back({std::move(key), mod_revision});
  return std::move(*this);
}

Transaction Transaction::IfAbsent(std::string key) && {
  return std::move(*this).IfRevision(std::move(key), 0);
}

Transaction Transaction::Put(std::string key, std::string value, PutOptions options) && {
  operations_.push_back({std::move(key), std::move(value), options.revision_offset});
  return std::move(*this);
}

Transaction Transaction::Put(std::string key, std::string value) && {
  return std::move(*this).Put(std::move(key), std::move(value), PutOptions());
}

Transaction Transaction::Delete(std::string key) && {
  operations_.push_back({std::move(key), std::nullopt, std::nullopt});
  return std::move(*this);
}

namespace {

Result<void> CheckOperation(const Transaction::Operation& operation) {
  if (operation.key.empty()) return Error::BadRequest("transaction: a key is empty");
  if (operation.revision_offset && *operation.revision_offset > operation.value->size()) {
    return Error::BadRequest(
        fmt::format("transaction: {}: revision_offset {} is greater than the size of the value, {}",
                    operation.key, *operation.revision_offset, operation.value->size()));
  }
  return {};
}

}  // namespace

Result<void> Transaction::Prepare() {
  if (operations_.size() > kMaxOperations || conditions_.size() > kMaxOperations) {
    return Error::RequestTooLarge(
        fmt::format("transaction: {} operations and {} conditions; the limit is {} of each",
                    operations_.size(), conditions_.size(), kMaxOperations));
  }
  bytes_ = 0;
  for (const Operation& operation : operations_) {
    RETURN_IF_ERROR(CheckOperation(operation));
    bytes_ += operation.key.size() + (operation.value ? operation.value->size() : 0);
  }
  for (const Condition& condition : conditions_) {
    if (condition.key.empty()) return Error::BadRequest("transaction: a key is empty");
    bytes_ += condition.key.size();
  }
  if (bytes_ > kMaxTransactionBytes) {
    return Error::RequestTooLarge(
        fmt::format("transaction: keys and values have {} bytes; the limit is {}", bytes_,
                    kMaxTransactionBytes));
  }
  std::ranges::sort(operations_, {}, &Operation::key);
  const auto twice = std::ranges::adjacent_find(operations_, {}, &Operation::key);
  if (twice != operations_.end()) {
    return Error::BadRequest(
        fmt::format("transaction: {} is changed twice; combine the changes", twice->key));
  }
  return {};
}

Error CompactedRevisionError(uint64_t asked) {
  return Error::Expired(fmt::format(
      "The provided resource version is too old: {} is no longer stored; list again", asked));
}

Error FutureRevisionError(uint64_t asked, uint64_t current) {
  const std::string message =
      fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current);
  return Error(
      504, "Timeout", message,
      {.causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version"}},
       .retry_after = std::chrono::seconds(1)});
}

Result<void> CheckCursor(const ListOptions& options) {
  if (!options.cursor || options.cursor->after.starts_with(options.prefix)) return {};
  return Error::BadRequest(fmt::format(
      "list of {}: the cursor belongs to another list; start without one", options.prefix));
}

ListCursor NextCursor(const ListCursor& cursor, size_t returned, const std::string& last_key) {
  const uint64_t remaining = cursor.remaining > returned ? cursor.remaining - returned : 1;
  return {.revision = cursor.revision, .after = last_key, .remaining = remaining};
}

std::string SpliceRevision(std::string value, size_t offset, uint64_t revision) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, revision).ptr;
  std::string spliced;  // without spare capacity: values are long-lived
  spliced.reserve(value.size() + (end - digits));
  spliced.append(value, 0, offset).append(digits, end).append(value, offset);
  return spliced;
}

}  // namespace kubexms::store
