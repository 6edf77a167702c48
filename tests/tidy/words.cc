#include "tests/tidy/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "tests/tidy/text.h"

namespace kubexms::tidy {
namespace {

// These name the words that they replace.
bool DefinesWords(std::string_view path) {
  static const std::set<std::string_view> kPaths = {"docs/glossary.md", "tests/tidy/words.cc",
                                                    "tests/tidy/words_test.cc", "CHANGELOG.md"};
  return kPaths.contains(path);
}

bool IsLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool HasPhrase(std::string_view line, std::string_view phrase) {
  for (size_t at = line.find(phrase); at != std::string_view::npos;
       at = line.find(phrase, at + 1)) {
    const size_t end = at + phrase.size();
    if ((at == 0 || !IsLetter(line[at - 1])) && (end == line.size() || !IsLetter(line[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

const std::vector<BannedPhrase>& BannedPhrases() {
  static const std::vector<BannedPhrase> kPhrases = {
      {"asker", "requester"},
      {"has the word", "holds the lease, is the leader"},
      {"hear of", "receive, observe"},
      {"heard of", "received, observed"},
      {"in vain", "without result: say what failed"},
      {"is told", "is notified, receives"},
      {"are told", "are notified, receive"},
      {"was told", "was notified, received"},
      {"look again", "requeue, resync, retry"},
      {"looks again", "requeues, resyncs, retries"},
      {"nothing was heard", "no event was received"},
      {"patience", "idle timeout, timeout"},
      {"somebody", "the user, the client, another process: name the actor"},
      {"someone else was faster", "conflict (409)"},
      {"spare threads", "elastic threads"},
      {"take back", "roll back, undo, revoke"},
      {"taken back", "rolled back, undone, revoked"},
      {"takes back", "rolls back, undoes, revokes"},
      {"took back", "rolled back, undid, revoked"},
      {"went back", "regressed (resourceVersion), restarted"},
      {"who asked", "the requester"},
      {"who asks", "the requester, the client"},
      {"with commas between", "comma-separated"},
      // American spelling, as in Kubernetes.
      {"artefact", "artifact"},
      {"authorisation", "authorization"},
      {"authorise", "authorize"},
      {"authorised", "authorized"},
      {"authorises", "authorizes"},
      {"behaviour", "behavior"},
      {"colour", "color"},
      {"honour", "honor"},
      {"honours", "honors"},
      {"initialise", "initialize"},
      {"neighbour", "neighbor"},
      {"neighbours", "neighbors"},
      {"normalise", "normalize"},
      {"normalised", "normalized"},
      {"optimisation", "optimization"},
      {"optimise", "optimize"},
      {"optimised", "optimized"},
      {"optimiser", "optimizer"},
      {"recognise", "recognize"},
      {"recognised", "recognized"},
      {"recognises", "recognizes"},
      {"serialise", "serialize"},
      {"serialised", "serialized"},
      {"serialises", "serializes"},
      {"serialiser", "serializer"},
  };
  return kPhrases;
}

const std::vector<BannedIdentifier>& BannedIdentifiers() {
  static const std::vector<BannedIdentifier> kIdentifiers = {
      {"Asker", "Requester"},
      {"Doubt", "PendingWrite"},
      {"Patience", "Timeout"},
      {"Somebody", "the actor's name"},
      {"SpareThreads", "ElasticThreads"},
      {"name_space", "namespace_name"},
  };
  return kIdentifiers;
}

Complaints CheckWords(const File& file) {
  Complaints complaints;
  if (DefinesWords(file.path)) return complaints;
  int number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    const std::string lower = LowerCase(line);
    for (const BannedPhrase& banned : BannedPhrases()) {
      if (!HasPhrase(lower, banned.phrase)) continue;
      complaints.push_back(
          {file.path, number, fmt::format("says \"{}\": {}", banned.phrase, banned.instead)});
    }
    for (const BannedIdentifier& banned : BannedIdentifiers()) {
      if (line.find(banned.part) == std::string_view::npos) continue;
      complaints.push_back({file.path, number,
                            fmt::format("has \"{}\" in a name: {}", banned.part, banned.instead)});
    }
  }
  return complaints;
}

}  // namespace kubexms::tidy
