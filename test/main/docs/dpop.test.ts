// Runs the commands of docs/dpop.md, unchanged.
import { dirname } from 'node:path'
import t from 'tap'
import { MAX_CLOCK_ERROR, MAX_PROOF_AGE, MAX_PROOF_LEAD } from '../../../src/dpop/proof.ts'
import { temporaryFolder } from '../../support/build.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { jsonOf, paste } from '../../support/paste.ts'
import { startListening } from '../../support/server.ts'
import { CLIENTS, SECRET } from '../../support/service.ts'

t.test('a client gets a token that is bound to its key, and uses it', async (t) => {
  const { issuer } = await startListening(t)
  const page = blocks(await readText('docs/dpop.md'), 'sh')
  t.equal(page.length, 3)
  const folder = await temporaryFolder(t, 'dpop')
  const own = [`cd '${folder}'`, `PATH='${dirname(process.execPath)}':$PATH`]
  const environment = { ISSUER: issuer, CLIENT: CLIENTS.service.client_id, SECRET }
  const shell = await paste(t, [...own, ...page].join('\n'), environment)
  t.match(await shell.ended, { code: 0 }, shell.stderr)
  const [token, answer, refused] = jsonOf(shell)
  t.match(token, { token_type: 'DPoP' })
  t.match(answer, { message: 'This is a protected resource.' })
  t.match(refused, { error: 'invalid_token', error_description: /bound to a key/ })
})

t.test('docs/dpop.md has the limits of a proof', async (t) => {
  const text = (await readText('docs/dpop.md')).replace(/\s+/g, ' ')
  t.match(text, `at most ${MAX_PROOF_AGE} seconds ago, and at most ${MAX_PROOF_LEAD} seconds in the future`)
  t.match(text, `by ${MAX_CLOCK_ERROR} seconds and the age of the nonce`)
})
