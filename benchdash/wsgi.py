"""What gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

from benchdash.faults import watch_postgresql
from benchdash.webworker import check_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
os.environ.setdefault("STATEMENT_TIMEOUT_S", "30")
watch_postgresql(patience_s=3)
application = check_bodies(get_wsgi_application())
