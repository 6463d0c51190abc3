from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0002_append_only")]

    operations = []
