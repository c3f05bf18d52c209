"""Secrets that are known without a name beside them: passwords in URLs, and the access keys of services.

A pattern's group `v` is the secret.
"""

from __future__ import annotations

import re
from typing import NamedTuple

WORDPRESS, SLASHED = "key of WordPress", "password with a slash in a URL"
CERTAIN = (WORDPRESS, SLASHED)  # secrets even if they begin like a path or a variable, as their characters are random
_KEYS = """
    bd_ glpat- glptt- gldt- glcbt- glsoat- glft- glimt- glagent- glsa_
    shpat_ _pat_ hvs. xapp- sk- npm_ hf_ lin_api_ sk_ rk_ aiza dop_v pypi- whsec_ pscale_ dapi glc_ nrak-
    dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. sq0csp- sq0atp- glrt- figd_ ntn_ atatt rubygems_ pul- fm2_ pmak- key .atlasv1.
    sbp_ nfp_ rnd_ flyv1 akcp
    gocspx- ya29. sg. ltai ghp_ gho_ ghs_ ghu_ ghr_ xox akia asia
"""
KEYS = tuple(_KEYS.split())
KEY_PATTERN = (
    r"\b(?P<v>bd_[\w-]{40,}|(?:gl(?:pat|ptt|dt|cbt|soat|ft|imt|agent)-|glsa_|shpat_|github_pat_|dckr_pat_|hvs\.|xapp-)[\w.-]{16,}|sk-\w{2,9}-[\w-]{20,}"
    r"|(?:npm_|hf_|lin_api_|sk-|[sr]k_(?:live|test)_)[A-Za-z0-9]{20,}|AIza[\w-]{35}|dop_v1_[0-9a-f]{40,}|pypi-Ag[\w-]{20,}"
    r"|whsec_\w{24,}|pscale_\w{2,20}_[\w-]{16,}|dapi[0-9a-f]{32}|dp\.\w{2,5}\.\w{30,}|glc_\w{24,}|NRAK-[A-Z0-9]{20,}|sq0\w{3}-[\w-]{20,}"
    r"|(?:glrt-|figd_|ntn_|ATATT3|rubygems_|pul-|fm2_)[\w-]{20,}|PMAK-[0-9a-f-]{40,}|tskey-[\w-]{20,}|\w{10,20}\.atlasv1\.[\w-]{40,}"
    r"|(?:sbp_|nfp_|rnd_|AKCp)[A-Za-z0-9]{26,}|FlyV1 [\w+/=-]{26,}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|key-[0-9a-z]{32}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|gh[pousr]_\w{30,255}|xox[abprs]-[\w-]{10,200}|(?:AKIA|ASIA)[0-9A-Z]{16}\b|LTAI(?=\w*\d)[A-Za-z0-9]{12,26}\b)"
)
# 16 words rather than "sk", which tasks and disks have
TWILIO_KEYS = tuple(f"sk{digit}" for digit in "0123456789abcdef")
HOST = r"""(?=(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])(?:[:/?#\s"'`,;&)\]}\\<>]|$))"""


class SecretKind(NamedTuple):
    """A kind of secret. `in` is many times quicker than a pattern, so a line is first searched for literal words.

    A line with such a secret has, in small letters, one of `needles` and, if there are any, one of `also`: common words.
    A pattern in which letter case does not count is for the line in small letters: one that ignores case takes twice as long.
    """

    name: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    also: tuple[str, ...]
    exact: bool  # letter case counts


def define(
    name: str, needles: tuple[str, ...], pattern: str, also: tuple[str, ...] = (), exact: bool = False
) -> SecretKind:
    # A literal is found many times as soon where nothing is to be checked before it
    pattern = re.sub(r"^\\b(\w+)(?![?*+{\w])", r"\1(?<=\\b\1)", pattern)
    return SecretKind(name, needles, re.compile(pattern), also, exact)


KNOWN_BY_THEMSELVES = (
    define("password in a URL", ("://",), r"://(?P<v>[A-Za-z0-9_]{32,200})[:@]", exact=True),
    define("password in a URL", (":thin:",), r""":thin:[^\s/:@"']{1,100}/(?P<v>[^/\s@"']{1,200})@""", exact=True),
    # To the last @ before the path; a user's name may be an address
    define(
        "password in a URL",
        ("://",),
        r"""://[^/\s:"']{0,100}:(?P<v>[^/\s@"']{1,200}(?:@[^/\s@"'?#,;&<>()]{0,100}){0,4})@""",
        also=("@",),
        exact=True,
    ),
    # One with a slash, which no port has before it
    define(
        SLASHED,
        ("://",),
        rf"""://[^/\s:@"'\[]{{0,100}}:(?!(?:\d{{1,5}}|port|PORT)[/,])"""
        rf"""(?P<v>(?!\[redacted\]|[${{*]|%(?![\dA-Fa-f]{{2}}))[^/\s@"'<>]{{0,100}}/(?!/)(?:(?!://)[^\s"'<>]){{0,200}})@{HOST}""",
        also=("@",),
        exact=True,
    ),
    define(
        "password in a URL",
        ("%3a%2f%2f", "%3a//"),
        r"""%3a(?:%2f%2f|//)(?:(?!%3a|%2f|%40)[^\s"'&/]){0,100}%3a(?P<v>(?:(?!%2f)[^\s"'&/]){1,200})%40(?=[\w\[%])""",
        also=("%40",),
    ),
    # In Go's form, whose host is tcp(host:port) or unix(file)
    define(
        "password in a URL",
        ("@tcp", "@unix("),
        r"""(?<![\w.-])[\w.-]{1,100}:(?P<v>[^\s"']{1,200})@(?:tcp6?|unix)\(""",
        also=("(",),
        exact=True,
    ),
    # A token alone; of SSH and FTP it is a user's name
    define(
        "password in a URL",
        ("://",),
        r"(?<!ssh)(?<!ftp)://(?P<v>(?=[A-Za-z]{0,199}\d)[A-Za-z0-9]{12,200})@",
        also=("@",),
        exact=True,
    ),
    define("access key", KEYS, KEY_PATTERN, exact=True),
    define("access key", TWILIO_KEYS, r"\b(?P<v>SK[0-9a-f]{32})\b", exact=True),
    define("access key", ("eyj",), r"\b(?P<v>eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000})", exact=True),
    define("access key", ("bot",), r"\bbot\d{6,12}:(?P<v>[\w-]{30,})", exact=True),
    define("access key", (":aa",), r"(?<![\w:.-])\d{6,12}:(?P<v>AA[\w-]{30,40})(?![\w:-])", exact=True),
    define(
        "access key",
        ("hooks.slack", "webhook"),
        r"(?:hooks\.slack\.com/services|/api/webhooks|/webhook(?:b2)?)/(?P<v>[\w/@-]{20,})",
        exact=True,
    ),
)
