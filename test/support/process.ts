// The real server as a child process on a free loopback port: its output, its exit, and its end with the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLES, compiled } from '../../scripts/compiled.ts'

/** The root directory of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LISTENS = /Server listening at/
const PORT_TAKEN = /another program listens there/

// Kills the process named in the first line, unless a second line arrives before the input closes. The input closes
// when the test process ends in any way.
const GUARD = 'read -r pid; read -r over || kill -9 "$pid"'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

type Environment = Record<string, string>

/** The arguments of node. */
interface Entry {
  args: readonly string[]
  cwd: string
}

/** Lets node run TypeScript, as for test files that run by themselves. */
export const TYPESCRIPT = `--import=${ROOT}scripts/typescript.mjs`

const { COMPILED_TO } = process.env

/** Returns the arguments of node that run a source file of ours: its compiled form where scripts/test.ts made one. */
export function moduleArgs(source: string): string[] {
  if (COMPILED_TO === undefined) return [TYPESCRIPT, join(ROOT, source)]
  return ['--enable-source-maps', join(ROOT, COMPILED_TO, compiled(source))]
}

/** The same for a program, as the bundle that `npm run build` makes of it: it starts in three quarters of the time. */
export function nodeArgs(program: 'server.ts' | 'cli.ts'): string[] {
  if (COMPILED_TO === undefined) return moduleArgs(program)
  return [join(ROOT, COMPILED_TO, BUNDLES, compiled(program))]
}

/** Returns the path of what the package exports. @param name of a file in exports/ */
export function exported(name: string): string {
  return COMPILED_TO === undefined
    ? join(ROOT, 'exports', `${name}.ts`)
    : join(ROOT, COMPILED_TO, BUNDLES, `${name}.js`)
}

const SERVER: Entry = { args: nodeArgs('server.ts'), cwd: ROOT }

/** How a process ended: its exit code, or the signal that ended it. */
interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A process as its operator sees it; its output grows while it runs. */
export interface Program {
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<Exit>
  /** Waits for a text on stdout; false if the process ended without it. */
  prints(text: RegExp): Promise<boolean>
  /** Sends a signal (SIGTERM by default) if the process is running, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>
}

export interface ServerProcess extends Program {
  readonly port: number
  /** The address that it listens at, whatever its issuer is. */
  readonly address: string
}

/**
 * Starts a server with only this environment, and resolves when it listens. The server ends with the test.
 * @param entry what to start; server.ts by default
 * @throws if the server ends before it listens; the message contains its output
 */
export async function startServer(
  t: Owner,
  environment: Environment = {},
  entry?: Entry,
): Promise<ServerProcess> {
  for (;;) {
    const port = await freePort()
    const server = runServer(t, { PORT: String(port), ...environment }, entry)
    if (await server.prints(LISTENS))
      return Object.assign(server, { port, address: `http://127.0.0.1:${port}` })
    if (!PORT_TAKEN.test(server.stderr)) {
      throw new Error(`the server ended before it listened:\n${server.stdout}${server.stderr}`)
    }
  }
}

/** Starts a server like startServer, without waiting for it. */
export function runServer(t: Owner, environment: Environment, { args, cwd } = SERVER): Program {
  return run(t, process.execPath, args, environment, cwd)
}

/** Starts a program with only this environment, PATH and no drain, by default in the root directory of the repository. */
export function run(
  t: Owner,
  command: string,
  args: readonly string[],
  environment: Environment,
  cwd = ROOT,
): Program {
  const { PATH = '' } = process.env
  const child = spawn(command, args, {
    cwd,
    // No balancer waits for a drain.
    env: { PATH, SHUTDOWN_DELAY: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const guard = spawn('sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.stdin.write(`${child.pid}\n`)
  const program = follow(child)
  program.ended.then(() => guard.stdin.end('over\n'))
  t.teardown(async () => {
    await program.stop()
  })
  return program
}

function follow(child: ChildProcess): Program {
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  }
  let over = false
  const ended = once(child, 'close').then(([code, signal]) => {
    over = true
    return { code, signal }
  })
  return {
    pid: child.pid ?? 0,
    get stdout() {
      return printed.stdout
    },
    get stderr() {
      return printed.stderr
    },
    ended,
    async prints(text) {
      while (!over && !text.test(printed.stdout)) {
        await Promise.race([ended, child.stdout && once(child.stdout, 'data')])
      }
      return text.test(printed.stdout)
    },
    stop(signal = 'SIGTERM') {
      if (!over) child.kill(signal)
      return ended
    },
  }
}

/**
 * A port that nothing listens at, outside the range of outgoing connections. A socket of UDP holds its number until the
 * process ends, so that no other test gets it before a server listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(22_000, 32_000)
    const held = createSocket('udp4').bind(port, '127.0.0.1')
    if (await listens(held)) {
      const server = createServer().listen(port, '127.0.0.1')
      if (await listens(server)) {
        await new Promise((resolve) => server.close(resolve))
        held.unref()
        return port
      }
    }
    held.close()
  }
}

const listens = (socket: EventEmitter) =>
  once(socket, 'listening').then(
    () => true,
    () => false,
  )
