import { EventEmitter } from 'node:events'
import fp from 'fastify-plugin'
import { Passwords } from '../src/accounts/passwords.ts'
import { ClientRegistry } from '../src/clients/client-registry.ts'
import { FailureLimit } from '../src/clients/failure-limit.ts'
import { completeSettings, type Settings } from '../src/config/config.ts'
import type { Context } from '../src/context.ts'
import { KeyRing } from '../src/keys/ring.ts'
import { registerDemo } from '../src/service/demo.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import type { Storage } from '../src/storage/storage.ts'

/** What a service is made of. Settings that are left out have the defaults of the environment variables. */
export interface ContextOptions extends Partial<Settings> {
  /** The base address, an origin. */
  issuer: string
  /** Where everything is kept; memory where it is left out. Whoever passes one closes it. */
  storage?: Storage
  /** Aborted when the process is told to stop: it is not ready any more, though it goes on serving. */
  drain?: AbortSignal
  /** Milliseconds since 1970; for tests. */
  now?: () => number
}

declare module 'fastify' {
  interface FastifyInstance {
    redmint: Context
  }
}

/** Decorates the instance with the context that the protocol works with, and starts the key ring. */
export default fp<ContextOptions>(
  async (fastify, options) => {
    const { storage = new MemoryStorage(), drain, now = Date.now, ...given } = options
    const settings = completeSettings(given)
    const log = fastify.log
    const keys = new KeyRing({ store: storage.signing_keys, settings, log, now })
    const clients = new ClientRegistry(storage, log)
    const failures = new FailureLimit(settings.client_auth_failures, settings.client_auth_window, now)
    const passwords = new Passwords({ settings })
    const logouts = new EventEmitter<{ queued: [] }>()
    fastify.decorate('redmint', {
      settings,
      storage,
      clients,
      failures,
      passwords,
      keys,
      logouts,
      log,
      drain,
      now,
    })
    fastify.addHook('onClose', async () => {
      keys.close()
      if (options.storage === undefined) await storage.close()
    })
    await keys.start()
    if (settings.demo) await registerDemoIfPossible({ storage, passwords, log })
  },
  { name: 'redmint-context' },
)

async function registerDemoIfPossible({
  storage,
  passwords,
  log,
}: Pick<Context, 'storage' | 'passwords' | 'log'>): Promise<void> {
  try {
    await registerDemo(storage, passwords)
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn(
      { err: error },
      'The demo clients are not registered: storage is away. Restart to register them.',
    )
  }
}
