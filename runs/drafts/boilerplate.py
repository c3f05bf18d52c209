"""Lines of a text that name nothing: of the page or the mail that it was copied from, of its tools, commands and prompts; and
the markup around those that do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import PurePosixPath

from parsers.patterns import compile_words, lower, remember_lines, split_alternatives
from parsers.transcript import FILE_HEAD

Line = tuple[int, str]  # number, text
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|märz|mai|okt|dez)[a-zéäö]*\.?"
DATE = re.compile(
    rf"\d{{4}}[-/.年]\s?\d{{1,2}}[-/.月]\s?\d{{1,2}}日?|\d{{1,2}}[./]\s?\d{{1,2}}[./]\s?\d{{4}}"
    rf"|\b{_MONTHS}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d|\b\d{{1,2}}\.?\s{_MONTHS},?\s(?:19|20)\d\d",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    r"^(?:posted|published|written|updated|submitted|filed|last\s(?:edit|modifi)ed|erstellt|geschrieben|veröffentlicht"
    r"|dodano|opublikowan[eoy]"
    r"|投稿|作成|更新|公開)|^[\W\d]*(?:by|von|przez|par|autor)\b",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"^(?:from|to|cc|date|message-id|reply-to|von|an|datum|od|do|data|in-reply-to|list-\w+|x-[\w-]+"
    # and a page's header for a site generator, where its frame is lost
    r"|layout|permalink|categor(?:y|ies)|tags?|keywords|slug|author|published|description)\s?:\s",
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
    # a row of links; a heading's parts may stand between such signs, too
    r"^(?!#|.*\d\s*k?\s*(?:req|con[cn]|client|user|thread|worker|core|v?cpu|[gm]i?b\b)).*[|»›]\s+\S.*[|»›]\s"
    r"|^\|[^|]+\|.|^(?:[«←‹]|older posts?\b|newer posts?\b|leave a comment|share this|\d+ comments?$)|[»→›]$"
    r"|^(?:!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])[\s|]*)+$|^\[!\[",  # Markdown's links, and pictures
    re.I,
)
_COMMAND = re.compile(
    # options that are explained, and pipes
    r"^[a-z][\w./-]*\s.*\|\s*(?:jq|e?grep|awk|sed|head|tail|sort|tee|wc|cut|column|less|xargs)\b|"
    r"^#\s+-{1,2}[A-Za-z]\b|^\W{0,4}-{1,2}[A-Za-z][\w-]*`?\s*(?:[=:：]|is\b|means|stands|specif|表示)|^[a-z] = "
    r"|^(?:#\s)?(?:\+\s(?!\w+=\S*$|\+)|\./|run\s`?\.{0,2}/|(?:go|cargo|deno|bun|dotnet)\s(?:run|build|install|test|bench)\b|(?:npm|npx|yarn|pnpm|pip3?|gem|bundle|brew"
    r"|git|docker|docker-compose|kubectl|mvn)\s[a-z][\w:-]*(?:\s|$)|(?:node|php|ruby|perl|python[23]?)\s(?:-\w+\s)?\S+\.[a-z]\w*$|(?:cp|mv|rm|mkdir|chmod|tar)\s\S+|(?:g?unicorn|uvicorn|puma)\s-"
    r"|(?:sudo|service|systemctl|apachectl|export|echo|curl|wget|apt(?:-get)?|yum|make|cd|sed|vim?|nano|ssh|kill(?:all)?|ulimit|sysctl)\s+\S)"
    r"|\s\\$|^-{1,2}[A-Za-z][\w:+=.-]+$|^[A-Z_][A-Z\d_]*=\S*$"  # a command goes on, an option alone, a variable
    r"|^[A-Za-z_]\w*=(?:\$[({]|`)"
    r"|^\[(?:Unit|Service|Install)\]$|^# /(?:etc|run|lib|usr/lib)/systemd/\S+$"  # a service file of systemd
    r"|^(?:WantedBy|Description|Documentation|After|User|Group|(?:Exec|Limit|Private|Protect|Restart|Timeout|Ambient)[A-Z]\w*)=\S"
    r"|^[a-z][\w.-]{1,20}\s(?:install|uninstall|upgrade)\s\S"  # of any system's packages
    r"|^#\s?(?:[a-z_]\w*\([\w., ]*\)|(?:from \S+ )?import .+|(?i:install|uninstall|download|clone)\s.+)$"
    r"|^\.\w+\(|^[A-Za-z_]\w*(?:\.\w+)+\(.*\)\s*(?:#.*)?$"
    r"|^[A-Za-z_][\w.]*\((?:[^()]*\(.*\)|.*\)(?:\.\w+\(|;)).*$"  # a line of a program
    r"|^[a-z][\w./]*\s(?:.*\s)?-{1,2}\w+\s+\S+\s.*(?:\s-{1,2}\w|://)|&&|://\S*$|\w\s*=\s*[\w.]+\(|^[A-Z]\w+\s+(?:\S+\s+)?\"[^\"]*\"$"
)
_PROGRESS = re.compile(  # what load tools print while they run
    r"^(?:execution|script|output|web dashboard):\s|^scenarios:\s\(|^\*\s\S+:\s.*\b(?:VUs|iterations)\b|^running \(\d|^[✓✗↳]\s"
    r"|^\S+\s+(?:[^\w\s\[\]]{1,3}\s*)?\[[\s\d%=>-]+\]|^(?:INFO|WARN(?:ING)?|ERROR?|DEBUG?)(?:\[\d+\]|:\s)|source=console$|^[\W_]*(?:Grafana|io)[\W_]*$"
    r"|^New configuration template added|^\W?\d{4}-\d\d-\d\d[T ][\d:.,]{5}.*\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG)\b"
    r"|^(?:(?:ALTER|CREATE|DROP) [A-Z ]+|SET|RELOAD|VACUUM|ANALYZE|Query OK,.*|OK)$|^Run \w+ -C to"
    # what Redis and Go's `log` write
    r"|^\d+:[A-Z] \d\d [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d:\d\d\.\d+ [-#*.] "
    r"|^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?\s\S"
    # and scripts: "[07:44:57] ready"
    r"|^\[[\d:., T-]{8,}\]\s(?:.*\.\.\.$|(?:ready|done|ok|started|finished|waiting|sleeping|stopped)\b)"
    r"|^\W*(?i:sleeping(?: for)?) \d[\d.]*\s?(?i:m?s|sec\w*|min\w*)?\W*$|^(?=.*?\b(?i:waiting|sleeping)\b).*(?:\.\.\.|…)$"
    # what a shell and its scripts say between two tools
    r"|^(?:real|user|sys)\s+(?:\d+m)?[\d.,]+s?$|\b[\d.:]{1,20}s?\s?(?:user|elapsed|total)\b.*|^(?i:stopp|kill|shutt|clean)(?:ing|ed)\b"
    r"|^(?i:starting|started|ready|done|waiting|listening (?:on|at)\b.*|server (?:is )?(?:running|listening|started|up)\b.*)[.!…]*$"
    # jobs of a shell, ids of containers, git, a pager
    r"|^\[\d+\]\s*+(?:[+-]\s*+)?(?:\d+|(?i:done|running|terminated|killed|stopped|exit|suspended|interrupt))\b|^(?![0-9a-f]{40}$)[0-9a-f]{10,64}$|\bpid[\s:=#]{1,3}\d+\W*$"
    r"|^If you don't see a command prompt"
    # where a cluster runs a client: a pod by the name that it was given there
    r"|^[a-z][\w-]* +\d+/\d+(?: +\d+){1,3} +(?:\d+[smhdy]){1,2}$"  # a row of kubectl
    r"|^Pod: [\w.-]+-[a-z\d]{8,10}-[a-z\d]{5}$|^Namespace: [a-z]{1,20}-?\d{1,4}$|^Label Selector: \S+$"
    r"|^(?:Switched to (?:a new )?branch|Already on '|Your branch is|HEAD is now at|Previous HEAD position"
    r"|Note: (?:switching|checking out)|Already up to date|Fast-forward|Updating \w{6,}\.\."
    r"|Dropped refs/stash|Saved working directory)"
    r"|^(?:less|more|most|man|q|:q!?)$|\(END\)$|^--\s?More\s?--|^:{6,}$"
    # and what starts them: a CI service, a playbook, containers, Windows, a login
    r"|^\[Pipeline\]\s(?!\{ \()|^(?:Started by|Running on|Finished:|Attaching to)\s|^(?:TASK|PLAY|RUNNING HANDLER)\b.*\*{3}"
    r"|^(?:ok|changed|skipping|fatal|included): \[?"
    r"|^\W*(?:Container|Network|Volume|Image)\s\S+\s+(?:Creat|Start|Runn|Pull|Stopp|Remov)\w+"
    r"|\bexited with code \d+$|^(?:Microsoft Windows \[|Windows PowerShell$|\([cC]\) .*Microsoft|Last login: )"
    r"|^Welcome to (?:Ubuntu|Debian)\b"
    # services that are started and stopped, a line of JSON
    r"|^Redirecting to /\S*systemctl\s|^(?i:(?:re)?start|stopp|reload)ing\s.*\[\s*(?:OK|FAILED)\s*\]$|^\"[\w.-]+\"\s?:\s"
    # what a database says, what somebody found, and set
    r"|^(?:FATAL|ERROR|WARN(?:ING)?): |^connection to (?:database|server) .*failed"
    r"|^\W*(?i:winner|verdict|fastest|improvement|difference)\s?:|^Timeout:\s\d"
    # what `tmux` (in its last line), `script` and CI services write around outputs
    r"|^(?:pod|job\.batch|deployment\.apps|service) \"[\w.-]+\" (?:deleted|created)"
    r"|^\[[\w-]+\] \d+:\S+[*-]\s|^Script (?:started|done) on \d|^(?:##\[|::)(?:endgroup|debug|command|section)\b"
    # a clock, a group of k6's, the end of something, another terminal
    r"|:\s*1[4-9]\d{8}(?:\d{3}){0,3}$|^\W*█\s|^[\w ()-]{3,30}:\s+(?i:mon|tue|wed|thu|fri|sat|sun)\w{0,6}\W.*\d\d:\d\d"
    r"|^(?i:mon|tue|wed|thu|fri|sat|sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[AP]M )?[A-Z]{2,5} \d{4}$"
    r"|^\d{4}年\s*\d\d?月\s*\d\d?日.{0,12}\d\d?[:時]\d\d"
    r"|^[-=*#_ ]{3}.*\b(?i:done|end|finished|completed?)\b[-=*#_ ]{3,}$|^(?i:terminal|shell|console|tab|pane) ?#?\d+ ?[:>](?:\s|$)"
    # a bar of progress, what a load tool says of its own settings and of its log
    r"|^Initializing (?:worker threads|random number generator)\b|^Threads started!|^Running the test with following options"
    r"|^(?:LOG )?FILE: /\S+\.log$|^You can disable this (?:annoying )?message by"
    r"|^the \.siege\w*rc file\b|^the directive '[\w-]+' to"
    # when a report was written
    r"|^#{1,6}\s(?i:date|datum|fecha|data|дата|日付|日期)\s?[:：]\s?\W*\w"
    r"|^[\d,]+ / [\d,]+ .*\d ?%|^\[(?:alert|error|fatal|notice|warn(?:ing)?)\]\s"
    r"|^Creat(?:ing summariser|ed the tree)|^Starting (?:standalone|the) test|^Waiting for possible"
)
_PROMPT = re.compile(  # what no heading has, whatever the shell
    r"^[^\s#>*-]?.{0,40}[❯➜➔λ⟩»]\s|^[\w.-]+@[\w.-]+[\s:\]]|^\[\w+@[^\]]*\]|^(?=[\w.@~/:-]*[~/:@])[\w.@~/:-]++\s?[$#%>](?:\s|$)"
    r"|^\d{0,3}\[\d\d?:\d\d(?::\d\d)?\]\s\S{1,60}\s[$#%>]$"
    r"|^>>>\s(?:[\w.\[\]'\"]+\s?=|[^:]*(?:\w[(\[]|\w\.\w)|import\s)|^:;\s|^[A-Z]:\\|[\ue0a0-\ue0d7]|^☁\s.*⚡$|^[┌╭].{0,60}[\w)\]]\s?-\[|^[┌╭]─+\s?[\w.-]+@[\w.-]+\b"
    # the first line of two: "# me @ web1 in ~/app", "08:03:50 |user| me@web1 main", "~/app main 2s", "app on  main via v1.2"
    r"|^(?:#\s)?[\w.+-]+ @ [\w.-]+ in [~/]|^\[?\d\d?:\d\d(?::\d\d)?\]?\s[^@]{0,20}\b[\w.+-]+@\w|^(?:[\w.-]+\s)?~/\S*(?:\s|$)"
    r"|^[\w.-]+ on \W{1,3}[\w./-]+\s(?:.*\s)?(?:is|via|took)\s\W*v?\d"
)
WROTE = re.compile(  # above a quoted mail
    r"^\W{0,4}\w.{0,80}\s(?:wrote|schrieb|a écrit|escribió|napisał\w*).{0,40}[:：]$", re.IGNORECASE
)
_COMMENTER = re.compile(  # above a comment of a forum or a repository
    r"\b\d+ (?:second|minute|hour|day|week|month|year)s? ago\b|\b(?:vor|hace|il y a|há) \d+ \w+"
    r"|(?<!\d)\d+\s?(?:日|時間|分|か月|年)前"
    r"|^\S+ (?:commented|wrote|replied|answered|said|asked|schrieb|a écrit|escribió|napisał\w*)\b.{0,40}[:：]?$"
    r"|\bmin(?:ute)? read\b"
    r"|^\S.{0,30}\s+\[?\d{1,2}:\d\d(?:\s?[AP]M)?\]?$"  # of a chat
    r"|^(?:hi|he(?:llo|y)|dear|hallo|guten|servus|moin|bonjour|salut|bonsoir|hola|buen[oa]s|ol[aá]|ciao|cześć|witam|dzień dobry"
    r"|привет|здравствуйте|thanks|thank you|cheers|regards|best|danke|grüße|viele|merci|gracias|pozdrawiam)\b"
    r"(?:[^,!:]{0,30}[,!]+|\W*)$"
    r"|^on\s\w{3,9},?\s.{0,60}\b\d{4}\b.{0,80}$|^wrote:$|^(?:thanks|thank you|thx|cheers|regards|greetings|mfg|lg)\b.{0,24}$"
    r"|^[-_]{2,}\s?(?:original message|forwarded message|ursprüngliche nachricht).*|^sent from my\b"
    r"|^\d+ (?:points?|likes?|upvotes?)\b|^[\w.@-]+\s[·•]\s.*(?:comment|repl|edit|\d{4})",
    re.IGNORECASE,
)
_MEASURED = (
    r"(?:rate|[rqt]ps|requests?(?:/sec)?|transactions?|availability|latency|throughput|(?:elapsed|wall)(?: time)?|duration|total"
    r"|average|gesamt(?:zeit|dauer)?|dauer|durée|duración|mean|max|min|failed|successful|transfer(?:red)?|bytes"
    r"|memory leaked|(?:starting|ending|initial|final) memory"
    r"|response time|errors?|usage|used (?:memory|ram)|(?:memory|ram) used|peak memory|rss)"
)
_FIGURE = re.compile(  # what load tools print: a label and a figure, which may stand below
    # in columns, with decimals or a unit
    r"^[A-Z][\w/%() -]{1,40}:\s{2,40}-?\d{1,12}(?:[.,]\d{1,9}\s?[^\W\d_]{0,3}%?|\s?[^\W\d_]{1,3}|\s?%)$"
    r"|^[^\W\d][\w ()/-]{1,40}:\s{1,20}\d[\d,.]{0,20}\s\(\d{1,3}(?:\.\d{1,3})?\s?%\)$"  # with its share
    rf"|^\W{{0,6}}\d[\d.,]{{0,15}}\s?[kKM]?\s?(?:req(?:uest)?s?|replies|responses|trans(?:actions?)?|hits)(?:/|\sper\s)s(?:ec(?:ond)?)?\W{{0,6}}$"
    rf"|^\(mean[^()]*\)$|^\W{{0,4}}\w{{1,12}}/s(?:ec\w{{0,4}})?\W{{0,4}}$"
    rf"|^(?:system |server |cpu )?load(?: average)?(?: (?:at|before|after|during)(?: \w+){{1,2}})?\s?[:=]\s?[\d.,\s–-]+$"
    rf"|^\W{{0,5}}{_MEASURED}(?:\s{{1,20}}\d[\d.,]{{0,15}}(?:[nmuµ]?s|%|[kM])?){{2,6}}$|^(?:thread )?stats\s+avg\b"
    rf"|^percentage of the requests served|^`?concurrency level:\s+\d+$"
    r"|^(?!\d{1,3}(?:,\d{3}){1,9}$)(?:\d[\d.]{0,15}(?:e[+-]?\d{1,3})?[,;]\s?){1,20}\d[\d.]{0,15}$"  # of a CSV file
    r"|^(?=\S{0,60}?(?:percentile|latency|requests|time|rps))[a-z_]\w{0,30}(?:,\w{1,30}){1,20}$"
    rf"|^\W{{0,5}}(?!with(?:out)?\s|using\s)(?:[\w/%() -]*\b)?{_MEASURED}"
    rf"(?:[\w/%+() -]*[:=]\s*(?:[*<>~]{{0,2}}-?\d[\d.,]*\s?\S{{0,12}}(?:\s.{{0,20}})?)"
    rf"|(?:[\s/(%]+(?:{_MEASURED}|per|sec|seconds?|times?|count|number|distribution|ms|s|avg)\b[)%]*)*[)%]*\s?[:=])$",
    re.IGNORECASE,
)
_PRAISE = (
    r"hm+|wow|ugh|huh|oops|looks? (?:good|bad|fine|ok(?:ay)?)|better|worse|nice|great|strange|weird|odd|besser|mieux"
)
_OF_PRAISE = (
    r"now|then|that|this|it|looks?|is|was|so|still|too|much|a|bit|lot|really|not|very|ok(?:ay)?|good|bad|slow|fast"
)
_REMARK = re.compile(  # on what stands above; on what is shown
    r"\b(?:saved|written|stored|logged)\s(?:to|in|into|as)\s\S*\w[/.]\w\S*$"  # where an output went
    r"|^(?i:(?:and |so )?(?:this|that|here|these) (?:is|are|was|were) what (?:came out|(?:I|we|it) (?:got|gets?|see|saw|gave|gives"
    r"|printed|prints|says|said)))\W{0,3}$"
    r"|^(?:#\s*)?[\^↑]|^\[(?:[^\s\[\]]+\s++){5}[^\[\]]*\]$"
    r"|^\W{0,4}(?i:(?:wh?)?oops|argh|d[’']?oh|damn|typo|sorry)\b(?!.*\bwith(?:out)?\b)"  # on a mistake
    rf"|^\W{{0,4}}(?=.*?\b(?i:{_PRAISE})\b)(?i:(?:{_PRAISE}|{_OF_PRAISE})\b\W*+)++$"
    r"|^[\[(（][^\[\]()（）]*\b(?i:terminal|window|pane|meanwhile|at the same time|(?:while|during) (?:the|it|this|that))\b"
    r"[^\[\]()（）]*[\])）]$"
)
_TAKEN_BACK = (
    r"(?:(?:runs?|results?|numbers?|figures?|reports?|tests?|outputs?|benchmarks?|measurements?|ones?|data|posts?|comments?|timings?"
    r"|everything|all)\b)"
)
_RETRACTS = compile_words(
    r"\b(?:ignore|disregard|discard|scrap|scratch|strike)\s(?:(?:the|my|that|those|these|this|all|both)\s)*(?:"
    rf"(?:(?!first\b)[^\s;:!?]+\s){{0,3}}?{_TAKEN_BACK}\s(?:(?:that|which)\s\w+\s)?(?:from |posted |shown )?above\b"
    rf"|above\b(?!\s(?:warning|error|message|notice))|(?:previous|earlier|last|prior)\s(?:[^\s.;:!?]+\s){{0,2}}?{_TAKEN_BACK}"
    rf"|(?<=that\s){_TAKEN_BACK})"
    rf"|\b(?:{_TAKEN_BACK}\sabove|(?:above|previous|earlier|last)\s(?:[^\s.;:!?]+\s){{0,2}}?{_TAKEN_BACK}|(?:the|everything) above)"
    r"\s(?:(?:is|are|was|were)\s(?:\w+\s)?(?:wrong|invalid|bogus|useless|void|meaningless|garbage|not valid)"
    r"|should be (?:ignored|disregarded)|(?:does|do)(?:n't| not) count)\b"
    r"|\b(?:ignorier|vergiss|vergesst|verw[ei]rf)\w*\b.{0,40}\b(?:oben|obige\w*|vorige\w*|vorherige\w*)\b"
    r"|\b(?:oben|obige\w*|vorige\w*)\b.{0,40}\b(?:ignorieren|vergessen|verwerfen|ungültig|falsch)\b"
    r"|\bignore[rz]?\b.{0,40}\b(?:ci-dessus|précédent\w*)|\bignor(?:a|ad|e|en|ar)\b.{0,40}\b(?:anterior\w*|arriba)\b"
    r"|忽略.{0,8}(?:上面|之前|前面)|(?:上記|上|前)の.{0,20}(?:無視|無効)",
)
_CORRECTS = re.compile(
    r"^\W*(?:(?:edit|update)\W{1,4})?(?:correction|erratum|errata|korrektur|corrección|correção|rettifica|訂正|更正)\s*[:：,-]"
    r"|\b(?:accidentally|mistakenly|by (?:mistake|accident)|versehentlich|aus versehen)\b"
    r"|\bcorrect(?:ed)? (?:numbers?|results?|figures?|runs?|outputs?|measurements?)\b",
    re.IGNORECASE,
)


def _find_any(*patterns: re.Pattern[str]) -> Callable[[str], bool]:
    """What tells whether one of the patterns is found: their alternatives for a text's beginning are tried there alone."""
    begins, others = list[str](), list[str]()
    for pattern in patterns:
        case = "i" if pattern.flags & re.IGNORECASE else ""
        for part in split_alternatives(pattern.pattern):
            (begins if part[0] == "^" else others).append(f"(?{case}:{part.removeprefix('^')})")
    match, search = re.compile("|".join(begins)).match, re.compile("|".join(others) or "(?!)").search
    return lambda text: bool(match(text) or search(text))


_is_figure = _find_any(_FIGURE)
_is_of_page = _find_any(
    *(_MAIL, _HTTP_HEADER, SUBJECT, _NAVIGATION, _COMMAND, _PROGRESS, _PROMPT, _COMMENTER, WROTE, _REMARK)
)
_LONGEST_FIGURE = 150  # characters
_MAIL_WIDTH = 50  # columns that a line has at least where an editor or a mail client broke it
_ENDED = re.compile(r"(?:^|(?<=\w))(?:(?<=_)|(?=\W*?[.:;!?。！？：|*`>)\]]))\W*+$")
_BEGINS = re.compile(r"[#*+>|`=_•・◆■-]|\d{1,2}[.)]\s")  # a heading, an item of a list, code


@remember_lines
def is_boilerplate(text: str) -> bool:
    """Whether a line is not of the text but of the page (a by-line, a mail's header, a row of links), is a command or a remark."""
    line = text.strip()
    if line[:1] == "#":  # "## [axum](https://...)" is a heading, and so is "## axum (http://localhost:3000)"
        line = _ADDRESS_BEHIND.sub("", _LINK.sub(r"\1", line))
    dated = DATE.search(line)
    if dated and (
        _BYLINE.search(line) or _BYLINE.search(line[dated.end() :].lstrip(" ,")) or line.startswith("投稿者")
    ):
        return True
    return (len(line) <= _LONGEST_FIGURE and _is_figure(line)) or _is_of_page(line)


def retracts(text: str) -> bool:
    """Whether a line takes back what stands above it: "ignore the run above, the server was still building"."""
    return _RETRACTS.search(lower(text)) is not None


def corrects(text: str) -> bool:
    """Whether a line says that what stands above it was measured wrongly: "Correction: that was the old build"."""
    return _CORRECTS.search(text) is not None


def join_wrapped(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """(number, text) of lines, those of one paragraph that was broken into several as its last one."""
    joined: list[tuple[int, str]] = []
    above = (0, "")
    for number, text in lines:
        goes_on = above[0] == number - 1 and len(above[1]) >= _MAIL_WIDTH and not _ENDED.search(above[1])
        if goes_on and not (_BEGINS.match(above[1]) or _BEGINS.match(text) or is_boilerplate(above[1])):
            joined[-1] = (number, f"{joined[-1][1]} {text}")
        else:
            joined.append((number, text))
        above = (number, text)
    return joined


_ANY_FILE = re.compile(r"(?:readme|index|results?|out(?:put)?|bench(?:mark)?s?|logs?|stdout)", re.IGNORECASE)
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[\s._-](?=[^\W\d_])")
_MARKS_BEFORE = re.compile(
    r"(?:\+\s|[\s*=・◆◇■□●○▪•>|│┃║_\u2600-\u27bf\ufe0f\U0001f300-\U0001faff-]|#(?!\d)|(?:/{2,3}|;)\s)*+"
)
_MARKS_BEHIND = re.compile(
    r"(?:\s(?:-+|#+)|(?<![#\s])##++)[\s:：;*_=|│┃║]*$|(?:(?<![\s:：;*_=|│┃║])(?<!\.)|(?<=\.[\s:：;*_=|│┃║]))[\s:：;*_=|│┃║]+$"
)
# What stands between dashes or plus signs, and behind them.
_BANNER = re.compile(
    r"\s*+(?:-++\s++(?=-))*+(?P<sign>[-+])(?P=sign){2,}+\s*+(?P<title>\w.*?)(?<!\s)\s*+(?<!(?P=sign))(?P=sign){3,}+(?:\s.*)?"
)
# Of a CI service's log.
_STAMP = re.compile(
    r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]*Z?\]?:?\s+(?:##\[\w+\]\s*)?|^(?:##|::)\[?group(?:\]|::)\s*"
)
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[#.][\w .#-]{1,60}\}\s*$")  # of a heading, as kramdown and Pandoc have them
_STAGE = re.compile(r"\[Pipeline\] \{ \((?P<title>.+)\)")  # of a CI service's job
_BRACKETED = re.compile(r"[\s■●◆・]*[【《〈「『](?P<title>[^【】《》〈〉「」『』]+)[】》〉」』][\s:：]*")
_FINDING = re.compile(  # behind a name: "(33 more requests per second than nginx)", "*(2x slower)*"
    r"(?<=\S)\s+[*_]*\([^()\d]*+\d[^()]*\b(?:more|fewer|less|faster|slower|better|worse)\b[^()]*\)[*_]*\s*$",
    re.IGNORECASE,
)
_ADDRESS_BEHIND = re.compile(r"(?<=\w)\s+\(https?://[^\s()]{1,200}\)\s*$")
_SITE_BEHIND = re.compile(  # where a project is kept, and no address that was loaded: "hyper (https://github.com/hyperium/hyper)"
    r"(?<=\w)\s+\(https?://(?:www\.)?(?:github|gitlab|bitbucket|codeberg|npmjs|pypi|crates|docs|rubygems|packagist|hackage)"
    r"\.[a-z]{2,8}/[^\s()]{1,200}\)$"
)
ITEM = re.compile(r"\s*(?:[-*+•・]|[(（]?\d{1,2}[.)）])\s")  # of a list
# "Testing nginx ... ok".
DONE = re.compile(
    r"(?<!\s)\s*+(?:(?:(?<!\.)\.{2,}+|…)\s*(?:\[?\s?(?:ok|done|started|ready|up|fertig)\b.*)?|(?<=\s)<[-=]{1,3}\s.*)$",
    re.IGNORECASE,
)  # "nginx ... done", and a remark behind an arrow: "nginx <-- the winner"
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"(?<!!)\[([^\]]{1,120})\]\([^)\s]*\)")
_ESCAPED = re.compile(r"\\([_*#+.|<>()\[\]-])")
_NUMBERING = re.compile(r"^[(（]?(\d+(?:[.．-]\d+)*)[.)）]?(?=\s|[^\d\s.])")


@remember_lines
def strip_markup(text: str) -> str:
    """A heading without list marks, Markdown and the final colon; of a file's its name."""
    if file := FILE_HEAD.fullmatch(text.strip()):
        return _name_file(PurePosixPath(file["path"] or file["shown"]))
    text = _ATTRIBUTES.sub("", _STAMP.sub("", text))
    if banner := _BANNER.fullmatch(text) or _STAGE.fullmatch(text) or _BRACKETED.fullmatch(text):
        text = banner["title"]
    text = DONE.sub("", _FINDING.sub("", text))
    text = _EMPHASIS.sub(r"\2", _CODE.sub(lambda code: code[1].strip(), text))
    bare = _SITE_BEHIND.sub("", _MARKS_BEHIND.sub("", _MARKS_BEFORE.sub("", text, count=1)).strip())
    return _ESCAPED.sub(r"\1", _LINK.sub(r"\1", bare)) if "\\" in bare or "](" in bare else bare


def fold_name(text: str) -> str:
    """What names of one thing have in common: "NodeJS", "Node.js" and "node js"."""
    return _BETWEEN_LETTERS.sub("", text).lower()


def _name_file(path: PurePosixPath) -> str:
    """ "results/nginx.txt" → "nginx"; "bench/go/README.md" → "go"."""
    counted = re.sub(r"(?<=[A-Za-z])\.(\d{1,2})(?=\.[a-z]+$|$)", r"-\1", path.name)  # "nginx.1.txt"
    stem = re.sub(r"(?<=.)\.[A-Za-z]{1,4}$", "", counted)
    return path.parent.name if path.parent.name and _ANY_FILE.fullmatch(stem) else stem


def tell_files_apart(trails: Iterable[list[tuple[int, str]]]) -> None:
    """Name files of one name by the directories that differ: "==> apache/t3.txt <==", "==> nginx/t3.txt <=="."""
    trails = list(trails)
    heads = {text: file["path"] for trail in trails for _, text in trail if (file := FILE_HEAD.fullmatch(text.strip()))}
    paths: dict[str, set[PurePosixPath]] = defaultdict(set)
    for text, path in heads.items():
        paths[strip_markup(text)].add(PurePosixPath(path or ""))
    names: dict[str, str] = {}
    for text, path in heads.items():
        alike = paths[strip_markup(text)]
        common = set.intersection(*({*each.parts} for each in alike))
        if len(alike) > 1 and (own := [part for part in PurePosixPath(path or "").parts if part not in common]):
            names[text] = "-".join([*own, strip_markup(text)] if len(paths) > 1 else own)
    for trail in trails if names else ():
        # A dot in the name of a directory begins no file's type.
        trail[:] = [(line, f"==> {names[text]}/output <==" if text in names else text) for line, text in trail]


def is_file(text: str) -> bool:
    """Whether a heading is what a tool prints above a file's text."""
    return FILE_HEAD.fullmatch(text.strip()) is not None


def is_banner(text: str) -> bool:
    """Whether a script or somebody put a line between dashes: "--- G1 ---"."""
    return _BANNER.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Whether a line is only code, as Markdown marks it: `worker_processes 4;`."""
    return bool(_CODE.fullmatch(text.strip()))


def find_numbering(text: str) -> str:
    """ "(1.2) worker" → "1.2"; "" where there is none. A version is none."""
    match = _NUMBERING.match(strip_markup(text))
    return (
        match[1]
        if match and (text.lstrip().startswith(("(", "（")) or match[0].endswith((".", ")")) or "." in match[1])
        else ""
    )


@remember_lines
def heading_level(text: str) -> int:
    """Depth of a Markdown heading, 0 where it is none. Older Markdown has no blank behind the signs: "##Siege"."""
    match = re.match(r"\s*(#{1,6}(?=\s+\S)|#{2,6}(?=[^\W\d_]))", text)
    return len(match[1]) if match else 0


def list_sections(trails: Sequence[Sequence[Line]], loads: Sequence[int]) -> dict[int, list[Line]]:
    """{load test: the lines above it}, those above the monitors and texts before it among them. trails: those of all blocks"""
    begins = [0, *(load + 1 for load in loads)]
    return {
        load: [line for trail in trails[begin : load + 1] for line in trail]
        for begin, load in zip(begins, loads, strict=False)
    }


def list_lines_above(
    trails: Sequence[Sequence[Line]], loads: Sequence[int], texts: Collection[int]
) -> list[Sequence[Line]]:
    """The lines above each load test; where none is right above it, those above what is shown before it.

    Of those above a monitor only headings.
    """
    begins = [0, *(load + 1 for load in loads)]
    return [
        trails[load] or [each for i in range(begin, load) for each in trails[i] if i in texts or heading_level(each[1])]
        for begin, load in zip(begins, loads, strict=False)
    ]


def find_listed(trail: Sequence[Line]) -> set[int]:
    """Lines of lists of several items: none of them alone names what stands below."""
    items = [line for line, text in trail if ITEM.match(text)]
    return {line for line in items if line - 1 in items or line + 1 in items}


_LABELLED = re.compile(r"[^:：]{1,60}[:：](?:\s.{0,60})?")
_FIGURES = re.compile(r"\d[\d.,]*")
_FEWEST_LABELS = 5  # lines of a report


def find_printed(trails: Sequence[Sequence[Line]]) -> set[str]:
    """Lines of reports that no format reads whole: labels that recur, with other figures, above all load tests but the first.

    Only where several titles stand above the load tests, which name these.
    """
    titles = {text for trail in trails for _, text in trail if heading_level(text)}
    lines = [{_FIGURES.sub("#", text): text for _, text in trail if _LABELLED.fullmatch(text)} for trail in trails[1:]]
    recurring = set.intersection(*map(set, lines)) if len(lines) > 1 and len(titles) > 1 else set()
    if len(recurring) < _FEWEST_LABELS:
        return set()
    return {text for trail in trails for _, text in trail if _FIGURES.sub("#", text) in recurring}
