"""The vocabulary of headings: which repeat, before or after the load, software, or only that something was measured.

Pages in several languages are pasted; each list has the words that were met. A missing word costs a wrong guess, which can
be corrected on the preview page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from parsers.catalogue import formats, makes_load, parse_command
from parsers.patterns import AFTER, BEFORE, compile_words, lower, remember_lines
from parsers.transcript import width

from .boilerplate import DATE, DONE, find_numbering, heading_level, is_banner, is_code, is_file, retracts, strip_markup
from .ordinals import AGAIN, LOADED, LOADED_CJK, ONLY_DAY, REPEAT, read_number, split_number

SOFTWARE = re.compile(
    r"nginx|apache\d?|httpd|lighttpd|caddy|haproxy|varnish|squid|envoy|traefik|tomcat|jetty|undertow|netty|node|deno|bun|express"
    r"|fastify|koa|django|flask|fastapi|rails|sinatra|puma|unicorn|thin|passenger|gunicorn|uvicorn|uwsgi|mongrel|webrick|php|fpm"
    r"|hhvm|fastcgi|golang|rust|java|python|ruby|perl|erlang|elixir|phoenix|openresty|iis|litespeed|cherokee|mysql|mariadb"
    r"|postgres(?:ql)?|redis|memcached|docker|prefork|worker|event|itk|peruser|tornado|twisted|gevent|cherrypy|mongodb",
    re.IGNORECASE,
)
WITH, WITHOUT = "with|using|mit|avec|con|com|met|с", "without|ohne|sans|sin|sem|senza|bez|zonder|без"
# Order matters: "just after the start" is before the load, although it says "after".
_PHASES = (
    ("before", r"起動直後|起動後|起動時|無負荷|通常時|just started|after (?:re)?start|at rest|\bidle\b"),
    (
        "during",
        r"スナップショット|snapshot|実行中|負荷中|測定中|の時の|during|while|same time|under load|\bpodczas|w trakcie|während"
        r"|pendant|во время|под нагрузкой",
    ),
    (
        "before",
        rf"前(?!回|者)|\b(?:{BEFORE}|prior|przed|vor)\b|\bдо\b(?! \d)|\bперед\b",
    ),
    (
        "after",
        rf"後(?!者|日)|后(?!端|台)|終了|\bafter|finished|\b(?:{AFTER}|nach|po)\b|\bпосле\b"
        r"|at the end|^\W*now\W*$",
    ),
    ("during", r"(?<=[負実測])荷?中|中の|中に"),
)
_PHASE_PATTERNS = [(phase, compile_words(pattern)) for phase, pattern in _PHASES]
_ANY_PHASE = compile_words("|".join(pattern for _, pattern in _PHASES))
_WARM_UP = compile_words(
    r"\bwarm(?:ing)?[ -]?up\b|\bwarming\b|\bprim(?:e|ing)\b(?= (?:the )?(?:cache|run|pass)|\W*$)|\b(?:ignore|discard|throw away)\b"
    r"|\bnot counted\b|\bthrow-?away\b|\baufwärm|\bwarmlauf|\bvorlauf\b|\béchauffement|\bpréchauffage|\bcalentamiento"
    r"|\baquecimento|\briscaldamento|\brozgrzew|прогрев|разогрев|\bopwarm|\buppvärmning|\bısınma|ウォームアップ"
    r"|ウォーミングアップ|暖機|慣らし|预热|預熱|热身|워밍업|웜업",
)
# "after a warm-up of 10 s": the run is measured.
_WARMED = re.compile(
    rf"^\W*end\b|\b(?:{WITH}|{WITHOUT}|after|then|including|incl|no|following|post|had|nach|après|tras|después|po|z|после)\b.{{0,24}}$"
    r"|の?後|済み",
    re.IGNORECASE,
)
_NOT_SHOWN = re.compile(
    r"(?:\bnot|n't) (?:shown?|pasted?|print(?:ed)?)\b|\bnicht (?:gezeigt|abgedruckt)\b", re.IGNORECASE
)
_LEAD_IN = re.compile(
    r"(?:(?:nice|great|cool|ok(?:ay)?|well|so|hm+|wow)\b[!,.…]*\s(?:with\s)?)?(?:(?:and|but|und|et|y|i|и)\s)?(?:"
    r"(?:and|but|und|aber|et|mais|y|pero|oraz|ale)\s(?=(?:with|on|for|using|mit|auf|für|avec|sur|con|en|z|na|dla)\s)"
    r"|(?:versus|vs\.?|compared (?:to|with)|and) (?=\w)|при (?=[a-z])"
    r"|(?:start|launch|test|benchmark|measur|runn)ing(?: (?:the )?(?:test|benchmark|load)s?(?: (?:for|of|on|against|with))?)?\s"
    r"|(?:stop(?:ped)? [^,;]{1,40}[,;] (?:and |then )?)?start(?:ed)? (?=\w)|(?:i )?r[au]n (?:it |this )?(?:against|on) "
    r"|(?:first(?:ly)?|then|now|next|finally|lastly|again|after that|here(?:'s| is| are)|this is|these are)\b(?: up)?[,:]?"
    r"|(?:the )?(?:results?|numbers?|output|benchmarks?|figures)\s(?=for|of|with|from|under|using)"
    r"|(?:the )?same(?: (?:test|thing|benchmark))?(?= with)|\d[\d,.]* (?:\w+ )?(?:clients|users|connections) (?:against|on|to) "
    r"|(?:zuerst|zunächst|dann|danach|anschließend|jetzt|nun|als nächstes|d'abord|ensuite|puis|maintenant|primero|luego|después"
    r"|ahora|poi|dopo|adesso|najpierw|teraz|potem|сначала|теперь|затем|потом)\s(?!d(?:el?|u|es|i|el?la)\s)|まず(?:は)?、?|次(?:に|は)、?|続いて、?|以下(?:は|が)、?"
    r"|(?:首先|其次|然后|接着|接下来|最后|现在|下面|这里|再)(?:是|来|我们)*[,，]?|我们(?:来|先|再|把|将)*|(?:换|改|切换)(?:成|用|为|到)(?:了)?"
    r"|(?:测试|压测|测一下|看看|试试)(?=\s?[^\W\d_]{2}))\s*",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(
    r"(?:is|are|the|same|with|for|of|from|under|using|by|on|it|mit|auf|für|avec|sur|con|en|z|na|dla|с)\s+",
    re.IGNORECASE,
)
_RESULT_OF = re.compile(  # "nginx 测试结果", "nginx, three runs each", "nginx(3回)"
    r"(?<=\w)(?:\s*の(?:測定|計測)?結果(?:です|は)?|\s*的?(?:压力|性能)?(?:测试|压测)?(?:的?结果|数据|报告|情况)(?:如下)?|[\s,(:–-]+(?:\d\d?|two|three|four|five|six|ten|zwei|drei"
    r"|vier|fünf|deux|trois|dos|tres)\s(?:runs|times|repeats|Läufe|Messungen|essais|pruebas)(?: each)?\)?"
    r"|[,;]?\s(?:the |its )?(?:results?|outputs?|numbers?|figures) (?:is|are|was|were)"
    r"|,?\s(?:just )?(?:for|as a) (?:reference|comparison)"
    r"|\s*[*_]?[(（]`?\d[\d.,]*\s?[kKM]?\s?(?:/s|(?:requests|req|[rqt]ps)\b[^()]{0,16})`?[)）]"  # its rate
    r"|[\s,、，(（]+\d\d?[回次遍](?:ずつ|实验|測定|計測|実行|実施|试验)*[)）]?)$"
)
_WHEN = (
    rf"(?:(?:{DATE.pattern})|(?:mon|tue|wed|thu|fri|sat|sun)\w* \w{{3}} +\d\d? [\d:]+ (?:[A-Z]+ )?\d{{4}})"
    r"(?:[T,@ ]+\d\d?:\d\d(?::\d\d)?)?"
    r"|\d\d?:\d\d(?::\d\d)?"
)
_DATED = re.compile(  # "nginx 2024-05-01", "[10:02] nginx", but no build of a day
    rf"^[\[(]?(?:{_WHEN})[\])]?[:,]?\s+(?:<\S{{1,30}}>\s+)?(?=\w)|(?<![\s,@(\[–-])(?<!build)(?<!nightly)(?<!release)(?<!snapshot)[\s,@(\[–-]+(?:(?:run|measured|tested|taken)\s)?(?:on\s)?(?:{_WHEN})[)\]]?$",
    re.IGNORECASE,
)
_RESULT_FOR = re.compile(r"(?:and )?(?P<tool>[^,;:]{2,40}?)\s(?:for|of|on|against)\s(?P<measured>\S.*)")
_RESULT = re.compile(r"\b(?:results?|reports?|outputs?|numbers|figures|benchmarks?)$", re.IGNORECASE)
_COLD_OR_WARM = re.compile(r"\b(?:cold|warm|hot)\b", re.IGNORECASE)  # "nginx, first run (cold)" is "nginx, cold"
_IN_CASE = re.compile(r"(?<=\w)\s*(?:的(?:情况下?|时候)|时|(?:にした|の)場合は?)$")  # "when it is cached"
_FILE_TYPE = re.compile(r"(?<=\w)\.(?:txt|log|out|csv|json|res|dat)$")  # of a label that is a file's name
WORD = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9_.+/-]*[A-Za-zÀ-ɏ0-9+]")
# Words that say that something was measured, not of what. The names of monitors are generic, too.
_GENERIC_WORDS = """
    apache\\s*(?:[a-z]b\\b|bench(?:mark)?) info(?:rmation)? results? outputs? bench(?:mark(?:s|ing)?)? load(?:ed)?
    tests? memory cpu usage process(?:es)? commands? run(?:ning|s)? numbers? figures? state machine hardware hosts? server
    conf(?:ig(?:uration)?)? settings? virtual\\s*host summary overview conclusions? short\\sversion req(?:uest)?s? comparison
    (?<=benchmark\\s)time
    end(?:ed)? raw\\s\\w+\\soutputs? (?:raw|full|console|terminal)(?=\\s(?:outputs?|results?|data|numbers|logs?)\\b)
    resources?(?=\\susage) threads?\\sstats
    the of for and with a says? said what it its this that is was ran here are now then same in on to we get got from
    [qrt]ps measured? measuring timed real actual counted gemessen(?:e|er)? eigentlich\\w*
    under per each tl;?dr faster slower
    ergebnis(?:se)? zusammenfassung messung(?:en)? überblick speicher prozesse auslastung dem den der die das des beim mit und
    v[yý]sled(?:e?k|ok|ky) z[aá]very? měření meranie
    wyniki? pamięć obciążenie teś(?:cie|ty) testu testem testami podsumowanie procesy pomiar(?:y|em|ze)? tym oraz
    résultats? mémoire resultados? memoria
    (?:light|heavy|medium|moderate|high|low|normal|peak|extreme|full)\\sload
    вывод результаты?
    perf checks? start(?:s|ing|ed)? millions? thousands?
    environments? samples? following below at
    set-?up install(?:ation|ing)? usage build(?:ing)? requirements? prerequisites? descriptions? introduction notes?
    examples? options methods? methodolog(?:y|ies) methodik procedure
    concurrent simultaneous (?<=\\d\\s)parallel mins?
    parallel(?=\\s(?:users?|clients?|connections?|requests?)\\b) users? connections? conc(?:urrency)?
    duration seconds? secs? minutes?
"""
_GENERIC_CJK = (
    rf"(?<=\d){LOADED_CJK}|持续|超时|查看|打印|进行|本?工具|"
    r"結果|(?:的|压力|性能)?(?:测试|压测|结果|报告|数据(?!库)|概述|概要|命令|过程|分析|如下|总结|情况|参数|示例|例子|使用|说明)|使用状況|使用量|状況|状態|確認|メモリー?|プロセス数?|コマンド|実行|測定|計測|ベンチマーク|負荷試験|試験|時点|并发(?:[数量度为是]|请求)+|(?:总?请求|连接|线程|用户|次)[总次]?数|(?:再(?:来|次|测)?)+一?[次下遍]|[为是个次秒]|首先|然后|接着|我们|命令|同時(?:接続)?数|リクエスト数?|接続数|ユーザー|送る|以下|こちら|を?かけ(?:ます|た|てみます)"
    r"|かけ|出力|表示|使用率|スワップ|输出|显示|机器|机型|硬件|环境|設定内容|設定|内容|ファイル|ハードウェア|マシン|スナップショット|環境|まとめ|比較|サマリー?|総合|一覧|の|を|に|で|は|と|が|時|後|前|中"
)
# "Server B", "config 2": named by a letter or a number alone, which is not a repeat's number.
_LETTERED = re.compile(
    r"\b(?i:servers?|machine|host|node|config(?:uration)?|set-?up|variante?|version|option|case|method|benchmark|scenario|experiment"
    r"|konfiguration|wariant|serwer|szenario|сценарий|场景)"
    r"[\s_-]*:?\s?#?(?:[A-Z]|\d+)\b|\b(?i:first|second|third|1st|2nd|other)\s(?i:server|machine|host|config|set-?up|version)\b|(?:パターン|構成|サーバー?|案)\s*[A-Z0-9]"
    r"|\b(?i:run|test|trial)\s[A-HJ-Z]\W*$"
    r"|\b(?:PR|MR|[Bb]uild|[pm]r(?=[-#!/]))\s?[-#!/]?\d+\b|\bv\d+(?:\.\d+)+\b"  # and by what was built
)
# Headings of a repository's template for issues. Only "expected" above one load test and "actual" above another tell these apart.
EXPECTED = re.compile(
    r"\W*(?:(?:(expected)|actual|current|observed)[ -](?:behaviou?r|results?|outcome|output)"
    r"|(?:(预期|期望|預期|期待(?:する|される)?)|实际|實際|当前|現在|実際)の?(?:的)?(?:行为|行為|表现|结果|結果|現象|现象|動作|挙動)"
    r"|(?:(erwartetes)|tatsächliches|aktuelles) (?:verhalten|ergebnis)"
    r"|(?:comportement|résultat|comportamiento|resultado|comportamento) (?:(attendu|esperado)|actuel|observé|obtenu|actual|atual)"
    r"|(?:(ожидаемо|oczekiwan)|фактическо|текуще|rzeczywist|aktualn)\w* (?:поведение|zachowanie|wynik))\W*",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    rf"{EXPECTED.pattern}|\W*(?:(?:(?:steps |how )?to )?reproduc(?:e|tion)(?: steps)?"
    r"(?: the (?:behaviou?r|issue|bug)| it)?|describe the (?:bug|issue|problem)|bug (?:report|description)|impact|evidence"
    r"|additional (?:context|info(?:rmation)?|notes?)|(?:more )?context|what (?:happen(?:ed|s)|did you|you expect)\b.{0,30}"
    r"|(?:your|system|runtime) (?:environment|info(?:rmation)?|setup)|versions?|(?:relevant )?log(?:s| output)|screenshots?"
    r"|motivation|(?:possible|proposed) (?:solution|fix|change)|details?|background|checklist|workarounds?"
    r"|(?:问题|問題|bug|错误|缺陷)(?:描述|说明|详情|背景|现象|の?(?:説明|詳細))|(?:(?:如何)?[复重再]现|復現|再現)(?:步骤|步驟|方法|方式|手順)?|(?:环境|版本|系统|环境和版本)(?:信息|说明)"
    r"|(?:问题|原因)分析|解决(?:方案|办法|方法)|(?:补充|其他|附加)(?:信息|说明)|日志|背景|現象|環境情報"
    r"|(?:problem|fehler)beschreibung|(?:schritte|anleitung) zu[mr] (?:repro\w+|nachstellen)|umgebung"
    r"|description du (?:problème|bug)|étapes (?:pour|de) (?:reproduire|reproduction)|environnement"
    r"|descripci[óo]n del? (?:problema|error|bug)|pass?os para repro\w+|descrição do (?:problema|bug)|entorno|ambiente"
    r"|описание(?: (?:проблемы|бага))?|шаги (?:для )?воспроизведения|как воспроизвести|окружение"
    r"|opis (?:problemu|błędu)|kroki (?:do|aby) \w+|środowisko)\W*",
    re.IGNORECASE,
)
_CI_STEP = re.compile(r"(?:##|::)\[?group(?:\]|::)\s*Run (?P<program>[\w-]+)(?=\s+\S)")  # without a name: its command
_IN_BRACKETS = re.compile(r"\bPR\W*$|\((?i:pr|go|js|ts|v\d)\)\W*$|\([A-Z]\)\W*$")  # "Run benchmark (pr)"
# Names that are too short to be distinguished from the rest of a sentence, unless they stand alone: "## Go", "## go", "v2:".
_BRIEF = re.compile(
    r"(?:go|js|ts|c\+\+|c#) (?:server|app|version|code|service|client|implementation|binary|build)s?\s*+[:：]?\s*|"
    r"\s*#+\s+(?:go|d|r|js|ts|c(?:\+\+|#)?|f#|(?!HW|OS|PC|VM)[A-Z][A-Z\d]|(?![cknprtuw])[a-z]\d{1,2})"
    r"\s*+(?:[:：]|[,(]\s*-?\D{0,12}\d+(?: [a-z]+)?\)?)?\s*|"  # with its load: "## go, 10 connections"
    r"(?:\s*(?:#+|[*-]|\*\*)\s*)?(?:v\d[\w.]*|\d++\.\d++\.\d++[\w.-]*|Go|Bun|C(?:\+\+|#)?|D|F#|R|JS|TS|PHP\s?\d|h[123]c?|[a-z]{2}\d{1,3}"
    r"|(?:this )?PR(?: ?#?\d+)?)(?i:\s(?:servers?|app|version|code|results?|bench\w*|tests?))?(?:\*\*)?\s*+[:：]?\s*"
)
_MIXED = re.compile(r"(?!c\d+k\b)[a-z]{1,12}\d{1,3}(?![km]?s?\b)[a-z][a-z\d]{0,12}", re.IGNORECASE)  # "c3p0", "h2o"
_PATH = re.compile(r"/\w[\w./?=&%-]*")
_METHOD = re.compile(r"\b(?:GET|PUT|POST|HEAD|DELETE|PATCH)\b(?![.!])")
DESCRIBES_HOST = re.compile(
    r"スペック|ハードウェア|ハードウエア|マシン|環境|机器|硬件|环境|hardware|\bspec|machine", re.IGNORECASE
)
LETTER = re.compile(r"[(（]?([A-Za-z])[.)）]?")  # "A", "(b)"
_SENTENCE = re.compile(
    r"。|[．!?？！]$|[.](?:\s|$)|(?:ます|です|ました|でした|ましょう|ません|ください|てみる|てみた|니다)$"
)
_SPEAKS = re.compile(
    r"\b(?:I|[Ww]e|[Ii]ch|[Ww]ir|[Jj]e|[Nn]ous|[Yy]o)\s\w"
    r"|^(?:[Yy]ou|Now you)\s(?:should|can|may|would|get|see)\s|\w\swill\s|\b(?:this|that|it)\s(?:is|was|gives?|gave|got)\b"
    r"|\b(?:has|have|had)\sbeen\b"
    r"|^(?>.*?\w\s).*\b(?:looks? like|looked like|as follows|says|said|gives?|gave|shows?|showed|yield(?:s|ed)|printed|sieht|ergab"
    r"|ergibt|liefert|zeigt|habe|bekomme|erhalte|donne|affiche|muestra|obtengo|wygląda|daje)\b"
    r"|[一-鿿][，；]|[，；][^，；]{0,60}[一-鿿]{3}|我们|(?:如下|一[次下]|所示|ました|ます|です|습니다|했다|때)[:：]?$"
)
_BOLD_LABEL = re.compile(r"\*\*[^*]{2,40}(?:\*\*\s?[:：]|[:：]\*\*)\s+(?=[^.!?]*\.?$)")
_UNITS = re.compile(r"(?<![^\W\d])(?:[kmg]i?b|b|bytes?)(?!\w)", re.IGNORECASE)
_CAPTION = re.compile(  # a heading, a line in bold, one that ends with a colon, or of an amount alone
    r"#|\*\*[^*]+\*\*$|.*[:：][*_ ]*$|[\d.,]+\s?(?:[kmg]i?b|b|bytes?)$", re.IGNORECASE
)
_MAX_NAME_WIDTH = 60
_LEAST_OF_SENTENCE = 5  # words
_MARKED = re.compile(r"\s*(?:\*{3,}|={3,}|>{3,})\s")  # as a heading, in a plain text
# Where something was typed: "terminal 2", "终端二".
_TERMINAL = re.compile(
    r"(?:(?:first |second |another |other )?terminal|ventana|fenêtre|терминале?|终端|窗口|ターミナル|端末)"
    r"\s?#?(?:\d|[一二三四五]|one|two|three)?(?:中|里|上)?",
    re.IGNORECASE,
)
_LEAST_OF_TITLE = 3
_MOST_REPEATS = 4  # numbers in a heading
NUMBER_LAST = re.compile(r"(?<=[^\W\d_] \d)\.$|(?<=[^\W\d_] \d\d)\.$")


@remember_lines
def find_phase(heading: str) -> str:
    """ "before", "during", "after", or "" where the heading has none of them."""
    text = lower(heading).replace("_", " ")  # "before_1.txt"
    if not _ANY_PHASE.search(text):  # most headings
        return ""
    return next(phase for phase, pattern in _PHASE_PATTERNS if pattern.search(text))


@remember_lines
def find_repeat(text: str) -> int | None:
    """The repeat's number in a heading or label, or None."""
    match = REPEAT.search(lower(text))
    if not match:
        return None
    return read_number(match[match.lastgroup or 0])


@remember_lines
def split_repeat(text: str) -> tuple[str, int, bool] | None:
    """ "nginx, run 2" → ("nginx", 2, True); None where neither end has a repeat's number.

    The last is False where only a number stands there, which may as well be a version's: "nginx 2".
    """
    bare = strip_markup(text)
    match = REPEAT.search(lower(bare)) or AGAIN.search(lower(bare))
    if match and _has_many_repeats(lower(bare)):
        return None
    if match and not (re.search(r"\w", bare[: match.start()]) and re.search(r"\w", bare[match.end() :])):
        base = _trim(f"{bare[: match.start()]} {bare[match.end() :]}")
        names = base and (
            _BRIEF.fullmatch(f"## {base}")
            or LETTER.fullmatch(base)
            or find_phase(base) in ("before", "after")
            or not is_generic(base)
        )
        return (base, find_repeat(match[0]) or 2, True) if names else None
    numbered = split_number(bare)
    return (_trim(numbered[0]), numbered[1], False) if numbered and not numbered[2] else None


def _has_many_repeats(text: str) -> bool:
    """Whether more of them stand in a heading than anyone writes: each would be taken off, and the rest be judged."""
    for _ in range(_MOST_REPEATS):
        match = REPEAT.search(text) or AGAIN.search(text)
        if match is None:
            return False
        text = f"{text[: match.start()]} {text[match.end() :]}"
    return True


def _trim(text: str) -> str:
    """Without empty brackets and what stood between a name and its number."""
    bare = re.sub(r"[(（\[]\s*+(?:[,:]\s*+)?[)）\]]", " ", text).strip(" \t,;:：、·•|/–—-_")
    return bare[1:-1] if re.fullmatch(r"[(（][^()（）]*[)）]", bare) else bare


@remember_lines
def is_warm_up(text: str) -> bool:
    """Whether a heading, or a command's comment, says that the run only warms something up."""
    match = _WARM_UP.search(lower(text))
    if match is None or retracts(text) or _WARMED.search(text[: match.start()]) or _NOT_SHOWN.search(text):
        return False
    if re.search(r"\d\s?(?:s|secs?|seconds?|m|min(?:utes)?)\s(?:of\s)?$", text[: match.start()][-16:]):
        return not re.match(
            r"(?:\w|-)*,?\s(?:then|and|\+|discarded|excluded)", text[match.end() :]
        )  # a part of each run
    return not re.match(r"\w*\s?(?:後|済|done|over\b|finished)", text[match.end() :])


@remember_lines
def name_of_heading(text: str) -> str:
    """ "Now the same with php-fpm" → "php-fpm"; "1. Polka" → "Polka"; "nginx, run 2" → "nginx"."""
    name = remove_file_type(text)
    named = _trim(re.sub(_WARM_UP.pattern, " ", name, flags=re.IGNORECASE)) if is_warm_up(name) else name
    bare = " ".join(_DATED.sub("", named).split())
    repeat = split_repeat(bare)
    if repeat is None and _COLD_OR_WARM.search(bare) and find_repeat(bare):
        bare = re.sub(r"[\s,:]*[(（\[][\s,:]*([^()（）\[\]]+)[)）\]]$", r", \1", cut_repeat(bare))
    bare = strip_markup(repeat[0] if repeat and repeat[2] else bare)
    bare = bare[1:-1] if re.fullmatch(r"\[[^][]+\]", bare) else bare
    if letter := LETTER.fullmatch(bare):
        return letter[1]
    if makes_load(bare.partition(" ")[0]) and " -" in bare and (loaded := parse_command(bare).arguments):
        return " ".join(loaded)  # "ab -n 100 php"
    if (told := _RESULT_FOR.match(bare)) and _names_result(told["tool"]) and not is_generic(told["measured"]):
        bare = told["measured"]
    bare = re.sub(
        r"^#?(?:[(（]?\d{1,2}[.)）]|\[\d{1,2}\])\s+(?=\D|\d+\s[^\W\d])|^[(（]?[一二三四五六七八九十]{1,2}[、.）)]\s*(?=\w)",
        "",
        bare,
    )
    bare = NUMBER_LAST.sub("", _IN_CASE.sub("", bare))
    named = _RESULT_OF.sub("", bare)
    bare = named if re.search(r"\d", named) or not is_generic(named) else bare
    bare = bare.removesuffix(".") if heading_level(text) > 1 and not is_sentence(text) else bare
    rest = bare
    while match := _LEAD_IN.match(rest):
        rest = rest[match.end() :]
    while rest != bare and (match := _LEADS_ON.match(rest)):
        rest = rest[match.end() :]
    return rest if len(rest) > 1 and not is_generic(rest) else bare


def _names_result(text: str) -> bool:
    """Whether a text is a load tool's name, with or without a word for what it printed: "ab", "Siege results"."""
    return makes_load(text.lower()) or is_generic(text) and _RESULT.search(text) is not None


def remove_file_type(text: str) -> str:
    """A label without markup and without what tells the type of the file that it names: "nginx.log" → "nginx"."""
    return _FILE_TYPE.sub("", strip_markup(text))


def names_software(text: str) -> bool:
    """Whether a heading has the name of a server, a language or a framework."""
    words = [word.partition("-")[0].removesuffix(".js") for word in WORD.findall(text)]
    return bool(_BRIEF.fullmatch(text)) or any(map(SOFTWARE.fullmatch, words))


@cache
def _build_generic_pattern() -> re.Pattern[str]:
    monitors = [re.escape(kind) for kind, form in formats().items() if form.semantics is None]
    words = [*_GENERIC_WORDS.split(), *monitors]
    return re.compile(rf"\b(?:{'|'.join(words)})\b|{_GENERIC_CJK}")


_KEPT_IN = re.compile(r"\d\w* ?\( ?(?:in )?(?:memory|mem|ram|disk) ?\)\s*$", re.IGNORECASE)  # "1 min c10 (memory)"


@remember_lines
def is_generic(text: str) -> bool:
    """Whether a heading names no config: it has a repeat, a phase, or only says that something was measured."""
    step = _CI_STEP.match(text)
    if _TERMINAL.fullmatch(strip_markup(text)) or _TEMPLATE.fullmatch(text) or (step and makes_load(step["program"])):
        return True
    repeat = split_repeat(text)
    if (
        (repeat and repeat[2] and _BRIEF.fullmatch(repeat[0]))
        or _LETTERED.search(text)
        or _IN_BRACKETS.search(text)
        or _BRIEF.fullmatch(f"## {strip_markup(text)}" if is_file(text) or is_banner(text) else text)
        or _PATH.fullmatch(strip_markup(text))
        or _MIXED.fullmatch(strip_markup(text))
        or _KEPT_IN.search(text)
        or makes_load(strip_markup(text).lower())
    ):
        return False
    bare = lower(_METHOD.sub("verb", strip_markup(text) if find_repeat(text) is None else remove_file_type(text)))
    bare = _WARM_UP.sub(" ", AGAIN.sub(" ", REPEAT.sub(" ", bare)))
    bare = _build_generic_pattern().sub(" ", DATE.sub(" ", bare))
    if _ANY_PHASE.search(bare.replace("_", " ")):
        bare = bare.replace("_", " ")
        for _, pattern in _PHASE_PATTERNS:
            bare = pattern.sub(" ", bare)
    left = bare.strip("\t -_:.()（）")
    least = 2 if heading_level(text) > 1 else 3
    return width(re.sub(r"[\W\d_]+", "", bare)) < least or makes_load(left)  # "ab output"


@remember_lines
def is_short(text: str) -> bool:
    """Whether a line can be a name. A setting shown as code and a heading of a section may be longer than other words."""
    is_marked = is_code(text) or heading_level(text) > 1
    return width(strip_markup(text)) <= (2 * _MAX_NAME_WIDTH if is_marked else _MAX_NAME_WIDTH)


@remember_lines
def is_sentence(text: str) -> bool:
    """Whether a line is more than a name."""
    bare = DONE.sub("", re.sub(r"^[\s#]*[(（]?\d{1,2}[.)）]\s+", "", text).rstrip(" -–—").lstrip())
    bare = bare.removesuffix(".") if _BOLD_LABEL.match(bare) else bare  # "**nginx**: one worker, no cache."
    if (
        (heading_level(text) > 1 or _MARKED.match(text))
        and bare.count(" ") < _LEAST_OF_SENTENCE
        and not _SPEAKS.search(bare)
    ):
        bare = bare.removesuffix(".")  # "## Go implementation.", "*** No cache."
    if bare.count(" ") < _LEAST_OF_TITLE and not _SPEAKS.search(bare):
        bare = NUMBER_LAST.sub("", bare)  # "DB sleep 2."
    return not is_short(text) or bool(
        not LETTER.fullmatch(bare) and _SENTENCE.search(bare) and _SENTENCE.search(REPEAT.sub(" ", lower(bare)))
    )


def drop_repeat(text: str) -> str:
    repeat = split_repeat(text)
    return repeat[0] if repeat else strip_markup(text)


def cut_repeat(text: str) -> str:
    """A heading without the number of a repeat, also where the rest names nothing: "1 KB, run 2" → "1 KB"."""
    bare = strip_markup(text)
    match = REPEAT.search(lower(bare))
    return _trim(f"{bare[: match.start()]} {bare[match.end() :]}") if match else bare


def only_counts(text: str) -> bool:
    """Whether a heading only has the number of a repeat, or its day: "### Run 2", "## Monday"."""
    is_letter = LETTER.fullmatch(drop_repeat(text))
    is_repeat = find_repeat(text) is not None and is_generic(text) and not (find_phase(text) or is_letter)
    return is_repeat or ONLY_DAY.fullmatch(strip_markup(text)) is not None


def speaks(text: str) -> bool:
    """Whether somebody says something in a line that may be short: "I get this with Apache"."""
    return bool(_SPEAKS.search(text))


def names_amount(text: str) -> bool:
    """Whether a heading has a number that is neither a repeat's nor one of the load: "2 processes", "memory 512 MB"."""
    bare = strip_markup(text).removeprefix(find_numbering(text))
    is_loads = re.search(
        rf"(?i:\d\s*{LOADED}\b|\d{LOADED_CJK}|\b(?:concurren\w*|users?|clients?|connections?|requests?|seconds?)\b)",
        bare,
    )
    return bool(re.search(r"\d", bare)) and not (is_loads or find_repeat(bare) or DATE.search(bare) or find_phase(bare))


def find_amounts(texts: Iterable[str]) -> set[str]:
    """Those of these lines that only tell an amount, where others tell another one: "1 KB:" and "1 MB:" above names."""
    amounts = {
        text: _UNITS.sub("unit", re.sub(r"[\d.,]+", "#", strip_markup(text).rstrip(": ")))
        for text in texts
        if _CAPTION.match(text) and is_short(text) and is_generic(text) and names_amount(text) and not is_warm_up(text)
    }
    n_alike = Counter(amounts.values())
    return {text for text, base in amounts.items() if n_alike[base] > 1}
