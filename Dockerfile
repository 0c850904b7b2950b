# Container image of the hub: one binary, an unprivileged user, all persistent data under /data.

FROM rust:1.95-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends nodejs \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN make release

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home plexus \
    && install -d -o plexus -g plexus -m 0700 /data
COPY --from=build /source/target/release/plexus /usr/local/bin/plexus
USER plexus
WORKDIR /
ENV PLEXUS_LISTEN=0.0.0.0:3000
ENV PLEXUS_DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["plexus", "doctor", "--liveness"]
CMD ["plexus", "serve"]
