// The client of an application behind a proxy, as docs/forward-auth.md registers it.
import t from 'tap'
import { createCli } from '../../support/cli/run-cli.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { readClient } from '../../support/records.ts'

const [command = ''] = blocks(await readText('docs/forward-auth.md'), 'sh')
const [, ...ARGS] = [...command.matchAll(/"([^"]*)"|([^\s"\\]+)/g)].map(
  ([, quoted, word]) => quoted ?? word ?? '',
)

t.test('the command of the docs registers it, and lint has nothing to say', async (t) => {
  const { storage, redmint } = createCli()
  t.match(await redmint(ARGS), { code: 0, stderr: '' })
  t.match(await readClient(storage, 'wiki'), { forward_auth_hosts: 'wiki.example.com', is_public: 'true' })
  t.match(await redmint(['client', 'lint']), { code: 0 })
  t.match((await redmint(['client', 'show', 'wiki'])).stdout, /wiki\.example\.com$/m)
  t.match(await redmint(['client', 'update', 'wiki', '--forward-auth-host', '*.example.com']), {
    code: 1,
    stderr: /forward_auth_hosts|--forward-auth-host/,
  })
  t.match(await redmint(['client', 'update', 'wiki', '--logout-ends-tokens', 'false']), {
    code: 1,
    stderr: /logout_ends_tokens must be true, because it has forward_auth_hosts/,
  })
  t.match(await redmint(['client', 'update', 'wiki', '--clear-forward-auth-hosts']), { code: 0 })
  t.notOk((await readClient(storage, 'wiki'))?.forward_auth_hosts)
})
