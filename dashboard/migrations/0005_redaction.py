from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0004_alerts")]

    operations = []
