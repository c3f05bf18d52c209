"""The configs of an experiment and their names: from the headings of the text, otherwise from what the tool printed.

A config's heading is the nearest one above the load test that names something; the heading one level up is its group.
Without headings, another server that answered or another text of the same config file makes another config.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from parsers.blocks import Block
from parsers.catalogue import find_requested_load, get_semantics, parse_command
from parsers.commands import LOCAL
from runs.analysis.method import Method, group_by_method, method_of

from .boilerplate import ITEM, WROTE, heading_level, strip_markup
from .draft import MAX_NAME, DraftConfig
from .heading_groups import HeadingChoice
from .heading_words import find_repeat, is_warm_up, name_of_heading, speaks
from .headings import choose_headings
from .hosts import Servers, find_server
from .left_out import find_examples, find_warm_ups
from .names import (
    SHORT_NAME,
    drop_common_words,
    drop_levels,
    drop_numbering,
    drop_repeats,
    drop_with,
    find_full_names,
    find_numbered_repeats,
    find_shared_words,
    fold_order,
    name_values,
    shorten,
)
from .sentences import Sentences, find_replacement, find_settings, is_comparison, is_one_of, name_by_paths
from .settings import add_changed_texts, find_changed_texts, list_shown
from .stated_hosts import CORES, find_stated_host
from .variants import find_variants

_WEB_SERVER = r"(nginx|apache2?|httpd|lighttpd|caddy|haproxy|openresty|litespeed|cherokee|traefik|envoy|varnish)\b"
_SEARCHED = re.compile(  # of them one answers at an address; others work behind it
    rf"\bps\b.*\|\s*grep\s+(?:-\w+\s+)*['\"]?{_WEB_SERVER}"
)
_STARTED = re.compile(  # or its version was shown
    rf"\b(?:systemctl|rc-service)\s+(?:re)?start\s+{_WEB_SERVER}|\bservice\s+{_WEB_SERVER}\s+(?:re)?start"
    rf"|^(?:sudo\s+)?{_WEB_SERVER}\s+(?:-[vV]\b|(?:--)?version\b)"
)
_FILLER_OF_CPU = re.compile(r"\((?:R|TM)\)| \d+-Core Processor| CPU\b| @ [^,]*", re.IGNORECASE)
_LEAST_OF_TITLE = 5  # words
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_BETWEEN = re.compile(
    r"\s*[,、，/&+]\s*(?:and\s)?|\s(?:and|und|et|y|e|i|и|under|with|on)\s|と|和"
)  # what a title lists


class ConfigNames:
    """The configs of one experiment, in the order in which the text first mentions them.

    blocks         all blocks; loads, texts: numbers of this experiment's load tests and config texts
    duplicates     {number of a block: number of the block that it quotes}
    n_before       number of configs of earlier experiments
    machines       {load: name of its machine}, where there are several
    prompt_hosts   {load: name of its machine in a prompt}
    configs        the result, and their names by key
    results        {load: its first result}
    shared         what all headings begin with, and no name has: "nginx: " or "Throughput of ", or ""
    configs_by_heading  {heading: key of the config that exactly this heading names}
    heading_lines  {load: line of the heading that names its config, 0 if none does}
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        loads: Sequence[int],
        texts: Sequence[int],
        duplicates: Mapping[int, int],
        n_before: int,
        machines: Mapping[int, str],
        prompt_hosts: Mapping[int, str],
    ) -> None:
        self.blocks = blocks
        self.duplicates = duplicates
        self.n_before = n_before
        self.machines = machines
        self.configs: list[DraftConfig] = []
        self._methods: dict[int, Method] = {}
        self.results = {load: blocks[load].load_results[0] for load in loads}
        self._server_of = {
            load: (server[0] or self._find_server_typed(load, _SEARCHED), *server[1:])
            for load, result in self.results.items()
            if (server := find_server(result, blocks[load], prompt_hosts.get(load)))
        }
        sources = [load for load in loads if load not in duplicates]
        self.warm_ups = find_warm_ups(blocks, sources) if len(sources) > 1 else set()
        self.examples = find_examples(blocks, sources) if len(sources) > 2 else set()
        choices = dict.fromkeys(loads, HeadingChoice(is_inherited=True))
        self._wordless: set[str] = set()  # sentences without words of their own
        self.shared = ""
        names: dict[str, str] = {}
        if any(block.trail or block.label for block in blocks):
            chosen = choose_headings(blocks, loads, set(texts), duplicates, self.method_of, self.warm_ups)
            choices = self._drop_requests(chosen)
            names = self._name_headings({load: choice for load, choice in choices.items() if choice.text})
        self._nameless = {shorten(names[text])[:MAX_NAME] for text in self._wordless}
        self.renamed = {shorten(text) for text, name in names.items() if name != strip_markup(text)}
        self._choices = {
            load: choice if choice.text == (name := names.get(choice.text, "")) else replace(choice, text=name)
            for load, choice in choices.items()
        }
        self._choices |= self._part_quoted(sources)
        self.heading_lines = {load: choice.line for load, choice in self._choices.items()}
        self._heading_of = {  # (heading, group)
            load: (shorten(choice.text)[:MAX_NAME] if choice.text else "", choice.group[:MAX_NAME])
            for load, choice in self._choices.items()
        }
        groups_of: dict[str, set[str]] = defaultdict(set)  # by heading
        for heading, group in self._heading_of.values():
            groups_of[heading].add(group)
        # One of whose names recurs below another: all are told with it.
        self._named_groups = set[str]().union(*(groups for groups in groups_of.values() if len(groups) > 1))
        self.renamed |= {heading for heading, groups in groups_of.items() if groups & self._named_groups}
        self.names: dict[str, str] = {}  # config key -> name
        self._taken: set[str] = set()
        self._n_numbered: Counter[str] = Counter()  # name -> how many have it with a number
        self.configs_by_heading: dict[str, str] = {}
        self._servers: dict[tuple[str, str], Servers] = defaultdict(Servers)  # by heading
        self._addresses: dict[str, set[tuple[str, int]]] = defaultdict(set)  # by server software
        self._config_of: dict[int, str] = {}
        variants = find_variants(blocks, sources, self._heading_of, self.results, self.method_of)
        if not variants and len({*self._heading_of.values()}) == 1:
            titles = (text for load in sources for _, text in blocks[load].trail)
            variants = name_by_paths(titles, {load: self.results[load].path for load in sources})
        self._variants = drop_repeats(variants, self._are_alike)
        self._assign(loads, sources, texts)
        for load, choice in choices.items():
            if choice.text:  # above several configs it names none of them
                heading, key = shorten(choice.text), self.config_of(load)
                is_other = self.configs_by_heading.setdefault(heading, key) != key
                self.configs_by_heading[heading] = "" if is_other else key

    def _part_quoted(self, sources: Sequence[int]) -> dict[int, HeadingChoice]:
        """The choices of quoted load tests, in a group of their own: of an answered mail, or where the sender's have the name."""
        own = {
            (self._choices[load].text, self._choices[load].group) for load in sources if not self.blocks[load].is_quoted
        }
        quoted = {load: self._choices[load] for load in sources if self.blocks[load].is_quoted}
        is_answer = bool(own) and any(WROTE.search(text) for block in self.blocks for _, text in block.trail)
        return {
            load: choice.within(" · ".join(filter(None, ("quoted", choice.group))))
            for load, choice in quoted.items()
            if is_answer or (choice.text, choice.group) in own
        }

    def _assign(self, loads: Sequence[int], sources: Sequence[int], texts: Sequence[int]) -> None:
        for load in sources:
            software, host, port = server = self._server_of[load]
            self._servers[self._heading_of[load]].add(server)
            self._addresses[software].add((host, port))
        headless = {load for load, choice in self._choices.items() if choice.is_inherited}
        files = [(i, str((own := self.blocks[i].values).get("path") or ""), str(own.get("text", ""))) for i in texts]
        shown = list_shown(files)
        changed_texts = find_changed_texts(shown, sources, headless) if shown else {}
        if changed_texts:
            plain = [load for load in sources if not self._heading_of[load][0]]
            self._variants = add_changed_texts(self._variants, shown, changed_texts, plain)
        if self._variants:
            self._name_before_changes(sources)
        keys: dict[tuple[object, ...], str] = {}
        for load in loads:
            source = self.duplicates.get(load, load)
            if source in self._config_of:
                continue
            heading = self._heading_of[source]
            n_server = self._servers[heading].find(self._server_of[source])
            variant = self._variants.get(source, "")
            identity = (heading, n_server, changed_texts.get(source, ()), variant, self.machines.get(source))
            if identity not in keys:
                keys[identity] = self._add_config(source)
            self._config_of[source] = keys[identity]

    def _name_before_changes(self, sources: Sequence[int]) -> None:
        """The load tests of one heading and server before a change was made, and without it behind others, are named by it."""
        alike: dict[object, list[int]] = defaultdict(list)
        for load in sources:
            heading = self._heading_of[load]
            alike[heading, self._servers[heading].find(self._server_of[load])].append(load)
        for own in alike.values():
            changed = [load for load in own if load in self._variants]
            plain = [load for load in own if load not in self._variants]
            if changed and plain:
                word = "before" if plain[0] < changed[0] else "without"
                self._variants |= dict.fromkeys(plain, f"{word} {self._variants[changed[0]]}")

    def _name_headings(self, choices: Mapping[int, HeadingChoice]) -> dict[str, str]:
        """{heading: the name that it gives}: without numbering, the number of a repeat, and the rest of a sentence."""
        loads: dict[str, list[int]] = defaultdict(list)
        for load, choice in choices.items():
            loads[choice.text].append(load)
        values = name_values(loads)
        names = {text: find_stated_host(text).name or values.get(text) or name_of_heading(text) for text in loads}
        is_heading = {text: choices[own[0]].is_heading and not speaks(text) for text, own in loads.items()}
        if title := self._find_common_heading(loads, choices):
            is_heading[title] = False
        sentences = [text for text in names if not (is_heading[text] or _is_address(text))]
        every, spoken = Sentences(names), Sentences(sentences)
        names |= {text: every.find_one_of(text) or name for text, name in names.items() if CORES.search(text)}
        for text in sentences:
            others = every if text == title else spoken
            words = every.find_one_of(text) or others.find_distinguishing_words(text, names[text])
            names[text] = words or names[text]
            self._wordless |= {text} if not words else set()
        if self._wordless and (hosts := self._name_by_host({text: loads[text] for text in names})):
            names |= hosts
            self._wordless.clear()
        names = drop_numbering(names)
        numbered = find_numbered_repeats(names, self._are_alike, loads)
        first_written: dict[str, str] = {}  # by the folded name
        names = find_full_names(names | numbered)
        names = drop_levels(names, {text: [self.method_of(load) for load in own] for text, own in loads.items()})
        whole = {text: name for text, name in names.items() if name}
        named = drop_common_words(whole)
        self.shared = find_shared_words(whole, named)
        headings = {
            text: first_written.setdefault(fold_order(name), name) for text, name in drop_with(names | named).items()
        }
        for text, own in loads.items():
            says_nothing = not (is_heading[text] or _is_address(text))
            name = self._find_change(own, choices[own[0]], says_nothing)
            if name and fold_order(name) not in first_written:  # what has a name already would be averaged with it
                headings[text] = first_written[fold_order(name)] = name
                self._wordless.discard(text)
        return headings

    def _drop_requests(self, choices: dict[int, HeadingChoice]) -> dict[int, HeadingChoice]:
        """The choices, but the heading for all, where each sentence below it stands above requests of a page of its own."""
        first = next(iter(choices.values()), HeadingChoice())
        others = [choice for choice in choices.values() if choice.text != first.text]
        is_title = heading_level(first.text) and not any(other.is_heading or "://" in other.text for other in others)
        asked = {(choice.text, self.method_of(load).path) for load, choice in choices.items()}
        n_texts, n_paths = (len({each[at] for each in asked}) for at in (0, 1))
        are_requests = 1 < n_texts == n_paths == len(asked) and len({*self._server_of.values()}) == 1
        return dict.fromkeys(choices, first) if is_title and are_requests else choices

    def _find_common_heading(self, loads: Mapping[str, Sequence[int]], choices: Mapping[int, HeadingChoice]) -> str:
        """The text's first line, chosen for the first load test, where it is about all of them: what others have stands in it, or
        it is much longer."""
        trail = self.blocks[0].trail
        if not trail or len(loads) < 2:
            return ""
        first, *others = loads
        choice = choices[loads[first][0]]
        if choice.line != trail[0][0] or not choice.is_heading:
            return ""
        if is_warm_up(first) or find_repeat(first) or heading_level(first) in {*map(heading_level, others)} - {0}:
            return ""
        bare = [name_of_heading(text).lower() for text in others]
        n_words = len(_IN_BRACKETS.sub("", strip_markup(first)).split())
        is_about_all = any(text in first.lower() for text in bare) or n_words >= 2 + max(
            len(text.split()) for text in bare
        )
        listed = {part.lower() for part in _BETWEEN.split(name_of_heading(first))}
        is_listed = len(listed) > 1 and not listed.isdisjoint(bare)
        return first if is_comparison(first) or is_listed or (n_words >= _LEAST_OF_TITLE and is_about_all) else ""

    def _name_by_host(self, loads: Mapping[str, Sequence[int]]) -> dict[str, str]:
        """{sentence: host that its load tests went to}, where each has one of its own."""
        hosts = {text: {self._server_of[load][1] for load in own} for text, own in loads.items()}
        named = {text: next(iter(own)) for text, own in hosts.items() if len(own) == 1 and not own & (LOCAL | {""})}
        return named if len({*named.values()}) == len(loads) > 1 else {}

    def _find_change(self, loads: Sequence[int], choice: HeadingChoice, says_nothing: bool) -> str:
        """What the lines behind a comparison's title say was changed to, or the setting behind a sentence that names nothing."""
        first, *others = (self._get_section(load) for load in loads)
        lines = [heading for block in first for heading in block.trail]
        if (choice.line, choice.text) not in lines:
            return ""
        titles = [(line, text) for line, text in lines if line <= choice.line and is_comparison(text)]
        is_first = loads[0] == next(iter(self.results))  # nothing was changed before it
        for title_line, title in titles[-1:] if not is_first else ():
            for line, text in reversed(lines):
                if line > title_line and choice.line in (title_line, line) and (name := find_replacement(text, title)):
                    return name
        settings = find_settings(first, choice.line) if says_nothing else ""
        return settings if all(find_settings(section, 0) in ("", settings) for section in others) else ""

    @cached_property
    def _paths(self) -> set[str | None]:
        """What the reports say was requested."""
        return {result.path for result in self.results.values()}

    @cached_property
    def _differ_by_machine(self) -> bool:
        """Whether headings and commands name no config, so that only the machines tell the load tests apart."""
        return not any(self._variants.values()) and not any(heading for heading, _ in self._heading_of.values())

    def _get_section(self, load: int) -> Sequence[Block]:
        """The load test's block and those since the load test before it."""
        first = load
        while first and not self.blocks[first - 1].load_results:
            first -= 1
        return self.blocks[first : load + 1]

    def _are_alike(self, loads: Sequence[int]) -> bool:
        """Whether one server was loaded in one way, and no lists above tell what differs."""
        if len({self._list_items(load) for load in loads}) > 1:
            return False
        servers = Servers()
        for load in loads:
            servers.add(self._server_of[load])
        return len(servers.all) == 1 and len(group_by_method(loads, self.method_of)) == 1

    def _list_items(self, load: int) -> tuple[str, ...]:
        """The items of lists between a load test and the heading above it."""
        trail = [text for _, text in self.blocks[load].trail]
        n_behind = next((n for n, text in enumerate(reversed(trail)) if heading_level(text)), 0)
        return tuple(text for text in trail[len(trail) - n_behind :] if ITEM.match(text))

    @property
    def machine_names(self) -> list[str]:
        """The configs' names, where each is that of a machine, or says behind a colon what cores it has."""
        hosts = {host for _, host, _ in self._server_of.values()}
        names = list(self.names.values())
        is_stated = [
            is_one_of(name) or name in hosts or bool(CORES.search(re.split("[:：]", name)[-1])) for name in names
        ]
        return names if all(is_stated) else []

    def config_of(self, load: int) -> str:
        return self._config_of[self.duplicates.get(load, load)]

    def method_of(self, load: int) -> Method:
        """What else two runs of one config must have in common to be repeats."""
        if load not in self._methods:
            block, result = self.blocks[load], self.results[load]
            path = parse_command(block.command or "", result.tool).path
            asked = {"path": path} | find_requested_load(block.command or "", result.tool, block.values)
            self._methods[load] = method_of(result, asked, get_semantics(result.tool), block.command or "")
        return self._methods[load]

    def _add_config(self, load: int) -> str:
        heading, group = self._heading_of[load]
        is_named = heading and heading not in self._nameless
        name = self._name_by_heading(load, heading) if is_named else self._name_by_result(load)
        if group and group in self._named_groups:
            name = f"{group} · {name}"
        if name in self._taken and load in self.machines:
            name = f"{name} on {self.machines[load]}"
        base, name = name[: MAX_NAME - 8], name[:MAX_NAME]
        while name in self._taken:
            self._n_numbered[base] += 1
            name = f"{base} ({self._n_numbered[base] + 1})"
        config = DraftConfig(key=f"c{self.n_before + len(self.configs) + 1}", name=name, group=group)
        self.configs.append(config)
        self.names[config.key] = name
        self._taken.add(name)
        return config.key

    def _name_by_heading(self, load: int, heading: str) -> str:
        """The heading, with the server where it stands above several. The text's title alone does not name them."""
        servers = self._servers[self._heading_of[load]].all
        names = {server[0].split("/")[0].lower() for server in servers}
        named = {name for name in names if name and name in heading.lower()}
        own = (self.results[load].server_software or "").split("/")[0].lower()
        if own and self._choices[load].is_inherited and len(servers) > 1:  # it was said of another server
            return self._name_by_result(load)
        if self._variants.get(load) or not (len(servers) < 2 or named == {own}):
            is_title = len(self._servers) == 1
            return self._name_by_result(load) if is_title else f"{heading} · {self._name_by_result(load)}"
        return heading

    def _name_by_command(self, load: int) -> str:
        """What a command names in place of an address: a script, a file of addresses, a variable, a database, or the tool.

        What the reports say was run, where that differs, names no config.
        """
        result, ran = self.results[load], self._paths
        command = parse_command(self.blocks[load].command or "", result.tool)
        files = [str(command.options[term]) for term in ("script", "url_file", "path") if command.options.get(term)]
        loaded = (name for name in [*files, *command.arguments] if len(ran) < 2 or name not in ran)
        tool = get_semantics(result.tool).shown_as or result.tool
        return next(loaded, "")[:SHORT_NAME] or (result.path if len(ran) < 2 else tool) or ""

    def _name_by_result(self, load: int) -> str:
        """What tells the load test apart by its commands, otherwise by the server that answered."""
        if variant := self._variants.get(load):
            return variant
        software, host, port = self._server_of[load]
        address = f"{host}:{port}" if host and port else host
        if load in self.machines and self._differ_by_machine:
            return _FILLER_OF_CPU.sub("", self.machines[load])
        if not software:
            tool = self.results[load].tool
            named = self._find_server_typed(load, _STARTED) or address or self._name_by_command(load)
            return named or (
                f"rate of line {self.blocks[load].first}"
                if get_semantics(tool).quotes_others
                else get_semantics(tool).shown_as or tool
            )
        addresses = self._addresses[software]
        if len(addresses) == 1:
            return software
        if len({host for host, _ in addresses}) > 1 and address:
            return f"{software} on {address}"
        return f"{software} on port {port}" if len({port for _, port in addresses}) > 1 and port else software

    def _find_server_typed(self, load: int, pattern: re.Pattern[str]) -> str:
        """The one web server in the commands since the load test before: "ps aux | grep nginx"."""
        typed = [command for block in self._get_section(load) for command in (block.command or "", *block.typed)]
        server_typed = {
            name for command in typed for match in pattern.finditer(command) for name in match.groups() if name
        }
        return next(iter(server_typed)) if len(server_typed) == 1 else ""


def _is_address(text: str) -> bool:
    """Whether a line begins with an address; in the middle of a sentence it names nothing."""
    return re.match(r"\W*\w+://", text) is not None
