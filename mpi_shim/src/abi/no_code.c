/* A library needs a source, and ISO C at least one declaration. */
typedef int fmpl_no_code;
