"""The name of an experiment: the title of the text, what it is about, or the names of its configs.

And lines that name nothing: of the page or the mail that a text was copied from, of its tools, commands and prompts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from parsers.blocks import Block
from parsers.records import Timings
from parsers.transcript import width

from .draft import MAX_NAME, DraftConfig
from .heading_words import DATE, heading_level, is_generic, is_warm_up, strip_markup

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
_HTTP_HEADER = re.compile(
    r"^(?:[<>*]\s)?(?:HTTP/\d(?:\.\d)?\s\d{3}\b|(?:date|content-[\w-]+|x-[\w-]+|etag|last-modified|transfer-encoding|expires|vary|age|via"
    r"|set-cookie|location|accept(?:-ranges)?|strict-transport-security|[\w-]*request-id|cf-[\w-]+|alt-svc|access-control-[\w-]+|pragma"
    r"|user-agent|keep-alive|referrer-policy|report-to|nel|traceparent)\s?:\s\S)",
    re.IGNORECASE,
)
_NAVIGATION = re.compile(
    r"[|»›]\s+\S.*[|»›]\s|^(?:[«←‹]|older posts?\b|newer posts?\b|leave a comment|share this|\d+ comments?$)|[»→›]$"
    r"|^(?:!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])[\s|]*)+$|^\[!\[",  # Markdown's links, and pictures
    re.I,
)
_COMMAND = re.compile(
    r"^(?:#\s)?(?:\+\s|\./|run\s`?\.{0,2}/|(?:go|cargo|deno|bun|dotnet)\s(?:run|build|install|test|bench)\b|(?:npm|npx|yarn|pnpm|pip3?|gem|bundle|brew"
    r"|git|docker|docker-compose|kubectl|mvn)\s[a-z][\w:-]*(?:\s|$)|(?:node|php|ruby|perl|python[23]?)\s(?:-\w+\s)?\S+\.[a-z]\w*$|(?:cp|mv|rm|mkdir|chmod|tar)\s\S+|(?:g?unicorn|uvicorn|puma)\s-"
    r"|(?:sudo|service|systemctl|apachectl|export|echo|curl|wget|apt(?:-get)?|yum|make|cd|sed|vim?|nano|ssh|kill(?:all)?)\s+\S)"
    r"|^[a-z][\w./]*\s(?:.*\s)?-{1,2}\w+\s+\S+\s.*(?:\s-{1,2}\w|://)|&&|://\S*$|\w\s*=\s*[\w.]+\(|^[A-Z]\w+\s+(?:\S+\s+)?\"[^\"]*\"$"
)
_PROGRESS = re.compile(  # what load tools print while they run
    r"^(?:execution|script|output|web dashboard):\s|^scenarios:\s\(|^\*\s\S+:\s.*\b(?:VUs|iterations)\b|^running \(\d|^[✓✗↳]\s"
    r"|^\S+\s+[✓✗]?\s*\[[\s\d%=>-]+\]|^(?:INFO|WARN|ERRO|DEBU)\[\d+\]|source=console$|^[\W_]*(?:Grafana|io)[\W_]*$"
    r"|^New configuration template added|^\W?\d{4}-\d\d-\d\d[T ][\d:.,]{5,}.*\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG)\b"
    r"|^(?:(?:ALTER|CREATE|DROP) [A-Z ]+|SET|RELOAD|VACUUM|ANALYZE|Query OK,.*|OK)$|^Run \w+ -C to"
    # and scripts: "[07:44:57] ready"
    r"|^\[[\d:., T-]{8,}\]\s(?:.*\.\.\.$|(?:ready|done|ok|started|finished|waiting|sleeping|stopped)\b)"
    # what a shell and its scripts say between two tools
    r"|^(?:real|user|sys)\s+(?:\d+m)?[\d.,]+s?$|\b[\d.:]+s?\s?(?:user|elapsed|total)\b.*|^(?i:stopp|kill|shutt|clean)(?:ing|ed)\b"
    r"|^Creat(?:ing summariser|ed the tree)|^Starting (?:standalone|the) test|^Waiting for possible"
)
_PROMPT = re.compile(  # what no heading has, whatever the shell
    r"^[^\s#>*-]?.{0,40}[❯➜λ⟩»]\s|^[\w.-]+@[\w.-]+[\s:\]]|^\[\w+@[^\]]*\]|^[\w.@~/:-]*[~/:@][\w.@~/:-]*\s?[$#%>](?:\s|$)"
    r"|^>>>\s|^:;\s|^[A-Z]:\\"
)
_COMMENTER = re.compile(  # above a comment of a forum or a repository
    r"\b\d+ (?:second|minute|hour|day|week|month|year)s? ago\b|\b(?:vor|hace|il y a|há) \d+ \w+|\d+\s?(?:日|時間|分|か月|年)前"
    r"|^\S+ (?:commented|wrote|replied|answered|said|asked|schrieb|a écrit|escribió|napisał\w*)\b.{0,40}[:：]?$"
    r"|^(?:on|am|le|el|dnia)\s.{6,80}(?:wrote|schrieb|a écrit|escribió|napisał).{0,40}:$|\bmin(?:ute)? read\b"
    r"|^\S.{0,30}\s+\[?\d{1,2}:\d\d(?:\s?[AP]M)?\]?$"  # of a chat
    r"|^(?:hi|hello|hey|dear|hallo|guten|servus|moin|bonjour|salut|bonsoir|hola|buen[oa]s|ol[aá]|ciao|cześć|witam|dzień dobry"
    r"|привет|здравствуйте|thanks|thank you|cheers|regards|best|danke|grüße|viele|merci|gracias|pozdrawiam)\b[^,!:]{0,30}[,!]+$"
    r"|^\d+ (?:points?|likes?|upvotes?)\b|^[\w.@-]+\s[·•]\s.*(?:comment|repl|edit|\d{4})",
    re.IGNORECASE,
)
_FIGURE = re.compile(  # what load tools print: a label and a figure
    r"^(?!with(?:out)?\s|using\s)"
    r"(?:[\w/%() -]*\b)?(?:rate|requests?(?:/sec)?|transactions?|availability|latency|throughput|elapsed(?: time)?|duration|total"
    r"|average|mean|max|min|failed|successful|transfer(?:red)?|bytes|response time|errors?)[\w/%() -]*[:=]"
    r"\s*(?:[<>~]?-?\d[\d.,]*\s?\S{0,12}(?:\s.{0,20})?)?$",
    re.IGNORECASE,
)
_CACHED = 20_000  # lines: each is asked for several times, all of a text in turn


@lru_cache(maxsize=_CACHED)
def is_aside(text: str) -> bool:
    """Whether a line is not of the text but of the page (a by-line, a mail's header, a row of links), or is a command."""
    line = text.strip()
    dated = DATE.search(line)
    if dated and (
        _BYLINE.search(line) or _BYLINE.search(line[dated.end() :].lstrip(" ,")) or line.startswith("投稿者")
    ):
        return True
    return any(
        pattern.search(line)
        for pattern in (_MAIL, _HTTP_HEADER, SUBJECT, _NAVIGATION, _COMMAND, _PROGRESS, _PROMPT, _COMMENTER, _FIGURE)
    )


_COMPARES = re.compile(
    r"比較|負荷|ベンチマーク|性能|検証|\bvs\.?\b|\bversus\b|compar|benchmark|performance|\bload test|porówn|wydajno|speed"
    r"|vergleich",
    re.IGNORECASE,
)
_DESCRIBES_HOST = re.compile(r"スペック|ハードウェア|ハードウエア|環境|hardware|\bspec|machine", re.IGNORECASE)
_SENTENCE_ENDS = (".", "。", "!", "！", "ます", "です", "ました", ",", "、")
_LIST_MARKS = ("・", "•", "- ", "* ")
_MAX_TITLE_WIDTH = 140
_N_TITLE_LINES = 15  # among which a title is looked for
_MAX_PREAMBLE = 8  # in a longer one the first line need not be the title


def name_experiment(
    blocks: Sequence[Block],
    part: range,
    configs: Sequence[DraftConfig],
    headings: Iterable[str],
    *,
    is_first: bool,
) -> str:
    """The title of the text, or else the names of the configs.

    part: numbers of the experiment's blocks; headings: others that name configs; is_first: of the experiments in the text.
    """
    groups = {config.group for config in configs if config.group}
    taken = {*headings, *(config.name for config in configs), *(groups if len(groups) > 1 else ())}
    trail = [text for _, text in blocks[part.start].trail] if part else []
    if trail and (name := strip_markup(_find_title(trail, taken, groups, is_first))[:MAX_NAME]):
        return name
    names = [config.name for config in configs]
    if len(names) > 2:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"[:MAX_NAME]
    return " and ".join(names)[:MAX_NAME] or "Monitors"


def _find_title(trail: Sequence[str], taken: Collection[str], groups: Collection[str], is_first: bool) -> str:
    subject = next((match["subject"] for text in trail if (match := SUBJECT.search(text))), None)
    if subject and is_first:
        return subject.strip("\"'")
    lines = [text for text in trail if not is_aside(text) and not is_warm_up(text)]
    phrases = [text for text in lines if not text.rstrip().endswith(_SENTENCE_ENDS)]
    titles = [
        text for text in phrases if width(text) <= _MAX_TITLE_WIDTH and strip_markup(text) not in {*taken, *groups}
    ]
    if not is_first:
        return titles[-1] if titles and len(trail) <= 3 and not is_generic(titles[-1]) else ""
    top = lines[0] if lines else ""
    names_all = top in phrases and not is_generic(top) and strip_markup(top) not in taken
    if names_all and top == trail[0] and heading_level(top) == 1:
        return top
    compares = (
        t for t in titles if t in lines[:_N_TITLE_LINES] and _COMPARES.search(t) and not _DESCRIBES_HOST.search(t)
    )
    if chosen := next(compares, ""):
        return chosen
    is_preamble = len(lines) <= _MAX_PREAMBLE and not top.startswith(_LIST_MARKS)
    return top if is_preamble and top in titles and not is_generic(top) else ""


def name_timings(block: Block) -> str:
    """The name of an experiment of which the text has nothing but the times of single requests."""
    tool = next((record.tool for record in block.records if isinstance(record, Timings)), "")
    return f"What each request of {tool} took" if tool else ""
