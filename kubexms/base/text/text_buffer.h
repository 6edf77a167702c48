#pragma once

// A growing text for serializers that append many small pieces: a std::string whose appends are
// inlined.

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace kubexms {

class TextBuffer {
 public:
  explicit TextBuffer(size_t capacity = 1024)
      : data_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity) {}

  void Append(char c) {
    if (size_ == capacity_) Grow(1);
    data_[size_++] = c;
  }
  void Append(std::string_view text) {
    Copy(text, Reserve(text.size()));
    size_ += text.size();
  }

  // Returns room for `count` bytes, which the caller writes and adds with Commit().
  char* Reserve(size_t count) {
    if (capacity_ - size_ < count) Grow(count);
    return data_.get() + size_;
  }
  void Commit(size_t count) { size_ += count; }

  // Shortens the text to `size` bytes.
  void Truncate(size_t size) { size_ = size; }

  size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }
  std::string ToString() const { return std::string(view()); }

 private:
  // Copies short texts, the most frequent ones, as two overlapping blocks without a function call.
  static void Copy(std::string_view text, char* to) {
    const char* from = text.data();
    const size_t size = text.size();
    if (size > 32) {
      std::memcpy(to, from, size);
    } else if (size >= 16) {
      std::memcpy(to, from, 16);
      std::memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
      std::memcpy(to, from, 8);
      std::memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
      std::memcpy(to, from, 4);
      std::memcpy(to + size - 4, from + size - 4, 4);
    } else {
      for (size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }
  void Grow(size_t count);

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_;
};

}  // namespace kubexms
