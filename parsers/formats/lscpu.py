"""lscpu: util-linux' list of what the processors are, as text or JSON (-J).

Reads     "Key:   value" lines from "Architecture:", or the next ones, on, indented or not (newer versions group them), or the JSON;
          the keys also in several languages; what `lscpu | grep ...` leaves of them
Yields    HostFacts
Units     cache sizes in bytes; BogoMIPS and MHz as printed
Quirks    before 2.37 caches are printed with "K" and no number of instances; "Core(s) per socket" x "Socket(s)" are cores,
          "CPU(s)" what the kernel schedules on
Source    util-linux' sys-utils/lscpu.c, 2.23 to 2.41
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from ..lines import Lines
from ..multiline import match_joined, was_broken
from ..prompts import prompt
from ..records import Found, HostFacts, Problem, Record
from ..units import number

KIND = "lscpu"
PROGRAMS = ("lscpu",)
# What the lines of lscpu begin with, by the name that is made of the English one.
_TRANSLATED = {
    "architecture": "架构|架構|アーキテクチャ|아키텍처|Architektur|Architektura|Arkitektur|Architectuur|Архітектура"
    "|Architecture|Arquitectura|Arquitetura|Architettura|Архитектура",
    "cpu_op_modes": "CPU 运行模式|CPU 操作モード|CPU Operationsmodus|Mode(s) opératoire(s) des processeurs"
    "|modo(s) de operación de las CPUs"
    "|Modo(s) operacional da CPU",
    "byte_order": "字节序|バイト順序|バイト順|Порядок байт|Byte-Reihenfolge|Boutisme|Orden de los bytes|Ordem dos bytes",
    "address_sizes": "Adressgrößen|Tamaños de las direcciones|Tamanhos de endereço",
    "cpus": "CPU|Processeur(s)",
    "on_line_cpus_list": "在线 CPU 列表|オンラインになっている CPU のリスト|オンラインの CPU のリスト|Liste der Online-CPU(s)"
    "|Liste de processeur(s) en ligne|Lista de la(s) CPU(s) en línea"
    "|Lista de CPU(s) on-line",
    "threads_per_core": "每个核的线程数|コアあたりのスレッド数|Потоков на ядро|Thread(s) pro Kern|Thread(s) par cœur"
    "|Hilo(s) de procesamiento por núcleo"
    "|Thread(s) per núcleo|Thread(s) por núcleo",
    "cores_per_socket": "每个座的核数|ソケットあたりのコア数|Ядер на сокет|Kern(e) pro Socket|Cœur(s) par socket"
    "|Núcleo(s) por «socket»|Núcleo(s) por soquete",
    "sockets": "座|ソケット数|Сокетов|Sockel|Soquete(s)",
    "numa_nodes": "NUMA 节点|NUMA ノード数|NUMAノード|Узлов NUMA|NUMA-Knoten|Nœud(s) NUMA|Modo(s) NUMA|Nó(s) de NUMA",
    "vendor_id": "厂商 ID|ベンダー ID|ベンダーID|ID прроизводителя|ID производителя|Anbieterkennung"
    "|Identifiant constructeur|ID de fabricante|ID de fornecedor",
    "cpu_family": "CPU 系列|CPU ファミリー|CPUファミリー|Семейство ЦПУ|Prozessorfamilie|Famille de processeur|Familia de CPU"
    "|Família da CPU",
    "model": "型号|モデル|Модель|Modell|Modèle|Modelo",
    "model_name": "型号名称|モデル名|Modellname|Nom de modèle|Nombre del modelo|Nome do modelo|Имя модели",
    "stepping": "步进|ステッピング|Степпинг|Révision|Revisión",
    "cpu_mhz": "CPU MHz|CPU МГц|Vitesse du processeur en MHz|CPU MHz atual",
    "cpu_max_mhz": "CPU 最大 MHz|Maximale Taktfrequenz der CPU|Vitesse maximale du processeur en MHz|CPU MHz máx.",
    "cpu_min_mhz": "CPU 最小 MHz|Minimale Taktfrequenz der CPU|Vitesse minimale du processeur en MHz|CPU MHz mín.",
    "virtualization": "虚拟化|仮想化|Виртуализация|Virtualisierung|Virtualisation|Virtualización|Virtualização",
    "hypervisor_vendor": "超管理器厂商|Hypervisor-Anbieter|Constructeur d'hyperviseur|Fabricante del hipervisor"
    "|Fabricante do hipervisor",
    "virtualization_type": "虚拟化类型|Virtualisierungstyp|Type de virtualisation|Tipo de virtualización"
    "|Tipo de virtualização",
    "l1d_cache": "L1d 缓存|L1d キャッシュ|L1d Cache|Cache L1d|Caché L1d|cache de L1d",
    "l1i_cache": "L1i 缓存|L1i キャッシュ|L1i Cache|Cache L1i|Caché L1i|cache de L1i",
    "l2_cache": "L2 缓存|L2 キャッシュ|L2 Cache|Cache L2|Caché L2|cache de L2",
    "l3_cache": "L3 缓存|L3 キャッシュ|L3 Cache|Cache L3|Caché L3|cache de L3",
    "flags": "标记|フラグ|Markierungen|Drapeaux|Indicadores|Opções|Флаги",
}
OPENS = rf"(?:{_TRANSLATED['architecture']})\s?[:：]\s+\S|CPU(?: op-mode)?\(s\):\s+\d[\w, -]{{0,20}}$|(?:\{{\s*)?\"lscpu\":\s*\["

_KEYS = {key: name for name, keys in _TRANSLATED.items() for key in keys.split("|")}
_KEYS |= {level: f"{level.lower()}_cache" for level in ("L1d", "L1i", "L2", "L3", "L4")}  # below "Caches (sum of all):"
_KEY = "|".join(re.escape(key) for key in _KEYS if not re.fullmatch(r"[A-Z][\w ()/.-]+", key))
_LINE = re.compile(rf"\s*([A-Z][\w ()/.-]{{1,60}}?|{_KEY})\s?(?:[:：]\s+|(?<=[^\x00-\x7f])[:：]|：)(\S.*)")
_TITLE = re.compile(r"\s*[A-Z][\w ()-]{1,40}\s?[:：]\s*")
# What newer versions put above their groups.
_GROUP = re.compile(r"\s*(?:Virtuali[sz]\w+ features|Caches|NUMA|Vulnerabilit)")
_FIELD = re.compile(r'"field":\s*"([^"]+?):?"')
_DATA = re.compile(r'"data":\s*("(?:[^"\\]|\\.)*")')
_SIZE = re.compile(r"([\d.]+)\s*([KMG])(?:iB|B)?(?: \((\d+) instances?\))?")
_BYTES = {"K": 1024, "M": 1024**2, "G": 1024**3}
_KNOWN = frozenset(["cpus", "byte_order", "vendor_id", "cpu_op_modes", "model_name", "threads_per_core", "sockets"])
_REMARK = re.compile(r"(?<=\S)\s{1,20}[(（][^()（）]*[^\x00-\x7f][^()（）]*[)）]$")  # somebody's: "16 (总逻辑核心数)"
_OF_TRANSLATED = frozenset(_KEYS.values())
_FILTERED = re.compile(r"(?:sudo\s+)?(?:\S*/)?lscpu\s*\|\s*(?:[ef]?grep|head|sed|awk)\b.*")
_MAIL, _WINDOW, _NARROWEST = 60, 79, 30  # columns: mail clients leave 60 to 78, a window may have as few as 30
_UNEVEN = 20  # columns that breaks at blanks vary by
_MOST_BROKEN = 20
_MOST = 400  # lines of JSON without a field


def claims(command: str) -> bool:
    return "lscpu" in command and bool(_FILTERED.fullmatch(command.strip()))


def parse(lines: Lines, command: str | None) -> Found | None:
    opening = (lines.peek() or "").strip()
    if claims(command or ""):
        left = _read_text(lines, only_known=True)
        return left if left.values.keys() & _KNOWN else None
    found = (
        _read_json(lines)
        if opening.startswith('"')
        else _parse_json(lines)
        if opening[:1] == "{"
        else _read_text(lines, only_known=opening.startswith("CPU(s)"))  # as a list of somebody's own may begin
    )
    if found is None or len(found.values.keys() & _KNOWN) < 2:
        return None
    return found


def _read_text(lines: Lines, *, only_known: bool = False) -> Found:
    first = last = lines.number + 1
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    blank: list[str] = []
    for line in lines:
        if not line.strip():
            blank.append(lines.raw)
            continue
        line = _join_lines(lines, line)
        match = _LINE.fullmatch(line.rstrip())
        name = _name(match[1]) if match else ""
        match = None if only_known and name not in _OF_TRANSLATED else match
        if match and name not in values and not (values and name == "architecture"):
            if not lines.unended():  # the rest of it may be missing
                values |= _parse_value(name, match[2].strip())
            last = lines.number
        elif values and _TITLE.fullmatch(line) and (_GROUP.match(line) or (lines.peek() or "")[:2] == "  "):
            last = lines.number  # the title of a group: "Caches (sum of all):"
        else:
            lines.back(*blank, lines.raw)
            break
        blank.clear()
    return Found(values, first, last, "model_name" not in values, problems)


def _join_lines(lines: Lines, line: str) -> str:
    """A line with those right below that were broken off it: by a mail client at a blank, by a window anywhere."""
    last = line = line.rstrip()
    indented = len(line) - len(line.lstrip())
    window = 0
    while _LINE.match(line) and (following := (lines.peek() or "").rstrip()):
        if _LINE.match(following) or _TITLE.fullmatch(following) or prompt(following) is not None:
            break
        if not any(map(str.isalnum, following)):
            break  # an empty prompt
        window = _find_width_of_window(lines, last) or window
        is_narrow = len(last) not in (0, window) and len(last) < _WINDOW
        at_blank = len(last) == window - 1 or (is_narrow and was_broken(last, following))
        if not (at_blank or len(last) == window or _was_cut(lines, last, following)):
            break
        last = next(lines).rstrip()
        line = f"{line} {last.strip()}" if at_blank else line + last[indented:]
    return line


def _find_width_of_window(lines: Lines, line: str) -> int:
    """The columns that all broken lines from this one on fill, or 0: breaks at blanks do not come out so even."""
    texts = [line, *map(str.rstrip, lines.ahead(_MOST_BROKEN))]
    width = max(map(len, texts))
    broken = [len(text) for text, below in pairwise(texts) if not (_LINE.match(below) or _TITLE.fullmatch(below))]
    broken = broken[:-1] if len(broken) > 2 else broken  # prose below the list may stand behind the last one
    full = [length for length in broken if length > width - _UNEVEN]
    enough = 3 if _MAIL <= width < _WINDOW else 2
    return width if len(full) >= enough and min(full) >= width - 1 else 0  # a blank at its end may be gone


def _was_cut(lines: Lines, line: str, following: str) -> bool:
    """Whether a window broke `line`, the only long one, within a word: lscpu goes on below the rest, which is not longer."""
    if len(following) > len(line) or len(line) < _NARROWEST:
        return False
    return len(line) >= _WINDOW or any(map(_LINE.match, lines.ahead(2)[1:]))


def _parse_json(lines: Lines) -> Found | None:
    """The list where its first line has more than the brace: -J of some versions prints it on one line."""
    first = lines.number + 1
    texts: list[str] = []
    depth = 0
    for line in lines:
        if texts and line.lstrip()[:1] not in tuple('{}[]",'):
            lines.step_back()
            break
        texts.append(line)
        depth += line.count("{") - line.count("}")
        if depth <= 0 or len(texts) > _MOST:
            break
    values: dict[str, Any] = {"format": "json"}
    try:
        fields = json.loads("\n".join(texts))["lscpu"][::-1]
        while fields:
            field = fields.pop()
            values |= _parse_value(_name(field["field"].rstrip(":")), str(field["data"])) if field.get("data") else {}
            fields += field.get("children", [])[::-1]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # JSON of another shape, or cut off
        return None
    return Found(values, first, lines.number, "model_name" not in values)


def _read_json(lines: Lines) -> Found | None:
    first, above = lines.number + 1, lines.raw
    with lines.keep_taken() as taken:
        values, ended = _read_list(lines, taken)
        last = lines.number
        if len(values) < 3:
            lines.back(*taken)
            return None
    if ended and first > 1 and (not above.strip() or above.count("{") > above.count("}")):
        # The brace that this one closes stood above, as far as the next line stands below.
        first -= 1 + next((at for at, raw in enumerate(taken[1:]) if raw.strip()), 0)
    problems = [] if ended else [Problem(last, "the list breaks off before its end")]
    return Found(values, first, last, "model_name" not in values, problems)


def _read_list(lines: Lines, taken: list[str]) -> tuple[dict[str, Any], bool]:
    """(values, whether the list has its end). The next list ends it, so that of many openings none is read by all above."""
    values: dict[str, Any] = {"format": "json"}
    name, depth = "", 1
    for line in lines:
        stripped = line.strip()
        if len(taken) > 1 and stripped.startswith('"lscpu"'):
            lines.step_back()
            break
        if field := _FIELD.search(stripped):
            name = _name(field[1])
        data = match_joined(lines, stripped, _DATA.search, most=_MOST_BROKEN) if stripped.startswith('"data"') else None
        if data and name:
            values |= _parse_value(name, str(json.loads(data[1])))
        depth += stripped.count("{") - stripped.count("}")
        if depth <= 0 or len(taken) > _MOST:
            break
    return values, depth <= 0


def _name(key: str) -> str:
    """ "CPU op-mode(s)" and "CPU 运行模式" -> "cpu_op_modes"."""
    if known := _KEYS.get(key.strip()):
        return known
    if node := re.match(r"(?=\D*NUMA)\D*+(\d+)", key):
        return f"numa_node{node[1]}_cpus"
    return re.sub(r"\W+", "_", key.strip().replace("(s)", "s").lower()).strip("_")


def _parse_value(name: str, text: str) -> dict[str, Any]:
    if name == "flags":
        return {"n_flags": len(text.split())}
    if name.endswith("_cache") and (size := _SIZE.fullmatch(text)):
        sizes = {f"{name}_bytes": round(float(size[1]) * _BYTES[size[2]])}
        return sizes | ({f"{name}_instances": int(size[3])} if size[3] else {})
    if name.endswith(("_list", "_cpus")):  # "0" as well as "0,1"
        return {name: text}
    text = _REMARK.sub("", text)
    try:
        return {name: number(text) if re.fullmatch(r"-?\d+(?:[.,]\d+)?", text) else text}
    except ValueError:
        return {name: text}


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    mhz = get("cpu_max_mhz", get("cpu_mhz"))
    cpus = get("cpus")
    return [
        HostFacts(
            cpu_model=str(get("model_name", "")) or None,
            cores=cpus if isinstance(cpus, int) else None,
            mhz=float(mhz) if isinstance(mhz, int | float) else None,
        )
    ]
