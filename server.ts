import { setTimeout as pause } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import pretty from 'pino-pretty'
import redmint from './app.ts'
import { CLOSE_WITHIN_MS, createInstance } from './instance.ts'
import { type Config, readConfig } from './src/config/config.ts'
import { ConfigError } from './src/config/config-error.ts'
import { startWarnings } from './src/config/start-warnings.ts'
import { VERSION } from './src/core/version.ts'
import { demoCommands } from './src/service/demo.ts'
import { openStorage } from './src/service/open-storage.ts'

async function serve(config: Config): Promise<void> {
  const onTerminal = process.stdout.isTTY && !config.production
  const drain = new AbortController()
  const fastify = createInstance({
    ...config,
    level: config.log_level,
    ...(onTerminal && { stream: pretty({ ignore: 'pid,hostname', sync: true }) }),
    drain: drain.signal,
  })
  const storage = openStorage(config, fastify.log)
  const delay = config.shutdown_delay * 1000
  closeWithGrace({ delay: delay + CLOSE_WITHIN_MS, logger: fastify.log }, async ({ err, signal }) => {
    if (err) fastify.log.fatal({ err }, 'redmint stops because of an uncaught error.')
    else {
      fastify.log.info(`${signal}: no longer ready, closing in ${config.shutdown_delay} s.`)
      drain.abort()
      await pause(delay)
    }
    await fastify.close()
    await storage.close()
  })
  await fastify.register(redmint, { ...config.settings, storage, drain: drain.signal })
  await fastify.listen({ host: config.host, port: config.port })
  fastify.log.info(describe(config, storage.description))
  for (const warning of startWarnings(config)) fastify.log.warn(warning)
  if (config.settings.demo) process.stdout.write(demoCommands(config.settings.issuer))
}

function describe({ settings }: Config, storage: string): string {
  const { issuer, access_token_format, demo } = settings
  return `redmint ${VERSION}: issuer ${issuer}, storage ${storage}, access tokens ${access_token_format}, demo mode ${demo === 'public' ? 'public' : demo ? 'on' : 'off'}`
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
