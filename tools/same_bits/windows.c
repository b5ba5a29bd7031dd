/* Calls kernels of the library for Windows on arrays in memory that it shares with another program.
 *
 * windows.exe LIBRARY FILE: maps FILE and says where; then reads lines: a kernel's symbol, to call
 * it with the places at the start of the file, or "threads N". Says the kernel's status, or -1000
 * where there is no such kernel.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef int32_t Kernel(int64_t *places);
typedef void SetThreads(int threads);
typedef int Fits(void);

static int stop(const char *what)
{
    fprintf(stderr, "%s failed: error %lu\n", what, GetLastError());
    return 1;
}

int main(int count, char **words)
{
    char line[512];
    if (count != 3) return stop("windows.exe LIBRARY FILE");
    HMODULE library = LoadLibraryA(words[1]);
    if (!library) return stop(words[1]);
    Fits *fits = (Fits *)(void *)GetProcAddress(library, "verlet_fits");
    SetThreads *set_threads = (SetThreads *)(void *)GetProcAddress(library, "verlet_set_threads");
    if (!fits || !set_threads) return stop("GetProcAddress");
    if (!fits()) {
        fprintf(stderr, "%s does not fit this processor\n", words[1]);
        return 1;
    }
    HANDLE file = CreateFileA(words[2], GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return stop(words[2]);
    HANDLE mapping = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    if (!mapping) return stop("CreateFileMapping");
    int64_t *places = MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    if (!places) return stop("MapViewOfFile");
    printf("%lld\n", (long long)(intptr_t)places);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strncmp(line, "threads ", 8)) {
            set_threads(atoi(line + 8));
            continue;
        }
        Kernel *kernel = (Kernel *)(void *)GetProcAddress(library, line);
        printf("%d\n", kernel ? kernel(places) : -1000);
        fflush(stdout);
    }
    return 0;
}
