// Variables of the objects that are loaded: programs and shared libraries, however they were opened.
#pragma once

struct link_map;

namespace fmpl::mpi::fortran {

// The object whose memory holds `address`, or null: for the heap, a stack, what mmap gave. Takes no lock.
const link_map* object_of(const void* address);

// Where the variable that `object` itself exports under `name` lies, or null. Reads the object's own table of symbols,
// so that RTLD_LOCAL, -Bsymbolic and the order of search make no difference. REQUIRES: the object stays loaded.
const void* exported_variable(const link_map& object, const char* name);

}  // namespace fmpl::mpi::fortran
