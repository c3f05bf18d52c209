"""What gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

from runs.wire import watched

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
application = watched(get_wsgi_application())
