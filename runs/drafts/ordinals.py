"""Numbers, letters and days in headings that may tell which repeat a load test is: "run 2", "2回目", "nginx 2", "Monday"."""

from __future__ import annotations

import re

from parsers.patterns import compile_words, lower

_STEMS = (  # of ordinals in other languages
    "erst zweit dritt",
    "premi deuxi troisi",
    "primer segund tercer",
    "prim second terceir",
    "prim second terz",
    "pierwsz drug trzeci",
    "перв втор трет",
)
_NUMBER_OF = {
    word: n
    for words in (
        *(
            "first second third fourth fifth",
            "1st 2nd 3rd",
            "initial",
            "one two three four five six seven eight nine ten",
        ),
        *("一 二 三 四 五 六 七 八 九 十", "i ii iii iv v vi vii viii ix x", *_STEMS),
    )
    for n, word in enumerate(words.split(), start=1)
}
RUN = (
    r"(?:run|try|attempt|round|pass|iter(?:ation)?|interation|repeat|rep(?:etition)?|test|trial|take|measurement|próba|przebieg|pomiar"
    r"|(?:durch|test)?lauf|durchgang|versuch|messung|essai|passage|prueba|intento|ejecución|corrida|mesure|medi(?:ción|da)|misura|day|session|tentativ[ao]|teste|rodada|execução"
    r"|prova|esecuzione|poging|meting|pokus|körning|försök|deneme|запуск|попытка|прогон|замер|тест)"
)
LOADED = r"(?:concurrent |parallel )?(?:requests?|users?|clients?|connections?|threads?|workers?|req|rps|sec|min|m?s\b|k\b|%)"
LOADED_CJK = r"\s?[个万千]?\s?(?:请求|并发|线程|连接|用户|リクエスト|接続|スレッド|ユーザー)"
REPEAT = compile_words(
    r"(?<!\d)(?P<ja>\d++)\s*+(?:回目|회차|度目)|第\s*(?:(?P<dai>\d+)|(?P<zh>[一二三四五六七八九十]))\s*[回次遍轮輪](?:测试|压测|测量|运行|測定|計測|実行)?"
    rf"|(?<![^\W\d_]){RUN}(?:[\s_=-]*|\s?[:：]\s?(?=\d{{1,3}}(?:\s?(?:/|of|von|de|из)\s?\d{{1,3}})?\W*$))(?:n[or°º]\.?\s*|#\s*|№\s*)?(?P<en>\d{{1,3}})(?:[\s_-]?(?:/|of|von|de|z|из)[\s_-]?\d+)?"
    rf"(?![^\W_]|\.\w|\s*{LOADED})"
    r"|(?<=[_-])(?P<of2>\d{1,2})[_-]of[_-]\d{1,2}\b|[(\[](?P<of>\d{1,2})\s?(?:/|of|von|de)\s?\d{1,2}[)\]]"
    rf"|(?<![\w.])(?P<th>\d{{1,2}})(?:st|nd|rd|th|er|re|è?me|e|º|ª|\.|-?[йя])\s{RUN}\b"
    rf"|\b(?P<stem>{'|'.join(' '.join(_STEMS).split())})\w{{0,4}}\s{RUN}\b"
    rf"|\b(?P<nth>first|second|third|fourth|fifth|1st|2nd|3rd|(?<=[(\[])initial(?=\s(?:run|test)[)\]]))(?:[\s_-]+(?:{RUN}|time|one))?\b"
    rf"|\b{RUN}\s(?P<word>one|two|three|four|five)\b",
)
# "nginx 1", "nginx #2", "nginx (3)", "nginx II": only several of them together tell a repeat from a version.
_NUMBERED = re.compile(
    r"(?P<base>(?:\S.*?)?[^\W\d_]\)?)(?:\s*#|\s*[(（\[]#?|,?[\s_-]+#?)(?P<n>0?\d{1,2}|[IVX]{1,4})[)）\]]?"
    r"|(?P<base3>\S.*?\w)(?:\s+#|\s*[(（\[]#?)(?P<n3>\d{1,2})[)）\]]?"
    r"|#(?P<n2>\d{1,2})[\s:.)-]+(?P<base2>\D.*)|(?i:run |test )?(?P<base4>[A-Z])(?P<n4>\d)"
)
_BASES, _NUMBERS = ("base", "base2", "base3", "base4"), ("n", "n2", "n3", "n4")
# What stands before a number that is a name's or a setting's own: "worker 1", "http 2", "php 7".
_TAKES_NUMBER = re.compile(
    r"(?<![^\W\d_])(?:config(?:uration)?|servers?|hosts?|machine|node|version|ver|v|release|option|case|scenario|experiment|variant|set-?up"
    r"|workers?|threads?|process(?:es)?|cores?|v?cpus?|https?|php|python|ruby|perl|java|level|phase|step|stage|clients?|users?"
    r"|connections?|conns?|concurrency|instances?|replicas?|shards?|pods?|containers?|vms?|box|region|east|west|north|south|central|zone|backend|pool|cache|tier|tenant|queue|partition|bucket|disk|profile|preset|mode|plan|endpoint|page"
    r"|url|query|api|route|sleep|delay|wait|timeout|latency|lag|ttl|part|figure|table|column|listing|chapter|group|(?<!\S)-\w+|size|depth|pipeline|batch|tls|h|gen)\W*$",
    re.IGNORECASE,
)
AGAIN = compile_words(
    r"続けて|もう一度|もう1回|\bagain\b|once more|\bone more(?: time)?\b"
    r"|(?:^|[(\[,:–—-])\s?(?:re-?(?:try|run|test)|repeat(?:ed)?)\W*$"
    r"|jeszcze raz|noch ?(?:ein)?mal|encore une fois|otra vez|ancora una volta|de novo$|ещ[её] раз|再来一次|再测一次",
)
_DAY_NAMES = (
    "mon tue wed thu fri sat sun morning afternoon evening night die mit don fre sam son lun mar mer jeu ven dim"
)
DAY = rf"(?P<n>(?:{_DAY_NAMES.replace(' ', '|')})(?:[a-zé]*(?:day|tag|woch|di|che|es))?)"
ONLY_DAY = re.compile(rf"\W*(?:on )?{DAY}\W*", re.IGNORECASE)
_ORDINALS = tuple(  # what may be a repeat's where several names have it
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("again", r"(?P<base>.*\w)[\s_-]{1,3}(?P<n>repeat(?:ed)?|re-?run)"),  # "nginx repeat"
        ("glued", r"(?P<base>.*[^\W\d_])(?P<n>[1-9])"),  # "jetty1"
        ("letter", r"(?P<base>.*[^\W_])\s*[(（\[](?P<n>[a-h])[)）\]]"),  # "jetty (a)"
        ("dash", r"(?P<base>.*\w\d(?=[_-])|.*[^\W\d_](?=[./]))[._/-](?P<n>[1-9])"),  # "jdk11-1", "event.1", "nginx/1"
        ("software", r"(?P<base>.*\w)[_-](?P<n>[a-h])"),  # "nginx-a"
        ("software", r"(?P<n>[1-9])[\s_-]+(?P<base>\D.*)"),  # "1 nginx"
        ("word", r"(?P<base>.*\w)[\s_,(-]{1,3}(?P<n>one|two|three|four|five)\)?"),  # "nginx, one"
        ("lead", r"[rt](?P<n>[1-9])[\s_:-]+(?P<base>\S.*)"),  # "r1 nginx"
        ("day", rf"{DAY}[\s_:,-]+(?P<base>\S.*)"),  # "Monday: nginx"
        ("day", rf"(?P<base>.*\w)[\s_:,(-]{{1,3}}{DAY}\)?"),
    )
)


def read_number(text: str) -> int | None:
    """A number in digits, in Roman ones, in words, or as a letter, "A" as 1; None where it is none."""
    if text.isdigit():
        return int(text)
    return _NUMBER_OF.get(lower(text)) or (ord(lower(text)) - ord("a") + 1 if len(text) == 1 else None)


def takes_number(base: str) -> bool:
    """Whether a number behind these words is their own: "worker 1", "php 7"."""
    return _TAKES_NUMBER.search(base) is not None


def split_number(bare: str) -> tuple[str, int, bool] | None:
    """("nginx", 2, False) of "nginx 2", "#2: nginx"; the last is True for "worker 2", whose number may be its own."""
    match = _NUMBERED.fullmatch(bare)
    if match is None:
        return None
    base, number = (next(filter(None, map(match.__getitem__, names))) for names in (_BASES, _NUMBERS))
    value = read_number(number)
    has_two = re.search(r"\d", base) and re.search(r"[#(（\[]", bare[len(base) :])  # "4 workers #1"
    return None if value is None else (base, value, takes_number(base) and not has_two)


def split_ordinal(name: str) -> tuple[str, str, int] | None:
    """("dash", "jdk11", 2) of "jdk11-2"; None of a name without what may be the number of a repeat."""
    for kind, pattern in _ORDINALS:
        if match := pattern.fullmatch(name):
            number = read_number(match["n"]) or (2 if kind == "again" else _DAY_NAMES.index(match["n"].lower()[:3]) + 1)
            return kind, match["base"], number
    return None
