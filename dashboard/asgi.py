"""Entry point of asynchronous servers; the long poll of the gates needs one."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
django_application = get_asgi_application()

from dashboard.limits import Capped  # noqa: E402
from dashboard.waiting import LongPoll  # noqa: E402

application = Capped(LongPoll(django_application))
