#include "kubexms/automation/lab/lab_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace kubexms::automation {
namespace {

constexpr uint32_t kFirstHostNumber = 11;
constexpr int kDefaultHosts = 3;
constexpr size_t kMaxNameLength = 12;

template <class Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number number = 0;
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the length is passed separately
  const auto [stop, failed] = std::from_chars(text.data(), end, number, base);
  if (failed != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::vector<std::string> Words(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> Lines(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::optional<uint32_t> ParseAddress(std::string_view text) {
  uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto number = ParseNumber<uint32_t>(text.substr(0, dot));
    if (!number || *number > 255) return std::nullopt;
    address = address << 8 | *number;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return address;
}

uint32_t MaskOf(int prefix) { return prefix == 0 ? 0 : ~uint32_t{0} << (32 - prefix); }

bool IsFree(const Subnet& subnet, std::span<const Subnet> taken) {
  return std::none_of(taken.begin(), taken.end(),
                      [&](const Subnet& other) { return subnet.Overlaps(other); });
}

Result<Subnet> ChooseSubnet(const std::string& wanted, std::span<const Subnet> taken) {
  if (!wanted.empty()) {
    ASSIGN_OR_RETURN(const Subnet subnet, Subnet::Parse(wanted));
    if (IsFree(subnet, taken)) return subnet;
    return Error::BadRequest(fmt::format(
        "--subnet: {} is in use on this machine (ip route shows by what); choose another", wanted));
  }
  for (uint32_t third = 0; third < 256; ++third) {
    const Subnet subnet{.network = (10u << 24) | (77u << 16) | (third << 8), .prefix = 24};
    if (IsFree(subnet, taken)) return subnet;
  }
  return Error::BadRequest("all of 10.77.0.0/16 is in use on this machine; choose a --subnet");
}

// The host names of one stanza or line of apt's sources.
struct AptSource {
  bool binary = false;
  std::string uri;
  std::vector<std::string> suites;
};

// "deb [options] URI SUITE COMPONENT…"
std::optional<AptSource> ReadSourceLine(std::string_view line) {
  std::vector<std::string> words = Words(line);
  if (words.empty() || words[0] != "deb") return std::nullopt;
  size_t next = 1;
  if (next < words.size() && words[next].starts_with('[')) {
    while (next < words.size() && !words[next].ends_with(']')) ++next;
    ++next;
  }
  if (next + 1 >= words.size()) return std::nullopt;
  return AptSource{.binary = true, .uri = words[next], .suites = {words[next + 1]}};
}

std::vector<AptSource> ReadSources(const std::string& text) {
  std::vector<AptSource> sources;
  AptSource stanza;
  const auto finish = [&] {
    if (!stanza.uri.empty()) sources.push_back(stanza);
    stanza = {};
  };
  for (const std::string& line : Lines(text)) {
    const std::vector<std::string> words = Words(line);
    if (words.empty()) {
      finish();
    } else if (auto source = ReadSourceLine(line)) {
      sources.push_back(*source);
    } else if (words.size() > 1 && words[0] == "Types:") {
      stanza.binary = std::find(words.begin(), words.end(), "deb") != words.end();
    } else if (words.size() > 1 && words[0] == "URIs:") {
      stanza.uri = words[1];
    } else if (words[0] == "Suites:") {
      stanza.suites.assign(words.begin() + 1, words.end());
    }
  }
  finish();
  return sources;
}

// The kernel writes spaces and the like in paths as \040.
std::string UnescapeMount(std::string_view text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto code = text[i] == '\\' && i + 3 < text.size()
                          ? ParseNumber<unsigned>(text.substr(i + 1, 3), 8)
                          : std::nullopt;
    path += code ? static_cast<char>(*code) : text[i];
    if (code) i += 3;
  }
  return path;
}

}  // namespace

Result<Subnet> Subnet::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const auto address = ParseAddress(text.substr(0, slash));
  const auto prefix = slash == std::string_view::npos ? std::optional<int>()
                                                      : ParseNumber<int>(text.substr(slash + 1));
  if (!address || !prefix || *prefix < 16 || *prefix > 28 || (*address & ~MaskOf(*prefix)) != 0) {
    return Error::BadRequest(fmt::format(
        "\"{}\" is not a network such as 10.77.0.0/24, of a size between /16 and /28", text));
  }
  return Subnet{.network = *address, .prefix = *prefix};
}

std::string Subnet::ToString() const { return fmt::format("{}/{}", Address(0), prefix); }

std::string Subnet::Address(uint32_t number) const {
  const uint32_t address = network + number;
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

bool Subnet::Overlaps(const Subnet& other) const {
  const uint32_t mask = MaskOf(std::min(prefix, other.prefix));
  return (network & mask) == (other.network & mask);
}

const LabHost* LabState::Find(std::string_view host) const {
  const auto found =
      std::find_if(hosts.begin(), hosts.end(), [&](const LabHost& h) { return h.name == host; });
  return found == hosts.end() ? nullptr : &*found;
}

std::string WriteLabState(const LabState& state) {
  JsonArray hosts;
  for (const LabHost& host : state.hosts) {
    hosts.push_back(JsonObject{{"name", host.name}, {"address", host.address}});
  }
  return WriteJsonPretty(JsonObject{
      {"name", state.name}, {"subnet", state.subnet.ToString()}, {"hosts", std::move(hosts)}});
}

Result<LabState> ReadLabState(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  LabState state{.name = std::string(FindString(json, "name")), .subnet = {}, .hosts = {}};
  RETURN_IF_ERROR(CheckLabName(state.name));
  ASSIGN_OR_RETURN(state.subnet, Subnet::Parse(FindString(json, "subnet")));
  const Json* hosts = FindMember(json, "hosts");
  if (hosts == nullptr || !hosts->is_array()) return Error::BadRequest("hosts: must be a list");
  for (const Json& host : hosts->get_array()) {
    state.hosts.push_back({.name = std::string(FindString(host, "name")),
                           .address = std::string(FindString(host, "address"))});
  }
  return state;
}

Result<void> CheckLabName(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kMaxNameLength && name != "images" &&
                    name.front() != '-' && name.back() != '-' &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                    });
  if (good) return {};
  return Error::BadRequest(
      fmt::format("\"{}\" is no valid name of a lab: at most {} of a-z, 0-9 and \"-\", with a "
                  "letter or digit at both ends, and not \"images\"",
                  name, kMaxNameLength));
}

Result<LabState> PlanLab(const LabRequest& request, const std::optional<LabState>& existing,
                         std::span<const Subnet> taken) {
  RETURN_IF_ERROR(CheckLabName(request.name));
  LabState state{.name = request.name, .subnet = {}, .hosts = {}};
  if (existing) {
    state = *existing;
    if (!request.subnet.empty() && request.subnet != state.subnet.ToString()) {
      return Error::BadRequest(
          fmt::format("--subnet: the lab {} has {}; remove the lab first, or omit the flag",
                      state.name, state.subnet.ToString()));
    }
  } else {
    ASSIGN_OR_RETURN(state.subnet, ChooseSubnet(request.subnet, taken));
  }
  const int present = static_cast<int>(state.hosts.size());
  const int wanted = request.hosts > 0 ? request.hosts : existing ? present : kDefaultHosts;
  // The last address is for broadcasts.
  const int possible =
      std::min(kMaxLabHosts, static_cast<int>(state.subnet.size() - kFirstHostNumber - 1));
  if (wanted < present) {
    return Error::BadRequest(fmt::format(
        "--hosts: the lab {} has {} hosts, and none is removed before all are (lab down)",
        state.name, present));
  }
  if (wanted > possible) {
    return Error::BadRequest(
        fmt::format("--hosts: at most {} in {}", possible, state.subnet.ToString()));
  }
  for (int i = present; i < wanted; ++i) {
    state.hosts.push_back(
        {.name = fmt::format("node{}", i + 1),
         .address = state.subnet.Address(kFirstHostNumber + static_cast<uint32_t>(i))});
  }
  return state;
}

std::vector<Subnet> NetworksIn(std::string_view routes) {
  std::vector<Subnet> networks;
  for (const std::string& line : Lines(routes)) {
    const std::vector<std::string> words = Words(line);
    if (words.size() < 8) continue;
    // Both are in the network's byte order, so that here they come out reversed.
    const auto network = ParseNumber<uint32_t>(words[1], 16);
    const auto mask = ParseNumber<uint32_t>(words[7], 16);
    if (!network || !mask || *mask == 0) continue;
    networks.push_back(
        {.network = __builtin_bswap32(*network), .prefix = __builtin_popcount(*mask)});
  }
  return networks;
}

std::string MirrorIn(std::span<const std::string> sources, std::string_view suite) {
  for (const std::string& text : sources) {
    for (const AptSource& source : ReadSources(text)) {
      if (source.binary &&
          std::find(source.suites.begin(), source.suites.end(), suite) != source.suites.end()) {
        return source.uri;
      }
    }
  }
  return "";
}

std::vector<std::string> MountsBelow(std::string_view path, std::string_view mounts) {
  std::vector<std::string> found;
  for (const std::string& line : Lines(mounts)) {
    const std::vector<std::string> words = Words(line);
    if (words.size() < 3) continue;
    std::string at = UnescapeMount(words[1]);
    if (at == path || at.starts_with(std::string(path) + "/")) found.push_back(std::move(at));
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<std::string> CgroupHierarchies(std::string_view mounts) {
  std::vector<std::string> found;
  for (const std::string& line : Lines(mounts)) {
    const std::vector<std::string> words = Words(line);
    if (words.size() >= 3 && (words[2] == "cgroup" || words[2] == "cgroup2")) {
      found.push_back(UnescapeMount(words[1]));
    }
  }
  return found;
}

}  // namespace kubexms::automation
