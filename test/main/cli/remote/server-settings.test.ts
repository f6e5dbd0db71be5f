// What depends on the settings of the server: a command at a server takes those of the server, and not its own environment.
import t from 'tap'
import { startAtServer } from '../../../support/cli/remote/at-server.ts'
import { createCli } from '../../../support/cli/run-cli.ts'

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'error' }
const LINK = /\/reset-password\?link=[\w-]{16}\.[\w-]{43}\n[\s\S]*makes a passkey/

t.test('user add prints a link where the server has no passwords, as on its host', async (t) => {
  const { issuer, storage, tokenOf, elsewhere } = await startAtServer(t, { sign_in: 'passkeys' })
  const at_server = elsewhere({
    REDMINT_SERVER: issuer,
    REDMINT_TOKEN: await tokenOf('redmint:read', 'redmint:write'),
  })
  for (const name of ['SIGN_IN', 'REDMINT_SIGN_IN']) {
    const { redmint } = createCli({
      storage,
      environment: { ...ENVIRONMENT, ISSUER: issuer, [name]: 'passkeys' },
    })
    const added = await redmint(['user', 'add', name.toLowerCase()])
    t.match(added, { code: 0, stdout: LINK }, name)
    const there = await at_server(['user', 'add', `${name.toLowerCase()}-2`])
    const plain = (text: string) => text.replace(/(sub +)\S+|link=\S+|-2|until .*|_in +/g, '$1')
    t.equal(plain(there.stdout), plain(added.stdout), name)
  }
  const token = await tokenOf('redmint:users:write')
  const blind = elsewhere({ REDMINT_SERVER: issuer, REDMINT_TOKEN: token })
  t.match(await blind(['user', 'add', 'carol']), { code: 0, stdout: /The user is stored/ })
})

t.test('and none where the server has passwords, whatever the environment of the command is', async (t) => {
  const { issuer, tokenOf, elsewhere } = await startAtServer(t)
  const redmint = elsewhere({
    REDMINT_SERVER: issuer,
    REDMINT_TOKEN: await tokenOf('redmint:read', 'redmint:write'),
    SIGN_IN: 'passkeys',
    TRUSTED_ISSUERS: 'true',
  })
  const added = await redmint(['user', 'add', 'carol'])
  t.equal(added.code, 0)
  t.notMatch(added.stdout, '/reset-password')
  const provider = await redmint(['provider', 'add', 'github'])
  t.match(provider, { code: 2, stderr: `with the redirect URI ${issuer}/` })
  t.match(await redmint(['provider', 'add', 'github', '--client-id', 'ours']), {
    code: 0,
    stdout: `It must know the redirect URI ${issuer}/`,
  })
  t.match(await redmint(['issuer', 'add', 'https://idp.example.com']), {
    code: 0,
    stdout: 'TRUSTED_ISSUERS is not set here',
  })
})

t.test('where the server accepts assertions, no command says that it does not', async (t) => {
  const { issuer, tokenOf, elsewhere } = await startAtServer(t, { trusted_issuers: true })
  const redmint = elsewhere({
    REDMINT_SERVER: issuer,
    REDMINT_TOKEN: await tokenOf('redmint:read', 'redmint:write'),
  })
  const { code, stdout } = await redmint(['issuer', 'add', 'https://idp.example.com'])
  t.equal(code, 0)
  t.notMatch(stdout, 'TRUSTED_ISSUERS')
})
