# The image of the service: Node and one bundle, built from the lock file and the source.
#   docker build -t lead-intake .
# To run it, see docs/kubernetes.md, or docs/vm.md for one machine on the internet.
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit
COPY scripts/build.ts ./scripts/
COPY src ./src
RUN node scripts/build.ts

FROM ${NODE_IMAGE}
WORKDIR /app
# The default place of the embedded database, and the only folder that the service writes to.
RUN mkdir data && chown 1000:1000 data
VOLUME /app/data
COPY package.json deploy/healthcheck.js ./
COPY --from=build /app/dist ./dist
# By default, the C library waits 5 s for a lost DNS packet. Node looks up two names at a time, so others would wait too.
ENV RES_OPTIONS="timeout:1 attempts:3"
# A numeric id, so that the kubelet can tell that it is not root.
USER 1000:1000
EXPOSE 8080 9090 9100
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["node", "healthcheck.js"]
# Node itself receives the signals: there is no npm or shell in front of it.
ENTRYPOINT ["node", "dist/main.js"]

# Last, so that a new revision does not invalidate the layers above.
ARG NODE_IMAGE
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lead-intake" \
      org.opencontainers.image.description="Lead intake for a residential cleaning business: REST, RPC and an inbox from one protobuf definition" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="UNLICENSED" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"
