#include "plugin_shims.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Thread_local char kept[501];

void mk_plugin_error_set(const char *message) {
    kept[0] = '\0';
    if (message) strncat(kept, message, sizeof kept - 1);
}

const char *mk_plugin_error_get(void) { return kept; }

void mk_end_with_parent(int signal, unsigned seconds) {
    prctl(PR_SET_PDEATHSIG, signal);
    alarm(seconds);
    /* Where the parent was gone before, nobody reads any more. */
    struct pollfd output = {.fd = 1};
    if (poll(&output, 1, 0) > 0 && output.revents & (POLLHUP | POLLERR)) raise(signal);
}
