/* A program that knows nothing of FMPL: linked with reference_blacs as a shared library, and once statically. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int* me, int* n);
void Cblacs_exit(int not_done);
void pslacon_(const int* n, float* v, const int* iv, const int* jv, const int* descv, float* x, const int* ix,
    const int* jx, const int* descx, int* isgn, float* est, int* kase);
void pdlacon_(const int* n, double* v, const int* iv, const int* jv, const int* descv, double* x, const int* ix,
    const int* jx, const int* descx, int* isgn, double* est, int* kase);

int PB_CpgemmAB(void);
int PB_CpsyrkAC(void);

static int is_remote_dma(const void* p, size_t size)
{
    /* ISO C has no conversion of what dlsym returns to a function; POSIX shows this one. */
    int (*ask)(const void*, size_t);
    *(void**)&ask = dlsym(RTLD_DEFAULT, "fmpl_is_remote_dma");
    return ask != NULL && ask(p, size);
}

static void show_process(void)
{
    int me, n;
    void* block = malloc(100000);
    Cblacs_pinfo(&me, &n);
    printf("process %d of %d, heap %s\n", me, n, is_remote_dma(block, 100000) ? "remote" : "ordinary");
    free(block);
    Cblacs_exit(0);
}

static void show_estimates(void)
{
    for (int first = 1; first >= 0; --first) {
        float s = 5;
        double d = 5;
        int kase_s = !first, kase_d = !first;
        pslacon_(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &s, &kase_s);
        pdlacon_(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &d, &kase_d);
        printf("%s call: %g %g, kase %d %d\n", first ? "first" : "later", (double)s, d, kase_s, kase_d);
    }
}

/* Each twice: an answer is remembered. */
static void show_panel_widths(void)
{
    int me, n;
    Cblacs_pinfo(&me, &n);
    for (int i = 0; i < 2; ++i) {
        printf("general %d, symmetric %d\n", PB_CpgemmAB(), PB_CpsyrkAC());
    }
    Cblacs_exit(0);
}

int main(int argc, char** argv)
{
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "process") == 0) show_process();
    if (strcmp(what, "estimates") == 0) show_estimates();
    if (strcmp(what, "panels") == 0) show_panel_widths();
    if (strcmp(what, "preload") == 0) puts(getenv("LD_PRELOAD") != NULL ? getenv("LD_PRELOAD") : "-");
    return 0;
}
