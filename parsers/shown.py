"""What commands show of a machine, a server or a page: versions, headers, states, settings, and what slows what is measured."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# Pages that are mostly not the one that somebody means to measure, by their title; and the file system that df has of a folder.
_PAGES = {
    "a default page": r"Welcome to \w{1,30}!?|.{0,40}\bDefault Page\b.*|It works!?|.{0,40}\bTest Page\b.*|IIS Windows.*",
    "an error page": r".{0,60}\b(?:[45]\d\d|error|not found|forbidden|bad gateway|unavailable|maintenance)\b.*",
    "a login page": r".{0,60}\b(?:log ?in|sign ?in|anmelden|connexion)\b.*",
    "a page of its own": r".*",
}
_TITLE = re.compile(r".{0,200}?<title>(?P<title>[^<]{1,100})</title>.*", re.IGNORECASE)
_FETCHES = re.compile(r"\b(?:curl|wget|https?|xh)\s")
_ERROR_TEXT = re.compile(  # of a program that answers a request with it
    r"(?:<br ?/?>)?(?:<b>)?(?:PHP )?(?:Warning|Fatal error|Parse error)(?:</b>)?: .*|Traceback \(most recent call last\):"
    r"|[\w$.:]{0,120}(?:Exception|Error): .*|(?:Internal Server Error|Bad Gateway|Service Unavailable)\b.*"
    r"|(?:404 )?(?:page )?not found\b.*"
    r"|Cannot (?:GET|POST|PUT) /.*|curl: \(\d{1,2}\) .*",
    re.IGNORECASE,
)
_PLAIN_TEXT = re.compile(r"[A-Za-z][\w ,.!'-]{0,60}")  # all of an answer
_ASKS_OTHERWISE = re.compile(
    r"\s-\w*[IovwX]|\s--(?:head|output|write-out)\b|[|>]|\b(?:health|ping|ready|status|version)"
)
_COUNTS_BYTES = re.compile(r"\b(?:curl|wget)\s[^|]*\|\s{0,9}wc -c|\bcurl\s.*%\{size_download\}")
_HEADERS = re.compile(  # of an answer that tell how it came about; each is none where only others are shown
    r"(?i:content-encoding: (?P<compression>gzip|br|deflate|zstd)\b.*"
    r"|(?:via: (?=\S+ )|server: (?=cloudflare|cloudfront|akamai|fastly|varnish))(?P<proxy>\S+(?: \S+)?).*"
    r"|connection: (?P<connection>close))"
)
HEADERS = {  # what these tell: how it is said where only other headers are shown
    "compression": "no compression",
    "proxy": "no proxy",
    "connection": "connection kept",
}
_JSON_ANSWER = re.compile(  # to a request
    r"(?P<error>\{\s{0,9}\"(?:errors?|err|exception|fault|traceback)\"\s{0,9}:\s{0,9}(?!null\b|false\b|0\b|\[\]|\{\}|\"\").{1,900}"
    r"|\{\s{0,9}\"(?:status|ok|success|code)\"\s{0,9}:\s{0,9}(?:\"(?:error|fail\w{0,9})\"|false|\"?[45]\d\d\b).{0,900})|[\[{].{0,900}[\]}]",
    re.IGNORECASE,
)
_FILE_SYSTEM = re.compile(
    r"(?:/dev/|(?P<remote>[\w.-]{1,80}:/))\S{0,80}\s+(?:(?P<type>[a-z]\w{1,11})\s+)?(?:\d\S{0,8}\s+){3}\d{1,3}% "
    r"(?P<mount>/\S{0,80})"
)
SHOWN = re.compile(  # what runs there, as another command tells it
    r"(?P<name>Server): (?P<value>\S+)(?: \(.*)?|(?P<lang>go) version (?P<go>go\S+)\s.*"
    r"|(?P<of>Python|PHP|ruby|nginx version:) (?P<version>\S+).*"
    r"|(?P<status>HTTP)/[\d.]+ (?P<code>\d{3})\b.*|(?i:(?:x-(?:\w+-)?|cf-)(?P<cache>cache)(?:-status)?: .*?(?P<hit>hit|miss|\w+).*)"
    r"|(?i:(?P<age>age): (?P<age_s>\d{1,9}))|(?i:(?P<ids>x-varnish): \d{1,12}(?P<hits> \d{1,12})?)"
    r"|The (?P<governs>governor) \"(?P<may>\w+)\".*|(?P<governor>powersave|performance|schedutil|ondemand|conservative)"
    r"|(?P<active>Active): active \(running\) since .{1,60}; (?P<active_s>\d{1,3}m?s) ago"
    r"|.{1,300}\s(?P<up>Up) (?P<up_s>\d{1,2} seconds?|Less than a second)\b.*"
    r"|(?:[A-Za-z][\w.-]* (?:version )?)?\"?v?(?P<its>\d+\.\d[\w.+-]*)\"?(?: .*)?"
)
# Figures of the way to a server, as commands show them; a second group of one name ends in "_2".
_FIGURES = re.compile(
    r"(?:rtt|round-trip) min/avg/max\S{0,12} = [\d.]{1,12}/(?P<round_trip_ms>\d{1,9}(?:\.\d{1,6})?)/.*"
    r"|Minimum = \d{1,9}ms, Maximum = \d{1,9}ms, Average = (?P<round_trip_ms_2>\d{1,9})ms|Speed: (?P<link_mbit>\d{1,7})Mb/s"
)
FIGURES = ("round_trip_ms", "link_mbit", "page_bytes", "data_mib")
ASKED = "asked "  # begins the names of answers to questions, and of these:
VERSION_OF = "version of "  # a repository's
PROCESSES = "processes of "  # a program: how many run
FAILED = "failed"  # the name of what tells of failures while something was measured
_LOGGED = "errors in its log"
_TIME = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d{3}"
_LEVEL = r"\[(?:\w{1,20}:)?(?:error|crit|alert|emerg)\]"
_FAILS = re.compile(  # in a server's log, with the time and the level of a line, or as JSON
    rf"(?:\[?(?:{_TIME}).{{0,120}}?(?:{_LEVEL}|(?<![\w=/\"])(?:ERROR|CRITICAL|FATAL|SEVERE|PANIC)\b(?!\S*=))"
    rf"|\[[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} \d\d .{{1,30}}\] {_LEVEL}"
    r"|\{.{0,200}?\"level\": ?\"(?i:error|fatal|critical|panic)\")(?!.{0,300}No such file).*"
)
DELAYED = "a delay of the network (netem)"
SLOWED = "slowed"  # the name of what slows what is measured
_PAUSE = "a pause in its code"
_LASTS = re.compile(r"(?:\(|[, ])(\d[\d._]{0,9})[ )*]")
_SLOWS = {
    "Xdebug": r"with Xdebug v\d.*",
    DELAYED: r"qdisc netem .{1,120}?\bdelay \d.*",
    "a rebuild of the RAID": r".{0,200}\b(?:resync|recovery|reshape) ?= ?\d.*",
    "errors of a disk": r"\[[ \d.]{1,20}\] (?:ata\d.{0,80}(?:failed command|hard resetting link)"
    r"|.{0,120}\bI/O error\b).*",
    "a throttled CPU clock": r"(?i:.*\bcpu clock throttled\b.*|throttled=0x[1-9a-f][\da-f]{0,15})",
    "a CPU at its limit of temperature": r"(?:Package id \d+|Core \d+|T(?:ctl|die)|temp\d): +\+(?:9[5-9]|1\d\d)\.\d.*",
    "restarts of its containers": (
        r"\S{1,80}\s+\d+/\d+\s+(?:\w+\s+[1-9]\d* \(\d{1,4}[sm](?:\d{1,2}s)? ago\)|CrashLoopBackOff\b).*"
        r"|.{1,300}\sRestarting \(\d{1,3}\) .*"
    ),
    _PAUSE: (  # of a second at most: what tests wait is longer
        r".{0,200}\b(?:(?:time|asyncio|gevent)\.sleep\(0?\.\d|(?:Thread\.sleep|usleep|Task\.Delay)\([\d_]{1,6}\)"
        r"|setTimeout\(.{1,120},\s?\d{1,3}\)|time\.Sleep\(\d{1,3} ?\* ?time\.Milli|sleep\(Duration::from_millis\().*"
        r"|\}, ?(?![2-5][0-3]\d\b)[1-9]\d{0,2}\);?"  # the end of one over several lines; of an answer it is a status
    ),
    "a debug build": r"Finished `?dev`? (?:profile )?\[unoptimized.*",
    "a development server": (
        r"(?i:.{0,40}\bthis is a development server\..*|starting development server at .*|\W{0,3}debug mode: on"
        r"|.{0,40}\bPHP [\d.]+ development server\b.*|\W{0,3}rails .{1,20} starting in development\b.*"
        r"|\W{0,3}environment: development|\[GIN-debug\] \[WARNING\] running in \"debug\" mode\..*)"
    ),
    "battery power": r"Battery \d: Discharging\b.*|Now drawing from 'Battery Power'",
    "a cron job": (
        r".{0,60}\bCRON\[\d{1,9}\]: \(\w{1,40}\) CMD \(.{0,200}?(?:backup|dump|r?sync|tar |scrub|updatedb|logrotate|scan).*"
    ),
    "a limit of requests (nginx)": r"\d{4}/\d\d/\d\d .{1,80}? limiting requests, excess: .*",
    "debug logging": (  # the time of a log's line may be taken off
        r"(?:\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S{0,20}\s.{0,60}?)?\[?(?<!\w)(?:DEBUG|TRACE)"
        r"(?:\]|:| [-\[]| \w{1,40}[.:]|  ).*"
    ),
    "a full disk": r"\S{1,80} .{1,120} 100% /(?:(?:var|tmp|home|srv|data)\S{0,80})?",
}
_SLOWING = re.compile("|".join(f"({pattern})" for pattern in _SLOWS.values()))
_ASKED_PAGE = re.compile(r"\b(?:https?://)?[\w.-]+(?::\d+)?(?<![\s/]-)(/[^\s'\"#]*)?['\"]?$")
_ASKS_VERSION = re.compile(  # each word is tried once, however long
    r"(?<![\w.+-])(?P<program>[\w.+-]{1,60})\s{1,9}(?:--?version|-[vV]|version)(?:\s{0,9}2>&1)?\s{0,9}$"
)
# Questions about a machine, which the line below answers.
_ASKS = re.compile(
    r"(?:sudo )?(?:(?:cat|head) /(?:proc|sys)/\S+|(?:nproc|getconf|ulimit|sysctl|systemd-detect-virt|virt-what|tuned-adm"
    r"|powerprofilesctl|getenforce|prlimit)(?: [-\w./]+)*)"
)
# Questions about one of several services or groups, whose names stand for no condition: what is asked is.
_ASKS_ONE = re.compile(
    r"(?:sudo )?(?:cat /sys/fs/cgroup/(?:\S+/)?(?P<file>[\w.]+)|systemctl show (?=.*(?:-p|--property)[ =]?(?P<property>\w+)).*"
    r"|(?:docker|podman) inspect (?=.*\{\{ ?(?:\.\w+)*\.(?P<field>\w+) ?\}\}).*)"
)
# Questions about what a server is built of, which git answers with a branch or a commit.
_ASKS_GIT = re.compile(r"(?:\S*/)?git\s(?:\S+\s){0,4}?(?:status|log|show|branch|rev-parse)\b")
_OF_GIT = re.compile(
    r"(?:## |\* |On branch )(?P<branch>[\w./-]{1,80}?)(?:\.\.\.\S.*)?|(?:commit )?(?P<commit>[\da-f]{7,40})(?: .*)?"
    r"|(?P<name>[A-Za-z][\w./-]{0,79})"
)
BRANCH, COMMIT = "branch", "commit"
_COUNTS_LINES = re.compile(r"(?:sudo )?wc -l (?P<file>\S{1,200})")
_ASKS_STATUS = re.compile(r"\bcurl\s.*%\{(?:http|response)_code\}")
STATE = re.compile(  # a setting's value that says how much, whether, or for what: "4", "off", "debug", "production"
    r"(?i:true|false|on|off|yes|no|debug|trace|info|notice|warn(?:ing)?|error|local|dev(?:elopment)?|prod(?:uction)?|test(?:ing)?|staging"
    r"|release|\d+(?:[kmg]i?b?)?)"
)
_SHOWS_SETTINGS = re.compile(  # a command that shows settings of a file, or of the environment
    r"(?:\S+ ){0,4}?(?:(?:cat|e?grep|head|tail)\b.*(?:\.(?:env|ini|conf|cnf|properties|ya?ml|toml)"
    r"|\b(?:settings|config|application|production)\w{0,20}\.(?:py|js|rb|php))\b.*"
    r"|nginx -T\b.*|(?:print)?env\b.*|php -i\b.*)"
)
_SETTING = re.compile(
    rf"(?:export )?(?P<key>[A-Za-z_][\w.-]{{0,60}})"
    rf"(?:\s{{0,20}}(?:=>|[=:])\s{{0,20}}|\s{{1,20}}(?=\w{{1,20}};))(?P<quote>[\"']?)(?P<value>{STATE.pattern})"
    r"(?P=quote)(?:\s=>.*)?[;,]?"
)
_ASKS_SETTING = re.compile(  # of a database
    r"(?:^|\b(?:psql|mysql|mariadb|redis-cli|valkey-cli|sqlite3)\b.{0,200}?)(?:@@(?:global\.)?|\bconfig\s{1,9}get\s{1,9}|\bpragma\s{1,9}"
    r"|\bshow\s{1,9}(?:(?:global\s{1,9})?variables\s{1,9}like\s{1,9}['\"%]{0,3})?)(?P<key>[a-z][\w-]{2,60})",
    re.IGNORECASE,
)
_ITS_VALUE = re.compile(
    rf"\|?\s{{0,30}}(?:(?P<key>[a-z][\w-]{{2,60}})[\s|]{{1,40}}|\d\)\s)?(?P<quote>\"?)"
    rf"(?P<value>{STATE.pattern}|\d+(?:ms|s|min)|everysec|always|(?:all|no|volatile)\w{{0,9}}-[a-z]{{2,9}}|wal|delete|remote_\w+)"
    r"(?P=quote)\s{0,30}\|?",
    re.IGNORECASE,
)
_PRINTS = r"(?:cat|bat|less|head|more)\s{1,9}"
# (what asks for it, a line that answers, the name and the value of what that shows) of questions with short answers.
_ANSWERS = tuple(
    (re.compile(asks), re.compile(answers), name, value)
    for asks, answers, name, value in (
        (r"(?:\bpgrep\s(?=.{0,60}-\w{0,3}c).{0,80}?|\bps\s.{1,80}?(?:grep\s{1,9}-\w{0,3}c\s{1,9}(?:-\S{1,9}\s{1,9}){0,3}"
            r"|(?:grep\s{1,9}|-C\s{0,9})(?=\S{1,60}.{0,60}\|\s{0,9}wc -l)))[\"']?\[?(?P<what>[A-Za-z]\]?[\w.-]{1,60})",
            r"(?P<said>\d{1,5})", f"{ASKED}{PROCESSES}{{what}}", "{said} process{es} of {what}"),
        (r"\binstance-type\b|\bmachine-type\b|\bvmSize\b|\bdmidecode\s.{0,40}product-name|\bec2-?metadata\s.{0,20}-t\b",
            r"(?:instance-type: )?(?:projects/\S{1,80}/)?(?P<said>[A-Za-z][\w.-]{2,40})",
            f"{ASKED}machine type", "machine type {said}"),
        (r"\bpgrep\s.{0,40}-\w{0,3}[af]|\bps\s|\bjps\s|\bjcmd\s", r".{0,200}\s-Xmx(?P<said>\d{1,6}[kmgKMG])\b.*",
            f"{ASKED}heap", "heap {said}"),
        (rf"{_PRINTS}(?:-\S{{1,9}}\s{{1,9}}){{0,3}}(?:\S{{0,200}}/)?(?P<what>[\w.-]{{1,60}}\.(?:[cm]?js|ts|lua|py|jmx|scala))\b",
            r".{0,200}?\b(?P<said>https?)://[\w.:${}-]{1,100}(?:/[\w./-]{0,60})?\b.{0,100}",
            f"{ASKED}address in {{what}}", "address in {what}: {said}"),
        (r"(?i)\bselect\s{1,9}count\s?\([^()]{1,40}\)\s{1,9}from\s{1,9}[\"'`]?(?P<what>[\w.]{1,60})",
            r"\|?\s{0,30}(?P<n>\d{1,15})\s{0,30}\|?", f"{ASKED}rows of {{what}}", "{about} rows of {what}"),
        (r"\bcountDocuments\b|\bdbsize\b|\bestimatedDocumentCount\b", r"(?:\(integer\) )?(?P<n>\d{1,12})",
            f"{ASKED}rows of the data", "{about} rows of the data"),
        (r"\b(?:curl|wget|http)\s.{0,300}\|\s{0,9}jq\s.{0,60}\blength\b", r"(?P<n>\d{1,9})",
            f"{ASKED}items of an answer", "{about} items in an answer"),
        (r"(?i)\bexplain\b", r"(?:->\s{1,9})?(?:Parallel )?Seq Scan\b.{0,90}?\son (?P<what>[\w.]{1,60})\b.*",
            f"{ASKED}scan of {{what}}", "sequential scan of {what}"),
        (r"(?i)\bexplain\b",
            r"(?:->\s{1,9})?(?:Parallel )?(?:Index|Index Only|Bitmap Heap) Scan\b.{0,90}?\son (?P<what>[\w.]{1,60})\b.*",
            f"{ASKED}scan of {{what}}", "index scan of {what}"),
        (r"\bkubectl\s.*\bget\s+(?:deploy|rs|sts|replicaset|statefulset)",
            r"(?P<what>[\w.-]{1,80})\s+(?P<said>\d{1,4})/\d{1,4}\s+\d.*",
            f"{ASKED}replicas of {{what}}", "{said} replica{s} of {what}"),
        # Of what is served from.
        (r"\bpg_size_pretty\b|(?:^|\s)du\s+-\w*s\w*\b|\bused_memory_human\b",
            r"(?i:used_memory_human:)?(?P<n>\d{1,6}(?:\.\d+)?)\s?(?P<unit>[kmgtKMGT])(?i:i?b?)(?:\s+\S+)?", "data_mib", "{mib:g}"),
        (_FETCHES.pattern, r"(?i)content-length: (?P<said>[1-9]\d{0,11})", "page_bytes", "{said}"),
        (r"\bls\s{1,9}-\w{0,9}l\w{0,9}\s{1,9}(?=\S{0,200}(?:www|html|public|static)|index)\S{1,200}\.\w{2,5}$",
            r"-[-\w.+@]{9,10}\s{1,9}\d{1,5}\s{1,9}\S{1,40}\s{1,9}\S{1,40}\s{1,9}(?P<n>\d{1,12}(?:\.\d)?)(?P<unit>[KMG]?)\s.{1,300}",
            "page_bytes", "{bytes:g}"),
        (r"\bfindmnt\s.{0,60}FSTYPE.{0,60}\s(?P<what>/\S{0,80})$|\bstat\s{1,9}-f\s.{0,40}%T.{0,20}\s(?P<what_2>/\S{0,80})$",
            r"(?P<said>[a-z][\w/]{1,20})", f"{ASKED}file system of {{what}}", "{said}"),
        (r"/proc/.{1,60}/limits\b", r"Max open files\s{1,40}(?P<said>\d{1,9}).*",
            f"{ASKED}limit of open files", "limit of open files {said}"),
        (rf"{_PRINTS}\S{{1,200}}\.[cm]?[jt]s\b", r"import http from ['\"]k6/http['\"];?",
            f"{ASKED}pause of its clients", "no pause of its clients"),  # unless a line below tells of one
        (rf"{_PRINTS}\S{{1,200}}\.[cm]?[jt]s\b", r"sleep\((?P<said>[^()]{1,40}(?:\(\)[^()]{0,20})?)\);?",
            f"{ASKED}pause of its clients", "pause of its clients {said}"),
        (r"%\{http_version\}", r"(?:\d{3} )?(?:HTTP/)?(?P<said>1\.[01]|[23])(?:\.0)?(?: \d{3})?",
            f"{ASKED}HTTP version", "HTTP/{said}"),
        (r"\bgit\s{1,9}-C\s{1,9}\S{0,200}?(?P<what>[\w.-]{1,60})/?\s{1,9}(?:describe|log|rev-parse)\b",
            r"(?P<said>[\w./-]{1,60})(?: .{1,300})?", f"{ASKED}{VERSION_OF}{{what}}", "version of {what}: {said}"),
        (r"\blogs?\b|\bjournalctl\b",
            r"Traceback \(most recent call last\):|panic: .{1,300}|Exception in thread .{1,300}"
            r"|\w{0,60}UnhandledPromiseRejection.{0,300}|.{0,200}\b[Ss]egmentation fault\b.{0,100}", FAILED, _LOGGED),
        (r"\bgrep\s{1,9}-\w{0,3}c\w{0,3}\s.{0,80}(?i:error|critical|exception|timeout|\b50\d\b|\b429\b)", r"[1-9]\d{1,12}",
            FAILED, _LOGGED),
        (r"\baccess\S{0,60}.{0,200}\buniq\s{1,9}-c", r"\d{3,12} (?P<said>4[0-9]{2}|5[0-9]{2})",
            FAILED, "failing answers ({said}) in its access log"),
    )
)  # fmt: skip
_BYTES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_STATUS, _LINES = re.compile(r"[1-5]\d\d"), re.compile(r"(\d{1,15})\b")
_LONGEST_ASKED = 500  # characters at a command's end that tell which page or version it asks for
# Each line that a command prints asks them of it.
_find_asked_page = lru_cache(maxsize=64)(_ASKED_PAGE.search)
_shows_settings = lru_cache(maxsize=64)(_SHOWS_SETTINGS.fullmatch)
_asks_status = lru_cache(maxsize=64)(_ASKS_STATUS.search)
_asks_git = lru_cache(maxsize=64)(_ASKS_GIT.match)
_find_asked_setting = lru_cache(maxsize=64)(_ASKS_SETTING.search)


def read_shown(line: str, command: str, is_answer: bool) -> tuple[str, str] | None:
    """(name, value) of what a line shows that a command printed. is_answer: it stands right below the command."""
    is_of_git = asks_git(command)
    is_asked = not is_of_git or (is_answer and " -C " in command)  # which tells whose state it is
    if is_asked and (answer := _read_short_answer(line, command[-_LONGEST_ASKED:])):
        return answer
    if is_of_git:
        return _read_git(line, is_answer)
    match = SHOWN.fullmatch(line)
    name, value = (*filter(None, match.groups()), "", "")[:2] if match else ("", "")
    if _STATUS.fullmatch(line) and _asks_status(command[:_LONGEST_ASKED]):
        name, value = "HTTP", line
    if name == "HTTP":
        return name, f"{value} {path[1] or '/' if (path := _find_asked_page(command[-_LONGEST_ASKED:])) else ''}"
    if titled := _TITLE.fullmatch(line):
        title = titled["title"].strip()
        return f"{ASKED}page", next(kind for kind, said in _PAGES.items() if re.fullmatch(said, title, re.IGNORECASE))
    if line[:1] in "{[" and (json := _JSON_ANSWER.fullmatch(line)) and _FETCHES.search(command[:_LONGEST_ASKED]):
        return f"{ASKED}page", "an error page" if json["error"] else "a page of its own"
    if mounted := _FILE_SYSTEM.fullmatch(line):
        kind = mounted["type"] or ("network" if mounted["remote"] else "disk")
        return f"{ASKED}file system of {mounted['mount']}", kind
    if (is_answer and _FETCHES.search(command[:_LONGEST_ASKED])) and (told := _read_answer(line, command)):
        return told
    if (header := _HEADERS.fullmatch(line)) and (kind := header.lastgroup):
        value = header[kind].lower()
        return kind, "brotli" if value == "br" else value
    if name.lower() == "x-varnish":
        return "cache", "hit" if value else "miss"
    if name.lower() == "age":
        return "cache", "hit" if int(value) else "miss"
    if value:
        return (name.lower(), value.lower()) if name.lower() == "cache" else (name, value)
    if name and "scaling_governor" in command:
        return "governor", name
    if name and (asked := _ASKS_VERSION.search(command[-_LONGEST_ASKED:])):
        return asked["program"], f"{asked['program']} {name}"
    if (its := _ITS_VALUE.fullmatch(line)) and (asked := _find_asked_setting(command[-_LONGEST_ASKED:])):
        return (
            (f"{ASKED}{asked['key']}", f"{asked['key']}={its['value']}") if its["key"] in (None, asked["key"]) else None
        )
    if (setting := _SETTING.fullmatch(line)) and _shows_settings(command):
        return f"{ASKED}{setting['key']}", f"{setting['key']}={setting['value']}"
    if is_answer and (of_one := _ASKS_ONE.fullmatch(command)) and of_one.lastgroup:
        key = of_one[of_one.lastgroup]
        return f"{ASKED}{key}", line if line.startswith(f"{key}=") else f"{key} {line}"
    if is_answer and (of_file := _COUNTS_LINES.fullmatch(command)) and (counted_lines := _LINES.match(line)):
        lines = f"lines of {of_file['file'].rpartition('/')[2]}"
        return None if lines.endswith("log") else (f"{ASKED}{lines}", f"{_about(counted_lines[1])} {lines}")
    return (f"{ASKED}{command}", line) if is_answer and _ASKS.fullmatch(command) else None


@lru_cache(maxsize=64)
def _find_asked(command: str) -> list[tuple[re.Match[str], re.Pattern[str], str, str]]:
    """(what a command asks, a line that answers it, name, value)"""
    return [(found, answers, name, said) for asks, answers, name, said in _ANSWERS if (found := asks.search(command))]


def _read_short_answer(line: str, command: str) -> tuple[str, str] | None:
    """(name, value) by the first of these questions that a command asks and a line answers."""
    for asked, answers, name, value in _find_asked(command):
        if match := answers.fullmatch(line):
            said: dict[str, Any] = asked.groupdict() | match.groupdict()
            said["what"] = (said.get("what") or said.get("what_2") or "").replace("]", "")
            is_one = said.get("said") == "1"
            said |= {"s": "" if is_one else "s", "es": "" if is_one else "es"}
            if (unit := said.get("unit")) is not None:
                size = float(said["n"]) * _BYTES[unit.upper()]
                said |= {"bytes": size, "mib": size / _BYTES["M"]}
            elif number := said.get("n"):
                said["about"] = _about(number)
            return name.format(**said), value.format(**said)
    return None


def _read_answer(line: str, command: str) -> tuple[str, str] | None:
    """What the first line of an answer to a request tells of the page, or its length where that was asked for."""
    if line.isdigit() and _COUNTS_BYTES.search(command[:_LONGEST_ASKED]):
        return "page_bytes", line
    if _ERROR_TEXT.fullmatch(line):
        return f"{ASKED}page", "an error page"
    is_page = _PLAIN_TEXT.fullmatch(line) and not _ASKS_OTHERWISE.search(command[:_LONGEST_ASKED])
    return (f"{ASKED}page", "a line of text") if is_page else None


def asks_git(command: str) -> bool:
    """Whether a command prints what git has, in which "## main" is no heading."""
    return _asks_git(command[:_LONGEST_ASKED]) is not None


def _read_git(line: str, is_answer: bool) -> tuple[str, str] | None:
    """The branch that is checked out, and its last commit, which is the first one of a log."""
    match = _OF_GIT.fullmatch(line) if is_answer or line.startswith("* ") else None
    if match is None or match.lastgroup is None:
        return None
    name = COMMIT if match.lastgroup == COMMIT else BRANCH
    return f"{ASKED}{name}", match[match.lastgroup]


def _about(number: str) -> str:
    """About as many are alike."""
    return f"about {float(f'{int(number):.1g}'):,.0f}"


def read_state(line: str) -> tuple[str, str] | None:
    """The same of a line that tells it by itself, wherever it stands: behind a blank line of an output, or without its command."""
    if slowing := _SLOWING.fullmatch(line):
        what = list(_SLOWS)[(slowing.lastindex or 1) - 1]
        lasts = _LASTS.search(line) if what == _PAUSE else None
        return SLOWED, f"{what} ({lasts[1]})" if lasts else what
    if _FAILS.fullmatch(line):
        return FAILED, _LOGGED
    match = _FIGURES.fullmatch(line)
    return (match.lastgroup.removesuffix("_2"), match[match.lastgroup]) if match and match.lastgroup else None
