/* A program for fortran_library_test.py, without MPI and without Fortran, as Python is: it opens each library of its
   arguments for itself (RTLD_LOCAL), and calls use_sentinels in the last one. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *library = NULL;
    void (*use_sentinels)(void);
    void *symbol;
    for (int i = 1; i < argc; ++i) {
        library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
    symbol = library != NULL ? dlsym(library, "use_sentinels") : NULL;
    if (symbol == NULL) return 1;
    memcpy(&use_sentinels, &symbol, sizeof symbol);
    use_sentinels();
    return 0;
}
