"""The vocabulary of headings: which repeat, before or after the load, or only that something was measured.

Pages in several languages are pasted; each list has the words that were met. A missing word costs a wrong guess, which can
be corrected on the preview page.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from parsers.catalogue import formats
from parsers.transcript import width

# Order matters: "just after the start" is before the load, although it says "after".
_PHASES = (
    ("before", r"起動直後|起動後|起動時|無負荷|通常時|just started|after (?:re)?start|at rest|\bidle\b"),
    (
        "during",
        r"スナップショット|snapshot|実行中|負荷中|測定中|の時の|during|while|under load|\bpodczas|w trakcie|während"
        r"|pendant|во время|под нагрузкой",
    ),
    (
        "before",
        r"前(?!回|者)|\bbefore\b|\bprior\b|\bprzed\b|\bvor(?:her)?\b|\bavant\b|\bantes\b|\bдо теста\b|\bперед\b",
    ),
    (
        "after",
        r"後(?!者|日)|后(?!端|台)|終了|\bafter|afterwards|finished|\bnach(?:her)?\b|\bpo\b|\baprès\b|\bdespués\b|\bпосле\b"
        r"|at the end",
    ),
    ("during", r"(?<=[負実測])荷?中|中の|中に"),
)
_PHASE_PATTERNS = [(phase, re.compile(pattern, re.IGNORECASE)) for phase, pattern in _PHASES]
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3}
_CHINESE = {sign: n for n, sign in enumerate("一二三四五六七八九十", start=1)}
_REPEAT = re.compile(
    r"(?P<ja>\d+)\s*(?:回目|회차)|第\s*(?:(?P<dai>\d+)|(?P<zh>[一二三四五六七八九十]))\s*[回次遍轮輪]"
    r"|\b(?:run|try|attempt|round|pass|iteration|repeat|test|trial|take|próba|przebieg|(?:durch)?lauf|essai|prueba|intento"
    r"|запуск|попытка|прогон)\s*(?:no\.?\s*|#\s*)?(?P<en>\d+)\b"
    r"|\b(?P<nth>first|second|third|fourth|fifth|1st|2nd|3rd)(?:\s+(?:run|try|attempt|round|pass|time|test))?\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"続けて|もう一度|もう1回|\bagain\b|once more|\bone more\b|jeszcze raz|noch einmal", re.IGNORECASE)
# Words that say that something was measured, not of what. The names of monitors are generic, too.
_GENERIC_WORDS = """
    apache\\s*bench(?:mark)? results? outputs? bench(?:mark(?:s|ing)?)? load(?:ed)?
    tests? memory cpu usage process(?:es)? commands? run(?:ning|s)? numbers? figures? state machine hardware hosts? server
    conf(?:ig(?:uration)?)? settings? virtual\\s*host summary overview conclusions? short\\sversion requests? comparison
    the of for and with a says? said what it its this that is was ran here are now then same in on to we get got from
    under per each tl;?dr
    ergebnis(?:se)? zusammenfassung messung(?:en)? überblick speicher prozesse auslastung dem den der die das des beim mit und
    wyniki? pamięć obciążenie teś(?:cie|ty) testu testem testami podsumowanie procesy pomiar(?:y|em|ze)? tym oraz
    résultats? mémoire resultados? memoria
    set-?up install(?:ation|ing)? usage build(?:ing)? requirements? prerequisites? descriptions? introduction notes? examples?
    (?:concurrent|simultaneous|parallel) users? connections? concurrency duration seconds? secs? minutes? mins?
"""
_GENERIC_CJK = (
    r"結果|使用状況|使用量|状況|状態|確認|メモリー?|プロセス数?|コマンド|実行|測定|計測|ベンチマーク|負荷試験|試験|時点|を?かけ(?:ます|た|てみます)"
    r"|かけ|設定内容|設定|内容|ファイル|ハードウェア|スナップショット|環境|まとめ|比較|サマリー?|総合|一覧|の|を|に|で|は|と|が|時|後|前|中"
)
# "Server B", "config 2": named by a letter or a number alone, which is not a repeat's number.
_LETTERED = re.compile(
    r"\b(?i:servers?|machine|host|node|config(?:uration)?|set-?up|variante?|version|option|case|benchmark|scenario|experiment"
    r"|konfiguration|wariant|serwer|szenario|сценарий|场景)"
    r"\s*#?(?:[A-Z]|\d+)\b|\b(?i:first|second|third|1st|2nd|other)\s(?i:server|machine|host|config|set-?up|version)\b|(?:パターン|構成|サーバー?|案)\s*[A-Z0-9]"
)
# Names that are too short to be distinguished from the rest of a sentence, unless they stand alone: "## Go", "v2:".
_BRIEF = re.compile(
    r"(?:\s*(?:#+|[*-]|\*\*)\s*)?(?:v\d[\w.]*|Go|Bun|C(?:\+\+|#)?|D|F#|R|JS|TS|PHP\s?\d|h[123]c?"
    r"|(?:this )?PR(?: ?#?\d+)?)(?:\*\*)?\s*[:：]?\s*"
)
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|märz|mai|okt|dez)[a-zéäö]*\.?"
_DATE = re.compile(
    rf"\d{{4}}[-/.年]\s?\d{{1,2}}[-/.月]\s?\d{{1,2}}日?|\d{{1,2}}[./]\s?\d{{1,2}}[./]\s?\d{{4}}"
    rf"|\b{_MONTHS}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d|\b\d{{1,2}}\.?\s{_MONTHS},?\s(?:19|20)\d\d",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    r"^(?:posted|published|written|updated|submitted|filed|last\s(?:edit|modifi)ed|erstellt|geschrieben|veröffentlicht|dodano|opublikowan[eoy]"
    r"|投稿|作成|更新|公開)|^[\W\d]*(?:by|von|przez|par|autor)\b",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"^(?:from|to|cc|date|message-id|reply-to|von|an|datum|od|do|data|in-reply-to|list-\w+|x-[\w-]+"
    # and a page's header for a site generator
    r"|layout|permalink|categor(?:y|ies)|tags?|keywords|slug|banner|draft|author|comments|published|description|lang)\s?:\s",
    re.IGNORECASE,
)
SUBJECT = re.compile(  # the title of a mail or a page
    r"^(?:subject|title|betreff|titel|temat|tytuł|título|titre|件名|タイトル)\s?:\s*(?:(?:re|aw|fwd?|odp)\s?:\s*)*"
    r"(?P<subject>.+)",
    re.IGNORECASE,
)
_NAVIGATION = re.compile(
    r"[|»›]\s+\S.*[|»›]\s|^(?:[«←‹]|older posts?\b|newer posts?\b|leave a comment|share this|\d+ comments?$)|[»→›]$"
    r"|^(?:!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])[\s|]*)+$|^\[!\[",  # Markdown's links, and pictures
    re.I,
)
_COMMAND = re.compile(
    r"^(?:#\s)?(?:\+\s|\./|run\s`?\.{0,2}/|(?:go|cargo|deno|bun|dotnet)\s(?:run|build|install|test|bench)\b|(?:npm|npx|yarn|pnpm|pip3?|gem|bundle|brew"
    r"|git|docker|docker-compose|kubectl|mvn)\s[a-z][\w:-]*(?:\s|$)|(?:node|php|ruby|perl|python[23]?)\s(?:-\w+\s)?\S+\.\w+$|(?:cp|mv|rm|mkdir|chmod|tar)\s\S+|(?:g?unicorn|uvicorn|puma)\s-"
    r"|(?:sudo|service|systemctl|apachectl|export|echo|curl|wget|apt(?:-get)?|yum|make|cd|sed|vim?|nano|ssh|kill(?:all)?)\s+\S)"
    r"|^[a-z][\w./]*\s(?:.*\s)?-{1,2}\w+\s+\S+\s.*(?:\s-{1,2}\w|://)|&&|://\S*$|\w\s*=\s*[\w.]+\(|^[A-Z]\w+\s+(?:\S+\s+)?\"[^\"]*\"$"
)
_PROGRESS = re.compile(  # what load tools print while they run
    r"^(?:execution|script|output|web dashboard):\s|^scenarios:\s\(|^\*\s\S+:\s.*\b(?:VUs|iterations)\b|^running \(\d|^[✓✗↳]\s"
    r"|^\S+\s+[✓✗]?\s*\[[\s\d%=>-]+\]|^(?:INFO|WARN|ERRO|DEBU)\[\d+\]|source=console$|^[\W_]*(?:Grafana|io)[\W_]*$"
    r"|^New configuration template added|^Run \w+ -C to"
    r"|^Creat(?:ing summariser|ed the tree)|^Starting (?:standalone|the) test|^Waiting for possible"
)
_MARKUP = re.compile(r"^[\s#*=・◆◇■□●○▪•>|_-]+|[\s:：*_=|]+$")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_CODE = re.compile(r"`\s*([^`]+?)\s*`")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\([^)\s]*\)")
_ESCAPED = re.compile(r"\\([_*#+.|<>()\[\]-])")
_SENTENCE = re.compile(r"[。．!?？！]$|[.](?:\s|$)|ます$|です$|ました$")
_NUMBERING = re.compile(r"^[(（]?(\d+(?:[.．-]\d+)*)[.)）]?(?=\s|[^\d\s.])")
_MAX_NAME_WIDTH = 60


def find_phase(heading: str) -> str:
    """ "before", "during", "after", or "" where the heading has none of them."""
    return next((phase for phase, pattern in _PHASE_PATTERNS if pattern.search(heading)), "")


def find_repeat(text: str) -> int | None:
    """The repeat's number in a heading or label, or None."""
    found = _REPEAT.search(text)
    if not found:
        return None
    digits = found["ja"] or found["dai"] or found["en"]
    return int(digits) if digits else _CHINESE.get(found["zh"]) or _ORDINALS[found["nth"].lower()]


@lru_cache(maxsize=512)
def strip_markup(text: str) -> str:
    """A heading without list marks, Markdown and the final colon."""
    bare = _MARKUP.sub("", _EMPHASIS.sub(r"\2", _CODE.sub(r"\1", text))).strip()
    return _ESCAPED.sub(r"\1", _LINK.sub(r"\1", bare)) if "\\" in bare or "](" in bare else bare


@cache
def _generic_pattern() -> re.Pattern[str]:
    monitors = [re.escape(kind) for kind, form in formats().items() if form.semantics is None]
    words = [*_GENERIC_WORDS.split(), *monitors]
    return re.compile(rf"\b(?:{'|'.join(words)})\b|{_GENERIC_CJK}", re.IGNORECASE)


@lru_cache(maxsize=512)  # for one heading this is called several times
def is_generic(text: str) -> bool:
    """Whether a heading names no config: it has a repeat, a phase, or only says that something was measured."""
    if _LETTERED.search(text) or _BRIEF.fullmatch(text):
        return False
    bare = _generic_pattern().sub(" ", _DATE.sub(" ", _AGAIN.sub(" ", _REPEAT.sub(" ", strip_markup(text)))))
    for _, pattern in _PHASE_PATTERNS:
        bare = pattern.sub(" ", bare)
    return len(re.sub(r"[\W\d_]+", "", bare)) < 3


def is_aside(text: str) -> bool:
    """Whether a line is not of the text but of the page (a by-line, a mail's header, a row of links), or is a command."""
    line = text.strip()
    dated = _DATE.search(line)
    if dated and (
        _BYLINE.search(line) or _BYLINE.search(line[dated.end() :].lstrip(" ,")) or line.startswith("投稿者")
    ):
        return True
    return any(pattern.search(line) for pattern in (_MAIL, SUBJECT, _NAVIGATION, _COMMAND, _PROGRESS))


def is_short(text: str) -> bool:
    """Whether a line can be a name. A setting shown as code may be longer than words."""
    return width(strip_markup(text)) <= (2 * _MAX_NAME_WIDTH if is_code(text) else _MAX_NAME_WIDTH)


def is_code(text: str) -> bool:
    """Whether a line is only code, as Markdown marks it: `worker_processes 4;`."""
    return bool(_CODE.fullmatch(text.strip()))


def is_sentence(text: str) -> bool:
    return bool(_SENTENCE.search(text.strip())) or not is_short(text)


def find_numbering(text: str) -> str:
    """ "(1.2) worker" → "1.2"; "" where there is none. A version is none."""
    found = _NUMBERING.match(strip_markup(text))
    return (
        found[1]
        if found and (text.lstrip().startswith(("(", "（")) or found[0].endswith((".", ")")) or "." in found[1])
        else ""
    )


def heading_level(text: str) -> int:
    """Depth of a Markdown heading, 0 where it is none."""
    found = re.match(r"\s*(#{1,6})\s+\S", text)
    return len(found[1]) if found else 0
