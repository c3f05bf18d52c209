"""What secrets look like in pasted text: the words on a line that may have one, and the patterns that find it.

A pattern's group `v` is the secret.
"""

from __future__ import annotations

import re

# A line without any of these has no secret: `in` is many times quicker than the patterns below.
_NEEDLES = """
    cookie auth pass pwd secret token bearer key psk :// mysql mariadb redis- ldap openssl community identified
    add_user secremote --from-literal --user memtier sqlplus xfreerdp <<< salt x-session scram-sha "md
    akia asia ghp_ gho_ ghs_ ghu_ ghr_ xox eyj bd_ glpat- glsa_ npm_ sk- sk_ rk_ aiza _pat_ hf_ dop_v shpat_ hvs. pypi- sg.
    lin_api_ gocspx- ya29. hooks.slack webhooks/ xapp- _pw dpw sess .sid= sig= signature :thin: basic bot {sha {ssha
    $apr $1$ $5$ $6$ $y$ $2a$ $2b$ $2y$
    ls0tls1crudjti code= \\r"
    ansible_vault private-lines secure_link_md5 tls.key kennwort contrase senha wachtwoord пароль 密码
    whsec_ pscale_ dapi dp.pt. glc_ nrak- sq0csp- glrt- figd_ ntn_ atatt rubygems_ pul- pmak- fm2_ .atlasv1.
"""
DIGITS = b"0123456789.: "
LOWER = bytes(range(256)).lower()
SPACED = ("sudo -s", "| kinit", " on >", " -c", " -a", " -p", " -u")
NEEDLES = {needle: needle.encode().translate(None, DIGITS) for needle in (*_NEEDLES.split(), *SPACED)}

HEADER = r"(?:set-cookie2?|cookie|(?:proxy-)?authorization|x-[\w-]{0,30}(?:api-?key|auth|token|session)(?:-id|-token)?)"
WORD = (
    r"(?:password|passwd|pass[_-]?phrase|pwd|secret|token|(?:[._-]|db|key|store|user|root|admin)pass|[_-]pw|bindpw"
    r"|(?:[_-]|\b)psk|[_-](?:auth|salt)|(?:preshared|secret|api|app|access|auth|private|account|master|license|signing|encryption)[_-]?key(?:[_-]base)?"
    r"|client[_-]key[_-]data|tls\.key)"
)
SETTING = rf"(?<![\w.-])[\w.-]{{0,60}}?{WORD}"
IS = r"""[\\"'\]]{0,4}\s{0,20}(?:=>|:=|=(?!=)|:(?!:))\s{0,20}"""
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

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("header", re.compile(rf"""(?P<q>["']){HEADER}\s*:\s*(?P<v>[^"'\s](?:[^"']*[^"'\s])?)(?P=q)""", re.I)),
    ("header", re.compile(rf"""^[\s><|*#/+-]{{0,20}}{HEADER}\s*:\s*(?P<v>\S(?:.*\S)?)""", re.I)),
    ("header", re.compile(rf"""(?:_header|header\s+\w+)\s+["']?{HEADER}["']?\s+["']?(?P<v>[^"';]+)""", re.I)),
    ("header", re.compile(r"""\bHTTP_(?:COOKIE|AUTHORIZATION)\s*[=:]\s*(?P<v>\S.*)""")),
    ("header", re.compile(r"""\bcookie:\s*(?P<v>[\w.-]{1,60}=[^"']+)""", re.I)),
    ("header", re.compile(r"""\bauthorization\s*[:=]\s*["']?(?:bearer|basic|token|apikey)\s+(?P<v>[^\s"']+)""", re.I)),
    (
        "signature",
        re.compile(r"""[?&](?:(?:sig|auth|[\w-]{0,40}signature)=(?=.{8})|code=(?=\S{16}))(?P<v>[\w%+/.-]{8,})""", re.I),
    ),
    ("password in a URL", re.compile(r"://(?P<v>[A-Za-z0-9_]{32,200}):")),
    ("password in a URL", re.compile(r"://(?P<v>[A-Za-z0-9]{32,200})@")),
    ("password in a URL", re.compile(r""":thin:[^\s/:@"']{1,100}/(?P<v>[^/\s@"']{1,200})@""")),
    ("password in a URL", re.compile(r"""://[^/\s:@"']{0,100}:(?P<v>[^/\s@"']{1,200})@""")),
    (
        "option",
        re.compile(rf"""(?<!\S)--?(?:\w+-){{0,4}}(?:{WORD}|pass|bearer)(?:=|\s+)["']?(?P<v>[^\s"'-][^\s"']*)""", re.I),
    ),
    (
        "setting",  # in an address it ends with its parameter, in a text within another text its quotes are escaped
        re.compile(
            rf"""(?:(?<=[?&])(?P<p>))?{SETTING}{IS}(?:\\{{1,3}}(?=["']))?"""
            r"""(?P<q>["'])?(?P<v>(?(q).+?(?=\\{0,3}(?P=q))|(?(p)[^\s"',;&]+|[^\s"',;]+)))""",
            re.I,
        ),
    ),
    (
        "setting",
        re.compile(
            r"""(?:passwort|kennwort|mot\sde\spasse|contrase(?:ñ|n)a|\bsenha|wachtwoord|пароль|密码)["']?\s{0,9}[:=：]\s{0,9}["']?"""
            r"""(?P<v>[^\s"',;]+)""",
            re.I,
        ),
    ),
    (
        "setting",
        re.compile(
            r"""\b(?:pass(?:word|phrase|wd)|token)\s(?:is|for\s[^\s:]{1,99}:)\s["']?(?P<v>(?=\S{0,99}\d)[^\s"',;]{6,})""",
            re.I,
        ),
    ),
    ("setting", re.compile(r"""^\s{0,99}secure_link_md5\s[^\n]{0,500}[\s"'](?P<v>[^\s"'$;]+)["']?\s*;""")),
    ("setting", re.compile(rf"""["']\w{{0,60}}?{WORD}["']\s*,\s*["'](?P<v>[^"']+)["'](?!\s*:)""", re.I)),
    (
        "setting",
        re.compile(
            rf"""\bname["']?\s*[:=]\s*["']?[\w.-]{{0,60}}?{WORD}["']?[\s,;]+["']?value["']?\s*[:=]\s*["']?(?P<v>[^\s"']+)""",
            re.I,
        ),
    ),
    ("setting", re.compile(rf"""\bname=["'][\w.-]{{0,60}}?{WORD}["']\s*>(?P<v>[^<\s][^<]*)<""", re.I)),
    ("setting", re.compile(rf"""\bset\s+[\w./:-]{{0,60}}?{WORD}\s+["']?(?P<v>[^\s"';]+)["']?\s*$""", re.I)),
    (
        "setting",
        re.compile(
            r"""^\s*(?:--\s?)?["']?[\w-]{0,40}password["']?\s+["']?(?P<v>(?=\S*\d)[^\s"';(]{6,})["']?;?\s*$""", re.I
        ),
    ),
    (
        "setting",
        re.compile(
            r"""^\s*[\w.]{0,60}?\w(?:[._](?:password|secret|token)|auth_pass|passphrase)\s+["']?(?P<v>[^\s"';]+)["']?;?\s*$""",
            re.I,
        ),
    ),
    (
        "setting",
        re.compile(
            rf"""(?:SetEnv|_param|\benv|php_(?:admin_)?value)\s+[\w.]{{0,60}}?{WORD}\s+["']?(?P<v>[^\s"';]+)""", re.I
        ),
    ),
    (
        "setting",
        re.compile(
            r"""(?:requirepass|masterauth|AuthLDAPBindPassword|\bbindpw|\bauth_pass|SecRemoteRules|AuthBasicFake\s+\S{1,99}"""
            r"""|\bgit\s+config\s.{0,99}\bpassword|\binsecure-password|:\d{1,5}(?:\[\d\])?> AUTH(?:\s+\w+(?=\s+\S))?"""
            r"""|\bauthtoken)\s+["']?(?P<v>[^\s"']+)""",
            re.I,
        ),
    ),
    (
        "setting",
        re.compile(r"""\b(?:login\s+\S{1,99}\s+password|stats\s+auth\s+[^\s:]{1,99}:)\s*(?P<v>[^\s"']+)""", re.I),
    ),
    (
        "setting",
        re.compile(
            r"""(?:\bidentified\s+(?:with\s+\S{1,60}\s+)?by(?:\s+password)?|\bpassword)\s*(?:\s|\()\s*(?P<q>["'])(?P<v>[^"']+)(?P=q)""",
            re.I,
        ),
    ),
    ("setting", re.compile(r"""(?:\bpsk|["'](?:requirepass|masterauth)["'])\s+["'](?P<v>[^"']+)["']""", re.I)),
    ("setting", re.compile(r"""\bdb\.auth\(\s*["'][^"']+["']\s*,\s*["'](?P<v>[^"']+)""")),
    ("option", re.compile(r"""\s--from-literal=["']?[\w.-]{1,60}=(?P<v>[^\s"']+)""")),
    ("setting", re.compile(r"""(?:snmp-server\s+community|\br[ow]community6?)\s+["']?(?P<v>[^\s"']+)""", re.I)),
    ("setting", re.compile(rf"""<[\w.-]{{0,60}}?{WORD}>(?P<v>[^<\s][^<]*)<""", re.I)),
    ("setting", re.compile(rf"""["'][\w.-]{{0,60}}?{WORD}["']\s+value=["'](?P<v>[^"']+)["']""", re.I)),
    # mysql's -p takes no word behind a space
    (
        "option",
        re.compile(
            r"""^(?!.{0,500}\b(?:mysql|mariadb)).*?\s-[uU]\s*[^\s-]\S{0,99}\s+-[pP]\s*["']?(?P<v>(?!(?:\d+|[A-Z]+)\b)[^\s"'-][^\s"']*)"""
        ),
    ),
    ("option", re.compile(r"""\s--user[\s=]["']?(?P<v>(?!\d+:\d+\b)([^\s"':=/]{1,100}):(?!\2\b)[^\s"'/]+)""")),
    ("option", re.compile(r"""(?<!\S)htpasswd\s+(?:-\w+\s+)*?-\w*b\w*\s+(?:[^\s-]\S*\s+){2}["']?(?P<v>[^\s"']+)""")),
    ("option", re.compile(r"""(?<!\S)htpasswd\s+-\w*(?:nb|bn)\w*\s+\S+\s+["']?(?P<v>[^\s"']+)""")),
    ("setting", re.compile(r"""\bPASS=["']?(?P<v>[^\s"';&]+)""")),
    (
        "option",
        re.compile(
            r"""\b(?:echo|printf)\s+(?:-n\s+|["']?%s(?:\\n)?["']?\s+)?["']?(?P<v>[^\s"']+)["']?\s*\|\s*"""
            r"""(?:sudo -S|kinit|(?:sudo )?chpasswd|kubectl create secret|[^|]{1,99}(?:-stdin\b|--with-token))"""
        ),
    ),
    ("option", re.compile(r"""(?:\bkinit|passwd|login|--with-token|-stdin)\b[^<]{0,99}<<<\s*["']?(?P<v>[^\s"']+)""")),
    ("setting", re.compile(r"""["']auth["']\s*:\s*["'](?P<v>[\w+/=-]{8,})["']""")),
    ("setting", re.compile(r"""^\s*user\s+\S{1,99}\s+on\s+>(?P<v>\S+)""", re.I)),
    ("password hash", re.compile(r"""["'](?P<v>md5[0-9a-f]{32}|SCRAM-SHA-256\$[^\s"']+)["']""")),
    ("password hash", re.compile(r"""\s(?P<v>\$(?:apr1|2[aby]|[156y])\$[\w./$=,-]{8,})""")),
    ("password hash", re.compile(r":(?P<v>\{S?SHA\d{0,3}\}[\w+/=]{20,})")),
    ("password hash", re.compile(r""":(?P<v>\$(?:apr1|2[aby]|[156y])\$[\w./$=,-]{8,})""")),
    ("session", re.compile(r"""\b(?:\w{0,40}sess(?:ion)?_?id|connect\.sid)=(?P<v>[\w%.-]{16,})""", re.I)),
    (
        "header",
        re.compile(
            r"""\b[Bb]asic\s+(?P<v>(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2,3}={1,2}))(?![\w+/=])"""
        ),
    ),
    (
        "private key",
        re.compile(
            r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<v>(?:(?!-----END).)*?[\w+/=](?:(?!-----END).)*)"
        ),
    ),
    (
        "access key",
        re.compile(
            r"\b(?P<v>bd_[\w-]{40,}|(?:glpat-|glsa_|shpat_|github_pat_|dckr_pat_|hvs\.|xapp-)[\w.-]{16,}|sk-\w{2,9}-[\w-]{20,}"
            r"|(?:npm_|hf_|lin_api_|sk-|[sr]k_(?:live|test)_)[A-Za-z0-9]{20,}|AIza[\w-]{35}|dop_v1_[0-9a-f]{40,}|pypi-Ag[\w-]{20,}"
            r"|whsec_\w{24,}|pscale_\w{2,}_[\w-]{16,}|dapi[0-9a-f]{32}|dp\.\w{2,5}\.\w{30,}|glc_\w{24,}|NRAK-[A-Z0-9]{20,}|sq0\w{3}-[\w-]{20,}"
            r"|(?:glrt-|figd_|ntn_|ATATT3|rubygems_|pul-|fm2_)[\w-]{20,}|PMAK-[0-9a-f-]{40,}|tskey-[\w-]{20,}|\w{10,20}\.atlasv1\.[\w-]{40,}"
            r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|key-[0-9a-z]{32}|SG\.[\w-]{16,}\.[\w-]{16,}"
            r"|gh[pousr]_\w{30,255}|xox[abprs]-[\w-]{10,200}|(?:AKIA|ASIA)[0-9A-Z]{16}\b)"
        ),
    ),
    ("access key", re.compile(r"\b(?P<v>eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000})")),
    # "-----BEGIN" in base64, of neither a certificate nor a public key
    ("private key", re.compile(r"\b(?P<v>LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[\w+/]{16,}={0,2})")),
    ("option", re.compile(r"""\bsend\s+(?:--\s+)?"(?P<v>(?=[^"]*\d)[^\s"\\]{6,})\\r\"""")),
    ("option", re.compile(r"""[^\s:"']:(?:\d+|\*):[^\s:]+:[^\s:]+:(?P<v>[^\s:"']+)["']?\s*>+\s*\S*pgpass""")),
    ("access key", re.compile(r"\bbot\d{6,12}:(?P<v>[\w-]{30,})")),
    ("access key", re.compile(r"(?:hooks\.slack\.com/services|/api/webhooks|/webhook(?:b2)?)/(?P<v>[\w/@-]{20,})")),
)
# In a list of variables, the name of a secret stands on the line before it.
# A row of PostgreSQL's file of passwords: host, port, database, user, password
PASSWORD_ROW = re.compile(
    r"(?m)^[ \t>]*[\w.*-]{1,99}:(?:54\d\d|6432|\*):[^\s:]{1,63}:[^\s:]{1,63}:(?P<v>(?!\d+$)[^\s:]{6,})\r?$"
)
# A secret of Kubernetes: its kind, and below "data:" its values
SECRET_KIND = re.compile(r"^[ \t>]*[\"']?kind[\"']?:\s*[\"']?(?:Sealed)?Secret[\"']?,?\s*$")
SECRET_DATA = re.compile(r"^[ \t>]*[\"']?(?:data|stringData)[\"']?:\s*\{?\s*$")
SECRET_VALUE = re.compile(
    r"^(?P<indent>[ \t>]+)[\"']?[\w.-]{1,253}[\"']?:\s*[\"']?(?P<v>[^\s\"',|>{][^\s\"',]*)[\"']?,?\s*$"
)
NAMED = re.compile(rf"""\bname["']?\s*[:=]\s*["']?[\w.-]{{0,60}}?{WORD}["']?,?\s*$""", re.I)
VALUE = re.compile(r"""^[\s>]*["']?value["']?\s*[:=]\s*["']?(?P<v>[^\s"',]+)""", re.I)
KEY_BEGIN = re.compile(r"-----BEGIN (?:\w+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
KEY_BODY = re.compile(r"^[\s>|*#/]{0,20}(?P<v>[A-Za-z0-9+/=]{1,100})\s{0,20}$")
KEY_NOTE = re.compile(r"^\s*(?:(?:Proc-Type|DEK-Info|Version|Comment):.*|\[redacted\])?$")
# What shows a file whose rows are secrets, and its rows
SECRET_FILE = re.compile(
    r"(?:^|\s)(?:cat|less|more|head|tail)\s(?:-\S+\s)*\S*"
    r"(?:\.pgpass|sasl_passwd|(?:ch|p)ap-secrets|master\.key|htdigest|userlist\.txt|\.vault[_-]pass\w*)\s*$"
)
# Other lines below which secrets stand: a key of PuTTY, a text that Ansible has encrypted, a setting of several lines in YAML
SECRET_BLOCK = re.compile(
    r"(?P<key>^Private-Lines: \d{1,9})\s*$|(?P<vault>\$ANSIBLE_VAULT;[\d.]{1,9};\w{1,20}[;\w.-]{0,99})\s*$"
    rf"|^[\s>-]{{0,99}}[\"']?[\w.-]{{0,60}}?{WORD}[\"']?:\s{{1,20}}[|>][+-]?\s*$",
    re.I,
)
VAULT_BODY = re.compile(r"^\s{0,40}(?P<v>[0-9a-f]{2,100})\s*$")
SCALAR_BODY = re.compile(r"^[ \t]+(?P<v>(?!-\s|[\w.-]+:(?:\s|$)|\$ANSIBLE_VAULT|-----)\S(?:.*\S)?)\s*$")
NO_NOTE = re.compile(r"(?!)")
FILE_BODY = re.compile(r"^(?!.*[$#%>](?:\s|$))(?P<v>(?=.{6})\S+(?:[ \t]+\S+){0,3})\s*$")
FILE_NOTE = re.compile(r"^\s*#.*$")

# Values that are no secret: variables, files, switches, what somebody has masked already.
HARMLESS = re.compile(
    r"""^(?:[%<].*|\*(?![0-9A-F]{40}).*|\{(?!S?SHA).*|\$(?!(?:apr1|2[aby]|[156y])\$).*|x{3,}|[|>][+-]?|\.{2,}|/.*|file:.*|(?:true|false|yes|no|on|off|none|null|nil|default|&.*|os\.(?:environ|getenv)\b.*|process\.env\b.*|prompt|required|\d{1,3})|\[redacted\].*)$""",
    re.I,
)
