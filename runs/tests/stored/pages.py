"""`python -m runs.tests.stored.pages`: migrate the database in DATABASE_URL; the data of its pages as JSON {address: body}.

Read in a process of its own, since the database is another one than the tests'.
"""

from __future__ import annotations

import json
import os
import sys


def addresses() -> list[str]:
    """Lists, every experiment, run, capture, config, host, upload and job, and what REST says of the same rows."""
    from django.apps import apps

    names = {"experiments": "Experiment", "runs": "Run", "captures": "Capture", "configs": "Config", "hosts": "Host"}
    names |= {"uploads": "Upload"}
    found = ["/experiments/.json", "/runs/.json", "/hosts/.json", "/trends/.json", "/runs/.csv", "/api/v1/plans/"]
    for kind, name in names.items():
        found.append(f"/api/v1/{kind}/")
        for pk in apps.get_model("runs", name).objects.order_by("pk").values_list("pk", flat=True):
            found += [f"/{kind}/{pk}.json", f"/api/v1/{kind}/{pk}/"]
            if kind == "experiments":
                found += [f"/experiments/{pk}.md", f"/experiments/{pk}.csv", f"/api/v1/compare/?experiment={pk}"]
    return [*found, "/api/v1/jobs/", "/api/v1/jobs/1/", "/api/v1/jobs/2/", "/api/v1/compare/?runs=1,4"]


def main() -> None:
    import django
    from django.conf import settings

    django.setup()
    settings.ALLOWED_HOSTS = ["testserver"]
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    call_command("migrate", verbosity=0)
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    bodies = {}
    for address in addresses():
        response = client.get(address)
        bodies[address] = response.content.decode() if response.status_code == 200 else response.status_code
    json.dump(bodies, sys.stdout, ensure_ascii=False, indent=0)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
    main()
