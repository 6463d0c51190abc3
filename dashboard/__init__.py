"""The Django project and its one app: stores what was sent, shows what follows, asks people."""
