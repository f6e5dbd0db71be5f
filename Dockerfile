# The newest version with long-term support, at a patch with every fix (src/core/node-floor.ts). The release pins its digest.
FROM node:24.22.1-slim AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build -- --without-dev

FROM build AS build-dev
RUN npm run build

FROM base AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

# A server for development, for tests: docker build --target dev --tag redmint-dev .
FROM base AS dev
ENV NODE_ENV=development
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build-dev /app/dist ./dist
USER 1000:1000
EXPOSE 3000
# The name of the container in its network is the host of the issuer.
ENTRYPOINT ["node", "bin/redmint.js", "dev", "--expose"]
CMD ["--host", "auth"]

FROM base
LABEL org.opencontainers.image.title="redmint" \
      org.opencontainers.image.description="OAuth 2.0 / OpenID Connect authorization server with Redis" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN ln -s /app/bin/redmint.js /usr/local/bin/redmint
# The user node by number: Kubernetes cannot verify that a named user is not root.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# The slim image has no curl.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`, { signal: AbortSignal.timeout(2000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
