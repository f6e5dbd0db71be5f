// CONTRIBUTING.md names files that exist, and its commands work: short ones are run, of long ones the parts are checked.
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { blocks, codeIn, readText } from '../../support/markdown.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = await readText('CONTRIBUTING.md')
const COMMANDS = blocks(PAGE, 'sh')
  .flatMap((block) => block.trim().split('\n'))
  .map((line) => line.replace(/ +#.*$/, ''))
const SHORT = ['npx tsx test/unit/src/core/scope.test.ts']

// A path of the repository, not a URL path such as /api/, an import or a name with a variable part.
const REPOSITORY_PATH =
  /^((src|test|routes|plugins|cli|docs|scripts|bench|deploy)\/|(app|instance|server|cli)\.ts$|\.[\w-]+\.mjs$)[\w./-]*$/

t.test('every file that it names exists', async (t) => {
  const paths = codeIn(PAGE.replace(/^```.*?^```$/gms, '')).filter((code) => REPOSITORY_PATH.test(code))
  t.ok(paths.length > 10)
  for (const path of paths) await t.resolves(access(`${ROOT}${path}`), path)
})

t.test('every command exists', async (t) => {
  const { scripts } = JSON.parse(await readText('package.json'))
  t.ok(COMMANDS.length > 8)
  for (const command of COMMANDS) {
    const [, script] = /^npm (?:run )?([\w:-]+)/.exec(command) ?? []
    if (script !== undefined) {
      t.ok(scripts[script], command)
      continue
    }
    const [, program = '', file = ''] = /npx (\w+)(?: -\S+)* (test\/\S+)$/.exec(command) ?? []
    await t.resolves(access(`${ROOT}node_modules/.bin/${program}`), command)
    await t.resolves(access(`${ROOT}${file}`), command)
  }
})

t.test('the short commands run', async (t) => {
  for (const command of SHORT) {
    t.ok(COMMANDS.includes(command), `${command} is in the page`)
    // This test is run by tap itself; the command is not part of that run.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TAP')))
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: ROOT, env })
    t.match(stdout, /^# \{ total: |^1\.\.\d+$/m, command)
    t.notMatch(stdout, /^not ok/m)
  }
})
