"""Rates as people write them: units in several languages, figures, loads, latencies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .patterns import AFTER, BEFORE, TitlePattern, remember_short

_CJK = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"  # there are no blanks between these and a unit
UNIT = (
    r"(?:(?:http )?(?:(?:req(?:uest)?s?|rq)\.?|hits|calls|pages|trans(?:actions?)?|txn?s?|quer(?:ies|y)|op(?:eration)?s|responses)"
    r"(?:\s?(?:/|per|p/|an?|each|every)\s?|_per_)s(?:e[cq](?:ond)?s?)?"  # people write "req/seq", too
    r"|[rqt]ps"
    r"|requêtes ?(?:par |/ ?)s(?:ec(?:onde)?)?|anfragen ?(?:pro |/ ?)s(?:ek(?:unde)?)?"
    r"|(?:peticiones|solicitudes) ?(?:por |/ ?)s(?:eg(?:undo)?)?|requisições ?(?:por |/ ?)s(?:eg(?:undo)?)?"
    r"|richieste al secondo|żądań na sekundę|запрос(?:ов|ы) ?(?:в секунду|/ ?с(?:ек)?)"
    r"|リクエスト(?:数)?/秒|请求(?:数)?/秒|每秒(?:处理)?请求数?|초당 (?:처리 )?요청 ?수)"
)
_OF_WORD = rf"(?-i:[^\W{_CJK}])"  # to ignore its case would take 10 ms to compile, each time
RATE = rf"(?<!{_OF_WORD})(?<!/){UNIT}(?!{_OF_WORD}|/)"
IS_THROUGHPUT = TitlePattern(  # where the cells have units
    r"\*{0,3}(?:throughput|performance|rate|speed|durchsatz|débit|rendimiento|caudal|vazão|przepustowość|производительность"
    r"|пропускная способность|吞吐量?|スループット|처리량)\*{0,3}"
)
# The title of what may be rates, where no unit is told.
MAY_BE_RATE = (
    rf"\*{{0,3}}(?:(?:avg\.?|average|mean|overall|sustained|http) )?(?:{IS_THROUGHPUT.pattern}|http_reqs"
    r"|(?P<counted>requests?|reqs?|hits|calls|iterations)(?: ?(?:/|per) ?s(?:ec(?:ond)?s?)?)?)"
    r"(?: ?\(?(?:avg\.?|average|mean)\)?)?\*{0,3}"
)
IS_RATE = TitlePattern(RATE)
PER_MINUTE = r"(?<!\w)(?:req(?:uest)?s?|transactions?|queries|op(?:eration)?s)\s?(?:/|per)\s?min(?:ute)?s?(?!\w)"
_IS_PER_MINUTE = TitlePattern(PER_MINUTE)
PREFIXED = r"(?<![^\W\d])[kM](?:(?:reqs?|ops) ?/ ?s(?:ec)?|[rqt]ps)(?!\w)"  # "Kops/s"
HAS_UNIT = TitlePattern(f"{RATE}|{PER_MINUTE}|{PREFIXED}")
OF_MINUTES = TitlePattern(r"per minute")  # what is left of such a title, see `spell_title`
_PREFIX = TitlePattern(r"(?<![^\W\d])([kM])(?=(?:(?:reqs?|ops) ?/|[rqt]ps))")
SPREAD = "±"
_PRAISE = TitlePattern(r"\s{0,3}[(\[,;–-]{0,3}\s{0,3}(?:higher|more|bigger) is better\b\s{0,3}[)\]]?|\s{0,3}[↑⬆▲]️?")
_SPREAD = TitlePattern(
    r"\s{0,3}(?:\((?:±\s?|\+/-\s?)?(?:std\.?\s?dev(?:iation)?\.?|stdev|sd|σ|±)\)|(?:±|\+/-)\s?(?:std\.?\s?dev\.?|stdev|sd|σ)?)"
)
_HAS_SPREAD = re.compile(
    r"\s{0,3}(?:(?:±|\+/?-|\+−)\s?\d[\d.,]*\s?[kKM%]?|\(\s?(?:±|\+/-)\s?\d[\d.,]*\s?[kKM%]?\s?\))$"
)
_REMARK = re.compile(r"\s{0,3}\([^()]{1,60}\)")
_IN_PARENTHESES = re.compile(r"\s{0,3}[(\[]\s?\d[\d.,]*\s?[kKM%]?\s?[)\]]$")
_FOOTNOTE = re.compile(r"\s{0,3}\[[A-Z\d*†‡]{1,3}\]$|(?<![*†‡¹²³])[*†‡¹²³]+$")
METRIC = (
    r"(?:metrics?|measure(?:ment)?|crit(?:ère|erion|erio|ério)|kriterium|kennzahl|messwert|métrique|métrica|показатель|метрика"
    r"|param(?:eter)?s?|property|指标|項目|项目|参数|지표|항목)"
)
# Of one config, in a table of names and values.
IS_VALUE = TitlePattern(
    r"(?:value|result|measure(?:ment|d)|wert|ergebnis|messung|valeur|mesure|valor|medi(?:cion|da|ção)|значение|数值|值|結果|结果"
    r"|测量值|測定値)(?:e?s|en)?"
)
NAMES_CONFIG = TitlePattern(
    r"(?:framework|server|name|config(?:uration)?|language|app(?:lication)?|implementation|variant|software|框架|名称)"
)
# Units of languages that group thousands by points.
POINTED = TitlePattern(r"anfragen|sekunde|peticiones|solicitudes|requisições|richieste")
_POINTED_NUMBER = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d{1,6})?|(?<![\d.,])\d{1,12},(?:\d{1,2}|\d{4,6})(?![\d,])")
_DECIMAL_COMMA = re.compile(r"\d\.\d{3}(?:,\d|\.\d{3})|(?<!\d)\d{1,12},\d{1,2}(?![\d,])")  # for certain
_STRUCK = re.compile(r"~~[^~]{1,200}~~")  # taken back
_RATIO = re.compile(  # behind a figure: "(1.25x)", "(+12 %)", "93.5%"
    r"\s{0,3}(?:\([+−-]?\d[\d.,]{0,9}\s?[x×%][^()]{0,30}\)|(?<=\s)\d{1,3}(?:\.\d{1,2})?\s?%)$"
)
IN_THOUSANDS = TitlePattern(
    r"(?:in )?(?:thousands?|k|[x×*] ?1,?000)"
)  # what is left of the title "requests/sec (thousands)"
IN_MILLIONS = TitlePattern(r"(?:in )?(?:millions?|m|[x×*] ?1,?000,?000)")
_THOUSANDS_ABOVE = TitlePattern(rf"\bthousands?(?: of)? {RATE}|(?<!\w)k ?{RATE}|\bin thousands\b")
_SAYS_UNIT = TitlePattern(rf"\b(?:are|is|in|as|show|shows) (?:the )?{RATE}[\W_]{{0,4}}$")
_SENTENCE_ENDS = (".", "!", "?", "。", "！")
_CLIENTS_ABOVE = TitlePattern(r"\b(?:connections|clients|concurrency|users|vus)\b")
IS_METRIC = TitlePattern(rf"\*{{0,3}}{METRIC}\*{{0,3}}")
_MARKUP = re.compile(r"[*`~]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|<br ?/?>|!?\[([^\]\[]{0,120})\]\([^()]{0,300}\)")
_MEDAL = re.compile("^(?:[\U0001f300-\U0001faff\u2600-\u27bf\u2b50]\ufe0f?\\s?){1,3}(?=[\\d~≈])")
WORK = TitlePattern(
    r"(?:workload|test|test ?case|scenario|benchmark|endpoint|path|route|url|page|case|operation|command|query|request|file"
    r"|size|bytes|(?:test|benchmark|request|operation|query) (?:name|type)"
    r"|(?:payload|body|message|response|request|operation|file|value|data|content|page|object) size)s?"
)
ADDRESS = TitlePattern(r"(?:\w+ )?(?:endpoint|route|url|path|page|api)s?")  # of these a load test requests one
METHOD = re.compile(r"GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS")  # of HTTP; in capitals
VERSION = TitlePattern(r"\b(?:version|release)\b")
RANK = TitlePattern(r"(?:#|\(?index\)?|rank|no\.?|pos(?:ition)?|順位|)")
_NUMBER = re.compile(
    r"(?:[~≈约]|(?:about|around|ca\.?) )?\s?"
    r"(\d{1,3}(?:[,  '’ ]\d{3})+|\d{1,12})(\.\d{1,9})?(?:[eE]([+-]?\d{1,2}))?\s?([kKMwW万萬만億亿千]|thousand|million|)"
)
FOOTNOTE_MARK = r"\*{1,3}|[†‡§¹²³]|\[\d\]"
_WHOLE = re.compile(r"[1-9]\d{2,}")  # 100 and more
_POINT = re.compile(r"[~≈]?\s?\d{1,3}\.\d{3}")  # of decimals or of thousands
_DECIMALS = re.compile(r",\d{3}\.\d|\.(?!\d{3}(?!\d))\d")  # for certain
_FACTOR = {"": 1, "M": 1_000_000, "million": 1_000_000} | dict.fromkeys(("k", "K", "千", "thousand"), 1000)
_FACTOR |= dict.fromkeys("wW万萬만", 10_000) | dict.fromkeys("億亿", 10**8)  # "w" is typed for 万
LOAD = TitlePattern(
    r"(?:-?c|conc(?:urr?en(?:cy|t))?(?: level)?|clients?|connections?|conns?|users?|vus?|同時(?:接続|アクセス)数|並列数"
    r"|多重度|并发(?:用户|连接|请求)?数?|동시성|동시 ?(?:접속|사용)자? ?수?"
    r"|benutzer|nutzer|utilisateurs?|usuarios?|clientes?|usuários|conex(?:ões|iones)"
    r"|connexions|verbindungen|połącze\w*|клиент\w*|пользовател\w*|соединени\w*|потоков"
    r"|[^\W\d][^()]{1,30} \((?:<?-?c>?|vus?|users|clients|connections)\))"
)
LOAD_TITLE = TitlePattern(rf"{LOAD.pattern}\s?[=:]?\s?(\d{{1,7}})|(\d{{1,7}})\s?(?:concurrent )?{LOAD.pattern}")
COUNT = re.compile(r"\d{1,7}|\d{1,3}(?:,\d{3}){1,2}")
REPEAT = TitlePattern(
    r"(?:(?:run|test|try|round|pass|trial|attempt)\s?)?#?\s?\d{1,2}(?:st|nd|rd|th)?(?: run| pass)?"
    r"|(?:first|second|third) (?:run|pass|try)|第?\d回目?"
)
RUN = TitlePattern(r"(?:runs?|rounds?|trials?|attempts?|iterations?|repeats?|pass|try|#) ?\d{1,2}")
COMPARED = TitlePattern(  # columns that are configs, whatever their rows are: "before" and "after", "v1" and "v2"
    rf"(?:the )?(?:{BEFORE}|{AFTER}|old|new|alt|neu|base(?:line)?|master|main|trunk|develop"
    r"|(?:feature )?branch|(?:this )?pr(?: ?#?\d+)?|(?:un)?patched|patch|head|current|proposed|(?:un)?optimi[sz]ed|original"
    r"|previous|with(?:out)? .{2,40}|on|off|enabled|disabled|control|treatment|candidate|stable|[A-E]|v\d[\w.]*|\d++\.\d++[\w.-]*"
    r"|(?:変更|改善|修正|最適化|导入|优化|改造|之)[前后後])(?: (?:version|build|code))?"
)
CHANGE = TitlePattern(  # of what one column has to what another has; repeats are not told so
    r"(?:(?:relative|percentage|percent|rel\.?|%) )?(?:change|improvement|gain|speed-?up|(?:ver)?änderung"
    r"|verbesserung|изменение|変化|变化|提升)(?: ?[(\[]?%[)\]]?)?"
)
MEAN = TitlePattern(r"(?:avg\.?|average|mean)?")
# Which of several runs a figure is, or is made of: "best of 5", "(median)"; a lone "mean" may be that of the columns beside it.
STATISTIC = TitlePattern(
    r"\s{0,3}(?:[(\[,:–-]\s?)?\b(?P<said>(?P<best>best|fastest)|median|(?:mean|average|avg\.?)(?= ?(?:out )?of\b))"
    r"(?P<of> (?:out )?of (?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)(?: (?:runs?|tests?|tries|rounds?|repeats?))?)?"
    r"[)\]]?$"
)
NO_RATE = TitlePattern(
    r"(?<!\w)(?:max|min|peak|std\.?(?:dev)?|stdev|sd|p\d\d?|median|best(?! performance)|worst|ratio|relative|change"
    r"|diff(?:erence)?|delta|gain|speed-?up"
    r"|[a-z-]{0,30}(?:deviation|abweichung)|écart[- ]type|desvia\w*(?: est\w*)?|标准差|標準偏差"
    r"|improvement|overhead|vs\.?|versus|x|errors?|failed|latency|ms|cpu|mem(?:ory)?|total|sum)(?!\w)|[%Δ±σ×]"
)
OTHER_FIGURE = TitlePattern(  # the title of none of rates, where only what stands above the table says that it has any
    r"\W{0,3}(?:workers?|threads?|process(?:es)?|cores?|v?cpus?|instances?|nodes?|replicas?|batch(?: size)?|pipeline\w{0,5}|payload"
    r"|size|bytes|n|version|stars|year|loc|lines|tests?|port|rank|count|date|score|duration|time|#)\W{0,3}"
    r"|.*[(\[](?:[kmg]i?b(?:ps|/s)?|bytes|m?s|secs?|[uµ]s|usd|\$|%)[)\]]"
)
# Of requests that were counted, and not asked for.
COUNTED = TitlePattern(
    r"(?:total|completed?|successful|failed|ok) (?:requests?|reqs?|hits|responses|transactions)"
    r"|success(?:es|ful)?|succeeded|passed|ok|failed|failures?"
    r"|(?:requests?|reqs?|hits|responses|transactions) (?:total|completed?|made|done|served|sent)|completed|总?请求数?|성공 ?요청"
    r"|requests?|reqs?|peticiones|solicitudes|requisições|anfragen|requêtes|запрос(?:ов|ы)"
)
NO_ROW = TitlePattern(
    r"(?:avg\.?|average|mean|median|total|sum|max|min|best|worst|ratio|difference|change|diff|Δ.*|平均)"
)
NOT_MEASURED = TitlePattern(
    r"\b(?:target|goal|expected|estimate[ds]?|theoretical|budget|threshold|limit|slo|quota|phase|plan|tier)\b"
)
_LOADED = TitlePattern(r"targets?")  # the title of a first column
_LATENCY = TitlePattern(
    r"(?:latency|resp(?:onse)?\.?(?: times?)?|times?)?(?: ?\((?P<before>ms|s|[uµ]s)\))?[ (:,-]*"
    r"(?:(?P<mean>avg\.?|average|mean)|(?P<max>max(?:imum)?)"
    r"|p(?P<p>\d{2}(?:\.\d{1,3})?)"
    r"|(?P<q>\d{2}(?:\.\d{1,3})?)(?:%|th|st|nd|rd)(?:[ -]?(?:percentile|pctl?|%-?ile))?|(?P<median>median|med))\)?"
    r"(?: (?:latency|resp(?:onse)?\.?(?: time)?|time))?\s?(?:[(\[,]?\s?(?P<unit>ms|s|sec(?:onds)?|[uµ]s|msec|milliseconds)[)\]]?)?"
)
_TIME = TitlePattern(r"[~≈<]?\s?(\d{1,9}(?:[, \u00a0\u202f]\d{3})*(?:\.\d{1,6})?)\s?(ms|s|sec|[uµ]s|)")
_TIME_WITH_UNIT = TitlePattern(rf"{_TIME.pattern}(?<=s|c)")
_TIMES_ABOVE = TitlePattern(
    r"\b(?:latenc(?:y|ies)|response times?|times?)\b.{0,20}?(?:[(\[]|\bin )(ms|milliseconds|[uµ]s)\b"
)
_NUMBER_OF = r"(?:(?:num(?:ber)?\.?|no\.|#|total)(?: of)? ?)?"
FAILED = TitlePattern(
    rf"{_NUMBER_OF}(?:(?:errors?|fail(?:ed|ures?)?|non-?2xx)(?:[ _](?:rate|requests?|responses?))?)\s?[(\[]?(?P<share>%?)[)\]]?"
)
# Of requests that were made, or only of those that did not fail.
ANSWERED = TitlePattern(
    rf"(?P<all>total|{_NUMBER_OF}(?:requests|reqs))"
    r"|(?:2xx|ok|succe(?:ss(?:es|ful)?|eded)|completed?)(?: (?:requests?|reqs?|responses))?"
)
RESULT = re.compile(r"[~≈<]?\s?\d[\d.,]*\s?(?:%|m?s|sec|[uµ]s|[x×]|[MG]i?B|\+)")
_FAILURES = re.compile(r"(\d{1,9}(?:\.\d{1,4})?)\s?(%?)")
_MS = {"ms": 1, "msec": 1, "milliseconds": 1, "s": 1000, "sec": 1000, "seconds": 1000, "us": 0.001}
_MS |= dict.fromkeys(("µs", "\u03bcs"), 0.001)


@remember_short
def strip_cell_markup(text: str) -> str:
    """The text without links, emphasis, and medals before a figure."""
    return _MEDAL.sub("", _MARKUP.sub(lambda match: match[1] or "", _STRUCK.sub("", text)).strip())


def tells_of_plans(heading: Sequence[str]) -> bool:
    """Whether a title says that the column is of goals, limits or guesses. "Target" above the names is what was loaded."""
    titles = heading[1:] if heading and _LOADED.fullmatch(heading[0].strip("* ")) else heading
    return any(
        NOT_MEASURED.search(title if IS_RATE.search(title) else _REMARK.sub("", title) or title) for title in titles
    )


_OPERATION = TitlePattern(  # what a client asks of a store or a server, as a title; all that it says is how a run was loaded
    r"(?:(?:random|rand|sequential|seq|bulk|batch(?:ed)?|single|multi|point|range|simple|complex|mixed|concurrent"
    r"|pipelined)[ _-]?)?"
    r"(?:reads?|writes?|inserts?|updates?|deletes?|selects?|scans?|look-?ups?|quer(?:y|ies)|gets?|sets?|puts?|posts?|appends?|upserts?"
    r"|fetch(?:es)?|read[ /_-]?writes?|rmw)(?:[ _-](?:only|heavy|intensive|mostly|one|many|by id|by key))?"
    r"(?: \(?\d{1,3} ?%?\)?)?"
    r"|ping(?:_(?:inline|bulk|mbulk))?|(?:m|get|h|hm|z|x|s)(?:get|set|add|rem|del)(?:all|ex|nx)?|(?:in|de)cr(?:by)?|[lrsb]{1,2}(?:push|pop)"
    r"|[lz]range(?:_\d{1,4})?(?: \([\w ]{1,40}\))?|zpopmin|zscore|smembers|del|exists|expire|eval|publish"
    r"|tpc-?[a-z]{1,2}(?: \(.{1,30}\))?|oltp_\w{1,40}|(?:ycsb )?workload ?[a-f]|(?:get|post|put|patch|delete|head) /[^\s|]{0,200}"
)


_LEVEL = TitlePattern(  # of load, as a title
    r"(?:very )?(?:low|light|medium|moderate|average|normal|high|heavy|peak|maximum|max|extreme|stress|spike) (?:load|traffic)"
    r"|(?:niedrige|geringe|mittlere|normale|hohe|maximale) last|carga (?:baja|media|alta|baixa|média|máxima)"
    r"|(?:faible|moyenne|forte) charge|charge (?:faible|moyenne|élevée)|(?:низкая|средняя|высокая) нагрузка"
    r"|(?:低|中|高)(?:负载|負荷|并发)"
)
_SIZE = r"\d[\d.,]*\s?(?:[km]i?b|b|bytes?)"  # of what is sent; GB are of a machine
_SPOKEN_OF = (  # with one of these alone, a title may be a config's: "static" and "dynamic"
    r"single|multiple|multi|simple|complex|static|dynamic|small|medium|large|big|tiny|random|the|an?|empty|raw|main|index|front|landing"
    r"|reverse|http|hello|\d{1,4}x?"
)
_ASKED = (
    r"plain ?text|json|xml|html|text|sql|hello(?: world)?|fortunes?|db|database|quer(?:y|ies)|updates?|inserts?|selects?|reads?"
    r"|writes?|deletes?|log ?[io]n|log ?out|sign ?(?:in|up)|regist(?:er|ration)|home|(?:home ?)?pages?|products?|search(?:es)?|cart"
    r"|checkout|orders?|users?|posts?|comments?|articles?|feed|profile|files?|assets?|images?|css|uploads?|downloads?|payloads?|body"
    r"|responses?|requests?|redirects?|proxy|echo|ping|health(?: ?check)?|seriali[sz]ation|parsing|rendering|templates?|params?"
    r"|lists?|details?|content|api|lookups?"
    r"|(?:create|get|list|fetch|add|remove|update|delete|find|insert|look ?up|scan|send|post|put)[ _-]\w{2,20}"
)
_KIND_OF_WORK = TitlePattern(
    rf"(?:(?:{_SIZE}|{_SPOKEN_OF})[ -]){{0,4}}(?:(?:{_ASKED})(?:[ -]|$|(?=\d))){{1,4}}(?:\(?(?:{_SIZE}|\d{{1,4}}x?)\)?)?"
    rf"|{_SIZE}|small|medium|large|tiny|huge"
)
_SENT = TitlePattern(rf"{_SIZE}(?: (?:body|file|payload|response|request|message|page|object)s?)?")


def are_kinds_of_work(titles: Sequence[str]) -> bool:
    """Whether all of these, below a title such as "Case" or "Size", are kinds of requests: "login page", "4 KB", "plaintext"."""
    are_kinds = len(set(titles)) == len(titles) > 1 and all(map(_KIND_OF_WORK.fullmatch, titles))
    return are_kinds and not _may_be_memory(titles)


def _may_be_memory(titles: Sequence[str]) -> bool:
    """Whether sizes may be those of a machine's or a cache's memory: "64 MB" and "128 MB"."""
    return all(title.lower().endswith("mb") for title in titles)


def are_operations(titles: Sequence[str]) -> bool:
    """Whether all of these name what a client asked for, its size, or how much load there was."""
    are_sizes = all(map(_SENT.fullmatch, titles)) and not _may_be_memory(titles)
    return are_sizes or any(all(map(each.fullmatch, titles)) for each in (_OPERATION, _LEVEL))


@remember_short
def spell_title(title: str) -> str:
    """A column's title with its unit as IS_RATE has it: "Kops/s" → "K ops/s", "req/min" → "req/s per minute"."""
    title = _SPREAD.sub(f" {SPREAD}", _PRAISE.sub("", title))
    return _PREFIX.sub(r"\1 ", _IS_PER_MINUTE.sub("req/s per minute", title)).strip().rstrip(":： ")


def spell_titles(heading: Sequence[str], caption: str) -> list[str]:
    """The titles of a table, with what its caption says of all of them: of columns that are numbers, and of thousands."""
    titles = list(map(spell_title, heading))
    numbers = [at for at, title in enumerate(titles) if at and COUNT.fullmatch(title)]
    goes_on = len(numbers) > 1 and LOAD_TITLE.fullmatch(titles[numbers[0] - 1])  # "Concurrency 1 | 2 | 4"
    if goes_on or (len(numbers) > 1 and _CLIENTS_ABOVE.search(caption)):
        titles = [f"{title} clients" if at in numbers else title for at, title in enumerate(titles)]
    return titles


def find_picked(title: str) -> str:
    """ "best of 5" of a title that says so beside its unit, or ""."""
    match = STATISTIC.search(IS_RATE.sub("", title).strip(" ()[],:-–/"))
    return f"{match['said']}{match['of'] or ''}".lower() if match and match["best"] else ""


def has_unit_of_all(caption: str) -> bool:
    """Whether a caption has the unit of the figures below it: none of goals, and no sentence but "All figures are in req/s."."""
    bare = caption.strip("#*_ ")
    is_caption = not bare.endswith(_SENTENCE_ENDS) or IS_RATE.match(bare) is not None
    is_caption = is_caption or _SAYS_UNIT.search(bare) is not None
    return is_caption and IS_RATE.search(bare) is not None and not NOT_MEASURED.search(bare)


def tells_thousands(caption: str) -> bool:
    return _THOUSANDS_ABOVE.search(caption) is not None


def scale_figures(cells: Sequence[str], title: str) -> tuple[list[str], str]:
    """(a column's cells, with what its title says of all of them; the rest of its title, beside the unit)."""
    if SPREAD in title:
        cells, title = [_IN_PARENTHESES.sub("", cell) for cell in cells], title.replace(SPREAD, "").strip()
    for pattern, sign in ((IN_THOUSANDS, "k"), (IN_MILLIONS, "M")):
        if pattern.fullmatch(title):
            return [cell + sign * cell[-1:].isdigit() for cell in cells], ""
    if OF_MINUTES.search(title):
        return [f"{cell} req/min" if cell[-1:].isdigit() else cell for cell in cells], OF_MINUTES.sub("", title).strip()
    return list(cells), title


def is_round(rate: float) -> bool:
    """Whether somebody may have set it: 5, 100, 2500, and no 14400."""
    return rate == int(rate) and len(str(int(rate)).rstrip("0")) < 3


@remember_short
def find_latency(title: str) -> tuple[str, float | None] | None:
    """(name of the figure: "mean", "max", "99"; ms of its unit, None where the title has none) of a column of latencies."""
    match = _LATENCY.fullmatch(title.replace("_", " ").strip())
    if not match:
        return None
    name = "mean" if match["mean"] else "max" if match["max"] else "50" if match["median"] else match["p"] or match["q"]
    unit = (match["unit"] or match["before"] or "").lower()
    return name, _MS[unit] if unit else None


def tells_times(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether columns of these titles are of a load test's times: a percentile and another one, each with its unit."""
    kinds = [(at, kind) for at, title in enumerate(titles) if (kind := find_latency(title))]
    have_units = all(kind[1] or all(_TIME_WITH_UNIT.fullmatch(row[at]) for row in rows) for at, kind in kinds)
    return len(kinds) > 1 and any(kind[0].isdigit() for _, kind in kinds) and have_units


def spell_latencies(titles: Sequence[str], said: Sequence[str]) -> list[str]:
    """The titles with the unit that only the text above tells of times: "Latency (ms)"."""
    unit = next((match[1] for text in said if (match := _TIMES_ABOVE.search(text))), "")
    unit = "ms" if unit.startswith("mil") else unit
    return [
        f"{title} ({unit})" if unit and (kind := find_latency(title)) and not kind[1] else title for title in titles
    ]


Rows = list[tuple[int, list[str]]]  # (line, cells)
_OF_SAMPLES = {  # titles of JMeter's aggregate and summary reports: times in ms, saved rates in samples/s
    "label": "request", "# samples": "completed", "#samples": "completed", "average": "mean (ms)", "median": "median (ms)",
    "max": "max (ms)", "maximum": "max (ms)", "error %": "errors %", "error%": "errors %", "# threads": "users",
    "#threads": "users", "threads": "users", "throughput": "requests/s",
}  # fmt: skip
_LINE_OF_SAMPLES = TitlePattern(r"(\d{2})(?:\.\d+)?% ?line")


def spell_samples(heading: Sequence[str], rows: Rows) -> tuple[list[str], Rows]:
    """The titles with their units, and the names and rates first, where they are those of JMeter's aggregate report.

    Its titles have no units. What stands before a rate would be a name: the number of samples, the least time.
    """
    bare = [title.strip().lower() for title in heading]
    if not ({"# samples", "#samples"} & {*bare} and {"error %", "error%"} & {*bare} and "throughput" in bare):
        return [*heading], rows
    spelled = []
    for title, low in zip(heading, bare, strict=True):
        line = _LINE_OF_SAMPLES.fullmatch(low)
        spelled.append(f"p{line[1]} (ms)" if line else _OF_SAMPLES.get(low, title))
    first = [
        at for at, title in enumerate(spelled) if title in ("request", "users") or (not at and title == heading[0])
    ]
    order = [*dict.fromkeys([*first, bare.index("throughput"), *range(len(bare))])]
    return [spelled[at] for at in order], [(line, [row[at] for at in order]) for line, row in rows]


def read_latencies(row: list[str], columns: dict[int, str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(the row's failures and its latencies in ms, the titles of those whose unit neither cell nor title has)."""
    percentiles: dict[str, float] = {}
    without_unit: list[str] = []
    others: dict[str, Any] = {}
    counts = [(bool(match["all"]), row[at]) for at, title in columns.items() if (match := ANSWERED.fullmatch(title))]
    for at, title in columns.items():
        if failed := FAILED.fullmatch(title):
            others |= _read_failures(row[at], bool(failed["share"]))
            continue
        kind, cell = find_latency(title), _TIME.fullmatch(_REMARK.sub("", row[at]))
        factor = (_MS.get(cell[2].lower()) or (kind[1] if kind else None)) if cell else None
        if kind and cell and factor:
            ms = round(float(re.sub(r"[,\s]", "", cell[1])) * factor, 6)
            if kind[0] in ("mean", "max"):
                others[f"{kind[0]}_ms"] = ms
            else:
                percentiles[f"{float(kind[0]):g}"] = ms
        elif cell and not ANSWERED.fullmatch(title):
            without_unit.append(title)
    others |= _count_answers(counts, others.get("failed_requests", 0))
    return others | ({"percentiles_ms": percentiles} if percentiles else {}), tuple(without_unit)


def _read_failures(cell: str, in_per_cent: bool) -> dict[str, Any]:
    """How many requests of a row failed, or the share that did not."""
    match = _FAILURES.fullmatch(_REMARK.sub("", _FOOTNOTE.sub("", cell)).replace(",", ""))
    if not match:
        return {}
    if match[2] or in_per_cent:
        return {"availability_pct": max(100 - float(match[1]), 0.0)}
    return {} if "." in match[1] else {"failed_requests": int(match[1])}


def _count_answers(counts: Sequence[tuple[bool, str]], failed: int) -> dict[str, int]:
    """How many requests of a row were made, where some failed; `counts` says of each whether the failed ones are in it."""
    made = [
        int(number) + (0 if is_all else failed)
        for is_all, cell in counts
        if (number := cell.replace(",", "")).isdecimal() and len(number) < 13
    ]
    return {"complete_requests": made[0]} if failed and made else {}


def find_unclear(column: list[str]) -> set[str]:
    """The figures of a column whose point is one of decimals or of thousands: "9.871" beside "125,340", "1.200" beside "950"."""
    if any(map(_DECIMALS.search, column)):
        return set()
    figures = {cell: IS_RATE.sub("", cell).strip() for cell in column}
    has_others = any("," in cell for cell in column) or any(map(_WHOLE.fullmatch, figures.values()))
    return {cell for cell, figure in figures.items() if has_others and _POINT.fullmatch(figure)}


def read_load(title: str) -> int | None:
    """How many clients a title tells: "100" below "Clients", "c=100", "100 connections"."""
    match = COUNT.fullmatch(title) or LOAD_TITLE.fullmatch(title)
    return int(match[0].replace(",", "") if match.re is COUNT else match[1] or match[2]) if match else None


def group_by_commas(text: str) -> str:
    """ "12.345,6" → "12,345.6"."""
    return _POINTED_NUMBER.sub(lambda match: match[0].translate(str.maketrans(".,", ",.")), text)


def write_with_points(cells: list[str], title: str) -> list[str]:
    """The figures of a row or column as English has them, where its title's language or one of them has commas for points,
    or points for commas."""
    has_commas = POINTED.search(title) or any(map(_DECIMAL_COMMA.search, cells))
    return [group_by_commas(cell) for cell in cells] if has_commas else cells


@remember_short
def read_number(text: str) -> tuple[float, float] | None:
    """(the number, the step of its last digit) where a cell is a plain number, with the unit of rates at the most, or "/s"."""
    text = group_by_commas(text) if POINTED.search(text) else text
    figure = IS_RATE.sub("", _PREFIX.sub(r"\1 ", _IS_PER_MINUTE.sub("", text))).strip().removesuffix("/s").rstrip()
    for behind in (_FOOTNOTE, _HAS_SPREAD, _RATIO):
        figure = behind.sub("", figure)
    match = _NUMBER.fullmatch(figure)
    if not match or (match[4] == "W" and figure == text.strip()):  # watts
        return None
    digits = re.sub(r"\D", "", match[1])
    factor = _FACTOR[match[4]] * 10 ** int(match[3] or 0) / (60 if _IS_PER_MINUTE.search(text) else 1)
    decimals = len(match[2]) - 1 if match[2] else 0
    return round(float(f"{digits}{match[2] or ''}") * factor, 6), factor / 10**decimals


def tells_rates(row: Sequence[str]) -> bool:
    """Whether a row has the unit of rates in its title or, as each of its figures, in all other cells."""
    has_units = len(row) > 2 and all(HAS_UNIT.search(cell) and read_number(cell) for cell in row[1:])
    return (has_units or IS_RATE.search(row[0]) is not None) and not NO_RATE.search(row[0])


def has_rows_of_rates(heading: Sequence[str], table: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether the rows are metrics: their title says so, or else one row and more have the unit, and figures below names."""
    is_titled = IS_METRIC.fullmatch(heading[0]) is not None
    if any(map(IS_RATE.search, heading[1:])) or is_titled:
        return is_titled and not any(map(IS_RATE.search, heading[1:]))
    rates = [row for _, row in table if IS_RATE.search(row[0]) and not NO_RATE.search(row[0])]
    named = [at for at, title in enumerate(heading) if at and title and not NO_RATE.search(title)]
    return len(named) > 1 and bool(rates) and all(read_number(row[at]) for row in rates for at in named)
