// Which commands work at a server, on Redis only, or alone; those on Redis only say so, before they do anything.
import type { Command } from 'commander'
import t from 'tap'
import { buildProgram } from '../../../cli/program.ts'
import { CommandRun } from '../../../cli/run.ts'
import { createCli } from '../../support/cli/run-cli.ts'

const context = {
  ...{ invocation: 'redmint', environment: {}, now: Date.now, wait: async () => {} },
  ...{ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
  openStorage: () => t.fail('a command opens storage') as never,
}

const leavesOf = (parent: Command, names: readonly string[] = []): [string, Command][] =>
  parent.commands.flatMap((command): [string, Command][] => {
    const path = [...names, command.name()]
    return command.commands.length === 0 ? [[path.join(' '), command]] : leavesOf(command, path)
  })
const LEAVES = leavesOf(buildProgram(new CommandRun(context), context))
const serverOf = (command: Command) => command.options.find(({ long }) => long === '--server')

t.test('every command has --server, but for those on Redis only, and those that need neither', async (t) => {
  const withOption = (hidden: boolean | undefined) =>
    LEAVES.filter(([, command]) => serverOf(command)?.hidden === hidden).map(([name]) => name)
  t.strictSame(withOption(undefined), ['apply', 'mcp doctor', 'serve'])
  t.strictSame(withOption(true), [
    'client reindex',
    'user set-password',
    'user reindex',
    'resource reindex',
    'issuer reindex',
    'provider reindex',
    'export',
    'import',
    'restore mark',
  ])
})

t.test('what works on Redis only says why, and what to use', async (t) => {
  const server = 'https://login.example.com'
  for (const [name, command] of LEAVES.filter(([, command]) => serverOf(command)?.hidden)) {
    const args = [...name.split(' '), ...command.registeredArguments.map(() => 'x')]
    const said = {
      code: 2,
      stdout: '',
      stderr: `This command works on Redis only: leave --server and REDMINT_SERVER out. ${serverOf(command)?.description}\n`,
    }
    const { redmint } = createCli({ ...context, environment: { REDIS_URL: 'redis://127.0.0.1:1' } })
    t.strictSame(await redmint([...args, '--server', server]), said, name)
    const at_server = createCli({ ...context, environment: { REDMINT_SERVER: server } })
    t.strictSame(await at_server.redmint(args), said, `${name} with REDMINT_SERVER`)
    t.notMatch((await redmint([...args, '--help'])).stdout, '--server', `${name} --help`)
  }
})
