# The service as an image: Node and one bundle, made from the lock file and the source.
#   docker build -t lead-intake:1.0.0 .
# How to run it: docs/kubernetes.md, and docs/vm.md for one machine on the internet.
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit
COPY scripts/build.ts scripts/warm.ts ./scripts/
COPY src ./src
RUN node scripts/build.ts && mkdir dist/compile-cache && chown 1000:1000 dist/compile-cache
# As the user that the service runs as: what V8 has compiled is kept for each user.
USER 1000:1000
RUN node scripts/warm.ts

FROM ${NODE_IMAGE}
WORKDIR /app
# Where the embedded database is, when DATABASE_URL names no other: the one place that the service writes to.
RUN mkdir data && chown 1000:1000 data
VOLUME /app/data
COPY package.json deploy/healthcheck.js ./
COPY --from=build /app/dist ./dist
ENV NODE_COMPILE_CACHE=/app/dist/compile-cache
# A number, so that the kubelet can tell that it is not root.
USER 1000:1000
EXPOSE 8080 9090 9100
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["node", "healthcheck.js"]
# Node itself is the process that is signalled: no npm and no shell before it.
ENTRYPOINT ["node", "dist/main.js"]

# Last, so that a new revision leaves the layers above as they are.
ARG NODE_IMAGE
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lead-intake" \
      org.opencontainers.image.description="Lead intake for a residential cleaning business: REST, RPC and an inbox from one protobuf definition" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="UNLICENSED" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"
