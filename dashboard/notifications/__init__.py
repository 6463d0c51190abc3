"""E-mail, webhooks and chat: people are told that something waits, with a link and ids.

An event is a row of the outbox first (`send`), in its own transaction; a worker delivers it. A
target that is slow or down costs a delivery, never an event.
"""

from dashboard.notifications.delivery import deliver, requeue
from dashboard.notifications.outbox import Notice, send

__all__ = ["Notice", "deliver", "requeue", "send"]
