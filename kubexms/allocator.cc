// How jemalloc is to work in our programs: there is one heap for all threads, since each further
// one keeps free memory of its own; a thread keeps little, since many come and go; and what is free
// for longer than a moment goes back to the machine.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "narenas:1,tcache_max:1024,tcache_nslots_small_max:40,dirty_decay_ms:200,muzzy_decay_ms:0";
}
