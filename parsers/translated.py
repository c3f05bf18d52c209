"""What procps' and util-linux' tools print where the locale is not English, in their own translations."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Titles of free's columns, and what its rows begin with, in lower case.
FREE_COLUMNS = {
    "total": "gesamt razem totalt 총계 загалом",
    "used": "benutzt belegt usado usada utilisé utilizată użyte używane użyty använt anv. 사용 використ.",
    "free": "frei libre livre liberă wolne wolny fritt 여분 вільна",
    "shared": "gemns. gemeins. gemeinsam compartido compart. partagé partajată dzielone dzielony delat 공유 спільна",
    "buff/cache": "puffer/cache búf/caché tamp/cache buf/cache 버퍼/캐시 буфери/кеш",
    "buffers": "puffer búfer búferes tampons bufory buffertar 버퍼 буфери",
    "cache": "caché 캐시 кеш",
    "available": "verfügbar disponible disponível disponibilă dostępne tillgängl. 가용 дост.",
}
FREE_ROWS = {
    "mem": "speicher mem. pamięć minne 메모리 пам. 内存 bnhớ",
    "swap": "auslagerungsdatei inter intercambio échange wymiana växl. своп. 交换",
    "total": "gesamt razem totalt загалом 总量",
    "low": "niedrig baja baixa basse niska lågt нижня 低",
    "high": "hoch alta haute wysoka högt верхня 高",
}

# What the lines of lscpu begin with, by the name that is made of the English one.
LSCPU_KEYS = {
    "architecture": "架构|Architektur|Architecture|Arquitectura|Arquitetura|Architettura|Архитектура",
    "cpu_op_modes": "CPU 运行模式|CPU Operationsmodus|Mode(s) opératoire(s) des processeurs|modo(s) de operación de las CPUs"
    "|Modo(s) operacional da CPU",
    "byte_order": "字节序|Byte-Reihenfolge|Boutisme|Orden de los bytes|Ordem dos bytes",
    "address_sizes": "Adressgrößen|Tamaños de las direcciones|Tamanhos de endereço",
    "cpus": "CPU|Processeur(s)",
    "on_line_cpus_list": "在线 CPU 列表|Liste der Online-CPU(s)|Liste de processeur(s) en ligne|Lista de la(s) CPU(s) en línea"
    "|Lista de CPU(s) on-line",
    "threads_per_core": "每个核的线程数|Thread(s) pro Kern|Thread(s) par cœur|Hilo(s) de procesamiento por núcleo"
    "|Thread(s) per núcleo|Thread(s) por núcleo",
    "cores_per_socket": "每个座的核数|Kern(e) pro Socket|Cœur(s) par socket|Núcleo(s) por «socket»|Núcleo(s) por soquete",
    "sockets": "座|Sockel|Soquete(s)",
    "numa_nodes": "NUMA 节点|NUMA-Knoten|Nœud(s) NUMA|Modo(s) NUMA|Nó(s) de NUMA",
    "vendor_id": "厂商 ID|Anbieterkennung|Identifiant constructeur|ID de fabricante|ID de fornecedor",
    "cpu_family": "CPU 系列|Prozessorfamilie|Famille de processeur|Familia de CPU|Família da CPU",
    "model": "型号|Modell|Modèle|Modelo",
    "model_name": "型号名称|Modellname|Nom de modèle|Nombre del modelo|Nome do modelo|Имя модели",
    "stepping": "步进|Révision|Revisión",
    "cpu_mhz": "CPU MHz|Vitesse du processeur en MHz|CPU MHz atual",
    "cpu_max_mhz": "CPU 最大 MHz|Maximale Taktfrequenz der CPU|Vitesse maximale du processeur en MHz|CPU MHz máx.",
    "cpu_min_mhz": "CPU 最小 MHz|Minimale Taktfrequenz der CPU|Vitesse minimale du processeur en MHz|CPU MHz mín.",
    "virtualization": "虚拟化|Virtualisierung|Virtualisation|Virtualización|Virtualização",
    "hypervisor_vendor": "超管理器厂商|Hypervisor-Anbieter|Constructeur d'hyperviseur|Fabricante del hipervisor"
    "|Fabricante do hipervisor",
    "virtualization_type": "虚拟化类型|Virtualisierungstyp|Type de virtualisation|Tipo de virtualización|Tipo de virtualização",
    "l1d_cache": "L1d 缓存|L1d Cache|Cache L1d|Caché L1d|cache de L1d",
    "l1i_cache": "L1i 缓存|L1i Cache|Cache L1i|Caché L1i|cache de L1i",
    "l2_cache": "L2 缓存|L2 Cache|Cache L2|Caché L2|cache de L2",
    "l3_cache": "L3 缓存|L3 Cache|Cache L3|Caché L3|cache de L3",
    "flags": "标记|Markierungen|Drapeaux|Indicadores|Opções|Флаги",
}


def to_english(words: Mapping[str, str]) -> dict[str, str]:
    """A table from each word, English or not, to the English one."""
    return {word: english for english, others in words.items() for word in (english, *others.split())}


def any_of(words: Mapping[str, str], english: str) -> str:
    """A pattern of the translations of one word, as printed: in lower case."""
    return "|".join(map(re.escape, words[english].split()))


# Words of top's summary and the titles of its columns.
_TOP = {
    "Tasks:": "任务:|任务：|Tareas:|Tâches:|Tarefas:|Uppgifter:|Aufgaben:|Sarcini:|Завдання:|작  업:|Tác vụ:|Zadania:",
    "Threads:": "Hilos:|Trådar:|Потоки:|스레드:|Wątki:",
    "%Cpu(s):": "%CPU(s):",
    "Mem :": "Spch :|Spch:|Minn:|Пам :|RAM :|메모리 :|BNhớ:|mem :",
    "Swap:": "Intercambio:|Éch :|Växl:|Своп:|스  왑:|TĐổi:|swap:",
    "avail": "dispo|dispon|disp|verfü|dost.|tillg|дост.|가용",
    "total": "gesamt|totalt|razem|загалом|загал|총계|tổng",
    "running": "en cours|ejecutar|em exec.|laufend|körande|rulând|працює|실행|chạy",
    "sleeping": "en veille|hibernar|dormindo|schlafend|sovande|dormind|приспано|대기|ngủ",
    "stopped": "arrêté|detener|parado|gestoppt|stoppade|oprit(e)|зупинено|멈춤|dừng",
    "zombie": "zumbi|Zombie|zombi|зомбі|좀비",
    "free": "libr|libre|livre|frei|fritt|wolne|liberă|вільн|віль|잔여",
    "used": "util|usado|usados|belegt|anv.|użyte|utilizată|вик|вико|사용",
    "buff/cache": "tamp/cache|búf/caché|Puff/Cache|buf/cache|буф/кеш|버퍼/캐시",
    "us": "ut",
    "PID": "进程号|进程",
    "USER": "UTIL.|USUARIO|USUÁRIO|UŻYTK.|ANVÄNDARE|UTILIZ.|КОР.",
    "VIRT": "WIRT",
    "RES": "REZ",
    "SHR": "WSP|DELT|M.PART",
    "%MEM": "%PAM|%MIN",
    "TIME+": "ZEIT+|TEMPS+|CZAS+|TEMPO+|TIMP+|TID+|HORA+",
    "COMMAND": "BEFEHL|COM.|KOMENDA|COMANDO|COMANDA|KOMMANDO|ORDEN",
}
_TOP_WORDS = {word: english for english, words in _TOP.items() for word in words.split("|")}
_TOP_WORD = re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, sorted(_TOP_WORDS, key=len, reverse=True)))})(?=[\s,.]|$)")
_NO_STATE = re.compile(r"(SHR\s+)(?:日\s+)?(?=%CPU)")  # Chinese calls it by a day of the week, or by nothing


def top_in_english(line: str) -> str:
    """A line of top's summary, or the titles of its table, with its words in English."""
    text = _TOP_WORD.sub(lambda found: _TOP_WORDS[found[0]], line)
    return _NO_STATE.sub(r"\1S ", text) if text.startswith("PID") else text
