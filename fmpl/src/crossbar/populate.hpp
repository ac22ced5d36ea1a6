// The kernel's call that backs or maps pages ahead, for C libraries whose headers are older than it (Linux 5.14).
#pragma once

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
