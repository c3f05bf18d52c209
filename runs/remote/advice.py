"""What to do about a job that failed: read off the words of the tool that failed it."""

from __future__ import annotations

import re

PACKAGES = {
    "ab": "apt install apache2-utils (Debian, Ubuntu) or dnf install httpd-tools (Fedora, Red Hat)",
    "siege": "apt install siege",
    "wrk": "apt install wrk",
    "hey": "apt install hey",
    "top": "apt install procps",
    "ps": "apt install procps",
    "setsid": "apt install util-linux",
}
# Words of ssh, of the load tools and of the system, and what helps. Each is tried; several may fit.
HELP = [
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed",
        "The machine shows another host key than the one that is known, or none is known yet. Compare its fingerprint with "
        "somebody who administers it; then, as the worker's user, remove the old key (ssh-keygen -R NAME) and connect once "
        "by hand to accept the new one.",
    ),
    (
        r"Permission denied \(|Too many authentication failures|Load key ",
        "ssh was not let in. As the worker's user, `ssh -o BatchMode=yes NAME true` must succeed without any question: the "
        "key has to be readable by that user and listed in the machine's authorized_keys.",
    ),
    (
        r"Could not resolve hostname|Name or service not known|Temporary failure in name resolution"
        r"|does not know the name",
        "The name is not known where it was looked up. For an ssh destination, look at the ssh config that the worker reads "
        "(SSH_CONFIG); for a target's address, at the load generator's own resolver.",
    ),
    (
        r"apr_socket_recv: Connection refused|connect: connection refused|unable to connect to \S+ Connection refused"
        r"|completed no request",
        "Nothing listens at the target's address, or a firewall refuses it. Is the server running, on this port and this "
        "interface? `curl -I ADDRESS` on the load generator tells.",
    ),
    (
        r"ssh: connect to host \S+ port \d+: (Connection refused|Connection timed out|No route to host)",
        "The machine does not answer ssh. Is it up, and does `ssh NAME true` work for the worker's user?",
    ),
    (
        r"No space left on device|Disk quota exceeded|could not be written below",
        "The machine's disk is full: `df -h /tmp` on the load generator and on the target shows which.",
    ),
    (
        r"socket: Too many open files|Too many open files",
        "More connections than open files are allowed: raise the limit of the user that sends the load (ulimit -n).",
    ),
    (
        r"SSL handshake failed|certificate verify failed|tlsv1 alert|wrong version number",
        "The TLS handshake failed: does this port speak https, and with a protocol that the load tool knows?",
    ),
    (
        r"not on the target's list of addresses|was registered as",
        "The address is not, or no longer, among the target's. Somebody who may register targets can add it on the target's "
        "page, or save the target again so that its names are looked up anew.",
    ),
    (
        r"environment of the worker BENCHDASH_SECRET_",
        "Start the worker that sends this load with that variable set; it is read there and nowhere else.",
    ),
]
# As this project's own watch says it, and as other shells and env do.
MISSING = re.compile(
    r"\b([a-z]+)['’]?: (?:command )?(?:not found|No such file or directory)|failed to execute ['‘]?([a-z]+)"
)


def advice(message: str, log: str = "") -> list[str]:
    """Sentences on what to do about `message`; [] where its words say all there is. The log is read if it says nothing."""
    return _advice(message) or _advice(log)


def _advice(text: str) -> list[str]:
    named = dict.fromkeys(one or other for one, other in MISSING.findall(text))
    missing = [f"Install {name} on that machine: {PACKAGES[name]}." for name in named if name in PACKAGES]
    return missing + [words for pattern, words in HELP if re.search(pattern, text)]
