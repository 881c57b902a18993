from django.db import migrations

from core.writing.frozen import RefuseReplacing


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0017_rows_not_replaced'),
    ]

    operations = [
        RefuseReplacing("core_deliveryattempt", "what an attempt came to never changes"),
        RefuseReplacing("core_delivery", "a message is never replaced", ("id", "key")),
        RefuseReplacing("core_accesstoken", "a token is never replaced", ("id", "token_hash")),
    ]
