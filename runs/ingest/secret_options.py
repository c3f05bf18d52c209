"""Options of programs that take a secret: on a command line, and in the list of processes.

A pattern's group `v` is the secret.
"""

from __future__ import annotations

import re
from functools import cache

from parsers.catalogue import list_secret_options

# A command line whose options hold a secret has one of these, or one of the needles of the other kinds
PROGRAM_NEEDLES = (
    "mysql",
    "mariadb",
    "redis-",
    "ldap",
    "openssl",
    "add_user",
    "memtier",
    "sqlplus",
    "xfreerdp",
    " -c",
    " -a",
    " -p",
    " -u",
)
OTHERS = (
    r"curl|https?|mysql\w*|mariadb\w*|mongo\w*|docker|redis-\w+|sshpass|ldap\w+|smbclient|openssl|(?:un)?zip|memtier_benchmark"
    r"|ssh-keygen|7z\w?|unrar|rar|snmp\w+|useradd|usermod|sqlplus|lftp|xfreerdp|beeline|rabbitmqctl|wpa_passphrase"
)
PAIR = r"""(?P<v>(?<=["'])[^"'=:]+[=:][^"']+|[^\s"'=:]+[=:][^\s"']+)"""  # name=value or user:password, quoted or not
OPTIONS = {
    "curl": re.compile(rf"""\s(?:-[a-zA-Z]{{0,6}}u|--user|-U|--proxy-user|-b|--cookie)[\s=]*["']?{PAIR}"""),
    "mysql": re.compile(r"""\s-p["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "http": re.compile(rf"""\s(?:-a|--auth)[\s=]*["']?{PAIR}"""),
    "docker": re.compile(r"""\slogin\s(?:\S{1,200}\s+){0,9}?-p\s*["']?(?P<v>[^\s"']+)"""),
    "mongo": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "redis-": re.compile(r"""\s-a\s+["']?(?P<v>[^\s"']+)"""),
    "memtier_benchmark": re.compile(r"""\s(?:-a\s+|--authenticate[\s=])["']?(?P<v>[^\s"']+)"""),
    "ssh-keygen": re.compile(r"""\s-[NP]\s*["']?(?P<v>[^\s"'][^"']*)"""),
    "7z": re.compile(r"""\s-p["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "snmp": re.compile(r"""\s-[cAX]\s*["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "user": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"']+)"""),
    "sqlplus": re.compile(r"""\s\w{1,60}/(?P<v>[^\s@"'/]+)"""),
    "lftp": re.compile(r"""\s-u\s*["']?[^\s,"']+,(?P<v>[^\s"']+)"""),
    "xfreerdp": re.compile(r"""\s/p:["']?(?P<v>[^\s"']+)"""),
    "beeline": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"'-][^\s"']*)"""),
    "rabbitmqctl": re.compile(
        r"""\s(?:add_user|change_password|authenticate_user)\s+\S{1,99}\s+["']?(?P<v>[^\s"']+)"""
    ),
    "wpa_passphrase": re.compile(r"""(?<=wpa_passphrase)\s+\S{1,99}\s+["']?(?P<v>[^\s"']+)"""),
    "sshpass": re.compile(r"""\s-p\s*["']?(?P<v>[^\s"']+)"""),
    "ldap": re.compile(r"""\s-w\s*["']?(?P<v>[^\s"']+)"""),
    "smbclient": re.compile(r"""\s-U\s*["']?[^\s"'%]+%(?P<v>[^\s"']+)"""),
    "openssl": re.compile(r"""\s(?:-k\s+|-pass(?:in|out)?\s+pass:)["']?(?P<v>[^\s"']+)"""),
    "zip": re.compile(r"""\s-P\s*["']?(?P<v>[^\s"']+)"""),
}

OPTIONS |= {"mariadb": OPTIONS["mysql"], "unrar": OPTIONS["7z"], "rar": OPTIONS["7z"], "unzip": OPTIONS["zip"]}
FAMILIES = ("mysql", "mariadb", "mongo", "http", "ldap", "redis-", "7z", "snmp", "user")  # beginnings of names


@cache
def compile_programs() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]], re.Pattern[str]]:
    """What finds programs that take secrets in their options; these options; and the columns before the command in a row of a
    process table: nothing in them is a secret or the beginning of one. A user's name that is also a program's might be.

    Made for the first text, as it takes the formats of all load tools.
    """
    load_tools = list_secret_options()
    names = "|".join([*map(re.escape, load_tools), OTHERS])
    columns = (
        rf"""\s*(?:\d{{1,10}}\s+)?(?!(?:{names}|\w*header)\s)[a-z_][\w.+-]{{0,31}}\s+"""
        r"""(?:(?:[-+]?\d[\d.:,]{0,20}[kmgtKMGT%]?|[A-Z?][A-Za-z+<]{0,3}\d{0,2}|pts/\d{1,4}|tty\d{0,2}|rt)\s+){5,14}"""
    )
    options = {program: re.compile(rf"""{option}["']?{PAIR}""") for program, option in load_tools.items()}
    return re.compile(rf"(?:^|[\s/;|&$#>])({names})\s"), options | OPTIONS, re.compile(columns)
