# gistmeter on a CPU, with every language and offline recogniser. Build with `make image`.
#
#   docker run --rm -v "$PWD:/data" gistmeter text answers.csv --references expected.csv
#
# Nothing is fetched at run time. Answers of models are kept in the volume /cache.
FROM python:3.12-slim AS build
COPY dist/*.whl constraints.txt /tmp/
RUN python -m venv /opt/gistmeter \
 && /opt/gistmeter/bin/pip install --no-cache-dir --disable-pip-version-check \
      --constraint /tmp/constraints.txt "$(ls /tmp/*.whl)[demo,llm]"

FROM python:3.12-slim
COPY --from=build /opt/gistmeter /opt/gistmeter
RUN useradd --create-home gistmeter && mkdir /data /cache && chown gistmeter /data /cache
USER gistmeter
ENV PATH=/opt/gistmeter/bin:$PATH GISTMETER_CACHE_DIR=/cache PYTHONUTF8=1 HF_HUB_OFFLINE=1
VOLUME /cache
WORKDIR /data
RUN gistmeter doctor --quick
ENTRYPOINT ["gistmeter"]
CMD ["--help"]
