# One image for the web server and the worker; docker-compose.yml selects the command.
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 DATA_DIR=/data
WORKDIR /app
COPY requirements.txt .
# Workers reach load generators and targets by ssh.
RUN apt-get update && apt-get install -y --no-install-recommends openssh-client && rm -rf /var/lib/apt/lists/*
RUN pip install --require-hashes -r requirements.txt \
 && useradd --system --uid 10001 --home-dir /app benchdash \
 && install -d -o benchdash -m 700 /data
COPY manage.py ./
COPY benchdash benchdash
COPY parsers parsers
COPY runs runs
COPY static static
COPY templates templates
USER benchdash
VOLUME /data
EXPOSE 8000
