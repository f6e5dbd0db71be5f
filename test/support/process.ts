// The real server as a child process on a free loopback port: what it prints, how it ends, and gone with the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LISTENS = /Server listening at/
const PORT_TAKEN = /EADDRINUSE/

// Ends the process that its first line names, unless a second line comes before its input closes; it closes
// when the test process dies, however it dies.
const GUARD = 'read -r pid; read -r over || kill -9 "$pid"'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

type Environment = Record<string, string>

/** What node is to run. */
interface Entry {
  args: readonly string[]
  cwd: string
}

/** Lets node run TypeScript, as the test files themselves are run. */
export const TYPESCRIPT = `--import=${ROOT}scripts/typescript.mjs`
const SOURCE: Entry = { args: [TYPESCRIPT, 'server.ts'], cwd: ROOT }

/** How a process ended: by itself with a code, or by a signal that it did not handle. */
interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A process as its operator sees it; what it printed grows while it runs. */
export interface Program {
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it has ended and all its output is read. */
  readonly ended: Promise<Exit>
  /** Waits for a text on stdout; false when the process ended without it. */
  prints(text: RegExp): Promise<boolean>
  /** Sends a signal if it still runs, SIGTERM by default, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>
}

export interface ServerProcess extends Program {
  readonly port: number
  /** Where it listens, whatever its issuer is. */
  readonly address: string
}

/**
 * Starts a server with this environment and no other, and resolves when it listens. The end of the test ends it.
 * @param entry what to start; server.ts by default
 * @throws when it gives up; the message holds its output
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

/** Starts a server as startServer does, and does not wait. */
export function runServer(t: Owner, environment: Environment, { args, cwd } = SOURCE): Program {
  return run(t, process.execPath, args, environment, cwd)
}

/** Starts a program, in the folder of the repository by default, with this environment and the PATH and no other. */
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
    env: { PATH, ...environment },
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

/** A port that nobody listens at now, and that no outgoing connection is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(22_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const taken = await once(server, 'listening').then(
      () => false,
      () => true,
    )
    if (taken) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
