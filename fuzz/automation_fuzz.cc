// Parsers of external input: SSH configurations, journals, results of operations.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/automation/hosts/shell_functions.h"
#include "kubexms/automation/hosts/ssh_config.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/automation/steps/diff.h"

using namespace kubexms;
using namespace kubexms::automation;

namespace {

void ReadResults(std::string_view text) {
  const Operation operations[] = {GetSystemFacts{}, GetPath{"/x", true}, Probe{"true"}};
  static_cast<void>(ParseResults(operations, text, "m").ok());
}

// A parsed record is the same after it is written and parsed again.
void ReadRecord(std::string_view text) {
  const Result<JournalRecord> record = ParseRecord(text);
  if (!record.ok()) return;
  const SecretRegistry secrets;
  const std::string written = WriteRecord(*record, secrets);
  const Result<JournalRecord> again = ParseRecord(written);
  KUBEXMS_CHECK(again.ok() && WriteRecord(*again, secrets) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: {
      const Result<SshConfig> config = SshConfig::Parse(text, "/home/me");
      if (config.ok()) static_cast<void>(config->Lookup(text.substr(0, 20)));
      static_cast<void>(ParseProxyJump(text).ok());
      break;
    }
    case 1: ReadRecord(text); break;
    case 2: ReadResults(text); break;
    default:
      static_cast<void>(
          UnifiedDiff("f", text.substr(0, text.size() / 2), text.substr(text.size() / 2)));
  }
  return 0;
}
