"""What gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

from benchdash.webworker import check_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
application = check_bodies(get_wsgi_application())
