/* What stands between Python and compiled kernels, and what the kernels call themselves.
 *
 * The library of kernels links to no Python: one file serves every version of it. Python hands over
 * the few functions of its stable interface that are needed here (`verlet_bind`), and makes a
 * callable of `verlet_call` and a plan: words that say what a kernel takes and gives.
 *
 * C, because a call from Python has to cost less than the work of the smallest kernel: reading some
 * hundred arrays in Python would take longer than a step of a single box.
 *
 * Four parts: arguments and results; threads; memory; what else Numba's code calls.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#define PUBLIC __declspec(dllexport)
#else
#include <pthread.h>
#define PUBLIC __attribute__((visibility("default")))
#endif

/* ------------------------------------------------------------------ arguments and results */

typedef struct Object { /* what every Python object begins with */
    intptr_t references;
    struct Object *type;
} Object;

typedef struct { /* an array, as NumPy lays it out since 1.7 and in 2 */
    Object head;
    char *data;
    int dimensions;
    intptr_t *shape;
    intptr_t *strides;
    Object *base;
    Object *dtype;
    int flags;
} Array;
enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100 };

static struct { /* in the order in which core/kernels/library.py hands them over */
    char *(*bytes_as_string)(Object *);
    unsigned long (*type_flags)(Object *);
    intptr_t (*tuple_size)(Object *);
    Object *(*tuple_item)(Object *, intptr_t);
    Object *(*tuple_new)(intptr_t);
    int (*tuple_set)(Object *, intptr_t, Object *);
    long long (*as_integer)(Object *);
    double (*as_number)(Object *);
    int (*is_true)(Object *);
    Object *(*from_integer)(long long);
    Object *(*from_number)(double);
    Object *(*from_truth)(long);
    int (*compare)(Object *, Object *, int);
    Object *(*error_occurred)(void);
    void (*error_clear)(void);
    Object *(*error_no_memory)(void);
    void *(*let_go)(void);
    void (*take_hold)(void *);
    void (*keep)(Object *);
    void (*drop)(Object *);
    Object *array_type;
    Object *none;
    Object *not_implemented;
} python;

PUBLIC void verlet_bind(void **functions) { memcpy(&python, functions, sizeof python); }

/* Whether this processor has what the kernels were compiled for; this file itself asks for nothing. */
#if defined(__x86_64__)
#include <cpuid.h>
PUBLIC int verlet_fits(void)
{
    const uint32_t v2 = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE41 | bit_SSE42 | bit_POPCNT;
    const uint32_t v3 = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
    const uint32_t v3_7 = bit_BMI | bit_AVX2 | bit_BMI2;
    uint32_t a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & v2) != v2) return 0;
    if (LEVEL < 3) return 1;
    if ((c & v3) != v3) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0; /* the system keeps the wide registers */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & v3_7) != v3_7) return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}
#else
PUBLIC int verlet_fits(void) { return 1; }
#endif

/* A plan: kernel, places for numbers, arguments, words of arguments; then those; then the result. */
enum { INTEGER = 1, NUMBER, TRUTH, ARRAY, ANY_ARRAY, TUPLE, NOTHING };
enum { IS_EQUAL = 2, TUPLE_SUBCLASS = 26 };
#define MOST_RESULTS 64
typedef int32_t Kernel(int64_t *places);

static int place_array(int64_t *plan, Object *object, int64_t **place)
{
    Array *array = (Array *)object;
    intptr_t dimensions = plan[2];
    if (object->type != python.array_type || array->dimensions != dimensions) return 0;
    if (!(array->flags & ALIGNED)) return 0;
    if (plan[0] == ARRAY && !(array->flags & C_CONTIGUOUS)) return 0;
    if (array->dtype != (Object *)plan[1]) { /* another object may say the same */
        Object *known = (Object *)plan[1];
        if (python.compare(array->dtype, known, IS_EQUAL) != 1) return 0;
        python.keep(array->dtype);
        plan[1] = (int64_t)array->dtype;
        python.drop(known);
    }
    *(*place)++ = (int64_t)array->data;
    for (intptr_t k = 0; k < dimensions; k++) *(*place)++ = array->shape[k];
    if (plan[0] == ANY_ARRAY)
        for (intptr_t k = 0; k < dimensions; k++) *(*place)++ = array->strides[k];
    return 1;
}

/* Lay one argument into its places; the words of the plan that it took, 0 if it does not fit. */
static intptr_t place(int64_t *plan, Object *object, int64_t **places)
{
    double number;
    switch (plan[0]) {
    case ARRAY:
    case ANY_ARRAY:
        return place_array(plan, object, places) ? 3 : 0;
    case INTEGER:
        *(*places)++ = python.as_integer(object);
        return (*places)[-1] == -1 && python.error_occurred() ? 0 : 1;
    case NUMBER:
        number = python.as_number(object);
        memcpy((*places)++, &number, sizeof number);
        return number == -1.0 && python.error_occurred() ? 0 : 1;
    case TRUTH:
        *(*places)++ = python.is_true(object);
        return (*places)[-1] < 0 ? 0 : 1;
    case NOTHING:
        return object == python.none;
    case TUPLE: {
        intptr_t size = plan[1], used = 2;
        if (!(python.type_flags(object->type) >> TUPLE_SUBCLASS & 1)) return 0;
        if (python.tuple_size(object) != size) return 0;
        for (intptr_t k = 0; k < size; k++) {
            intptr_t words = place(plan + used, python.tuple_item(object, k), places);
            if (!words) return 0;
            used += words;
        }
        return used;
    }
    }
    return 0;
}

static Object *result_of(const int64_t **plan, const int64_t **places)
{
    int64_t kind = *(*plan)++;
    double number;
    switch (kind) {
    case INTEGER:
        return python.from_integer(*(*places)++);
    case NUMBER:
        memcpy(&number, (*places)++, sizeof number);
        return python.from_number(number);
    case TRUTH:
        return python.from_truth(*(*places)++ & 1);
    case TUPLE: {
        int64_t size = *(*plan)++;
        Object *tuple = python.tuple_new(size);
        for (int64_t k = 0; tuple && k < size; k++) {
            Object *item = result_of(plan, places);
            if (!item) {
                python.drop(tuple);
                return NULL;
            }
            python.tuple_set(tuple, k, item);
        }
        return tuple;
    }
    }
    python.keep(python.none);
    return python.none;
}

/* Round to nearest and keep small numbers, whatever the host program has set for itself: the same
 * bits on every thread. */
#if defined(__x86_64__)
static uint32_t set_rounding(void)
{
    uint32_t was, plain = 0x1f80;
    __asm__ volatile("stmxcsr %0" : "=m"(was));
    if ((was & 0xffc0) != plain) __asm__ volatile("ldmxcsr %0" : : "m"(plain));
    return was;
}
static void reset_rounding(uint32_t was)
{
    if ((was & 0xffc0) != 0x1f80) __asm__ volatile("ldmxcsr %0" : : "m"(was));
}
#else
static uint64_t set_rounding(void)
{
    uint64_t was, plain = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(was));
    if (was != plain) __asm__ volatile("msr fpcr, %0" : : "r"(plain));
    return was;
}
static void reset_rounding(uint64_t was)
{
    if (was) __asm__ volatile("msr fpcr, %0" : : "r"(was));
}
#endif

/* A kernel's callable, for PyCFunction_NewEx with METH_FASTCALL: NotImplemented, with nothing done,
 * if the arguments are not those that the kernel was compiled for. */
PUBLIC Object *verlet_call(Object *self, Object *const *arguments, intptr_t count)
{
    int64_t *plan = (int64_t *)python.bytes_as_string(self);
    int64_t places[plan[1]], results[MOST_RESULTS];
    int64_t *next = places, *at = plan + 4;
    intptr_t fits = count == plan[2];
    places[0] = (int64_t)results;
    next = places + 1;
    for (intptr_t k = 0; fits && k < count; k++) {
        intptr_t words = place(at, arguments[k], &next);
        at += words;
        fits = words > 0;
    }
    if (!fits) {
        python.error_clear();
        python.keep(python.not_implemented);
        return python.not_implemented;
    }
    void *thread = python.let_go();
    __auto_type rounding = set_rounding();
    int32_t status = ((Kernel *)plan[0])(places);
    reset_rounding(rounding);
    python.take_hold(thread);
    if (status > 0 || status == -1) return python.error_no_memory();
    const int64_t *given = results, *described = plan + 4 + plan[3];
    return result_of(&described, &given);
}

/* ------------------------------------------------------------------ threads */

/* A loop is cut into as many parts as threads are wanted, always at the same places. Whoever is
 * free takes the next part: the caller too, so that it never waits for a thread that sleeps, only
 * for one that is at work. Threads look for work for a moment, then sleep. A second caller, while
 * the first one is in a loop, does all parts of its own by itself. */

typedef void Loop(char **arguments, intptr_t *shape, intptr_t *steps, void *data);

#define MOST_THREADS 256
static const int LOOKS = 2000; /* some 20 µs */

#ifdef _WIN32
static SRWLOCK lock = SRWLOCK_INIT;
static CONDITION_VARIABLE work_is_there = CONDITION_VARIABLE_INIT;
static CONDITION_VARIABLE all_is_done = CONDITION_VARIABLE_INIT;
#define LOCK() AcquireSRWLockExclusive(&lock)
#define UNLOCK() ReleaseSRWLockExclusive(&lock)
#define SLEEP(condition) SleepConditionVariableSRW(&condition, &lock, INFINITE, 0)
#define WAKE(condition) WakeAllConditionVariable(&condition)
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_is_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t all_is_done = PTHREAD_COND_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#define SLEEP(condition) pthread_cond_wait(&condition, &lock)
#define WAKE(condition) pthread_cond_broadcast(&condition)
#endif

/* The ticket is all that threads agree on: the loop's number, its parts, and the next one of them. */
static uint64_t ticket;
#define TICKET(number, parts, next) ((uint64_t)(number) << 32 | (uint64_t)(parts) << 16 | (next))
#define PARTS(t) ((t) >> 16 & 0xffff)
#define NEXT(t) ((t) & 0xffff)

static struct {
    Loop *loop;
    char **arguments;
    intptr_t *shape;
    intptr_t *steps;
    void *data;
    intptr_t dimensions, count;
} task;
static int is_busy, started, wanted = 1;
static int sleeping, done, caller_sleeps;

#define GET(variable) __atomic_load_n(&variable, __ATOMIC_SEQ_CST)
#define SET(variable, value) __atomic_store_n(&variable, value, __ATOMIC_SEQ_CST)

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield");
#endif
}

static void do_part(intptr_t part)
{
    char *arguments[task.count];
    intptr_t shape[task.dimensions + 1];
    memcpy(shape, task.shape, sizeof shape);
    shape[0] = 1;
    for (intptr_t k = 0; k < task.count; k++)
        arguments[k] = task.arguments[k] + part * task.steps[k];
    task.loop(arguments, shape, task.steps, task.data);
}

/* Take parts of the loop that is under way until none is left; how many. */
static int take_parts(void)
{
    int taken = 0;
    uint64_t t = GET(ticket);
    while (NEXT(t) < PARTS(t)) {
        if (__atomic_compare_exchange_n(&ticket, &t, t + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            int all = (int)PARTS(t); /* before it is done: the next loop may begin then */
            do_part((intptr_t)NEXT(t));
            taken++;
            if (__atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST) == all && GET(caller_sleeps)) {
                LOCK();
                WAKE(all_is_done);
                UNLOCK();
            }
            t = GET(ticket);
        }
    }
    return taken;
}

static void work(void)
{
    set_rounding();
    for (;;) {
        for (int look = 0; look < LOOKS; look++) {
            if (take_parts()) look = 0;
            pause_briefly();
        }
        LOCK();
        __atomic_add_fetch(&sleeping, 1, __ATOMIC_SEQ_CST);
        for (uint64_t t = GET(ticket); NEXT(t) >= PARTS(t); t = GET(ticket)) SLEEP(work_is_there);
        __atomic_sub_fetch(&sleeping, 1, __ATOMIC_SEQ_CST);
        UNLOCK();
    }
}

#ifdef _WIN32
static DWORD WINAPI begin_work(LPVOID nothing)
{
    (void)nothing;
    work();
    return 0;
}
static int start_thread(void)
{
    HANDLE thread = CreateThread(NULL, 8 << 20, begin_work, NULL, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (thread) CloseHandle(thread);
    return thread != NULL;
}
#else
static void *begin_work(void *nothing)
{
    work();
    return nothing;
}
static void forget_threads(void) /* in the child of a fork: it has none of them */
{
    pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    lock = fresh_lock;
    work_is_there = fresh;
    all_is_done = fresh;
    ticket = 0;
    is_busy = started = sleeping = done = caller_sleeps = 0;
}
static int start_thread(void)
{
    static int watches_forks;
    pthread_t thread;
    pthread_attr_t attributes;
    if (!watches_forks) watches_forks = !pthread_atfork(NULL, NULL, forget_threads);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, begin_work, NULL);
    pthread_attr_destroy(&attributes);
    return !failed;
}
#endif

PUBLIC void verlet_set_threads(int threads)
{
    wanted = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
}

int64_t get_num_threads(void) { return wanted; }

void numba_parallel_for(void *loop, char **arguments, intptr_t *shape, intptr_t *steps, void *data,
                        intptr_t dimensions, intptr_t count, intptr_t threads)
{
    intptr_t parts = shape[0];
    (void)threads;
    if (parts < 2 || __atomic_exchange_n(&is_busy, 1, __ATOMIC_SEQ_CST)) {
        char *own[count];
        intptr_t one[dimensions + 1];
        memcpy(one, shape, sizeof one);
        one[0] = 1;
        for (intptr_t part = 0; part < parts; part++) {
            for (intptr_t k = 0; k < count; k++) own[k] = arguments[k] + part * steps[k];
            ((Loop *)loop)(own, one, steps, data);
        }
        return;
    }
    while (started < parts - 1 && start_thread()) started++;
    task.loop = (Loop *)loop;
    task.arguments = arguments;
    task.shape = shape;
    task.steps = steps;
    task.data = data;
    task.dimensions = dimensions;
    task.count = count;
    SET(done, 0);
    SET(ticket, TICKET((GET(ticket) >> 32) + 1, parts, 0));
    if (GET(sleeping)) {
        LOCK();
        WAKE(work_is_there);
        UNLOCK();
    }
    take_parts();
    for (int look = 0; look < LOOKS && GET(done) < parts; look++) pause_briefly();
    if (GET(done) < parts) {
        LOCK();
        SET(caller_sleeps, 1);
        while (GET(done) < parts) SLEEP(all_is_done);
        SET(caller_sleeps, 0);
        UNLOCK();
    }
    SET(is_busy, 0);
}

/* How a loop is cut: bounds are inclusive. */
uintptr_t get_sched_size(uintptr_t threads, uintptr_t dimensions, intptr_t *first, intptr_t *last)
{
    intptr_t length = last[0] - first[0] + 1;
    (void)dimensions;
    return length < 1 ? 1 : (uintptr_t)length < threads ? (uintptr_t)length : threads;
}

static void cut(intptr_t first, intptr_t last, intptr_t parts, intptr_t *bounds)
{
    intptr_t length = last - first + 1;
    for (intptr_t part = 0; part < parts; part++) {
        intptr_t from = length * part / parts, to = length * (part + 1) / parts;
        bounds[2 * part] = length < 1 ? 1 : first + from;
        bounds[2 * part + 1] = length < 1 ? 0 : first + to - 1;
    }
}

intptr_t *do_scheduling_signed(uintptr_t dimensions, intptr_t *first, intptr_t *last,
                               uintptr_t parts, intptr_t *bounds, intptr_t debug)
{
    (void)dimensions, (void)debug;
    cut(first[0], last[0], (intptr_t)parts, bounds);
    return bounds;
}

intptr_t *do_scheduling_unsigned(uintptr_t dimensions, intptr_t *first, intptr_t *last,
                                 uintptr_t parts, intptr_t *bounds, intptr_t debug)
{
    return do_scheduling_signed(dimensions, first, last, parts, bounds, debug);
}

void *allocate_sched(uintptr_t words) { return malloc(words * sizeof(intptr_t)); }
void deallocate_sched(void *bounds) { free(bounds); }
uintptr_t get_parallel_chunksize(void) { return 0; }
void set_parallel_chunksize(uintptr_t size) { (void)size; }

/* ------------------------------------------------------------------ memory */

/* Arrays that a kernel makes for itself: a count of references, then the numbers. */
typedef struct {
    size_t references;
    void (*destructor)(void *, size_t, void *);
    void *destructor_info;
    void *data;
    size_t size;
    void *block;
} Memory;

Memory *NRT_MemInfo_alloc_aligned(size_t size, uint32_t alignment)
{
    size_t unit = alignment < 16 ? 16 : alignment;
    char *block = malloc(sizeof(Memory) + size + unit);
    if (!block) return NULL;
    Memory *memory = (Memory *)block;
    uintptr_t data = (uintptr_t)(block + sizeof(Memory)) + unit - 1;
    memory->references = 1;
    memory->destructor = NULL;
    memory->destructor_info = NULL;
    memory->data = (void *)(data - data % unit);
    memory->size = size;
    memory->block = block;
    return memory;
}
Memory *NRT_MemInfo_alloc(size_t size) { return NRT_MemInfo_alloc_aligned(size, 16); }
Memory *NRT_MemInfo_alloc_safe(size_t size) { return NRT_MemInfo_alloc(size); }
Memory *NRT_MemInfo_alloc_safe_aligned(size_t size, uint32_t alignment)
{
    return NRT_MemInfo_alloc_aligned(size, alignment);
}
void NRT_MemInfo_call_dtor(Memory *memory) { free(memory->block); }
void *NRT_Allocate(size_t size) { return malloc(size); }
void NRT_Free(void *data) { free(data); }

/* ------------------------------------------------------------------ what else is called */

/* Loops on other threads ask for Python's lock, and let go of it: they use no Python. */
int numba_gil_ensure(void *state) { (void)state; return 0; }
void numba_gil_release(void *state) { (void)state; }
void *PyEval_SaveThread(void) { return NULL; }
void PyEval_RestoreThread(void *thread) { (void)thread; }

/* What a loop on other threads would say of an error in it. */
void *PyExc_RuntimeError;
void PyErr_SetString(void *type, const char *text) { (void)type, (void)text; }

/* What a loop would print had it no threads; it always has one. */
int printf(const char *format, ...) { (void)format; return 0; }
