"""What lines of a text say of a machine: its name, and lists and tables of its parts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from parsers.catalogue import makes_load
from parsers.commands import LOCAL
from parsers.records import HostFacts

from .heading_words import SOFTWARE

PLACEHOLDERS = LOCAL | {"example.com"}
_LONGEST_STATED = 200  # characters of a line that tells of a machine
_STATED_HOST = re.compile(  # "Hostname: web1", "**Server:** web1 (8 cores)", "hostname web1"; "node:http" is a module of Node
    r"[\s>#*_|-]{0,6}(?:host ?name(?=[\s:=*])|(?:(?:test )?(?:host|machine|(?P<server>server)|node(?!:[a-z])|box|vm)"
    r"|(?:running|ran|tested|measured) on|rechner|maschine|serveur|servidor|maszyna|ホスト名?|サーバー?|主机名?|服务器|机器)"
    r"(?=[\s*_]{0,3}[:=：]))[\s*_]{0,3}[:=：]?"
    r"[\s*_`]{0,9}(?P<name>[a-z](?:[\w-]{0,60}\w)?(?:\.[\w-]{1,60}){0,5})[*_`]{0,3}\s*(?P<rest>[(,;（，、].*)?",
    re.IGNORECASE,
)
_NO_HOST = re.compile(  # software, systems and words that stand there, too
    rf"{SOFTWARE.pattern}|linux|ubuntu|debian|centos|fedora|alpine|windows|macos|darwin|aws|azure|gcp|yes|no|none|unknown|tbd|same|local"
    r"|intel|amd|apple|laptop|desktop|server|host|production|staging|dev|test|name|the|my|v\d+|\w",
    re.IGNORECASE,
)


def find_stated_host(text: str) -> HostFacts:
    """What a line by itself tells of a machine: its name, and its cores behind that; nothing where it names none."""
    match = _STATED_HOST.fullmatch(text.strip()) if len(text) < _LONGEST_STATED else None
    name = match["name"] if match else ""
    if not match or name.lower() in PLACEHOLDERS or makes_load(name) or _NO_HOST.fullmatch(re.split(r"[.-]", name)[0]):
        return HostFacts()
    cores = CORES.search(match["rest"] or "")
    if match["server"] and not (cores or re.search(r"\w[\d-]", name)):  # of a framework: "Server: Actix"
        return HostFacts()
    return HostFacts(name=name, cores=int(cores[1]) if cores else None)


CORES = re.compile(r"(\d{1,3})[\s-]*(?:v?cpus?|v?cores?|kerne?n?|núcleos|cœurs|rdzeni\w*|コア)", re.IGNORECASE)


# --- lists and tables of a machine's parts -----------------------------------------------------------------------------
_MODEL = re.compile(  # of a processor
    r"\b(?:(?:Intel|AMD|Ampere)(?:\((?:R|TM)\))?\s.*\b(?=\S*\d)|Apple M\d|Xeon|EPYC|Ryzen|Core ?(?:i\d|2)|Celeron|Pentium|Opteron"
    r"|Athlon|Atom(?![a-z])|Cortex-[A-Z]|(?:AWS )?Graviton|Threadripper|i[3579]-\d|E[357]-\d{4}).*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\((?:R|TM|C)\)|\sCPU(?=\s{1,12}\S*\d)", re.IGNORECASE)
_BEHIND_MODEL = re.compile(
    r"\s*(?:[@,;/|（()）]|\s-\s|\.\s|\b(?:cpu|processor|prozessor|with|and|mit)\b|(?<!\w)\d{1,2}\s?[x×]\s"
    r"|\s\d[\d.]{0,4}\s?[GM]Hz|\d+[ -](?:v?cores?|threads)).*",
    re.IGNORECASE,
)
_WORD_OF_RAM = r"(?:ram|mem(?:ory|oria|ória)?|mémoire|(?:arbeits|haupt)speicher|pamięć|память|озу|内存|メモリー?)"
_SIZE_OF_RAM = re.compile(
    rf"(?P<size>\d{{1,9}}(?:[.,]\d{{1,3}})?)\s?(?P<unit>[kmgtмгт])(?:i?[bб]|o)?\b(?=[^,;|/]{{0,24}}?\b(?:{_WORD_OF_RAM}|(?:lp)?ddr\d?)\b)"
    rf"|(?<![^\W_]){_WORD_OF_RAM}(?: ram)?(?: \(ram\))?(?:\s(?:size|total))?\s{{0,9}}[:=：|]?\s{{0,9}}"
    r"(?P<size2>\d{1,9}(?:[.,]\d{1,3})?)\s?(?P<unit2>[kmgtмгт])(?:i?[bб]|o)?\b(?!\s?/)"
    r"|(?<=\d核)(?P<size3>\d{1,4})\s?(?P<unit3>g)"
    r"|(?:cpus?|cores?)(?:\s?[,/+&]\s?|\s(?:and |with )?)(?P<size4>\d{1,4})\s?(?P<unit4>[mg])i?b\b(?!\s?/)",  # "2 vCPU, 4 GB"
    re.IGNORECASE,
)
_N_CORES = re.compile(
    r"(?<![.\w])(?P<n>\d{1,3})[\s-]*"
    r"(?:(?:(?:physical|virtual|logical|cpu) )?v?(?:cpus?|cores?)|kerne?n?|núcleos|cœurs|coeurs|rdzeni\w*|ядер|ядра|コア|核)"
    r"(?!-?\w)"
    r"|(?<![.\d])(?P<n5>\d{1,3})核(?=\d{1,4}\s?g)"  # "2核4G"
    r"|(?<![^\W_])(?:v?cpus?|cpu\(s\)|(?:cpu |number of )?v?cores|kerne|núcleos|cœurs|rdzenie|ядра|コア数|核心数?)\s?[:=：|]?"
    r"\s{0,3}(?P<n2>\d{1,3})(?!\s?[.%\w])"
    r"|\((?P<n3>\d{1,3})\)\s?@|Hz\s?[×x]\s?(?P<n4>\d{1,3})(?!\w)",  # "Intel i7-4710HQ (8) @ 3.5GHz", "i7 @ 2.80GHz × 8"
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"(?:ubuntu|debian|centos|fedora|alpine|arch|opensuse|suse|sles|rhel|red ?hat|rocky|almalinux|amazon|oracle)"
    r" ?(?:gnu/)?(?:enterprise )?(?:linux)?\b"
    r"[\w .()-]{0,40}|(?:free|open|net)bsd\b[\w .-]{0,20}|mac ?os\b[\w .-]{0,30}|windows (?:server )?\d[\w .-]{0,20}",
    re.IGNORECASE,
)
_PART = re.compile(  # an item of a list, "key: value", a row of a table, a heading
    r"\s*(?:[-*+•・]\s+|#{1,6}\s+|\|)|[*_\s]*[^\W\d_][^:：=|.]{0,30}[*_]{0,2}\s?[:：=]|[^\W\d_]\S{0,20}(?: {2,9}|\t{1,4})\S"
)
_PART_OF_MACHINE = re.compile(
    r"\W{0,6}(?P<part>machine|hardware|host|server|cpus?|processor|cores|ram|memory|os|system|maschine|rechner|prozessor|マシン|机器|配置)"
    r"[*_\s]{0,4}[:：]",
    re.IGNORECASE,
)
_ONLY_SIZE = re.compile(r"\s*[-*+•・]\s+(?P<size>\d{1,4})\s?(?P<unit>g)i?b\s*", re.IGNORECASE)  # of a list's item
_GENERATES = re.compile(
    r"\bclients?\b|generator|\bload (?:test )?(?:machine|host|vm|box|server)|\bbench\w* (?:vm|client|box|instance)|attacker"
    r"|\btester\b|压测机|クライアント",
    re.IGNORECASE,
)
_MACHINE = re.compile(  # a word of a sentence that describes one
    r"\b(?:server|machine|box|laptop|desktop|pc|workstation|vm|vps|droplet|instance|node|host|mac(?:book|mini| mini| pro)?|ec2"
    r"|linode|hetzner|raspberry|thinkpad|[a-z]\d[a-z]{0,3}\.(?:nano|micro|small|medium|\d{0,2}x?large))\b|サーバ|マシン|服务器|机器",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"\b(?:(?:us(?:e[sd]?|ing)|t[ao]k(?:es?|en|ing)|gave|giv\w+)\s(?:\w{1,20}\s)?\d|consum\w+|usage|limit\w*|each|per|free|leak)",
    re.IGNORECASE,
)
_HAS_VALUE = re.compile(r"[:：=]\s*\S")
_LINK = re.compile(r"\[([^\]\[]*)\]\([^()\s]*\)")
_BEFORE_MODEL = re.compile(
    r"(?:(?:all |these )?(?:run|ran|tested|measured|benchmarked|results)\s)?(?:(?:on|with|using|from)\s)?(?:(?:an?|my|the)\s)?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^\s*(?:>\s?)+")
_PHYSICAL, _LOGICAL = (re.compile(rf"\b{kind} (?:cores|cpus)\b", re.IGNORECASE) for kind in ("physical", "logical"))
_WORDS_OF_MODEL, _WORDS_WITH_MEMORY = 8, 14
_LONGEST_LINE = 1000
_MOST_STRETCHES = 100  # of lines between outputs: a text describes its machine before
_KIB = {"k": 1, "m": 1024, "g": 1024**2, "t": 1024**3, "м": 1024, "г": 1024**2, "т": 1024**3}
_LEAST_RAM_KB = 64 * 1024


def find_listed_facts(trails: Iterable[Sequence[tuple[int, str]]]) -> HostFacts:
    """What lists, tables and headings tell of the one machine of a text; nothing where they tell of several.

    A size of memory counts where its processor or its cores stand beside it: elsewhere it may be what a process took.
    """
    joined = HostFacts()
    for trail in islice(trails, _MOST_STRETCHES):
        facts = _read_listed(text for _, text in trail)
        if not (facts.cpu_model or facts.cores):
            continue
        for name in ("cpu_model", "cores", "ram_kb"):
            if None not in (one := (getattr(joined, name), getattr(facts, name))) and one[0] != one[1]:
                return HostFacts()
        joined = _join(joined, facts)
    return joined


def _read_listed(lines: Iterable[str]) -> HostFacts:
    """The facts in the lines of one stretch; of one that two lines tell differently, nothing at all."""
    joined, generates = HostFacts(), False
    cut = [_QUOTED.sub("", _LINK.sub(r"\1", line[:_LONGEST_LINE])) for line in lines]
    if any(map(_LOGICAL.search, cut)):  # "Physical cores: 6" above "Logical cores: 12"
        cut = [line for line in cut if not _PHYSICAL.search(line)]
    for line in cut:
        if len(line) > _LONGEST_STATED or not (_PART.match(line) or _is_model(line) or _describes_machine(line)):
            continue
        facts = _read_parts(line)
        size = (
            _ONLY_SIZE.fullmatch(line) if joined.cpu_model or joined.cores else None
        )  # beside the processor it is the memory
        facts = replace(facts, ram_kb=_read_size(size)) if size and not joined.ram_kb else facts
        if facts == HostFacts():
            generates = generates if _HAS_VALUE.search(line) else bool(_GENERATES.search(line))
            continue
        if generates or _GENERATES.search(re.split("[:：]", line)[0]):
            continue
        if any(None not in (a := (getattr(joined, n), getattr(facts, n))) and a[0] != a[1] for n in facts.__slots__):
            return HostFacts()
        joined = _join(joined, facts)
    return joined


def _is_model(line: str) -> bool:
    """Whether a line by itself is a processor: "On Intel i9-10900K", "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz"."""
    bare = line.strip(" \t*_`.:")
    model = _MODEL.search(bare)
    most = _WORDS_WITH_MEMORY if _SIZE_OF_RAM.search(bare) else _WORDS_OF_MODEL
    return bool(model and _BEFORE_MODEL.fullmatch(bare[: model.start()]) and len(bare[model.start() :].split()) <= most)


def _describes_machine(line: str) -> bool:
    """Whether a sentence tells the cores and the memory of one machine: "a droplet with 2 cores and 4 GB of RAM"."""
    one = all(len(list(islice(kind.finditer(line), 2))) == 1 for kind in (_N_CORES, _SIZE_OF_RAM))
    return one and bool(_MACHINE.search(line)) and not _TAKEN.search(line)


def _read_parts(line: str) -> HostFacts:
    bare = re.sub(r"[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}", "", line).strip(" |#")
    bare = " ".join(re.sub(r"\s*\|\s*", " | ", bare).split())
    model, cores, ram = _MODEL.search(bare), _N_CORES.search(bare), _SIZE_OF_RAM.search(bare)
    value = re.split(r"[:：=|]\s*|^[-+•・]\s+", bare)[-1].strip()
    system = _SYSTEM.match(value)
    return HostFacts(
        cpu_model=_BEHIND_MODEL.sub("", _MARKS.sub("", model[0])).strip() or None if model else None,
        cores=int(next(filter(None, cores.groups()))) if cores else None,
        ram_kb=_read_size(ram) if ram else None,
        os=system[0].partition(" (")[0].strip(" -(") if system else None,
    )


def _read_size(match: re.Match[str]) -> int | None:
    size, unit = next((match[f"size{n}"], match[f"unit{n}"]) for n in ("", "2", "3", "4") if match[f"size{n}"])
    kib = round(float(size.replace(",", ".")) * _KIB[unit.lower()])
    return kib if kib >= _LEAST_RAM_KB else None


def _join(host_facts: HostFacts, other: HostFacts) -> HostFacts:
    new = {name: getattr(other, name) for name in host_facts.__slots__ if getattr(host_facts, name) is None}
    return replace(host_facts, **new)


def find_only_host(sections: Sequence[Sequence[tuple[int, str]]]) -> set[str]:
    """Lines that only tell the name of the one machine, or what it has: "Hostname: web1", "Machine: 4 cores".

    Where there are several, they may name configs.
    """
    texts = {text for trail in sections for _, text in trail}
    stated = {text: name for text in texts if (name := find_stated_host(text).name)}
    parts: dict[str, set[str]] = defaultdict(set)  # by what they tell of the machine
    for text in texts:
        if (part := _PART_OF_MACHINE.match(text)) and _read_parts(text[:_LONGEST_LINE]) != HostFacts():
            parts[part["part"].lower()].add(text)
    only = {text for own in parts.values() if len(own) == 1 for text in own}
    return only | ({*stated} if len({*stated.values()}) == 1 else set())


_MOST_NAMES = 10
_RAM = re.compile(r"(\d{1,4})\s?(g|m)i?b?\b(?!\s*(?:disk|ssd|hdd|nvme|platte|swap))", re.IGNORECASE)


def find_stated_hosts(prose: Iterable[str], names: Sequence[str]) -> dict[str, HostFacts]:
    """{name of a machine: what sentences tell of it}: "Server A has 4 cores and 8GB, ..."; empty unless they tell of each."""
    if len(names) > _MOST_NAMES:
        return {}
    text = "\n".join(dict.fromkeys(prose))
    short = {name: re.split("[:：]", name)[0] for name in names}
    any_name = "|".join(map(re.escape, short.values()))
    hosts: dict[str, HostFacts] = {}
    for name in names:
        for said in re.findall(
            rf"(?i)(?<!\w){re.escape(short[name])}(?!\w)((?:(?!(?<!\w)(?:{any_name})(?!\w))[^.;\n]){{0,120}})", text
        ):
            cores, ram = CORES.search(said), _RAM.search(said)
            if cores or ram:
                ram_kb = int(ram[1]) * _KIB[ram[2].lower()] if ram else None
                n_cores = int(cores[1]) if cores else None
                hosts.setdefault(name, HostFacts(name=short[name], cores=n_cores, ram_kb=ram_kb))
    return hosts if len(hosts) == len(names) else {}
