/* What the kernels' mathematics gives besides single functions. */
#include <math.h>

/* Sine and cosine of one angle, for systems whose code asks for both at once: macOS and Windows. */
typedef struct { double sine, cosine; } Pair;
Pair __sincos_stret(double x) { return (Pair){sin(x), cos(x)}; }
void sincos(double x, double *sine, double *cosine) { *sine = sin(x), *cosine = cos(x); }

/* All functions by name: a test compiles the same kernels with Numba and has them call these. */
#ifdef _WIN32
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif
#define LINE(name) {#name, (void *)name}
PUBLIC const struct { const char *name; void *function; } verlet_maths[] = {
    LINE(acos), LINE(asin), LINE(atan), LINE(atan2), LINE(cbrt), LINE(cos), LINE(cosh), LINE(exp),
    LINE(exp2), LINE(exp10), LINE(expm1), LINE(fmod), LINE(hypot), LINE(log), LINE(log10),
    LINE(log1p), LINE(log2), LINE(pow), LINE(sin), LINE(sinh), LINE(tan), LINE(tanh), {0, 0}
};
