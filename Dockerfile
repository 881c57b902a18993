# One image for the web server and the worker.
FROM python:3.12-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/data HOST=0.0.0.0
RUN useradd --create-home --uid 1000 workbench && install --directory --owner=workbench --mode=700 /data
WORKDIR /app
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
USER workbench
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--threads", "8", "--keep-alive", "75"]
