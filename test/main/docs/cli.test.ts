// Runs the commands about users in docs/cli.md, unchanged, and applies the file that the page declares.

import t from 'tap'
import { parseUser } from '../../../src/users/user-record.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import { paste } from '../../support/paste.ts'
import { readUser } from '../../support/records.ts'

const PAGE = await readText('docs/cli.md')
const CHAPTER = section(PAGE, 'Users')
// Replaces the command by one that prints its arguments: fields end with 0x1F, commands with 0x1E.
const SPELL_OUT = `redmint() { printf '%s\\x1f' "$@"; printf '\\x1e'; }`

t.test('the commands about users run', async (t) => {
  const { storage, redmint } = createCli()
  const lines = blocks(CHAPTER, 'sh').join('')
  const shell = await paste(t, `${SPELL_OUT}\n${lines}`)
  const commands = shell.stdout.split('\x1e').slice(0, -1)
  t.equal(commands.length, 3)
  for (const command of commands) {
    const args = command.split('\x1f').slice(0, -1)
    t.match(await redmint(args), { code: 0 }, args.join(' '))
  }
  t.match(await readUser(storage, 'alice'), { email: 'alice@example.org', email_verified: undefined })
  t.match(await readUser(storage, 'bob'), { sub: 'bob-1', address: '{"locality":"Berlin"}' })
})

t.test('user add prints what the page shows', async (t) => {
  const { redmint } = createCli()
  const [shown = ''] = blocks(CHAPTER, 'console')
  const [, ...expected] = shown.trimEnd().split('\n')
  const claims = {
    name: 'Alice Example',
    email: 'alice@example.com',
    email_verified: true,
    address: { locality: 'Berlin' },
  }
  const directory = t.testdir({ 'alice.json': JSON.stringify(claims) })
  const add = ['user', 'add', 'alice', '--claims', `${directory}/alice.json`, '--password-stdin']
  const { stdout } = await redmint(add, 'correct horse battery')
  const withoutSub = (text: string) => text.replace(/^(sub +).*$/m, '$1')
  t.equal(withoutSub(stdout.trimEnd()), withoutSub(expected.join('\n')))
})

t.test('the example file of users can be imported', async (t) => {
  const { storage, redmint } = createCli()
  const [lines = ''] = blocks(CHAPTER, 'json')
  const hash =
    '$argon2id$v=19$m=19456,t=2,p=1$lrf7HjoBD9jHKMYSIm1Tkg$l1Pl1Mu8YduNyTwKzuGh7AB1tzEd6gXlN0gZI9ifXq8'
  const file = lines.replace(/\$argon2id\$[^"]*/, hash)
  t.match(await redmint(['user', 'import', '-'], file), { code: 0, stdout: /created 2/ })
  t.match(parseUser('bob', (await readUser(storage, 'bob')) ?? {}), {
    record: { sub: '4711', password_hash: hash, disabled: true },
  })
})

t.test('apply prints what the page shows for the file of the page', async (t) => {
  const secret = 'a'.repeat(32)
  const environment = {
    REDIS_URL: 'redis://127.0.0.1:1',
    WEB_SHOP_SECRET: secret,
    ALICE_PASSWORD: 'correct horse battery',
  }
  const { redmint } = createCli({ environment })
  const chapter = section(PAGE, '`apply <file>`')
  const [file = ''] = blocks(chapter, 'yaml')
  const earlier = file.replace(/, profile/, '').replace(/^users:.*/ms, '')
  t.match(await redmint(['apply', '-'], earlier), { code: 0 })
  environment.WEB_SHOP_SECRET = 'b'.repeat(32)
  const [shown = ''] = blocks(chapter, 'console')
  const [, ...expected] = shown.trimEnd().split('\n')
  const { stdout } = await redmint(['apply', '-', '--dry-run'], file)
  t.strictSame(stdout.trimEnd().split('\n'), expected)
  t.match(await redmint(['apply', '-'], file), { code: 0, stdout: /secret: changed/, stderr: '' })
})
