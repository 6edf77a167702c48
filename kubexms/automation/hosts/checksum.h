#pragma once

// SHA-256 in hexadecimal, as sha256sum prints it.

#include <memory>
#include <string>
#include <string_view>

#include "kubexms/automation/hosts/file_part.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(std::string_view bytes);
  // The digest in hexadecimal. May be called once.
  std::string Finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string Sha256Of(std::string_view bytes);
Result<std::string> Sha256OfFile(const FilePart& file);

}  // namespace kubexms::automation
