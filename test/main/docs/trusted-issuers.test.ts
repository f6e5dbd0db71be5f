// Runs the commands of docs/trusted-issuers.md, unchanged.

import t from 'tap'
import { ISSUER_PRESET_NAMES } from '../../../src/admin/issuers/presets.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { paste } from '../../support/paste.ts'
import { issuerKey, keySetOf } from '../../support/trusted-issuer.ts'

const PAGE = await readText('docs/trusted-issuers.md')
// Replaces the command by one that prints its arguments: fields end with 0x1F, commands with 0x1E.
const SPELL_OUT = `redmint() { printf '%s\\x1f' "$@"; printf '\\x1e'; }`

t.test('the commands run, and leave nothing that lint calls an error', async (t) => {
  const { redmint } = createCli()
  const lines = blocks(PAGE, 'sh').map((block) => block.trimEnd())
  // The page changes an issuer before the chapter that adds it.
  const ordered = lines.toSorted(
    (a, b) => Number(a.includes('issuer update')) - Number(b.includes('issuer update')),
  )
  const script = [SPELL_OUT, `JWKS='${keySetOf(issuerKey())}'`, ...ordered].join('\n')
  const commands = (await paste(t, script)).stdout.split('\x1e').slice(0, -1)
  t.equal(commands.length, 15)
  for (const command of commands) {
    const args = command.split('\x1f').slice(0, -1)
    const { code, stderr } = await redmint(args)
    t.equal(code, 0, `${args.slice(0, 3).join(' ')}: ${stderr}`)
  }
  t.match(await redmint(['issuer', 'lint']), { code: 0, stdout: /6 issuers: 0 errors/ })
  t.match(await redmint(['client', 'lint']), { code: 0, stdout: /6 clients: 0 errors, 0 warnings/ })
  t.match(await redmint(['user', 'lint']), { code: 0 })
})

t.test('the page has every preset', async (t) => {
  for (const name of ISSUER_PRESET_NAMES) {
    const words = { 'github-actions': 'GitHub Actions', gcp: 'Google Cloud' }[name as string] ?? name
    t.match(PAGE.toLowerCase(), words.toLowerCase(), name)
  }
})
