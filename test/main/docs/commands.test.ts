// Runs the commands of pages that have no test of their own, on storage in memory.
import t, { type Test } from 'tap'
import { createCli } from '../../support/cli/run-cli.ts'
import { type Preparation, RUN_HERE } from '../../support/docs-commands.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { paste } from '../../support/paste.ts'
import { changeClient } from '../../support/records.ts'

/** Programs that the shell of the test only spells out: arguments end with 0x1F, commands with 0x1E. */
const SPELT = ['redmint', 'redis-cli', 'npm', 'node', 'hydra']
const SPELL_OUT = [
  ...SPELT.map((name) => `${name}() { printf '%s\\x1f' ${name} "$@"; printf '\\x1e'; }`),
  'npx() { "$@"; }',
  'REDIS_URL=redis://127.0.0.1:1',
].join('\n')

/** The commands of a text as a shell reads them. */
async function commandsOf(t: Test, text: string): Promise<string[][]> {
  // What they write to files is not kept.
  const { stdout } = await paste(t, `${SPELL_OUT}\ncd '${t.testdir({})}'\n${text}`)
  return stdout
    .split('\x1e')
    .slice(0, -1)
    .map((command) => command.split('\x1f').slice(0, -1))
}

for (const [path, preparation] of Object.entries<Preparation>(RUN_HERE)) {
  t.test(path, async (t) => {
    const { before = [], files = {}, except = {} } = preparation
    const environment = {
      REDIS_URL: 'redis://127.0.0.1:1',
      ISSUER: 'https://auth.example.com',
      LOG_LEVEL: 'error',
    }
    const { redmint, storage } = createCli({ environment })
    for (const command of await commandsOf(t, before.join('\n')))
      t.match(await redmint(command.slice(1)), { code: 0 }, `before: ${command.join(' ')}`)
    const commands = await commandsOf(t, blocks(await readText(path), 'sh').join('\n'))
    t.not(commands.length, 0)
    const left = new Set(Object.keys(except))
    for (const command of commands) {
      const [program, ...args] = command.map((word) => files[word] ?? word)
      const begin = [...left].find((some) => command.join(' ').startsWith(some))
      if (begin !== undefined) left.delete(begin)
      else if (program === 'redis-cli') {
        const [, , verb, key = '', ...pairs] = args
        t.equal(verb, 'HSET', 'a record that is written by hand')
        const change = Object.fromEntries(
          pairs.flatMap((name, i) => (i % 2 ? [] : [[name, pairs[i + 1] ?? '']])),
        )
        await changeClient(storage, key.replace('redmint:client:', ''), { set: change })
      } else if (program === 'redmint') {
        const { code, stdout, stderr } = await redmint(args)
        t.equal(code, 0, command.join(' '))
        if (code !== 0) t.comment(stdout + stderr)
      }
    }
    t.strictSame([...left], [], 'what is left out is on the page')
  })
}
