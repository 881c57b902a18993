"""AIBrix's files and batches on a port of this machine, kept in the current folder; calls go to `backend`.

    python serve.py http://127.0.0.1:9000 9001

Its own way without Kubernetes is a dry run, whose calls are answered with their own requests; here they are made.
"""

import sys

import aibrix.metadata.app as service
import uvicorn
from aibrix.batch.client import StaticEndpointSource
from aibrix.metadata.setting import settings
from aibrix.storage import StorageType

backend, port = sys.argv[1:]
settings.STORAGE_TYPE = settings.METASTORE_TYPE = StorageType.LOCAL
service.NoopEndpointSource = lambda: StaticEndpointSource(backend, capacity=8)
app = service.build_app(service.build_app_args(dry_run=True))
uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")
