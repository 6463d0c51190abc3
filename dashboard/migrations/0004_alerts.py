from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0003_notifications")]

    operations = []
