from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0020_bin")]

    operations = [
        migrations.RemoveIndex(model_name="upload", name="upload_not_rest"),
        migrations.RenameField(model_name="upload", old_name="door", new_name="origin"),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(fields=["origin", "-id"], name="upload_not_rest", condition=~models.Q(origin="rest")),
        ),
    ]
