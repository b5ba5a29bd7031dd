/* The functions that kernels call, and what their sources expect of <math.h>. */
#pragma once
#include <features.h>

typedef double double_t;
typedef float float_t;

#define sqrt(x) __builtin_sqrt(x) /* an instruction everywhere */
#define fabs(x) __builtin_fabs(x)
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

double acos(double), asin(double), atan(double), atan2(double, double), cbrt(double);
double cos(double), cosh(double), exp(double), exp2(double), exp10(double), expm1(double);
double fmod(double, double), hypot(double, double), log(double), log10(double);
double log1p(double), log2(double), modf(double, double *), pow(double, double);
double scalbn(double, int), sin(double), sinh(double), tan(double), tanh(double);
double floor(double);
