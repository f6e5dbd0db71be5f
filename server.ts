import { setTimeout as pause } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import pretty from 'pino-pretty'
import redmint from './app.ts'
import { createInstance } from './instance.ts'
import { type Config, readConfig } from './src/config/config.ts'
import { ConfigError } from './src/config/config-error.ts'
import { startWarnings } from './src/config/start-warnings.ts'
import { VERSION } from './src/core/version.ts'
import { demoCommands } from './src/service/demo.ts'
import { openStorage } from './src/service/open-storage.ts'
import { CLOSE_WITHIN_MS, LATE_REQUESTS_MS } from './timeouts.ts'

async function serve(config: Config): Promise<void> {
  const onTerminal = process.stdout.isTTY && !config.production
  const drain = new AbortController()
  const options = {
    ...config,
    level: config.log_level,
    ...(onTerminal && { stream: pretty({ ignore: 'pid,hostname', sync: true }) }),
    drain: drain.signal,
  }
  const fastify = createInstance(options)
  const management = config.management_port === undefined ? undefined : createInstance(options)
  const storage = openStorage(config, fastify.log)
  const delay = Math.max(config.shutdown_delay * 1000, LATE_REQUESTS_MS)
  closeWithGrace({ delay: delay + CLOSE_WITHIN_MS, logger: fastify.log }, async ({ err, signal }) => {
    if (err) fastify.log.fatal({ err }, 'redmint stops because of an uncaught error.')
    else {
      fastify.log.info(`${signal}: no longer ready, closing in ${config.shutdown_delay} s.`)
      drain.abort()
      await pause(delay)
    }
    await Promise.all([fastify.close(), management?.close()])
    await storage.close()
  })
  await fastify.register(redmint, {
    ...config.settings,
    storage,
    drain: drain.signal,
    ...(management && { management }),
  })
  await fastify.ready()
  const managed = management && (await listenForOperators(management, config))
  await fastify.listen({ host: config.host, port: config.port })
  fastify.log.info(describe(config, storage.description, managed))
  for (const warning of startWarnings(config)) fastify.log.warn(warning)
  if (config.settings.demo) process.stdout.write(demoCommands(config.settings.issuer))
}

/** Listens at MANAGEMENT_PORT and returns the address. @throws Error that names the variable */
async function listenForOperators(management: FastifyInstance, config: Config): Promise<string> {
  const { management_host: host, management_port: port = 0 } = config
  try {
    return await management.listen({
      host,
      port,
      listenTextResolver: (address) => `Management at ${address}`,
    })
  } catch (error) {
    throw new Error(
      `MANAGEMENT_PORT ${port} on ${host} cannot be used: ${(error as Error).message}. Choose another one.`,
      { cause: error },
    )
  }
}

function describe({ settings }: Config, storage: string, managed: string | undefined): string {
  const { issuer, access_token_format, demo } = settings
  const parts = [
    `issuer ${issuer}`,
    `storage ${storage}`,
    `access tokens ${access_token_format}`,
    `demo mode ${demo === 'public' ? 'public' : demo ? 'on' : 'off'}`,
    ...(managed === undefined ? [] : [`management at ${managed}`]),
  ]
  return `redmint ${VERSION}: ${parts.join(', ')}`
}

try {
  await serve(readConfig(process.env))
} catch (error) {
  // The operator has to fix the configuration or the environment: the message is enough, without a stack trace.
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : `redmint cannot start: ${(error as Error).message}`}\n`,
  )
  process.exit(1)
}
