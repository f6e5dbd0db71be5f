import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream } from 'pino'
import { type Config, readConfig } from './src/config/config.ts'
import { ConfigError } from './src/config/config-error.ts'
import { listenProblem, type Place } from './src/config/listen-problem.ts'
import { startWarnings } from './src/config/start-warnings.ts'
import { ifInstalled } from './src/core/optional-package.ts'
import { VERSION } from './src/core/version.ts'
import { demoCommands } from './src/demo/demo-records.ts'
import { endWithNpm } from './src/service/npm-shell.ts'
import { CLOSE_WITHIN_MS, drainMs } from './timeouts.ts'
import type { ThisWorker } from './workers/worker.ts'

// V8 learns while a process starts, when all that is made stays: it would put objects of requests among the old ones, where
// the garbage collector looks last, and each keeps what it refers to (decision 76).
setFlagsFromString('--no-allocation-site-pretenuring')

/** Serves in this process, or in as many workers as WORKERS says, which run this file, too. */
async function start(config: Config): Promise<void> {
  if (config.workers === 1) {
    endWithNpm()
    return serve(config)
  }
  const { default: cluster } = await import('node:cluster')
  if (cluster.isPrimary) {
    endWithNpm()
    const [{ pino }, { runWorkers }] = await Promise.all([import('pino'), import('./workers/primary.ts')])
    const stream = (await logStream(config)) ?? pino.destination(1)
    return runWorkers(config, pino({ level: config.log_level }, stream))
  }
  const { ThisWorker } = await import('./workers/worker.ts')
  return serve(config, new ThisWorker())
}

/** Returns readable lines on a terminal outside production; undefined: JSON to standard output. */
async function logStream({ production, workers }: Config): Promise<DestinationStream | undefined> {
  if (!process.stdout.isTTY || production) return undefined
  const pretty = await ifInstalled(import('pino-pretty'))
  if (pretty === undefined) console.error('For a log that people can read: npm install pino-pretty')
  return pretty?.default({ ignore: workers === 1 ? 'pid,hostname' : 'hostname', sync: true })
}

/** Serves until a signal, or the primary, says to stop. */
async function serve(config: Config, worker?: ThisWorker): Promise<void> {
  // Loaded here, because the process that runs the workers needs none of it.
  const [{ default: redmint }, { createInstance }, { openStorage }] = await Promise.all([
    import('./app.ts'),
    import('./instance.ts'),
    import('./src/service/open-storage.ts'),
  ])
  const stream = await logStream(config)
  const drain = new AbortController()
  const options = {
    ...config,
    level: config.log_level,
    ...(stream && { stream }),
    drain: drain.signal,
  }
  const fastify = createInstance(options)
  const management = config.management_port === undefined ? undefined : createInstance(options)
  const storage = openStorage(config, fastify.log)
  const { shutdown_delay } = config
  const grace = {
    delay: drainMs(shutdown_delay) + CLOSE_WITHIN_MS,
    logger: fastify.log,
    skip: worker?.signals ?? [],
  }
  let from_primary: NodeJS.Signals | undefined
  const { close } = closeWithGrace(grace, async ({ err, signal }) => {
    if (err) fastify.log.fatal({ err }, 'redmint stops because of an uncaught error.')
    else {
      const delay = drainMs(shutdown_delay, signal ?? from_primary)
      if (signal) fastify.log.info(`${signal}: no longer ready, closing in ${delay / 1000} s.`)
      drain.abort()
      await pause(delay)
    }
    await Promise.all([fastify.close(), management?.close()])
    await storage.close()
  })
  worker?.told_to_stop.then((signal) => {
    from_primary = signal
    return close()
  })
  // What is true of all workers is said once.
  const speaks = worker?.first ?? true
  await fastify.register(redmint, {
    ...config.settings,
    reads_environment: true,
    home: true,
    warn_of_leftovers: speaks,
    storage,
    drain: drain.signal,
    ...(management && { management }),
    ...(worker && { gather: worker.gather }),
  })
  await fastify.ready()
  const managed = management && (await listenForOperators(management, config, speaks))
  const { host, port } = config
  const says = speaks ? 'Server listening' : 'Another worker listens'
  await listen(fastify, { host, port, variables: { host: 'HOST', port: 'PORT' }, says })
  worker?.ready()
  if (!speaks) return
  fastify.log.info(describe(config, storage.description, managed))
  for (const warning of startWarnings(config)) fastify.log.warn(warning)
  if (config.settings.demo) process.stdout.write(demoCommands(config.settings))
}

/** Listens at MANAGEMENT_PORT and returns the address. @throws Error that names the variable */
function listenForOperators(management: FastifyInstance, config: Config, speaks: boolean): Promise<string> {
  const { management_host: host, management_port: port = 0 } = config
  const says = speaks ? 'Management' : 'Management of another worker'
  // Without MANAGEMENT_HOST it is that of HOST.
  const variables = { host: 'MANAGEMENT_HOST', port: 'MANAGEMENT_PORT' }
  return listen(management, { host, port, variables, says })
}

interface Listening extends Place {
  /** What the log says before the address. */
  says: string
}

/** Listens, and returns the address. @throws Error that names the variable and says what to do */
async function listen(fastify: FastifyInstance, { says, ...place }: Listening): Promise<string> {
  const { host, port } = place
  const listenTextResolver = (address: string) => `${says} at ${address}`
  return fastify.listen({ host, port, listenTextResolver }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(listenProblem(error, place), { cause: error })
  })
}

function describe({ settings, workers }: Config, storage: string, managed: string | undefined): string {
  const { issuer, access_token_format, demo } = settings
  const parts = [
    `issuer ${issuer}`,
    `storage ${storage}`,
    `access tokens ${access_token_format}`,
    `demo mode ${typeof demo === 'string' ? demo : demo ? 'on' : 'off'}`,
    ...(workers === 1 ? [] : [`${workers} workers`]),
    ...(managed === undefined ? [] : [`management at ${managed}`]),
  ]
  return `redmint ${VERSION}: ${parts.join(', ')}`
}

try {
  await start(readConfig(process.env))
} catch (error) {
  // The operator has to fix the configuration or the environment: the message is enough, without a stack trace.
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : `redmint cannot start: ${(error as Error).message}`}\n`,
  )
  process.exit(1)
}
