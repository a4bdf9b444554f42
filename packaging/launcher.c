/* Contents/MacOS/Cabochon: runs the program in this very process, by loading the bundle's Python.
 * Starting `python3` instead would give the Dock, the menu bar and the crash reporter its name. */
#include <dlfcn.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PYTHON
#error "compile with -DPYTHON='\"3.12\"'"
#endif

int main(int argc, char **argv) {
    char found[PATH_MAX], contents[PATH_MAX], path[3 * PATH_MAX];
    uint32_t size = sizeof found;
    if (_NSGetExecutablePath(found, &size) != 0 || !realpath(found, contents)) return 70;
    for (int up = 0; up < 2; up++) { /* from Contents/MacOS/Cabochon to Contents */
        char *slash = strrchr(contents, '/');
        if (!slash) return 70;
        *slash = 0;
    }
    snprintf(path, sizeof path, "%s/Resources/python", contents);
    setenv("PYTHONHOME", path, 1);
    snprintf(path, sizeof path, "%s/Resources/app:%s/Resources/site", contents, contents);
    setenv("PYTHONPATH", path, 1);
    setenv("PYTHONNOUSERSITE", "1", 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1); /* writing into the bundle would break its seal */
    unsetenv("PYTHONSTARTUP");
    unsetenv("QT_PLUGIN_PATH");

    snprintf(path, sizeof path, "%s/Resources/python/lib/libpython" PYTHON ".dylib", contents);
    void *python = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    int (*run)(int, char **) =
        python ? (int (*)(int, char **))dlsym(python, "Py_BytesMain") : NULL;
    if (!run) {
        fprintf(stderr, "Cabochon is incomplete: %s\nDownload it again.\n", dlerror());
        return 71;
    }
    char **arguments = calloc(argc + 4, sizeof *arguments);
    if (!arguments) return 72;
    int n = 0;
    snprintf(path, sizeof path, "%s/Resources/python/bin/python3", contents);
    arguments[n++] = strdup(path); /* becomes sys.executable, for the engine's own process */
    arguments[n++] = "-B";
    arguments[n++] = "-m";
    arguments[n++] = "app";
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "-psn_", 5) != 0) arguments[n++] = argv[i]; /* old Finder's number */
    return run(n, arguments);
}
