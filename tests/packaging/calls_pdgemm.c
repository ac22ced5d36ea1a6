/* Links against pdgemm_ by its Fortran name; never runs. */
void pdgemm_(void);

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) pdgemm_();
    return 0;
}
