/* For layers above FMPL (BLACS, the MPI shim, applications that report on themselves): calls beyond the
 * paper's.
 *
 * Each of these headers can be included alone, and begins with an example. */
#ifndef FMPL_LAYERS_H
#define FMPL_LAYERS_H

#include <fmpl.h>

#include <fmpl/columns.h>          /* messages made of the columns of a matrix */
#include <fmpl/envelope_lending.h> /* envelopes whose body stays in the sender's memory */
#include <fmpl/envelope_steps.h>   /* envelopes whose body is taken while it comes */
#include <fmpl/envelopes.h>        /* short messages that the receiver matches itself */
#include <fmpl/exchange.h>         /* short data that members lay down and others read */
#include <fmpl/groups.h>           /* communicators that only their members make */
#include <fmpl/heap.h>             /* the malloc heap in remote-DMA memory */
#include <fmpl/job.h>              /* the job, and the calling rank's place in it */
#include <fmpl/joint_copy.h>       /* messages that both of their ranks copy */
#include <fmpl/layer_calls.h>      /* whose calls the program makes, and which of them it is in */
#include <fmpl/layer_slots.h>      /* what a layer keeps of a rank */
#include <fmpl/mpi_services.h>     /* FMPL's MPI, for a library that shares it with the program */
#include <fmpl/observe.h>          /* statistics, and the layer's own calls in them */
#include <fmpl/reductions.h>       /* reductions that leave their operand as it is */
#include <fmpl/remote.h>           /* memory of other ranks, read and written where it lies */
#include <fmpl/requests.h>         /* tests of nonblocking calls; receives of special kinds */
#include <fmpl/waiting.h>          /* waiting for what a layer defines; its progress meanwhile */

#endif
