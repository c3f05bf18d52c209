"""Settings out of the environment: each reader returns a parsed value or stops the start with a sentence naming it."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
SCHEMES = {"sqlite", "postgres", "postgresql"}
HOST = re.compile(r"\*|\[[0-9a-fA-F:.]+\]|\.?[A-Za-z0-9_-][A-Za-z0-9_.-]*")
BROKERS = {"filesystem", "redis", "rediss", "amqp", "amqps", "memory"}
STATEMENT_TIMEOUT = "-c statement_timeout="  # of psycopg2's options


def flag(name: str) -> bool:
    """A yes or no; unset and empty mean no."""
    text = os.environ.get(name, "").strip().lower()
    if text and text not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} is {text!r}, but it must be one of 1, true, yes, on, 0, false, no, off.")
    return text in TRUE


def whole_number(name: str, *, default: int, least: int = 1, most: int = 2**62) -> int:
    """A whole number from `least` to `most`."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise ImproperlyConfigured(f"{name} is {text!r}, but it must be a whole number from {least} to {most}.")
    return int(text)


@dataclass(frozen=True, slots=True)
class RemoteTimeouts:
    """How long remote runs wait, in seconds.

    heartbeat_s   between two heartbeats: to a remote process, over ssh, and in the job's row
    silence_s     without a heartbeat, after which the remote side ends its process
    connect_s     until a machine that accepted the connection has started a command
    tend_s        between two checks for jobs that wait or whose worker is gone
    lost_s        without a heartbeat in the job's row, after which its worker counts as gone
    resend_s      until the message of a job that still waits is sent again
    database_s    while database work is repeated, when the database is away
    """

    heartbeat_s: float = 3.0
    silence_s: float = 10.0
    connect_s: float = 60.0
    tend_s: float = 15.0
    lost_s: float = 40.0
    resend_s: float = 60.0
    database_s: float = 60.0


def remote_timeouts() -> RemoteTimeouts:
    """REMOTE_TIMEOUTS: what differs from the defaults, such as "silence_s=30,lost_s=120"."""
    text = os.environ.get("REMOTE_TIMEOUTS", "").strip()
    names = [field.name for field in fields(RemoteTimeouts)]
    given: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in names or not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", number) or not float(number):
            raise ImproperlyConfigured(
                f"REMOTE_TIMEOUTS is {text!r}, but it must be names and seconds, such as silence_s=30,lost_s=120; "
                f"the names are {', '.join(names)}."
            )
        given[name] = float(number)
    return RemoteTimeouts(**given)


def allowed_hosts() -> list[str]:
    """ALLOWED_HOSTS: names with commas between them, by default this machine's own."""
    text = os.environ.get("ALLOWED_HOSTS", "").strip() or "localhost,127.0.0.1,[::1]"
    hosts = [part.strip() for part in text.split(",") if part.strip()]
    wrong = [host for host in hosts if not HOST.fullmatch(host)]
    if wrong or not hosts:
        raise ImproperlyConfigured(
            f"ALLOWED_HOSTS is {text!r}, but it must be host names separated by commas, without http:// or a port."
        )
    return hosts


def existing_file(name: str) -> str:
    """The path of a file that is there, or ""."""
    text = os.environ.get(name, "").strip()
    if text and not Path(text).expanduser().is_file():
        raise ImproperlyConfigured(f"{name} is {text!r}, but there is no such file.")
    return str(Path(text).expanduser().absolute()) if text else ""


def data_dir(default: Path) -> Path:
    """DATA_DIR, made when missing; SQLite, the queue and the secret key live there."""
    path = Path(os.environ.get("DATA_DIR", "").strip() or default).expanduser().absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"DATA_DIR is {str(path)!r}, which cannot be created: {error.strerror}.") from error
    return path


def database(data: Path) -> dict[str, Any]:
    """DATABASE_URL as Django's dict; by default SQLite under DATA_DIR."""
    url = os.environ.get("DATABASE_URL", "").strip() or f"sqlite:///{data / 'benchdash.sqlite3'}"
    if urlsplit(url).scheme not in SCHEMES:
        raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgresql://.")
    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL does not parse: {error}.") from error
    if not parsed.get("NAME"):
        raise ImproperlyConfigured("DATABASE_URL names no database: end it with /NAME.")
    options = parsed.setdefault("OPTIONS", {})
    if urlsplit(url).scheme == "sqlite":
        # IMMEDIATE: two writers wait for each other instead of one failing when it upgrades its read lock.
        options |= {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
        }
        return parsed
    options.setdefault("connect_timeout", 5)
    # The web server sets it; a migration may take longer.
    if timeout_s := _statement_timeout_s(default=0):
        options.setdefault("options", f"{STATEMENT_TIMEOUT}{timeout_s}s")
    return parsed


def limit_statements_of_worker(database: dict[str, Any]) -> None:
    """In a worker, which stores the rows of large texts, a statement may take ten times as long as in the web server."""
    if database["ENGINE"].endswith("postgresql"):
        options = database.setdefault("OPTIONS", {})
        timeout_s = 10 * _statement_timeout_s(default=30)
        if timeout_s and options.get("options", STATEMENT_TIMEOUT).startswith(STATEMENT_TIMEOUT):
            options["options"] = f"{STATEMENT_TIMEOUT}{timeout_s}s"


def _statement_timeout_s(default: int) -> int:
    return whole_number("STATEMENT_TIMEOUT_S", default=default, least=0, most=86_400)


def broker() -> str:
    """CELERY_BROKER_URL; by default the file system under DATA_DIR."""
    url = os.environ.get("CELERY_BROKER_URL", "").strip() or "filesystem://localhost"
    if urlsplit(url).scheme not in BROKERS:
        raise ImproperlyConfigured(f"CELERY_BROKER_URL must begin with one of {', '.join(sorted(BROKERS))} and ://.")
    return url


def secret_key(data: Path, *, debug: bool) -> str:
    """SECRET_KEY; when unset it is made once and kept in DATA_DIR, readable by its owner only.

    Where DATA_DIR is another user's or everybody may write into it, somebody else could choose the key: there, unless
    DEBUG is on, an explicit one is demanded.
    """
    given = os.environ.get("SECRET_KEY", "").strip()
    if given:
        if len(given) < 32:
            raise ImproperlyConfigured("SECRET_KEY is too short: it must have at least 32 characters.")
        return given
    about = data.stat()
    if not debug and (about.st_uid != os.geteuid() or about.st_mode & 0o002):
        raise ImproperlyConfigured(
            f"SECRET_KEY is not set, and DATA_DIR ({data}) belongs to another user or is world-writable."
        )
    return _load_or_make_key(data / "secret_key")


def _load_or_make_key(path: Path) -> str:
    """The key in `path`. Made under another name and linked, so that two first starts agree on one whole key."""
    if not path.exists():
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(48))
        try:
            path.hardlink_to(fresh)
        except FileExistsError:
            pass  # another process was first: its key counts
        finally:
            fresh.unlink()
    key = path.read_text().strip()
    if len(key) < 32:
        raise ImproperlyConfigured(
            f"The secret key kept in {path} is too short: delete that file to generate a new one."
        )
    return key
