// An application that `client add --for` has registered and configured, in a folder of its own.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { Preset, SettingsFile } from '../../src/admin/connect/preset.ts'
import { PRESETS, type PresetName } from '../../src/admin/connect/presets.ts'
import { SHELL } from '../../src/admin/connect/settings.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { SILENT } from '../../src/core/log.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import { openRedis } from '../../src/storage/redis/storage.ts'
import type { Stage } from '../support/browser/stage.ts'
import { createCli, parsed } from '../support/cli/run-cli.ts'
import { isRefused } from '../support/half-sent.ts'
import { freePort, type Program, run } from '../support/process.ts'
import { visit } from '../support/server.ts'
import { PROGRAM_LIMIT_MS, until } from '../support/until.ts'

/** The folder of these tests. */
export const HERE = fileURLToPath(new URL('.', import.meta.url))
const HOSTS = join(HERE, 'hosts')
// Below this folder, so that its node_modules are found.
const RUN = join(HERE, '.run')
const LISTEN_STEP_MS = 100

/** An application that is registered, and not started yet. */
export interface Connected {
  readonly client_id: string
  readonly client_secret: string
  /** Its address on loopback, without a slash. */
  readonly origin: string
  readonly port: number
  /** The folder with the printed files. */
  readonly folder: string
  /** Copies a file or folder of `hosts/` beside the printed files. */
  copy(host: string, as?: string): Promise<void>
  /** Adds the text of a host before a printed file. */
  prepend(host: string, file: string): Promise<void>
  /** Starts a program in the folder, and resolves when it listens: at `port`, unless it has another one. */
  start(
    command: string,
    args: readonly string[],
    environment?: Record<string, string>,
    own_port?: number,
  ): Promise<Program>
  /** Runs a program in the folder, and returns what it prints. */
  run(command: string, args: readonly string[], environment?: Record<string, string>): Promise<string>
}

/** Registers a client for a framework, and writes the printed settings as they are. */
export async function connect(
  t: Test,
  { redis, issuer }: Pick<Stage, 'redis' | 'issuer'>,
  name: PresetName,
  flags: readonly string[] = [],
  host = '127.0.0.1',
): Promise<Connected> {
  const port = await freePort()
  const origin = `http://${host}:${port}`
  const { client_id, client_secret, settings } = await registerFor(t, { redis, issuer }, name, origin, flags)

  await mkdir(RUN, { recursive: true })
  const folder = await mkdtemp(join(RUN, `${name}-`))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const { file, text } of settings) {
    if (file === SHELL) continue
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return {
    client_id,
    client_secret,
    origin,
    port,
    folder,
    copy: (host, as = host) => cp(join(HOSTS, host), join(folder, as), { recursive: true }),
    async prepend(host, file) {
      const [first, second] = [
        await readFile(join(HOSTS, host), 'utf8'),
        await readFile(join(folder, file), 'utf8'),
      ]
      await writeFile(join(folder, file), `${first}\n${second}`)
    },
    async start(command, args, environment = {}, own_port = port) {
      const program = run(t, command, args, { PORT: String(port), ...environment }, folder)
      let over = false
      program.ended.then(() => {
        over = true
      })
      const listens = async () => {
        if (over) throw new Error(`${command} ended:\n${program.stdout}${program.stderr}`)
        return !(await isRefused(own_port))
      }
      await until(`${command} listens`, listens, LISTEN_STEP_MS, PROGRAM_LIMIT_MS)
      return program
    },
    async run(command, args, environment = {}) {
      const program = run(t, command, args, environment, folder)
      const { code } = await program.ended
      if (code !== 0) throw new Error(`${command} ended with ${code}:\n${program.stdout}${program.stderr}`)
      return program.stdout
    },
  }
}

/** The command of an operator beside the servers. */
export function commandOf(t: Test, { redis, issuer }: Pick<Stage, 'redis' | 'issuer'>) {
  const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
  const close = storage.close.bind(storage)
  t.teardown(close)
  const { redmint } = createCli({ storage, environment: { REDIS_URL: redis.url, ISSUER: issuer } })
  // On a busy machine the connection comes later than the first command.
  const answers = () =>
    storage.records.read(CLIENT, 'none').then(
      () => true,
      () => false,
    )
  const connected = until('Redis answers', answers)
  return async (...given: Parameters<typeof redmint>) => {
    await connected
    return redmint(...given)
  }
}

/** Registers a client for a framework, and returns what is printed. */
export async function registerFor(
  t: Test,
  { redis, issuer }: Pick<Stage, 'redis' | 'issuer'>,
  name: PresetName,
  origin: string,
  flags: readonly string[],
) {
  const client_id = `${name}-${new URL(origin).port}`
  const redmint = commandOf(t, { redis, issuer })
  const preset: Preset = PRESETS[name]
  const where = preset.needs === 'origin' || preset.is_api ? ['--origin', origin] : []
  const added = await redmint(['client', 'add', client_id, '--for', name, ...where, ...flags, '--json'])
  if (added.code !== 0) throw new Error(added.stderr)
  const { settings, client_secret = '' } = parsed<{ settings: SettingsFile[]; client_secret?: string }>(added)
  return { client_id, client_secret, settings }
}

/** Gets an access token of the client credentials grant. */
export async function tokenOf(issuer: string, { client_id, client_secret }: Connected): Promise<string> {
  const { json } = await visit(issuer).token({ grant_type: 'client_credentials', client_id, client_secret })
  return String(json.access_token)
}
