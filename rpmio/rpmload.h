/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMLOAD_H
#define RPMLOAD_H

/* Load a library of this project, to stay, out of the directory of another one: by its path, since
 * neither an LD_LIBRARY_PATH nor a system's directory is to give another release's. `neighbour`
 * is a function in the other one. Returns the named function, or NULL, which the log tells in one
 * line that names the library which is missing: it, or one that it needs. */
void *rpmLoadBeside(void (*neighbour)(void), const char *library, const char *function);

#endif /* RPMLOAD_H */
