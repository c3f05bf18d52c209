"""What secrets look like in pasted text: the words on a line that may have one, and the patterns that find it.

A pattern's group `v` is the secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .secret_copies import PROGRAM_NEEDLES
from .secret_values import KNOWN_BY_THEMSELVES, TWILIO_KEYS, WORDPRESS, SecretKind, define

DIGITS = b"0123456789.: "
LOWER = bytes(range(256)).lower()

# Of a setting's name that ends in WORD, and of a HEADER
WORDS = ("pass", "pwd", "secret", "token", "_pw", "-pw", "dpw", "psk", "auth", "salt", "key")
HEADERS = ("cookie", "auth", "key", "token", "sess", "secret", "-api")
HASHES = ("$apr", "$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$")


HEADER = r"(?:set-cookie2?|cookie|(?:proxy-)?authorization|x-[\w-]{0,30}(?:api-?key|auth|token|session|secret|-api)(?:-id|-token)?)"
WORD = (
    r"(?:password|passwd|pass[_-]?phrase|pwd|secret|token|(?:[._-]|db|key|store|user|root|admin)pass|[_-]pw|bindpw"
    r"|(?:[_-]|\b)psk|[_-](?:auth|salt)|(?:preshared|secret|api|app|access|auth|private|account|master|license|signing|encryption|decryption|validation|hmac|nonce|logged[_-]in)[_-]?key(?:[_-]base)?"
    r"|client[_-]key[_-]data|tls\.key)"
)
# The whole name is looked at first, as nearly none is followed by one of these signs. `p` tells a parameter of an address.
SETTING = rf"""(?<![\w.-])(?=[\w.-]++[\\"'\]\s]*+[=:])(?:(?<=[?&])(?P<p>))?[\w.-]{{0,60}}?{WORD}"""
IS = r"""[\\"'\]]{0,4}\s{0,20}(?:=>|:=|=(?!=)|:(?!:))\s{0,20}"""
KINDS = (
    define("header", HEADERS, rf"""(?P<q>["']){HEADER}\s*:\s*(?P<v>[^"'\s](?:[^"']*[^"'\s])?)(?P=q)""", also=(":",)),
    define("header", HEADERS, rf"""^[\s><|*#/+-]{{0,20}}{HEADER}\s*:\s*(?P<v>\S(?:.*\S)?)""", also=(":",)),
    define(
        "header",
        HEADERS,
        rf"""(?:[_-]header|header\s+\w+)\s+["']?{HEADER}["']?\s+["']?(?P<v>[^"';]+)""",
        also=("header",),
    ),
    define(
        "header",
        HEADERS,
        rf"""["']{HEADER}["']\]?\s{{0,9}}(?:,|=>?)\s{{0,9}}["'](?P<v>[^"']+)["']""",
        also=("',", '",', "' ", '" ', "']", '"]', "'=", '"='),
    ),
    define(
        "header",
        ("-key",),
        r"""(?P<q>["'])(?!(?:cache|surrogate|sec-websocket|idempotency)-)[a-z][\w-]{1,30}-key:\s{0,9}(?P<v>(?=[^"']{0,99}\d)[^\s"']{16,})(?P=q)""",
        also=(":",),
    ),
    define(
        "header",
        ("cookie", "auth"),
        r"""\bHTTP_(?:COOKIE|AUTHORIZATION)\s*[=:]\s*(?P<v>\S.*)""",
        also=("http_",),
        exact=True,
    ),
    define("header", ("cookie",), r"""\bcookie:\s*(?P<v>[\w.-]{1,60}=[^"']+)"""),
    define(
        "header", ("auth",), r"""\bauthorization["'\]\s]*[:=]\s*["'`]?(?:bearer|basic|token|apikey) +(?P<v>[^\s"']+)"""
    ),
    define(
        "signature",
        ("sig=", "auth", "signature", "code=", "jwt=", "key="),
        r"""[?&](?:(?:sig|auth|jwt|[\w-]{0,40}signature)=(?=.{8})|code=(?=\S{16})|key=(?=[a-z_-]{0,99}\d)(?=[\w-]{24}))(?P<v>[\w%+/.-]{8,})""",
        also=("=",),
    ),
    define(
        "option",
        (*WORDS, "bearer"),
        rf"""(?<!\S)--?(?:\w+-){{0,4}}(?:{WORD}|pass|bearer)(?:=|\s+)["']?(?P<v>[^\s"'-][^\s"']*)""",
        also=("-",),
    ),
    define(
        "setting",
        WORDS,
        rf"""{SETTING}{IS}(?:(?:\\{{1,3}}|[bru]{{1,2}})(?=["']))?"""
        r"""(?P<q>["'])?(?P<v>(?(q).+?(?=\\{0,3}(?P=q))|(?(p)[^\s"',;&]+|[^\s"',;]+)))""",
    ),
    define(
        "setting",
        ("passwort", "kennwort", "passe", "contrase", "senha", "wachtwoord", "пароль", "密码", "パスワード"),
        r"""(?:passwort|kennwort|mot\sde\spasse|contrase(?:ñ|n)a|\bsenha|wachtwoord|пароль|密码|パスワード)["']?\s{0,9}[:=：]\s{0,9}["']?"""
        r"""(?P<v>[^\s"',;]+)""",
    ),
    define(
        "setting",
        ("pass", "token"),
        r"""(?:\b(?:pass(?:word|phrase|wd)|token)\s(?:is|for\s[^\s:]{1,99}:)|\(password)\s["']?(?P<v>(?=\S{0,99}\d)[^\s"',;)]{6,})""",
        also=("is", "for", "(password"),
    ),
    define(
        WORDPRESS,
        ("define",),
        r"""\bdefine\(\s{0,9}["'](?:(?:secure_)?auth|logged_in|nonce)_(?:key|salt)["']\s{0,9},\s{0,9}(?P<q>["'])(?P<v>.{32,200}?)(?P=q)\s{0,9}\)""",
        also=("_key", "_salt"),
    ),
    define(
        "setting",
        ("secure_link_md5",),
        r"""^\s{0,99}secure_link_md5\s[^\n]{0,500}[\s"'](?P<v>[^\s"'$;]+)["']?\s*;""",
        exact=True,
    ),
    define("setting", WORDS, rf"""["']\w{{0,60}}?{WORD}["']\s*,\s*["'](?P<v>[^"']+)["'](?!\s*:)""", also=(",",)),
    define(
        "setting",
        WORDS,
        rf"""\bname["']?\s*[:=]\s*["']?[\w.-]{{0,60}}?{WORD}["']?[\s,;]+["']?value["']?\s*[:=]\s*["']?(?P<v>[^\s"']+)""",
        also=("value",),
    ),
    define(
        "setting", WORDS, rf"""\bname=["'][\w.-]{{0,60}}?{WORD}["']\s*>(?P<v>[^<\s][^<]{{0,500}})<""", also=("name=",)
    ),
    define(
        "setting",
        WORDS,
        rf"""\bsetx?\s+(?:-\w+\s+){{0,3}}[\w./:-]{{0,60}}?{WORD}\s+["']?(?P<v>[^\s"';]+)["']?\s*$""",
        also=("set",),
    ),
    define(
        "setting",
        ("pass",),
        r"""^\s*(?:--\s?)?["']?[\w-]{0,40}password["']?\s+["']?(?P<v>(?=\S*\d)[^\s"';(]{6,})["']?;?\s*$""",
        also=("password",),
    ),
    define(
        "setting",
        ("pass", "secret", "token"),
        r"""^\s*[\w.]{0,60}?\w(?:[._](?:password|secret|token)|auth_pass|passphrase)\s+["']?(?P<v>[^\s"';]+)["']?;?\s*$""",
        also=("_", ".", "passphrase"),
    ),
    define(
        "setting",
        WORDS,
        rf"""(?:setenv|_param|\benv|php_(?:admin_)?value)\s+[\w.]{{0,60}}?{WORD}\s+["']?(?P<v>[^\s"';]+)""",
        also=("env", "_param", "_value"),
    ),
    define(
        "setting",
        ("pass", "auth", "dpw", "secremote"),
        r"""(?=[rmabsgi:])(?:requirepass|masterauth|authldapbindpassword|\bbindpw|\bauth_pass|secremoterules|authbasicfake\s+\S{1,99}"""
        r"""|\bgit\s+config\s.{0,99}\bpassword|\binsecure-password|:\d{1,5}(?:\[\d\])?> auth(?:\s+\w+(?=\s+\S))?"""
        r"""|\bauthtoken)\s+["']?(?P<v>[^\s"']+)""",
        also=(
            *("requirepass", "masterauth", "authldap", "bindpw", "auth_pass", "secremote", "fake", "git"),
            *("insecure-", ">", "authtoken"),
        ),
    ),
    define(
        "setting",
        ("pass", "auth"),
        r"""\b(?:login\s+\S{1,99}\s+password|stats\s+auth\s+[^\s:]{1,99}:)\s*(?P<v>[^\s"']+)""",
        also=("login", "stats"),
    ),
    define(
        "setting",
        ("identified", "pass"),
        r"""(?:\bidentified\s+(?:with\s+\S{1,60}\s+)?by(?:\s+password)?|\bpassword)(?:\s++\(?|\()\s*+(?P<q>["'])(?P<v>[^"']+)(?P=q)""",
        also=("identified", "password"),
    ),
    define(
        "setting",
        ("psk", "pass", "auth"),
        r"""(?:\bpsk|["'](?:requirepass|masterauth)["'])\s+["'](?P<v>[^"']+)["']""",
        also=("psk", "requirepass", "masterauth"),
    ),
    define(
        "setting",
        ("auth",),
        r"""(?:\bdb\.|\b(?:set)?basic_?|\bhttpbasic)?auth\s?=?\s?\(\s?["'][^"']{0,99}["']\s{0,9},\s{0,9}["'](?P<v>[^"']+)""",
        also=("auth(", "auth=", "auth ="),
    ),
    define(
        "setting",
        ("mysqli_", "new mysqli", "new pdo"),
        r"""(?:\bmysqli_(?:real_)?connect|\bnew (?:pdo|mysqli))\((?:\s{0,9}["'$][^,]{0,200},){2}\s{0,9}["'](?P<v>[^"']+)["']""",
    ),
    define("setting", ("securestring",), r"""\bconvertto-securestring\s(?:-string\s)?["'](?P<v>[^"'$]+)["']"""),
    define("setting", ("mc alias",), r"""\bmc alias set\s\S{1,99}\s\S{1,199}\s\S{1,99}\s["']?(?P<v>[^\s"']+)"""),
    define(
        "setting",
        ("secret",),
        r"""\bsecret\s["'](?P<v>[\w+/=-]{16,})["']\s?;""",
        also=("secret ",),
    ),
    define("option", ("--from-literal",), r"""\s--from-literal=["']?[\w.-]{1,60}=(?P<v>[^\s"']+)""", exact=True),
    define("setting", ("community",), r"""(?:snmp-server\s+community|\br[ow]community6?)\s+["']?(?P<v>[^\s"']+)"""),
    define("setting", WORDS, rf"""<[\w.-]{{0,60}}?{WORD}>(?P<v>[^<\s][^<]{{0,500}})<""", also=("<",)),
    define("setting", WORDS, rf"""["'][\w.-]{{0,60}}?{WORD}["']\s+value=["'](?P<v>[^"']+)["']""", also=("value=",)),
    # mysql's -p takes no word behind a space
    define(
        "option",
        (" -u",),
        r"""^(?!.{0,500}\b(?:mysql|mariadb)).*?\s-[uU]\s*[^\s-]\S{0,99}\s+-[pP]\s*["']?(?P<v>(?!(?:\d+|[A-Z]+)\b)[^\s"'-][^\s"']*)""",
        also=(" -p",),
        exact=True,
    ),
    define(
        "option",
        ("--user",),
        r"""\s--user[\s=]["']?(?P<v>(?!\d+:\d+\b)([^\s"':=/]{1,100}):(?!\2\b)[^\s"'/]+)""",
        exact=True,
    ),
    define(
        "option",
        ("pass",),
        r"""(?<!\S)htpasswd\s+(?:-\w+\s+)*?(?:-\w*(?:nb|bn)\w*|-\w*b\w*\s+[^\s-]\S*)\s+[^\s-]\S*\s+["']?(?P<v>[^\s"']+)""",
        also=("htpasswd",),
        exact=True,
    ),
    define("setting", ("pass",), r"""\bPASS=["']?(?P<v>[^\s"';&]+)""", also=("pass=",), exact=True),
    # Names that tests and figures have as well
    define(
        "setting",
        ("pass", "pw", "jwt", "credentials"),
        r"""(?:(?<![\w.-])(?:pass|pw|jwt)\s{0,9}[:=]|\bcredentials:?\s[\w.@-]{1,60}[:/])\s{0,9}["']?"""
        r"""(?P<v>(?![\d.,]+[a-zµ%/]{0,9}(?!\w))(?=[^\s\d]{0,99}\d)(?=[^\sa-z]{0,99}[a-z])[^\s"',;&)]{8,})""",
        also=("=", ":", "/"),
    ),
    define(
        "option",
        ("sudo -s", "kinit", "pass", "secret", "-stdin", "token"),
        r"""\b(?:echo|printf)\s+(?:-n\s+|["']?%s(?:\\n)?["']?\s+)?["']?(?P<v>[^\s"']+)["']?\s*\|\s*"""
        r"""(?:sudo -S|kinit|(?:sudo )?chpasswd|kubectl create secret|[^|]{1,99}(?:-stdin\b|--with-token))""",
        also=("|",),
        exact=True,
    ),
    define(
        "option",
        ("<<<",),
        r"""(?:\bkinit|passwd|login|--with-token|-stdin)\b[^<]{0,99}<<<\s*["']?(?P<v>[^\s"']+)""",
        exact=True,
    ),
    define(
        "setting", ("auth",), r"""["']auth["']\s*:\s*["'](?P<v>[\w+/=-]{8,})["']""", also=("auth'", 'auth"'), exact=True
    ),
    define("setting", (" on >",), r"""(?:^\s*user|\bsetuser)\s+\S{1,99}\s+on\s+>(?P<v>\S+)"""),
    define(
        "password hash",
        ("scram-sha", '"md', "'md"),
        r"""["'](?P<v>md5[0-9a-f]{32}|SCRAM-SHA-256\$[^\s"']+)["']""",
        exact=True,
    ),
    define("password hash", HASHES, r"""[\s:](?P<v>\$\$?(?:apr1|2[aby]|[156y])\$[\w./$=,-]{8,})""", exact=True),
    define("password hash", ("{sha", "{ssha"), r":(?P<v>\{S?SHA\d{0,3}\}[\w+/=]{20,})", exact=True),
    define(
        "session",
        ("sess", ".sid="),
        r"""\b(?:\w{0,40}sess(?:ion)?_?id|connect\.sid)=(?P<v>[\w%.-]{16,})""",
        also=("=",),
    ),
    define(
        "header",
        ("basic",),
        r"""\b[Bb]asic\s+(?P<v>(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2,3}={1,2}))(?![\w+/=])""",
        exact=True,
    ),
    define(
        "private key",
        ("key",),
        r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<v>(?:(?!-----END).)*?[\w+/=](?:(?!-----END).)*)",
        also=("private key",),
        exact=True,
    ),
    # "-----BEGIN" in base64, of neither a certificate nor a public key
    define(
        "private key", ("ls0tls1crudjti",), r"\b(?P<v>LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[\w+/]{16,}={0,2})", exact=True
    ),
    define("option", ('\\r"',), r"""\bsend\s+(?:--\s+)?"(?P<v>(?=[^"]*\d)[^\s"\\]{6,})\\r\"""", exact=True),
    define(
        "option",
        ("pass",),
        r"""[^\s:"']:(?:\d+|\*):[^\s:]+:[^\s:]+:(?P<v>[^\s:"'>]+)["']?\s*+>++\s*+\S{0,200}?pgpass""",
        also=("pgpass",),
        exact=True,
    ),
    define(
        "setting",
        ("login", "credential"),
        r"""\b(?:login|credentials?)\s{0,9}[:=]\s{0,9}[a-z][\w.@-]{0,60}\s{1,9}/\s{1,9}"""
        r"""(?P<v>(?=[^\s/]{0,60}\d)[a-z][^\s/]{5,60})\s{0,9}$""",
        also=("/",),
    ),
    *KNOWN_BY_THEMSELVES,
)
# A row of PostgreSQL's file of passwords: host, port, database, user, password
PASSWORD_ROW = re.compile(
    r"(?m)^[ \t>]*[\w.*-]{1,99}:(?:54\d\d|6432|\*):[^\s:]{1,63}:[^\s:]{1,63}:(?P<v>(?!\d+$)[^\s:]{6,})\r?$"
)
# A secret of Kubernetes: its kind, and below "data:" its values
SECRET_KIND = re.compile(r"^[ \t>]*[\"']?kind[\"']?:\s*[\"']?(?:Sealed)?Secret[\"']?,?\s*$")
SECRET_DATA = re.compile(r"^[ \t>]*[\"']?(?:data|stringData)[\"']?:\s*+\{?\s*$")
SECRET_VALUE = re.compile(
    r"^(?P<indent>[ \t>]+)[\"']?[\w.-]{1,253}[\"']?:\s*[\"']?(?P<v>[^\s\"',|>{][^\s\"',]*)[\"']?,?\s*$"
)
# In a list of variables, the name of a secret stands on the line before it
NAMED = define("setting", WORDS, rf"""\bname["']?\s*[:=]\s*["']?[\w.-]{{0,60}}?{WORD}["']?,?\s*$""", also=("name",))
VALUE = re.compile(r"""^[\s>]*["']?value["']?\s*[:=]\s*["']?(?P<v>[^\s"',]+)""", re.I)
KEY_BODY = re.compile(r"^[\s>|*#/]{0,20}(?P<v>[A-Za-z0-9+/=]{1,100})\s{0,20}$")
KEY_NOTE = re.compile(r"^\s*(?:(?:Proc-Type|DEK-Info|Version|Comment):.*|\[redacted\])?$")
VAULT_BODY = re.compile(r"^\s{0,40}(?P<v>[0-9a-f]{2,100})\s*$")
SCALAR_BODY = re.compile(r"^[ \t]+(?P<v>(?!-\s|[\w.-]+:(?:\s|$)|\$ANSIBLE_VAULT|-----)\S(?:.*\S)?)\s*$")
NO_NOTE = re.compile(r"(?!)")
FILE_BODY = re.compile(r"^(?!.*[$#%>](?:\s|$))(?P<v>(?=.{6})\S+(?:[ \t]+\S+){0,3})\s*$")
FILE_NOTE = re.compile(r"^\s*#.*$")


class SecretLines(NamedTuple):
    """Lines below an opening: what its secret is in each of them, and what else may stand between these lines."""

    opening: SecretKind
    body: re.Pattern[str]
    note: re.Pattern[str]


BLOCKS = (
    SecretLines(
        define(
            "file of secrets that is shown",
            ("pass", "secret", "key", "htdigest", "userlist"),
            r"(?:^|\s)(?:cat|less|more|head|tail)\s(?:-\S+\s)*\S*"
            r"(?:\.pgpass|sasl_passwd|(?:ch|p)ap-secrets|master\.key|htdigest|userlist\.txt|\.vault[_-]pass\w*)\s*$",
            exact=True,
        ),
        FILE_BODY,
        FILE_NOTE,
    ),
    SecretLines(define("PuTTY's key", ("private-lines",), r"^private-lines: \d{1,9}\s*$"), KEY_BODY, KEY_NOTE),
    SecretLines(
        define(
            "text that Ansible has encrypted",
            ("ansible_vault",),
            r"\$ansible_vault;[\d.]{1,9};\w{1,20}[;\w.-]{0,99}\s*$",
        ),
        VAULT_BODY,
        NO_NOTE,
    ),
    SecretLines(
        define(
            "setting of several lines in YAML",
            WORDS,
            rf"""^[\s>-]{{0,99}}["']?[\w.-]{{0,60}}?{WORD}["']?:\s{{1,20}}[|>][+-]?\s*$""",
            also=(": |", ": >"),
        ),
        SCALAR_BODY,
        NO_NOTE,
    ),
    SecretLines(
        define(
            "private key",
            ("key",),
            r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)",
            also=("-----begin",),
            exact=True,
        ),
        KEY_BODY,
        KEY_NOTE,
    ),
)

# Cookies of what a page looks like, with what says for how long and for whom they are kept.
_PLAIN_COOKIES = (
    r"(?:(?:(?:theme|lang|language|locale|tz|timezone|currency|color[_-]?scheme|(?:cookie[_-]?)?consent)=[\w/+-]{0,20}"
    r"|(?:path|domain|expires|max-age|samesite)=[^;]{0,99}|secure|httponly)(?:;\s*|$))+"
)
# Values that are no secret: variables, files, switches, how it went, where glibc looks, what somebody has masked already.
HARMLESS = re.compile(
    r"""^(?:(?:%(?![0-9a-f]{2})|<).*|\*(?![0-9A-F]{40}).*|\{(?!S?SHA).*|\$(?!\$?(?:apr1|2[aby]|[156y])\$).*|x{3,}|[|>][+-]?|\.{2,}|/.*|file:.*"""
    r"""|(?:bearer|basic|token)\s+[$<%{*].*|your[_-].*|(?:true|false|yes|no|on|off|none|null|nil|default|&.*"""
    r"""|os\.(?:environ|getenv)\b.*|process\.env\b.*|prompt|required|\d{1,3})"""
    r"""|(?:done|ok|failed|changed|unchanged|updated|set|missing|invalid|expired|accepted|rejected|incorrect)[.!]?"""
    rf"""|files|compat|systemd|sss|nis|winbind|{_PLAIN_COOKIES}|\[redacted\].*)$""",
    re.I,
)

EVERY_KIND = (*KINDS, NAMED, *(block.opening for block in BLOCKS))
NEEDLES = {*PROGRAM_NEEDLES, *(needle for kind in EVERY_KIND for needle in kind.needles)}
_WORDS = NEEDLES.union(*(kind.also for kind in EVERY_KIND))


def _spell_any(words: Iterable[str]) -> str:
    """The longest of them. By first letters, as each alternative is tried at each place."""
    rests: dict[str, set[str]] = {}
    for word in words:
        rests.setdefault(word[0], set()).add(re.escape(word[1:]))
    return "|".join(
        f"{re.escape(first)}(?:{'|'.join(sorted(rest, reverse=True))})" for first, rest in sorted(rests.items())
    )


def _list_words_with(beginnings: Iterable[str]) -> frozenset[str]:
    """Those of WORD_AT where one of these stands, too."""
    return frozenset(word for word in _WORDS if word.startswith(tuple(beginnings)))


_bare = {needle.encode().translate(None, DIGITS).decode("latin-1") for needle in NEEDLES.difference(TWILIO_KEYS)}
BARE_NEEDLE = re.compile(f"{_spell_any(_bare)}|sk[a-f]{{3}}".encode("latin-1"))  # a key of Twilio has as many letters
WORD_AT = re.compile(f"(?=({_spell_any(_WORDS)}))")  # also where they overlap
WITH_NEEDLE = _list_words_with(NEEDLES)
WITH_ALSO = [_list_words_with(kind.also) for kind in EVERY_KIND]
NUMBERS: dict[str, list[int]] = {}  # of the kinds that a word may be of
for _number, _kind in enumerate(EVERY_KIND):
    for _word in _list_words_with(_kind.needles):
        NUMBERS.setdefault(_word, []).append(_number)
