# Two stages: the second has no compiler and runs as nobody in particular.
FROM python:3.11-slim AS build
WORKDIR /app
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY manage.py ./
COPY guard guard
COPY dashboard dashboard
COPY templates templates
COPY static static
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && SECRET_KEY=build GUARD_DATA=/tmp/build /venv/bin/python manage.py collectstatic --noinput

FROM python:3.11-slim
RUN useradd --uid 10001 --create-home guard && mkdir /data && chown guard /data
COPY --from=build /venv /venv
COPY --from=build --chown=guard /app /app
WORKDIR /app
USER guard
ENV PATH=/venv/bin:$PATH GUARD_DATA=/data PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s CMD ["python", "-c", \
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["gunicorn", "-k", "asgi", "-w", "2", "-b", "0.0.0.0:8000", "--no-control-socket", "dashboard.asgi:application"]
