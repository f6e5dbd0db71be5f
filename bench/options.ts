// The command line of the benchmark.
import { parseArgs } from 'node:util'
import type { Row } from './row.ts'
import { NAMED, ROWS } from './rows.ts'

export interface Options {
  rows: Row[]
  rounds: number
  seconds: number
  /** What runs the measured servers: paths of Node binaries, or versions of the npm package `node`. */
  nodes: string[]
  /** Folders of other builds of redmint, measured beside this one. */
  dists: string[]
  /** The address of a foreign server, and its process if it runs on this machine. */
  peer?: URL
  peer_pid?: number
  out: string
}

export const USAGE = `npm run bench -- [options]       six rows; the figures of the pages are of npm --prefix bench run figures
  --all              every row
  --only ROW,ROW     these rows: ${NAMED.map(({ name }) => name).join(', ')}
  --rounds N         rounds of each row that count (the first one, which warms up, does not)
  --seconds S        length of a round of one server
  --node NODE        what runs the servers: a path of Node, or a version of its npm package, such as 24;
                     repeated: redmint alone, on each of them
  --dist FOLDER      another build of redmint, measured beside this one; may be repeated
  --peer URL         a foreign server by its issuer, with BENCH_CLIENT_ID, BENCH_CLIENT_SECRET, BENCH_REDIRECT_URI,
                     BENCH_USERNAME and BENCH_PASSWORD; --peer-pid PID measures its CPU
  --out FILE         where the results go; default: bench/results/last.json`

/** @throws Error that says what is wrong with the arguments */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      all: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '1.5' },
      node: { type: 'string', multiple: true, default: [process.execPath] },
      dist: { type: 'string', multiple: true, default: [] },
      peer: { type: 'string' },
      'peer-pid': { type: 'string' },
      out: { type: 'string', default: 'bench/results/last.json' },
    },
  })
  const pid = values['peer-pid']
  return {
    rows: chosen(values.only, values.all),
    rounds: positive('--rounds', values.rounds ?? (values.all ? '8' : '5')),
    seconds: positive('--seconds', values.seconds),
    nodes: values.node,
    dists: values.dist,
    ...(values.peer !== undefined && { peer: new URL(values.peer) }),
    ...(pid !== undefined && { peer_pid: positive('--peer-pid', pid) }),
    out: values.out,
  }
}

function chosen(only: string | undefined, all: boolean): Row[] {
  if (only === undefined) return ROWS.filter(({ short }) => all || short)
  return only.split(',').map((name) => {
    const row = NAMED.find((row) => row.name === name)
    if (!row) throw new Error(`--only: there is no row "${name}"; the rows: ${NAMED.map(({ name }) => name)}`)
    return row
  })
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, not "${text}"`)
  return value
}
