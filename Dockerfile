# Two images of one source: `docker build --target api .` and `docker build --target worker .`
# The third, `trial`, is not part of the product: the identity provider and the AWS double of a trial.
#
# What each installs: `dependencies` in package.json are what the API needs and a worker too,
# those in worker/package.json what only a worker needs (Temporal's native bridge and its bundler).
# npm installs for the workspaces that it sees, so each stage is shown only those that it is about;
# the command line is in no image, and the
# client library only as a part of the dashboard, which the build stage bundles.
#
# The digest of the base: docker-library/repo-info, repos/node/remote/24.21.0-bookworm-slim.md
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json ./

FROM packages AS api-packages
RUN npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund

FROM packages AS build
COPY dashboard/package.json dashboard/
COPY sdk/package.json sdk/
COPY worker/package.json worker/
RUN npm ci --workspace=dashboard --workspace=sdk --workspace=worker --include-workspace-root --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# Temporal's bridge reads certificates from a file, and the slim image has none.
RUN node -e "require('node:fs').writeFileSync('/certificates.pem', require('node:tls').rootCertificates.join('\n'))"

FROM packages AS worker-packages
COPY worker/package.json worker/
RUN npm ci --omit=dev --workspace=worker --include-workspace-root --ignore-scripts --no-audit --no-fund
# The bridge comes for five platforms at 27 MB each; one of them is this one.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
      ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

# Runs the sources: it needs the development dependencies, and is never deployed.
FROM packages AS trial
RUN npm ci --workspaces=false --ignore-scripts --no-audit --no-fund
COPY . .
# The state of a trial is a volume, which gets this mode from the image.
RUN mkdir -m 1777 state
USER 1000:1000
STOPSIGNAL SIGTERM
EXPOSE 7071 7073 7090
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:7090/.well-known/openid-configuration').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "tsx", "dev/trial.ts"]

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS runtime
# Two arenas: one per thread keeps freed memory in each of them.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
# A number, so that an orchestrator can see that it is not root. Nothing under /app is writable for it.
USER 1000:1000
STOPSIGNAL SIGTERM

FROM runtime AS worker
COPY --from=build /certificates.pem /etc/ssl/certs/ca-certificates.crt
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
COPY --from=worker-packages /app/node_modules ./node_modules
EXPOSE 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:9090/health').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/worker/main.js"]

FROM runtime AS api
COPY --from=api-packages /app/node_modules ./node_modules
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/ready').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/api/main.js"]
