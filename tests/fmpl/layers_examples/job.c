#include <fmpl/job.h>
#include <stdio.h>

// What the job is, in words; allowed before fmpl_init. Returns the length.
int describe_job(char *words, size_t room)
{
    const char *form = "processes";
    if (fmpl_rank_is_thread()) form = fmpl_rank_shares_thread() ? "turns on threads" : "threads";
    return snprintf(words, room, "rank %d of %d, as %s", fmpl_job_rank(), fmpl_job_size(), form);
}
