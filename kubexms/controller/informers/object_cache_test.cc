#include "kubexms/controller/informers/object_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kubexms/controller/informers/cached_config_map_test.h"

namespace kubexms {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Type = CacheEvent::Type;

std::vector<std::string> Names(const std::vector<CachedObject>& objects) {
  std::vector<std::string> names;
  for (const CachedObject& object : objects) names.push_back(object.key().ToString());
  std::sort(names.begin(), names.end());
  return names;
}

// "add a@1", "update a@1>2", "delete a@2".
std::vector<std::string> Delivered(const std::vector<CacheEvent>& events) {
  std::vector<std::string> told;
  for (const CacheEvent& event : events) {
    const std::string name = event.object.metadata->name;
    const std::string version = event.object.metadata->resource_version;
    switch (event.type) {
      case Type::kAdd: told.push_back("add " + name + "@" + version); break;
      case Type::kUpdate:
        told.push_back("update " + name + "@" + event.old.metadata->resource_version + ">" +
                       version);
        break;
      case Type::kDelete:
        told.push_back((event.final_state_unknown ? "lost " : "delete ") + name + "@" + version);
        break;
    }
  }
  return told;
}

TEST(ObjectCacheTest, FollowsAdditionsUpdatesAndDeletions) {
  ObjectCache cache;
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.version = 1}))), ElementsAre("add a@1"));
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.version = 2}))), ElementsAre("update a@1>2"));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 2u);
  EXPECT_THAT(Delivered(cache.Remove(CachedConfigMap({.version = 3}))), ElementsAre("delete a@3"));
  EXPECT_FALSE(cache.Get({"default", "a"}));
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(ObjectCacheTest, DeliversNothingForAnUnchangedObject) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.version = 5}));
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.version = 5}))), IsEmpty());
  EXPECT_THAT(Delivered(cache.Remove(CachedConfigMap({.name = "unknown", .version = 6}))),
              IsEmpty());
}

TEST(ObjectCacheTest, DeliversARecreatedObjectAsDeletionAndAddition) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.uid = "first", .version = 1}));
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.uid = "second", .version = 4}))),
              ElementsAre("lost a@1", "add a@4"));
}

TEST(ObjectCacheTest, ReplaceDeliversDeletionsFirstWithFinalStateUnknown) {
  ObjectCache cache;
  cache.Replace(
      {CachedConfigMap({.name = "a", .version = 1}), CachedConfigMap({.name = "b", .version = 2}),
       CachedConfigMap({.name = "c", .version = 3})},
      3);
  const auto events = cache.Replace(
      {CachedConfigMap({.name = "b", .version = 2}), CachedConfigMap({.name = "c", .version = 7}),
       CachedConfigMap({.name = "d", .version = 8})},
      9);
  EXPECT_THAT(Delivered(events), ElementsAre("lost a@1", "update c@3>7", "add d@8"));
  EXPECT_THAT(Names(cache.List()), ElementsAre("default/b", "default/c", "default/d"));
}

// As after the server's data was restored from a backup.
TEST(ObjectCacheTest, AListWithARegressedVersionReplacesTheContents) {
  ObjectCache cache;
  cache.Replace({CachedConfigMap({.name = "a", .uid = "1", .version = 100}),
                 CachedConfigMap({.name = "b", .uid = "2", .version = 50}),
                 CachedConfigMap({.name = "c", .uid = "3", .version = 90})},
                100);
  EXPECT_FALSE(cache.HasRegressed(100));
  EXPECT_TRUE(cache.HasRegressed(99));
  EXPECT_FALSE(cache.HasRegressed(0));  // no number: nothing is known
  const auto events = cache.Replace({CachedConfigMap({.name = "a", .uid = "1", .version = 60}),
                                     CachedConfigMap({.name = "b", .uid = "2", .version = 50})},
                                    60);
  EXPECT_THAT(Delivered(events), ElementsAre("lost c@90", "update a@100>60", "update b@50>50"));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 60u);
  EXPECT_THAT(Names(cache.List()), ElementsAre("default/a", "default/b"));
  EXPECT_EQ(cache.bytes(), cache.Get({"default", "a"}).bytes + cache.Get({"default", "b"}).bytes);
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.name = "a", .uid = "1", .version = 61}))),
              ElementsAre("update a@60>61"));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 61u);
}

TEST(ObjectCacheTest, DropsOwnWritesFromBeforeARegression) {
  ObjectCache cache;
  cache.Replace({CachedConfigMap({.name = "deleted", .uid = "1", .version = 10}),
                 CachedConfigMap({.name = "changed", .uid = "2", .version = 20})},
                100);
  cache.RecordDeletion({"default", "deleted"}, "1");
  cache.RecordWrite(CachedConfigMap({.name = "changed", .uid = "2", .version = 101}));
  cache.RecordWrite(CachedConfigMap({.name = "made", .uid = "3", .version = 102}));
  const auto events =
      cache.Replace({CachedConfigMap({.name = "deleted", .uid = "1", .version = 10}),
                     CachedConfigMap({.name = "changed", .uid = "2", .version = 20})},
                    60);
  EXPECT_THAT(Delivered(events), ElementsAre("add made@102", "lost made@102",
                                             "update deleted@10>10", "update changed@20>20"));
  EXPECT_THAT(Names(cache.List()), ElementsAre("default/changed", "default/deleted"));
  EXPECT_EQ(cache.Get({"default", "changed"}).version, 20u);
  cache.RecordWrite(CachedConfigMap({.name = "changed", .uid = "2", .version = 61}));
  EXPECT_EQ(cache.Get({"default", "changed"}).version, 61u);
}

// The server lost it before its event was delivered.
TEST(ObjectCacheTest, ALaterListRemovesAnOwnWrite) {
  ObjectCache cache;
  cache.Replace(
      {CachedConfigMap({.name = "a", .version = 1}), CachedConfigMap({.name = "b", .version = 2})},
      3);
  cache.RecordWrite(CachedConfigMap({.name = "a", .version = 5}));
  cache.RecordAbsence({"default", "b"}, 6);
  const std::vector<CachedObject> listed = {CachedConfigMap({.name = "a", .version = 1}),
                                            CachedConfigMap({.name = "b", .version = 2})};
  cache.Replace(listed, 4);
  EXPECT_EQ(cache.Get({"default", "a"}).version, 5u);
  EXPECT_FALSE(cache.Get({"default", "b"}));
  EXPECT_THAT(Delivered(cache.Replace(listed, 7)), ElementsAre("update a@1>1", "update b@2>2"));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 1u);
  EXPECT_TRUE(cache.Get({"default", "b"}));
}

TEST(ObjectCacheTest, RetainsTheStateOfUndecodableObjects) {
  ObjectCache cache;
  cache.Replace({CachedConfigMap({.name = "a", .uid = "1", .version = 1}),
                 CachedConfigMap({.name = "anew", .uid = "2", .version = 2})},
                3);
  EXPECT_THAT(
      Delivered(cache.Replace({}, 9, {{{"default", "a"}, "1"}, {{"default", "anew"}, "3"}})),
      ElementsAre("lost anew@2"));
  EXPECT_THAT(Names(cache.List()), ElementsAre("default/a"));
  // Also after a regression of versions.
  cache.RecordWrite(CachedConfigMap({.name = "a", .uid = "1", .version = 10}));
  EXPECT_THAT(Delivered(cache.Replace({}, 5, {{{"default", "a"}, "1"}})), IsEmpty());
  EXPECT_EQ(cache.Get({"default", "a"}).version, 1u);
  EXPECT_EQ(cache.bytes(), cache.Get({"default", "a"}).bytes);
}

TEST(ObjectCacheTest, ListsByNamespaceAndSelector) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.name = "a", .namespace_name = "x", .labels = R"({"tier":"front"})"}));
  cache.Put(CachedConfigMap({.name = "b", .namespace_name = "x"}));
  cache.Put(CachedConfigMap({.name = "c", .namespace_name = "y", .labels = R"({"tier":"front"})"}));
  EXPECT_THAT(Names(cache.List("x")), ElementsAre("x/a", "x/b"));
  EXPECT_THAT(Names(cache.List("", *Selector::Parse("tier=front"))), ElementsAre("x/a", "y/c"));
  EXPECT_THAT(Names(cache.List("y", *Selector::Parse("!tier"))), IsEmpty());
  EXPECT_THAT(Names(cache.List("z")), IsEmpty());
}

std::vector<std::string> ByTier(const CachedObject& object) {
  const auto tier = object.metadata->labels.find("tier");
  if (tier == object.metadata->labels.end()) return {};
  return {tier->second};
}

TEST(ObjectCacheTest, IndexesFollowChangesAndAreFilledWhenAddedLate) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.version = 1, .labels = R"({"tier":"front"})"}));
  cache.AddIndex("tier", ByTier);
  cache.AddIndex("tier", [](const CachedObject&) { return std::vector<std::string>{"ignored"}; });
  EXPECT_THAT(Names(cache.ByIndex("tier", "front")), ElementsAre("default/a"));
  cache.Put(CachedConfigMap({.version = 2, .labels = R"({"tier":"back"})"}));
  EXPECT_THAT(cache.ByIndex("tier", "front"), IsEmpty());
  EXPECT_THAT(Names(cache.ByIndex("tier", "back")), ElementsAre("default/a"));
  cache.Remove(CachedConfigMap({.version = 3}));
  EXPECT_THAT(cache.ByIndex("tier", "back"), IsEmpty());
}

TEST(ObjectCacheTest, OwnWritesAreVisibleAtOnceAndDeliveredByTheWatch) {
  ObjectCache cache;
  cache.AddIndex("tier", ByTier);
  cache.Put(CachedConfigMap({.version = 1}));
  cache.RecordWrite(CachedConfigMap({.version = 5, .labels = R"({"tier":"own"})"}));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 5u);
  EXPECT_EQ(cache.ByIndex("tier", "own").size(), 1u);
  // What others wrote before comes later through the watch, and is delivered but not visible.
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.version = 3}))), ElementsAre("update a@1>3"));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 5u);
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.version = 5}))), ElementsAre("update a@3>5"));
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.version = 6}))), ElementsAre("update a@5>6"));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 6u);
}

TEST(ObjectCacheTest, IgnoresOwnWritesOlderThanTheWatch) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.version = 4}));
  cache.Remove(CachedConfigMap({.version = 9}));
  cache.RecordWrite(CachedConfigMap({.version = 7}));  // answered late: it is deleted by now
  EXPECT_FALSE(cache.Get({"default", "a"}));
  cache.AdvanceTo(20);
  cache.RecordWrite(CachedConfigMap({.name = "b", .version = 15}));
  EXPECT_EQ(cache.size(), 0u);
}

TEST(ObjectCacheTest, FindsObjectsByVersion) {
  ObjectCache cache;
  const ObjectKey key{"default", "a"};
  EXPECT_FALSE(cache.FindVersion(key, 1));
  cache.Put(CachedConfigMap({.version = 1}));
  const CachedObject own = CachedConfigMap({.version = 3});
  EXPECT_TRUE(cache.IsNewer(3));
  cache.RecordWrite(own);
  EXPECT_EQ(cache.FindVersion(key, 1).version, 1u);
  EXPECT_FALSE(cache.FindVersion(key, 2));
  EXPECT_EQ(cache.FindVersion(key, 3).value, own.value);
  cache.Put(cache.FindVersion(key, 3));
  EXPECT_FALSE(cache.IsNewer(3));
  EXPECT_EQ(cache.Delivered(key).value, own.value);
  EXPECT_EQ(cache.bytes(), own.bytes);
}

TEST(ObjectCacheTest, RetainsAnOwnCreationThroughAnOlderList) {
  ObjectCache cache;
  cache.Replace({}, 3);
  cache.RecordWrite(CachedConfigMap({.version = 8}));
  EXPECT_THAT(Delivered(cache.Replace({}, 6)), IsEmpty());
  EXPECT_TRUE(cache.Get({"default", "a"}));
  // Made and deleted meanwhile.
  EXPECT_THAT(Delivered(cache.Replace({}, 10)), ElementsAre("add a@8", "lost a@8"));
  EXPECT_FALSE(cache.Get({"default", "a"}));
}

// Readers saw it, so it is delivered to handlers although the watch never returned it.
TEST(ObjectCacheTest, DeliversOwnCreationsThatAListDoesNotContain) {
  ObjectCache cache;
  cache.RecordWrite(CachedConfigMap({.name = "a", .uid = "1", .version = 5}));
  cache.RecordWrite(CachedConfigMap({.name = "b", .uid = "2", .version = 6}));
  cache.RecordDeletion({"default", "b"}, "2");
  cache.RecordWrite(CachedConfigMap({.name = "c", .uid = "3", .version = 9}));
  EXPECT_THAT(Delivered(cache.Replace({}, 8)),
              UnorderedElementsAre("add a@5", "lost a@5", "add b@6", "lost b@6"));
  EXPECT_THAT(Names(cache.List()), ElementsAre("default/c"));
  EXPECT_THAT(Delivered(cache.Replace({}, 9)), UnorderedElementsAre("add c@9", "lost c@9"));
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(ObjectCacheTest, HidesOwnDeletionsUntilTheWatchReturnsThem) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.uid = "first", .version = 1}));
  cache.RecordDeletion({"default", "a"}, "first");
  EXPECT_FALSE(cache.Get({"default", "a"}));
  // A change from before the deletion is delivered, but does not make it visible.
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.uid = "first", .version = 2}))),
              ElementsAre("update a@1>2"));
  EXPECT_FALSE(cache.Get({"default", "a"}));
  EXPECT_THAT(Delivered(cache.Remove(CachedConfigMap({.uid = "first", .version = 3}))),
              ElementsAre("delete a@3"));
  cache.Put(CachedConfigMap({.uid = "second", .version = 4}));
  EXPECT_TRUE(cache.Get({"default", "a"}));
}

TEST(ObjectCacheTest, AnOwnDeletionHidesTheLateCreationEvent) {
  ObjectCache cache;
  cache.RecordWrite(CachedConfigMap({.uid = "own", .version = 5}));
  cache.RecordDeletion({"default", "a"}, "own");
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.uid = "own", .version = 5}))),
              ElementsAre("add a@5"));
  EXPECT_FALSE(cache.Get({"default", "a"}));
  EXPECT_THAT(Delivered(cache.Remove(CachedConfigMap({.uid = "own", .version = 6}))),
              ElementsAre("delete a@6"));
  EXPECT_FALSE(cache.Get({"default", "a"}));
  EXPECT_EQ(cache.bytes(), 0u);
}

// Another client created it, or this process did and got no response, and the watch is late.
TEST(ObjectCacheTest, AnObjectThatIsDeletedBeforeItWasSeenStaysHidden) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.uid = "first", .version = 1}));
  cache.RecordDeletion({"default", "a"}, "second");
  cache.RecordDeletion({"default", "b"}, "other");
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.name = "b", .uid = "other", .version = 2}))),
              ElementsAre("add b@2"));
  EXPECT_FALSE(cache.Get({"default", "b"}));
  cache.Remove(CachedConfigMap({.uid = "first", .version = 3}));
  cache.Put(CachedConfigMap({.uid = "second", .version = 4}));
  EXPECT_FALSE(cache.Get({"default", "a"}));
  cache.Remove(CachedConfigMap({.uid = "second", .version = 5}));
  cache.Put(CachedConfigMap({.uid = "third", .version = 6}));
  EXPECT_EQ(cache.Get({"default", "a"}).uid(), "third");
}

TEST(ObjectCacheTest, AnOwnDeletionOutlivesAListThatIsOlder) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.uid = "first", .version = 1}));
  cache.RecordDeletion({"default", "a"}, "first");
  cache.Replace({CachedConfigMap({.uid = "first", .version = 1})}, 2);
  EXPECT_FALSE(cache.Get({"default", "a"}));
  cache.Replace({CachedConfigMap({.uid = "second", .version = 4})}, 5);
  EXPECT_EQ(cache.Get({"default", "a"}).uid(), "second");
}

TEST(ObjectCacheTest, AnOwnWriteHidesAnObjectOutsideOfTheScope) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.version = 1}));
  cache.RecordAbsence({"default", "a"}, 3);
  EXPECT_FALSE(cache.Get({"default", "a"}));
  cache.Put(CachedConfigMap({.version = 2}));
  EXPECT_FALSE(cache.Get({"default", "a"}));
  cache.Remove(CachedConfigMap({.version = 3}));
  cache.Put(CachedConfigMap({.version = 4}));
  EXPECT_TRUE(cache.Get({"default", "a"}));
  // The watch is past it: another client recreated the object meanwhile.
  cache.RecordAbsence({"default", "a"}, 3);
  EXPECT_TRUE(cache.Get({"default", "a"}));
}

TEST(ObjectCacheTest, AnOwnWriteReturnsAnObjectIntoTheScope) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.version = 1}));
  cache.RecordWrite(CachedConfigMap({.version = 5}));
  cache.Remove(CachedConfigMap({.version = 3}));
  EXPECT_EQ(cache.Get({"default", "a"}).version, 5u);
}

TEST(ObjectCacheTest, DoesNotHideAnotherObjectOfTheSameName) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.uid = "second", .version = 9}));
  cache.RecordDeletion({"default", "a"}, "first");
  EXPECT_TRUE(cache.Get({"default", "a"}));
}

TEST(ObjectCacheTest, ARecreatedObjectSurvivesTheDeletionOfItsPredecessor) {
  ObjectCache cache;
  cache.Put(CachedConfigMap({.uid = "first", .version = 1}));
  cache.RecordWrite(CachedConfigMap({.uid = "second", .version = 8}));
  EXPECT_THAT(Delivered(cache.Remove(CachedConfigMap({.uid = "first", .version = 6}))),
              ElementsAre("delete a@6"));
  EXPECT_EQ(cache.Get({"default", "a"}).uid(), "second");
  EXPECT_THAT(Delivered(cache.Put(CachedConfigMap({.uid = "second", .version = 8}))),
              ElementsAre("add a@8"));
}

TEST(ObjectCacheTest, CountsSharedObjectsOnce) {
  ObjectCache cache;
  const CachedObject object = CachedConfigMap({.version = 1});
  cache.Put(object);
  EXPECT_EQ(cache.bytes(), object.bytes);
  const CachedObject own = CachedConfigMap({.version = 5, .labels = R"({"longer":"text"})"});
  cache.RecordWrite(own);
  EXPECT_EQ(cache.bytes(), object.bytes + own.bytes);
  cache.Put(own);
  EXPECT_EQ(cache.bytes(), own.bytes);
}

TEST(ObjectCacheTest, ComputesTheSizeAfterAChange) {
  ObjectCache cache;
  const CachedObject other = CachedConfigMap({.name = "other", .version = 1});
  const CachedObject object = CachedConfigMap({.name = "a", .version = 2});
  cache.Put(other);
  cache.Put(object);
  const ObjectKey key{"default", "a"};
  EXPECT_EQ(cache.BytesWith({"default", "new"}, 3, 10), other.bytes + object.bytes + 10);
  EXPECT_EQ(cache.BytesWith(key, 3, 10), other.bytes + 10);
  const CachedObject own = CachedConfigMap({.name = "a", .version = 5, .labels = R"({"x":"y"})"});
  cache.RecordWrite(own);
  EXPECT_EQ(cache.BytesWith(key, 4, 10), other.bytes + own.bytes + 10);
  EXPECT_EQ(cache.BytesWith(key, 5, own.bytes), other.bytes + own.bytes);
  cache.Put(own);
  EXPECT_EQ(cache.bytes(), other.bytes + own.bytes);
}

// A server with one history, a watch that lags behind it, and a process that writes: whatever the
// order, a reader never goes back, and the cache ends up equal to the server.
class HistoryModel {
 public:
  void Write(const std::string& name, bool by_this_process) {
    Existing& existing = server_[name];
    if (existing.uid.empty()) existing.uid = "uid-" + std::to_string(++uids_);
    existing.version = ++version_;
    const ConfigMapParts parts{.name = name, .uid = existing.uid, .version = version_};
    pending_.push_back({false, parts});
    if (by_this_process) cache_.RecordWrite(CachedConfigMap(parts));
    if (by_this_process) Expect(name);
  }

  void Delete(const std::string& name, bool by_this_process) {
    const auto existing = server_.find(name);
    if (existing == server_.end()) return;
    const std::string uid = existing->second.uid;
    server_.erase(existing);
    pending_.push_back({true, {.name = name, .uid = uid, .version = ++version_}});
    if (!by_this_process) return;
    const CachedObject shown = cache_.Get({"default", name});
    const bool known = shown && shown.uid() == uid;
    cache_.RecordDeletion({"default", name}, uid);
    deleted_.insert(uid);
    if (known) Expect(name);
  }

  void Watch(size_t count) {
    while (count-- > 0 && !pending_.empty()) {
      const auto [deleted, parts] = pending_.front();
      pending_.erase(pending_.begin());
      seen_ = parts.version;
      Handle(deleted ? cache_.Remove(CachedConfigMap(parts)) : cache_.Put(CachedConfigMap(parts)));
      for (const auto& [name, existing] : server_) Check(name);
      for (const auto& [name, floor] : floors_) Check(name);
    }
  }

  void Relist() {
    std::vector<CachedObject> objects;
    for (const auto& [name, existing] : server_) {
      objects.push_back(
          CachedConfigMap({.name = name, .uid = existing.uid, .version = existing.version}));
    }
    pending_.clear();
    seen_ = version_;
    Handle(cache_.Replace(std::move(objects), version_));
  }

  void BackUp() {
    backup_ = server_;
    backup_version_ = version_;
  }

  // Where the watch is past the backup: otherwise nobody can tell that there was one.
  void Restore() {
    if (backup_version_ >= seen_) return;
    server_ = backup_;
    version_ = backup_version_;
    floors_.clear();
    deleted_.clear();
    Relist();
  }

  void Finish() {
    Watch(pending_.size());
    std::vector<std::string> expected;
    for (const auto& [name, existing] : server_) {
      expected.push_back("default/" + name);
      RC_ASSERT(cache_.Get({"default", name}).version == existing.version);
      RC_ASSERT(cache_.Get({"default", name}).uid() == existing.uid);
      RC_ASSERT(told_.at(name) == existing.version);
    }
    RC_ASSERT(Names(cache_.List()) == expected);
    RC_ASSERT(told_.size() == server_.size());
  }

 private:
  struct Existing {
    std::string uid;
    uint64_t version = 0;
  };

  // From now on readers see this version of `name`, or its absence as of now, or something newer.
  void Expect(const std::string& name) {
    floors_[name] = version_;
    Check(name);
  }
  void Check(const std::string& name) {
    const CachedObject seen = cache_.Get({"default", name});
    if (!seen) return;  // absent is right or wrong: Finish() sees which
    RC_ASSERT(seen.version >= floors_[name]);
    RC_ASSERT(!deleted_.contains(seen.uid()));
  }
  void Handle(const std::vector<CacheEvent>& events) {
    for (const CacheEvent& event : events) {
      const std::string& name = event.object.metadata->name;
      RC_ASSERT(told_.contains(name) == (event.type != Type::kAdd));
      if (event.type == Type::kDelete) {
        told_.erase(name);
      } else {
        told_[name] = event.object.version;
      }
    }
  }

  ObjectCache cache_;
  uint64_t version_ = 1;
  uint64_t seen_ = 0;  // by the watch
  std::map<std::string, Existing> server_;
  std::map<std::string, Existing> backup_;
  uint64_t backup_version_ = 1;
  uint64_t uids_ = 0;
  std::map<std::string, uint64_t> floors_;
  std::set<std::string> deleted_;  // uids, by this process
  std::map<std::string, uint64_t> told_;
  std::vector<std::pair<bool, ConfigMapParts>> pending_;
};

RC_GTEST_PROP(ObjectCachePropertyTest, ReadersNeverGoBackBehindOwnWrites, ()) {
  HistoryModel model;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 60));
  for (const int step : steps) {
    const std::string name(1, static_cast<char>('a' + step % 3));
    const bool own = step % 2 == 0;
    switch (step / 6 % 5) {
      case 0:
      case 1: model.Write(name, own); break;
      case 2: model.Delete(name, own); break;
      case 3: model.Watch(static_cast<size_t>(step % 4)); break;
      default:
        if (step % 5 == 0) model.Relist();
        if (step % 7 == 0) model.BackUp();
        if (step % 7 == 1) model.Restore();
        break;
    }
  }
  model.Finish();
}

}  // namespace
}  // namespace kubexms
