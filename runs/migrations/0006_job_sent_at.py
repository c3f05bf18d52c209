from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0005_readable_places"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="sent_at",
            field=models.DateTimeField(blank=True, help_text="when its message was last given to the queue", null=True),
        ),
    ]
