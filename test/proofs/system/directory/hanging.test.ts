// A person with a browser and a real slapd, behind something that goes silent: at once, after the bind, in a search.

import type { AddressInfo } from 'node:net'
import { createServer, connect as open, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { messageSize } from '../../../../src/directory/message-stream.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { BASE, READER, startSlapd } from '../../../support/slapd.ts'
import { until } from '../../../support/until.ts'

const { messages } = en
/** The button of the consent page: who sees it is signed in. */
const ALLOW = 'button[name=decision][value=allow]'
/** The operations of LDAP that a silence begins with (RFC 4511 §4.2, §4.5). */
const BIND = 0x60
const SEARCH = 0x63
type Silence = 'at once' | 'in a bind' | 'in a search'

/** A way to a directory that can go silent. */
async function startWay(t: Test, port: number) {
  const way: { silence?: Silence; held: number } = { held: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = open(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
    }
    far.on('data', (piece) => near.write(piece))
    let is_silent = false
    near.on('data', (piece: Buffer) => {
      is_silent ||= way.silence !== undefined && asks(piece, way.silence)
      if (is_silent) way.held += 1
      else far.write(piece)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { way, port: (server.address() as AddressInfo).port }
}

/** Whether the message that begins here is the one to say nothing to; the way has no TLS. */
function asks(piece: Buffer, silence: Silence): boolean {
  const size = messageSize(piece)
  const length = piece[1] ?? 0
  // After the length there is the id of the message, of three octets.
  const operation = piece[(length < 0x80 ? 2 : 2 + length - 0x80) + 3]
  return (
    silence === 'at once' ||
    (typeof size === 'number' && operation === (silence === 'in a bind' ? BIND : SEARCH))
  )
}

t.test('a person signs in with the password of slapd, and again after it was silent', async (t) => {
  const slapd = await startSlapd(t)
  const { way, port } = await startWay(t, slapd.port)
  const stage = await setStage(t, {
    sign_in: 'password,directory',
    sign_in_failures: 1,
    ldap_url: `ldap://127.0.0.1:${port}`,
    ldap_tls: 'off',
    ldap_base_dn: BASE,
    ldap_bind_dn: READER.dn,
    ldap_bind_password: READER.password,
    directory_timing: { connect: 2000, answer: 2000 },
  })
  const signIn = async () => {
    const person = await stage.welcome()
    const { page } = person
    await page.goto(stage.shop.url())
    await page.getByLabel(messages.login_username).fill('carol')
    await page.getByLabel(messages.login_password, { exact: true }).fill('carols password')
    const send = () => page.locator('button[value=directory]').click()
    return { ...person, send }
  }
  const first = await signIn()
  await first.send()
  await first.page.waitForSelector(ALLOW)
  t.match(await stage.redis.cli('HGET', 'redmint:user:carol', 'name'), 'Carol')

  for (const silence of ['at once', 'in a bind', 'in a search'] as const) {
    way.silence = silence
    way.held = 0
    const held = await signIn()
    const sent = held.send()
    await until(`it is silent ${silence}`, () => way.held > 0)
    const local = await stage.welcome()
    await local.page.goto(stage.shop.url())
    await local.signIn('alice', PASSWORD)
    await local.page.waitForSelector(ALLOW)
    await sent
    await held.sees(messages.error_directory_away_title)
    delete way.silence
    await until(`carol signs in after it was silent ${silence}`, async () => {
      const again = await signIn()
      await again.send()
      const away = again.page.getByRole('heading', { name: messages.error_directory_away_title })
      const allow = again.page.locator(ALLOW)
      await allow.or(away).waitFor()
      const is_let_in = await allow.isVisible()
      await again.context.close()
      return is_let_in
    })
  }
})
