/* The least BLACS program: who am I. */
#include <blacs_fmpl.h>
#include <stdio.h>

int main(void)
{
    int me, processes;
    Cblacs_pinfo(&me, &processes);
    printf("process %d of %d\n", me, processes);
    Cblacs_exit(0);
    return 0;
}
