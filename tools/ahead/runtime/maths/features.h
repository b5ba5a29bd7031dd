/* What musl's mathematics asks of a system, so that it compiles alike for every one. */
#define hidden __attribute__((__visibility__("hidden")))
#define weak __attribute__((__weak__))
#define weak_alias(old, new)
