from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0006_effect_rules")]

    operations = []
