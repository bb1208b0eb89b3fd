# The service as an image: Node, the production dependencies of the lock file, and the source that Node runs directly.
#   docker build -t lead-intake .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -p 8080:8080 -v leads:/app/data lead-intake
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Nothing that runs here needs an install script.
RUN npm ci --omit=dev --ignore-scripts --no-audit

FROM ${NODE_IMAGE}
WORKDIR /app
# Where the embedded database is, when DATABASE_URL names no other: the one place that the service writes to.
RUN mkdir data && chown 1000:1000 data
VOLUME /app/data
COPY deploy/healthcheck.js ./
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY src ./src
# A number, so that the kubelet can tell that it is not root.
USER 1000:1000
EXPOSE 8080 9090 9100
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["node", "healthcheck.js"]
# Node itself is the process that is signalled: no npm and no shell before it.
ENTRYPOINT ["node", "src/main.ts"]

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
