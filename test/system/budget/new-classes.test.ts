// An operation makes objects of classes that V8 knows. On Node 20, `{ ...one, ...other }` gives each object a hidden class
// of its own, which costs 0.4 µs and makes every later access to its members a search.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { ROOT, TYPESCRIPT } from '../../support/process.ts'

const CHILD = fileURLToPath(new URL('./new-classes.ts', import.meta.url))
/** How often thirty exchanges may make a class by the same member: once more after each garbage collection. */
const MOST = 15

for (const [format, names] of Object.entries({
  opaque: [
    'client credentials',
    'client credentials, private_key_jwt',
    'client credentials, DPoP',
    'introspection',
    'bearer',
    'resource, DPoP',
    'userinfo',
    'refresh',
    'device poll',
    'revoke',
    'pushed authorization request',
  ],
  jwt: ['client credentials', 'introspection', 'bearer', 'refresh', 'revoke'],
})) {
  t.test(`an operation makes no hidden class each time, ${format}`, async (t) => {
    const log = join(t.testdir(), 'classes.log')
    const v8Options = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`]
    await promisify(execFile)(process.execPath, [...v8Options, TYPESCRIPT, CHILD, format, ...names], {
      cwd: ROOT,
    })
    const lines = (await readFile(log, 'latin1'))
      .split('\n')
      .filter((line) => line.startsWith('map,Transition,'))
    const made = lines.map((line) => line.split(',').at(-1) ?? '')
    for (const [position, name] of names.entries()) {
      const begin = made.indexOf(`begin ${position}`)
      const end = made.indexOf(`end ${position}`)
      const found = begin === -1 || end === -1 ? undefined : made.slice(begin + 1, end)
      const members = new Set(found)
      const repeated = [...members].filter((member) => timesIn(found, member) > MOST)
      t.strictSame(found && repeated, [], `${name}: of ${found?.length} new classes`)
    }
  })
}

function timesIn(found: readonly string[] | undefined, member: string): number {
  return found?.filter((one) => one === member).length ?? 0
}
