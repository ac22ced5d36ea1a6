/* A program for environment_programs_test.py: ends in the way that its first argument names. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank_in_world(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int note_the_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag = 0;
    (void)comm;
    (void)key;
    (void)extra;
    MPI_Finalized(&flag);
    printf("attribute %s of rank %d deleted, finalized: %d\n", (const char *)value, rank_in_world(), flag);
    fflush(stdout);
    return MPI_SUCCESS;
}

static void set_attribute(char *value)
{
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_the_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, value);
    MPI_Comm_free_keyval(&key);
}

/* The functions of a generalized request, of which the second one fails. */
static int answer(void *extra, MPI_Status *status)
{
    (void)extra;
    status->MPI_SOURCE = 0;
    status->MPI_TAG = 0;
    return MPI_SUCCESS;
}

static int fail_to_free(void *extra)
{
    (void)extra;
    return MPI_ERR_TRUNCATE;
}

static int ignore_cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

/* Prints the level that is asked for and the one that is provided. */
static int ask_for_threads(const char *name)
{
    static const char *const names[] = {"single", "funneled", "serialized", "multiple"};
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int provided = -1, queried = -2, main_thread = 0, i;
    for (i = 0; i < 4; ++i) {
        if (strcmp(name, names[i]) == 0) break;
    }
    if (i == 4) return 2;
    MPI_Init_thread(NULL, NULL, levels[i], &provided);
    MPI_Query_thread(&queried);
    MPI_Is_thread_main(&main_thread);
    for (i = 0; i < 4; ++i) {
        if (provided == levels[i]) printf("provided %s, queried alike: %d, main: %d\n", names[i], provided == queried,
                                          main_thread);
    }
    MPI_Finalize();
    return 0;
}

/* Rank 1 gives and takes twice as much as the others, and all ask for the code. Rank 0 prints the names of the calls
 * that some rank has got one from. */
static void fail_and_return(void)
{
    static int from[2000], to[2000];
    const int count = rank_in_world() == 1 ? 400 : 200;
    int call;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (call = 0; call < 11; ++call) {
        static const char *const names[] = {"bcast", "reduce", "allreduce", "gather", "scatter", "allgather",
                                            "alltoall", "reduce_scatter_block", "scan", "exscan", "ibcast"};
        MPI_Request request = MPI_REQUEST_NULL;
        int failed = 0, codes = 0;
        switch (call) {
        case 0: failed = MPI_Bcast(from, count, MPI_INT, 0, MPI_COMM_WORLD); break;
        case 1: failed = MPI_Reduce(from, to, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); break;
        case 2: failed = MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
        case 3: failed = MPI_Gather(from, count, MPI_INT, to, 200, MPI_INT, 0, MPI_COMM_WORLD); break;
        case 4: failed = MPI_Scatter(from, 400, MPI_INT, to, 600 - count, MPI_INT, 0, MPI_COMM_WORLD); break;
        case 5: failed = MPI_Allgather(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD); break;
        case 6: failed = MPI_Alltoall(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD); break;
        case 7: failed = MPI_Reduce_scatter_block(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
        case 8: failed = MPI_Scan(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
        case 9: failed = MPI_Exscan(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
        case 10:
            MPI_Ibcast(from, count, MPI_INT, 1, MPI_COMM_WORLD, &request);
            failed = MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        }
        failed = failed != MPI_SUCCESS;
        MPI_Reduce(&failed, &codes, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        if (codes > 0) printf("%s\n", names[call]);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int value = 0, flag = -1, after = -1, version = 0, subversion = 0;

    if (strcmp(way, "threads") == 0) return ask_for_threads(argc > 2 ? argv[2] : "");
    if (strcmp(way, "send-before-init") == 0) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return 0;
    }
    if (strcmp(way, "questions") == 0) {
        MPI_Initialized(&flag);
        MPI_Finalized(&after);
        MPI_Get_version(&version, &subversion);
        printf("before: initialized %d, finalized %d, version %d\n", flag, after, version >= 3);
    }

    MPI_Init(&argc, &argv);
    if (strcmp(way, "fatal-error") == 0 && rank_in_world() == 1) {
        MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    } else if (strcmp(way, "fatal-bcast") == 0 && rank_in_world() == 1) {
        MPI_Bcast(&value, -4, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strcmp(way, "fatal-ibcast") == 0) {
        /* The root sends more than the others take: told when the operation is waited for. */
        static int values[1000];
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibcast(values, rank_in_world() == 0 ? 1000 : 10, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(way, "returned") == 0) {
        fail_and_return();
    } else if (strcmp(way, "fatal-grequest") == 0 && rank_in_world() == 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Grequest_start(answer, fail_to_free, ignore_cancel, NULL, &request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(way, "abort") == 0 && rank_in_world() == 1) {
        MPI_Abort(MPI_COMM_WORLD, 37);
    } else if (strcmp(way, "leave") == 0 && rank_in_world() == 1) {
        exit(0);
    } else if (strcmp(way, "init-twice") == 0) {
        MPI_Init(&argc, &argv);
    } else if (strcmp(way, "attributes") == 0) {
        set_attribute("first");
        set_attribute("second");
        set_attribute("third");
    }
    if (strncmp(way, "fatal", 5) == 0 || strcmp(way, "abort") == 0 || strcmp(way, "leave") == 0) {
        /* The other ranks wait for something that never comes: the job's end must end them. */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();

    if (strcmp(way, "questions") == 0) {
        MPI_Initialized(&flag);
        MPI_Finalized(&after);
        printf("after: initialized %d, finalized %d\n", flag, after);
    } else if (strcmp(way, "barrier-after-finalize") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(way, "init-after-finalize") == 0) {
        MPI_Init(&argc, &argv);
    }
    return 0;
}
