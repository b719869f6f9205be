/* Which builds of the core this processor can run. */
#ifndef YOTE_FAST_CPU_H
#define YOTE_FAST_CPU_H

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)

/* The instructions that setup.py compiles _x86_64_v3 with. */
static inline int cpu_runs_x86_64_v3(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

#else

static inline int cpu_runs_x86_64_v3(void) { return 0; }

#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#endif
