// The examples of examples/testing/ against `npx redmint dev` of this tree: green as they are, red once their API takes a token
// that has expired. docs/testing/node.md is followed as it is; python.md, go.md and java.md have the files of the examples.
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../support/build.ts'
import { nodeArgs, ROOT, run } from '../support/process.ts'
import { prepareSteps } from '../support/steps-of-page.ts'
import { PROGRAM_LIMIT_MS, until } from '../support/until.ts'
import { HERE } from './connected.ts'

t.setTimeout(1_200_000)

t.test('Node: an Express API whose test is red once it takes an expired token', async (t) => {
  const { steps, step, folder } = await prepareSteps(t, 'docs/testing/node.md', [])
  for (const name of ['express', 'jose'])
    await symlink(join(HERE, 'node_modules', name), join(folder, 'node_modules', name))
  t.equal(steps, 4)
  for (const number of [1, 2, 3, 4]) await step(number)
})

t.test('Python: pytest', async (t) => {
  const { test, change } = await exampleOf(t, 'python')
  const command = [
    join(HERE, 'node_modules/.testing/bin/python'),
    '-m',
    'pytest',
    '-v',
    '-p',
    'no:cacheprovider',
  ]
  t.match(await test(command), /9 passed/)
  await change('orders.py', '{"require": ["exp"]}', '{"verify_exp": False}')
  t.match(await test(command), /refused\[expired\] FAILED.*1 failed, 8 passed/s)
})

t.test('Go: its package testing', async (t) => {
  const { test, change } = await exampleOf(t, 'go')
  const command = ['go', 'test', '-count=1', '.']
  t.match(await test(command), /^ok /m)
  await change('orders.go', 'audience,\n', 'audience,\nSkipExpiryCheck: true,\n')
  t.match(await test(command), /--- FAIL: TestOrders\/expired/)
})

t.test('Java: JUnit 5', async (t) => {
  const { test, change } = await exampleOf(t, 'java')
  const command = ['mvn', '-B', 'test']
  t.match(await test(command), /Tests run: 9, Failures: 0, Errors: 0/)
  const claims = 'Set.of("exp", "client_id", "scope"))'
  await change('src/main/java/orders/Orders.java', claims, `${claims} {{ setMaxClockSkew(7200); }}`)
  t.match(await test(command), /Tests run: 9, Failures: 2, Errors: 0/)
})

/** A copy of an example, with an `npx` before the real one that starts this tree. */
async function exampleOf(t: Test, name: string) {
  const folder = await temporaryFolder(t, 'testing')
  const [example, bin, pid] = [join(folder, name), join(folder, 'bin'), join(folder, 'redmint.pid')]
  await cp(join(ROOT, 'examples/testing', name), example, { recursive: true })
  await mkdir(bin)
  const redmint = [process.execPath, ...nodeArgs('cli.ts')].map((word) => `'${word}'`).join(' ')
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1 $2" = '--yes redmint' ] || exit 64\nshift 2\necho $$ > '${pid}'\nexec ${redmint} "$@"\n`,
  )
  await chmod(join(bin, 'npx'), 0o755)
  const environment = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: process.env.HOME ?? '',
    ...Object.fromEntries(Object.entries(process.env).filter(([key]) => /^(GO|MAVEN_|JAVA_|SSL_)/.test(key))),
  }
  return {
    /** Runs its tests, and returns what they print. The server that they start ends with them. */
    async test([command = '', ...args]: readonly string[]): Promise<string> {
      const program = run(t, command, args, environment, example)
      await program.ended
      const server = Number(await readFile(pid, 'utf8'))
      await until('the server has ended', async () => !isRunning(server), 100, PROGRAM_LIMIT_MS)
      return program.stdout + program.stderr
    },
    async change(file: string, from: string, to: string): Promise<void> {
      const text = await readFile(join(example, file), 'utf8')
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
      await writeFile(join(example, file), text.replace(from, to))
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
