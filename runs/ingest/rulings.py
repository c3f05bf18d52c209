"""What people say about fatal doubts: that a run, or a config, counts after all. The only writer of rulings.

One transaction each. Raises Rejected (400) for what makes no sense.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from runs.analysis.doubts import is_rule
from runs.models import Config, Ruling, Run

from .fitting import fitted
from .rejected import rejected


@transaction.atomic
def overrule(rule: str, *, run: Run | None = None, config: Config | None = None, by: User, reason: str) -> Ruling:
    """Let the run, or the config, count in spite of the rule. Said already: the ruling that stands comes back."""
    if (run is None) == (config is None):
        raise rejected(400, "A doubt is overruled for one run or for one config.")
    if not is_rule(rule):
        raise rejected(400, f"There is no doubt called {rule!r}.")
    if not reason.strip():
        raise rejected(400, "Say in a few words why it counts all the same, so that others can judge that.")
    about = {"upload": run.upload, "line": run.line_first} if run is not None else {"config": config}
    standing = Ruling.objects.filter(rule=rule, withdrawn_at=None, **about).first()
    if standing is not None:
        return standing
    return Ruling.objects.create(rule=rule, made_by=by, **about, **fitted(Ruling, reason=reason.strip()))


@transaction.atomic
def withdraw(ruling: Ruling, *, by: User) -> Ruling:
    """The doubt stands again. The ruling stays as a record of who said what; withdrawn twice it stays as it was."""
    same = Ruling.objects.filter(rule=ruling.rule, withdrawn_at=None, config=ruling.config_id)
    same.filter(upload=ruling.upload_id, line=ruling.line).update(withdrawn_at=timezone.now(), withdrawn_by=by)
    ruling.refresh_from_db()
    return ruling
