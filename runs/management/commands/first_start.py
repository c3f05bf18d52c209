"""Everything that must be there before the web server starts; each start calls it, and mostly it finds all done."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand

from runs import ingest
from runs.accounts.first_user import make_first_user, password_file
from runs.management.assets import collect_when_changed


class Command(BaseCommand):
    help = "Migrate the database, collect static files; on the first start load samples and make the user admin."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        collect_when_changed()
        # The user is made last: a first start that was cut short is a first start again, and loading repeats nothing.
        if not User.objects.exists():
            call_command("load_samples", stdout=self.stdout)
            make_first_user()
            self.stdout.write(f"The user admin was made; the password is in {password_file()}")
        ingest.take_in()  # what samples or a migration have counted is there on the first page that is opened
