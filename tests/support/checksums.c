/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checksums PATH...: what rpmDoDigest(), lr_checksum_fd() and cr_checksum_file() of the machine's
 * libraries say of each file, errors included: a line a call. The prototypes are these libraries';
 * their headers need not be there. Linked to one library alone by -D of its name. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct error {
    unsigned domain;
    int code;
    char *message;
};

int rpmDoDigest(int algo, const char *path, int asAscii, unsigned char *digest);
char *lr_checksum_fd(int type, int fd, struct error **error);
char *cr_checksum_file(const char *path, int type, struct error **error);
void g_free(void *ptr);

#ifdef RPM
static void each(const char *path)
{
    static const int algos[] = { 1, 2, 8, 9, 10, 11, 99 };

    for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
        for (int ascii = 0; ascii < 2; ascii++) {
            unsigned char digest[256] = "";
            int rc = rpmDoDigest(algos[i], path, ascii, digest);

            printf("rpm %d %s: %d ", algos[i], path, rc);
            for (int j = 0; j < 130; j++)
                printf("%02x", digest[j]);
            printf("\n");
        }
    }
}
#else
static void show(const char *path, int type, char *sum, struct error *error)
{
    printf("%d %s: %s %d %s\n", type, path, sum ? sum : "none", error ? error->code : 0,
           error ? error->message : "");
    g_free(sum);
}
#endif

#ifdef CREATEREPO
static void each(const char *path)
{
    for (int type = 0; type <= 9; type++) {
        struct error *error = NULL;
        char *sum = cr_checksum_file(path, type, &error);

        show(path, type, sum, error);
    }
}
#endif

#ifdef LIBREPO
static void each(const char *path)
{
    int modes[] = { O_RDONLY, O_WRONLY };

    for (int type = 1; type <= 6; type++) {
        for (int i = 0; i < 2; i++) {
            int fd = open(path, modes[i] | O_NONBLOCK);
            struct error *error = NULL;
            char *sum;

            if (fd < 0)
                continue;
            (void)lseek(fd, 3, SEEK_SET);
            sum = lr_checksum_fd(type, fd, &error);
            if (error != NULL && strstr(error->message, "read(") != NULL)
                error->message = (char *)"read failed"; /* it has the number of the descriptor */
            show(path, type, sum, error);
            printf("at %lld\n", (long long)lseek(fd, 0, SEEK_CUR));
            close(fd);
        }
    }
}
#endif

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        each(argv[i]);
    return 0;
}
