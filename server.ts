import closeWithGrace from 'close-with-grace'
import pretty from 'pino-pretty'
import redmint from './app.ts'
import { createInstance } from './instance.ts'
import { type Config, ConfigError, readConfig } from './src/config.ts'
import { demoCommands } from './src/demo.ts'
import { openStorage } from './src/storage/open.ts'
import { VERSION } from './src/version.ts'

const CLOSE_WITHIN_MS = 10_000

async function serve(config: Config): Promise<void> {
  const level = config.log_level
  const onTerminal = process.stdout.isTTY && !config.production
  const fastify = createInstance(
    onTerminal ? { level, stream: pretty({ ignore: 'pid,hostname', sync: true }) } : { level },
  )
  const storage = openStorage(config, fastify.log)
  closeWithGrace({ delay: CLOSE_WITHIN_MS }, async ({ err }) => {
    if (err) fastify.log.fatal({ err }, 'redmint stops because of an error that nothing caught.')
    await fastify.close()
    await storage.close()
  })
  await fastify.register(redmint, { ...config.settings, storage })
  await fastify.listen({ host: config.host, port: config.port })
  fastify.log.info(describe(config, storage.description))
  if (config.redis === undefined) {
    fastify.log.warn(
      'Storage is memory: every token and client is forgotten at exit. Set REDIS_URL to keep them.',
    )
  }
  if (config.settings.demo) process.stdout.write(demoCommands(config.settings.issuer))
}

function describe({ settings }: Config, storage: string): string {
  const { issuer, access_token_format, demo } = settings
  return `redmint ${VERSION}: issuer ${issuer}, storage ${storage}, access tokens ${access_token_format}, demo mode ${demo ? 'on' : 'off'}`
}

try {
  await serve(readConfig(process.env))
} catch (error) {
  // A person has to mend something: the message says what, and a stack trace would hide it.
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : `redmint cannot start: ${(error as Error).message}`}\n`,
  )
  process.exit(1)
}
