#include "kubexms/cluster/artifact/image_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/base/json/json.h"
#include "kubexms/cluster/artifact/tar_file.h"

namespace kubexms::cluster {
namespace {

using automation::FilePart;
using automation::FilePartReader;

constexpr int64_t kMaxDocument = 16 << 20;
constexpr int kMaxDepth = 4;
constexpr int kMaxLinks = 8;
constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kConfigType = "application/vnd.oci.image.config.v1+json";
constexpr std::string_view kLayerType = "application/vnd.oci.image.layer.v1.tar";
constexpr std::string_view kGzip = "\x1f\x8b";

// The archive by the names of its members.
class Members {
 public:
  static Result<Members> Open(const std::string& path) {
    ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(FilePart(path)));
    ASSIGN_OR_RETURN(const std::string begin, reader.Read(kGzip.size()));
    if (begin == kGzip) {
      return Error::BadRequest(
          fmt::format("{} is compressed; decompress it with gunzip first", path));
    }
    ASSIGN_OR_RETURN(std::vector<TarMember> members, ListForeignTar(path));
    return Members(path, std::move(members));
  }

  const std::string& path() const { return path_; }
  bool Has(const std::string& name) const { return members_.contains(name); }

  Result<FilePart> Part(const std::string& name) const {
    auto member = members_.find(name);
    for (int i = 0; i < kMaxLinks && member != members_.end() && !member->second.link.empty();
         ++i) {
      member = members_.find(member->second.link);
    }
    if (member == members_.end() || !member->second.link.empty()) {
      return Refuse(fmt::format("{} is not in it", name));
    }
    return FilePart(path_, member->second.offset, member->second.size);
  }

  Result<std::string> Text(const std::string& name) const {
    ASSIGN_OR_RETURN(const FilePart part, Part(name));
    if (*part.size > kMaxDocument) return Refuse(fmt::format("{} is too large", name));
    ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(part));
    return reader.Read(static_cast<size_t>(*part.size));
  }

  Result<Json> Document(const std::string& name) const {
    ASSIGN_OR_RETURN(const std::string text, Text(name));
    Result<Json> json = ParseJson(text);
    if (!json.ok()) return Refuse(fmt::format("{}: {}", name, json.error().message()));
    return json;
  }

  // What a descriptor or a docker manifest means by this name.
  Result<ImageBlob> Blob(const std::string& name, const std::string& sha256 = "") const {
    ASSIGN_OR_RETURN(const FilePart part, Part(name));
    ASSIGN_OR_RETURN(const std::string sum, automation::Sha256OfFile(part));
    if (!sha256.empty() && sum != sha256) return Refuse(fmt::format("{} is damaged", name));
    return ImageBlob{.sha256 = sum, .size = *part.size, .part = part};
  }

  Error Refuse(std::string_view why) const {
    return Error::BadRequest(fmt::format("the image file {} cannot be used: {}", path_, why));
  }

 private:
  Members(std::string path, std::vector<TarMember> members) : path_(std::move(path)) {
    for (TarMember& member : members) {
      std::string name = member.name;
      members_.insert_or_assign(std::move(name), std::move(member));
    }
  }

  std::string path_;
  std::map<std::string, TarMember> members_;
};

// An image that the archive has.
struct Candidate {
  std::string digest;  // of its manifest; empty: docker's
  std::string platform;
  std::set<std::string> names;
};

std::string PlatformOf(const Json& object) {
  return fmt::format("{}/{}", FindString(object, "os"), FindString(object, "architecture"));
}

Result<std::string> BlobName(const Members& members, std::string_view digest) {
  constexpr std::string_view kAlgorithm = "sha256:";
  const bool known = digest.starts_with(kAlgorithm) && digest.find('/') == std::string_view::npos;
  if (!known) return members.Refuse(fmt::format("\"{}\" is not a digest that is known", digest));
  return fmt::format("blobs/sha256/{}", digest.substr(kAlgorithm.size()));
}

// The one that is meant.
Result<const Candidate*> Choose(const Members& members, const std::vector<Candidate>& all,
                                std::string_view name, std::string_view architecture) {
  const std::string platform = fmt::format("linux/{}", architecture);
  std::set<std::string> platforms, names;
  std::vector<const Candidate*> fitting;
  for (const Candidate& candidate : all) {
    platforms.insert(candidate.platform);
    if (candidate.platform != platform) continue;
    fitting.push_back(&candidate);
    names.insert(candidate.names.begin(), candidate.names.end());
  }
  if (fitting.empty()) {
    return members.Refuse(
        fmt::format("it has no image for {}, only for {}", platform, fmt::join(platforms, ", ")));
  }
  const bool one = std::ranges::all_of(fitting, [&](const Candidate* candidate) {
    return !candidate->digest.empty() && candidate->digest == fitting.front()->digest;
  });
  if (one || fitting.size() == 1) return fitting.front();
  const auto named = std::ranges::find_if(fitting, [&](const Candidate* candidate) {
    return candidate->names.contains(std::string(name));
  });
  if (named != fitting.end()) return *named;
  return members.Refuse(fmt::format("it has {} images, and none of them is called {}; there are {}",
                                    fitting.size(), name, fmt::join(names, ", ")));
}

void AddOnce(ImageContent& image, ImageBlob blob) {
  const auto same = std::ranges::find(image.blobs, blob.sha256, &ImageBlob::sha256);
  if (same == image.blobs.end()) image.blobs.push_back(std::move(blob));
}

// --- OCI

// All images below an index, whose entries are indexes or manifests.
Result<void> Collect(const Members& members, const Json& index, const std::set<std::string>& names,
                     int depth, std::vector<Candidate>& found) {
  const Json* manifests = FindMember(index, "manifests");
  if (!manifests || !manifests->is_array() || depth > kMaxDepth) {
    return members.Refuse("its index is not one of images");
  }
  for (const Json& entry : manifests->get_array()) {
    std::set<std::string> own = names;
    if (const Json* annotations = FindMember(entry, "annotations")) {
      for (const char* key : {"io.containerd.image.name", "org.opencontainers.image.ref.name"}) {
        if (const auto value = FindString(*annotations, key); !value.empty()) own.emplace(value);
      }
    }
    const std::string_view digest = FindString(entry, "digest");
    ASSIGN_OR_RETURN(const std::string blob, BlobName(members, digest));
    // Those of other platforms are often only named.
    if (!members.Has(blob)) continue;
    ASSIGN_OR_RETURN(const Json document, members.Document(blob));
    if (FindMember(document, "manifests")) {
      RETURN_IF_ERROR(Collect(members, document, own, depth + 1, found));
      continue;
    }
    const Json* config = FindMember(document, "config");
    if (!config) return members.Refuse(fmt::format("{} is not a manifest", blob));
    std::string platform;
    if (const Json* known = FindMember(entry, "platform")) {
      platform = PlatformOf(*known);
    } else {
      ASSIGN_OR_RETURN(const std::string name, BlobName(members, FindString(*config, "digest")));
      ASSIGN_OR_RETURN(const Json settings, members.Document(name));
      platform = PlatformOf(settings);
    }
    found.push_back({std::string(digest), std::move(platform), std::move(own)});
  }
  return {};
}

Result<void> AddBlob(const Members& members, const Json& descriptor, ImageContent& image) {
  ASSIGN_OR_RETURN(const std::string name, BlobName(members, FindString(descriptor, "digest")));
  ASSIGN_OR_RETURN(ImageBlob blob, members.Blob(name, name.substr(name.rfind('/') + 1)));
  AddOnce(image, std::move(blob));
  return {};
}

Result<ImageContent> ReadOci(const Members& members, std::string_view name,
                             std::string_view architecture) {
  ASSIGN_OR_RETURN(const Json index, members.Document("index.json"));
  std::vector<Candidate> all;
  RETURN_IF_ERROR(Collect(members, index, {}, 0, all));
  ASSIGN_OR_RETURN(const Candidate* chosen, Choose(members, all, name, architecture));
  ASSIGN_OR_RETURN(const std::string file, BlobName(members, chosen->digest));
  ImageContent image;
  ASSIGN_OR_RETURN(image.manifest, members.Text(file));
  if ("sha256:" + automation::Sha256Of(image.manifest) != chosen->digest) {
    return members.Refuse(fmt::format("{} is damaged", file));
  }
  ASSIGN_OR_RETURN(const Json manifest, ParseJson(image.manifest));
  image.media_type = FindString(manifest, "mediaType");
  if (image.media_type.empty()) image.media_type = kManifestType;
  RETURN_IF_ERROR(AddBlob(members, *FindMember(manifest, "config"), image));
  const Json* layers = FindMember(manifest, "layers");
  if (!layers || !layers->is_array()) return members.Refuse(fmt::format("{} has no layers", file));
  for (const Json& layer : layers->get_array()) RETURN_IF_ERROR(AddBlob(members, layer, image));
  return image;
}

// --- docker

Result<std::string> LayerType(const ImageBlob& layer) {
  ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(layer.part));
  ASSIGN_OR_RETURN(const std::string begin, reader.Read(kGzip.size()));
  return fmt::format("{}{}", kLayerType, begin == kGzip ? "+gzip" : "");
}

JsonObject Descriptor(std::string_view type, const ImageBlob& blob) {
  return {{"mediaType", type}, {"digest", "sha256:" + blob.sha256}, {"size", blob.size}};
}

// The images of manifest.json, whose entries are in the same order.
Result<std::vector<Candidate>> DockerImages(const Members& members, const Json& list) {
  std::vector<Candidate> all;
  if (!list.is_array()) return members.Refuse("manifest.json is not a list of images");
  for (const Json& entry : list.get_array()) {
    ASSIGN_OR_RETURN(const Json config, members.Document(std::string(FindString(entry, "Config"))));
    Candidate candidate{.platform = PlatformOf(config)};
    if (const Json* tags = FindMember(entry, "RepoTags"); tags && tags->is_array()) {
      for (const Json& tag : tags->get_array()) {
        if (const auto* text = tag.if_string()) candidate.names.emplace(AsView(*text));
      }
    }
    all.push_back(std::move(candidate));
  }
  return all;
}

Result<ImageContent> ReadDocker(const Members& members, std::string_view name,
                                std::string_view architecture) {
  ASSIGN_OR_RETURN(const Json list, members.Document("manifest.json"));
  ASSIGN_OR_RETURN(const std::vector<Candidate> all, DockerImages(members, list));
  ASSIGN_OR_RETURN(const Candidate* chosen, Choose(members, all, name, architecture));
  const Json& entry = list.get_array()[static_cast<size_t>(chosen - all.data())];
  ImageContent image{.media_type = std::string(kManifestType)};
  ASSIGN_OR_RETURN(ImageBlob config, members.Blob(std::string(FindString(entry, "Config"))));
  JsonObject manifest{{"schemaVersion", 2}, {"mediaType", kManifestType}};
  manifest["config"] = Descriptor(kConfigType, config);
  image.blobs.push_back(std::move(config));
  const Json* files = FindMember(entry, "Layers");
  if (!files || !files->is_array()) return members.Refuse("manifest.json names no layers");
  JsonArray& layers = manifest["layers"].emplace_array();
  for (const Json& file : files->get_array()) {
    const auto* text = file.if_string();
    ASSIGN_OR_RETURN(ImageBlob layer, members.Blob(text ? std::string(AsView(*text)) : ""));
    ASSIGN_OR_RETURN(const std::string type, LayerType(layer));
    layers.push_back(Descriptor(type, layer));
    AddOnce(image, std::move(layer));
  }
  image.manifest = WriteJson(Json(std::move(manifest)));
  return image;
}

}  // namespace

Result<ImageContent> ReadImageArchive(const std::string& path, std::string_view name,
                                      std::string_view architecture) {
  ASSIGN_OR_RETURN(const Members members, Members::Open(path));
  if (members.Has("index.json")) return ReadOci(members, name, architecture);
  if (members.Has("manifest.json")) return ReadDocker(members, name, architecture);
  return members.Refuse(
      "it has neither index.json, as an OCI archive, nor manifest.json, as docker save writes it");
}

}  // namespace kubexms::cluster
