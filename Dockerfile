# One image for web server, worker and clock. The tag is for people; the digest counts.
ARG PYTHON_IMAGE=python:3.12.11-slim-trixie@sha256:47ae396f09c1303b8653019811a8498470603d7ffefc29cb07c88f1f8cb3d19f
FROM ${PYTHON_IMAGE}
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/data BACKUP_FOLDER=/backups HOST=0.0.0.0 HOME=/tmp
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# pg_dump and psql of the database's own major version, for backups.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 workbench \
    && install --directory --owner=workbench --mode=700 /data /backups
WORKDIR /app
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
# Compiled once here: the containers' file systems are read-only.
RUN python -m compileall -q annotation benchmarks config core judging review
USER 1000:1000
VOLUME ["/data", "/backups"]
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--threads", "8", "--keep-alive", "75", "--no-control-socket"]
