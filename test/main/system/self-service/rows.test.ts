// The table of steps has a row for all that people post.
import t from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { WITH_ALL } from '../../../support/self-service/place.ts'
import { STEPS } from '../../../support/self-service/steps.ts'
import { startService } from '../../../support/service.ts'

/** What is posted and takes no proof of a person: clients and tokens have their own, and the rest anybody may ask for. */
const WITHOUT_PROOF: readonly string[] = [
  ...[
    PATHS.token,
    PATHS.par,
    PATHS.device_authorization,
    PATHS.backchannel_authentication,
    PATHS.revoke,
    PATHS.introspect,
    PATHS.userinfo,
  ],
  ...[`${PATHS.account}/codes-saved`, PATHS.recovery_codes, PATHS.sign_up],
  ...['/api', '/api/*', PATHS.authorize, PATHS.end_session, PATHS.language, PATHS.forgot_password],
]

t.test('D5 each route that people post to, and each way to sign in, has a row', async (t) => {
  const posted: string[] = []
  const { fastify } = await startService(t, { ...WITH_ALL, demo: false }, (host) => {
    host.addHook('onRoute', ({ method, url }) => {
      if ([method].flat().includes('POST')) posted.push(url)
    })
  })
  const rows = new Set(STEPS.map(({ path }) => path))
  for (const path of posted) t.ok(rows.has(path) || WITHOUT_PROOF.includes(path), path)
  for (const path of rows) t.ok(posted.includes(path), `${path} exists`)
  // The first method is the password.
  const [, ...others] = fastify.redmint.methods
  for (const name of ['password', ...others.map((method) => method.name)])
    for (const flow of ['sign-in', 'confirm'])
      t.ok(
        STEPS.some((step) => step.name === `${flow}: ${name}`),
        name,
      )
})
