# gistmeter on a CPU, with every language and offline recogniser. Build with `make image`.
#
#   docker run --rm -v "$PWD:/data" gistmeter text answers.csv --references expected.csv
#
# Nothing is fetched at run time. Answers of models are kept in the volume /cache.
FROM python:3.12-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY dist/*.whl locks/build.txt locks/image.txt /tmp/
RUN python -m venv /opt/gistmeter \
 && /opt/gistmeter/bin/pip install --require-hashes --requirement /tmp/build.txt \
 && /opt/gistmeter/bin/pip install --no-build-isolation --require-hashes --requirement /tmp/image.txt \
 && /opt/gistmeter/bin/pip install --no-deps /tmp/*.whl

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
