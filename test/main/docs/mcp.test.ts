// Runs the commands of docs/mcp.md that write records, and checks that the tests that the page names exist.
import t from 'tap'
import { createCli } from '../../support/cli/run-cli.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { namedTests, problemOf } from '../../support/named-tests.ts'
import { paste } from '../../support/paste.ts'

const PAGE = await readText('docs/mcp.md')
// Replaces the command by one that prints its arguments: fields end with 0x1F, commands with 0x1E.
const SPELL_OUT = `redmint() { printf '%s\\x1f' "$@"; printf '\\x1e'; }`

t.test('the commands register the MCP server and a client for it', async (t) => {
  const { redmint } = createCli()
  const shell = await paste(t, `${SPELL_OUT}\n${blocks(PAGE, 'sh').join('')}`)
  const commands = shell.stdout.split('\x1e').slice(0, -1)
  t.equal(commands.length, 3)
  for (const command of commands.slice(0, 2)) {
    t.match(await redmint(command.split('\x1f').slice(0, -1)), { code: 0 }, command)
  }
  t.match(commands[2]?.split('\x1f'), ['mcp', 'doctor', /^https:/])
  for (const kind of ['resource', 'client']) {
    t.match(await redmint([kind, 'lint']), { code: 0, stdout: /0 errors, 0 warnings/ })
  }
})

t.test('each named test exists', async (t) => {
  const tests = namedTests(PAGE)
  t.ok(tests.length > 20)
  for (const test of tests) t.equal(await problemOf(test), undefined)
})
