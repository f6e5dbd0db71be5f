import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import * as argon2 from '@node-rs/argon2'
import t from 'tap'
import { OAuthError } from '../../../../src/core/errors.ts'
import type { Argon2 } from '../../../../src/users/hash-threads.ts'
import { isPasswordHash, randomHash } from '../../../../src/users/password-hash.ts'
import { MAX_PASSWORD_BYTES, preparePassword } from '../../../../src/users/password-text.ts'
import { Passwords, WAITING } from '../../../../src/users/passwords.ts'
import { FOREIGN_HASHES } from '../../../support/foreign-hashes.ts'
import { until } from '../../../support/until.ts'
import { holdArgon2 } from '../../../support/users/held-argon2.ts'

const CHEAP = { argon2_memory: 8192, argon2_iterations: 1, argon2_parallelism: 1 }
const settings = { ...CHEAP, argon2_concurrency: 2 }

/** Passwords whose hashes the test ends. */
function watch() {
  const held = holdArgon2()
  return { seen: held, passwords: new Passwords({ settings, argon2: held.engine }) }
}

t.test('only the password that was hashed is accepted, after NFC normalization', async (t) => {
  const passwords = new Passwords({ settings })
  const hash = await passwords.hash('Grüße an alle')
  t.match(hash, /^\$argon2id\$v=19\$m=8192,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  t.not(await passwords.hash('Grüße an alle'), hash, 'each hash has its own salt')
  t.ok(await passwords.verify('Grüße an alle', hash))
  t.ok(await passwords.verify('Gru\u0308ße\u00A0an\u3000alle', hash), 'another Unicode spelling')
  for (const wrong of ['', 'grüße an alle', 'Grüße an alle ', 'Grüße  an alle', 'Grüße an alle\0']) {
    t.notOk(await passwords.verify(wrong, hash), JSON.stringify(wrong))
  }
})

t.test('normalization and the limits of a password', (t) => {
  t.equal(preparePassword('e\u0301\u2003x'), '\u00E9 x')
  t.equal(preparePassword('ﬁ'), 'ﬁ', 'a ligature is not two letters')
  t.equal(preparePassword('x'.repeat(MAX_PASSWORD_BYTES))?.length, MAX_PASSWORD_BYTES)
  t.equal(preparePassword('x'.repeat(MAX_PASSWORD_BYTES + 1)), undefined)
  t.equal(preparePassword('ä'.repeat(MAX_PASSWORD_BYTES / 2 + 1)), undefined, 'the limit is in bytes')
  // U+1D15E is one character, and two in NFC.
  t.equal(preparePassword('\u{1D15E}'.repeat(100)), '\u{1D157}\u{1D165}'.repeat(100))
  t.equal(preparePassword('\u{1D15E}'.repeat(200)), undefined, 'the limit applies after normalization')
  for (const none of ['', 'tab\t', 'nul\0', 'c1\u0085', '\uD800']) {
    t.equal(preparePassword(none), undefined, JSON.stringify(none))
  }
  t.end()
})

t.test('a malformed or missing hash is refused, at the same cost as a wrong password', async (t) => {
  const calls: string[] = []
  const engine: Argon2 = {
    hash: argon2.hash,
    verify: (hash, password) => {
      calls.push(hash)
      return argon2.verify(hash, password)
    },
  }
  const passwords = new Passwords({ settings, argon2: engine })
  const good = await passwords.hash('right')
  const [salt = '', sum = ''] = good.split('$').slice(-2)
  const bad = [
    '',
    'right',
    good.slice(0, -2),
    `${good}=`,
    `${good} `,
    good.replace('argon2id', 'argon2i'),
    good.replace('v=19', 'v=16'),
    good.replace('$v=19', ''),
    good.replace('m=8192', 'm=4194305'),
    good.replace('m=8192', 'm=4294967295'),
    good.replace('m=8192', 'm=7'),
    good.replace('m=8192', 'm=08192'),
    good.replace('m=8192,t=1', 't=1,m=8192'),
    good.replace('t=1', 't=101'),
    good.replace('p=1', 'p=17'),
    good.replace(salt, 'c2FsdA'),
    good.replace(sum, 'aGFzaA'),
    good.replace(sum, `${sum.slice(0, -1)}B`),
    '$2b$10$abcdefghijklmnopqrstuv',
  ]
  for (const hash of [undefined, ...bad]) {
    if (hash !== undefined) t.notOk(isPasswordHash(hash), hash)
    calls.length = 0
    t.notOk(await passwords.verify('right', hash), String(hash))
    t.match(calls, [/^\$argon2id\$v=19\$m=8192,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/], 'with the configured cost')
    t.not(calls[0], good)
  }
  for (const none of ['', 'x'.repeat(100_000)]) {
    calls.length = 0
    t.notOk(await passwords.verify(none, good))
    t.strictSame(calls, [good])
  }
  // The constant that replaces an empty password must not be accepted as a password.
  t.notOk(await passwords.verify('', await passwords.hash('no password')))
  await t.rejects(passwords.hash(''), TypeError)
})

t.test('a hash with other cost parameters, or of another system, needs a rehash', async (t) => {
  const passwords = new Passwords({ settings })
  t.notOk(passwords.needsRehash(await passwords.hash('right')))
  t.notOk(passwords.needsRehash(randomHash(CHEAP)))
  for (const other of [{ argon2_memory: 16_384 }, { argon2_iterations: 2 }, { argon2_parallelism: 2 }]) {
    t.ok(passwords.needsRehash(randomHash({ ...CHEAP, ...other })), JSON.stringify(other))
  }
  const lengths = { outputLen: 32, salt: Buffer.alloc(16) }
  for (const other of [{ outputLen: 24 }, { salt: Buffer.alloc(8) }]) {
    const options = { memoryCost: 8192, timeCost: 1, parallelism: 1, ...lengths, ...other }
    const short = await argon2.hash('right', options)
    t.ok(isPasswordHash(short))
    t.ok(passwords.needsRehash(short), `a shorter ${Object.keys(other)[0]}`)
  }
  for (const [of, , hash] of FOREIGN_HASHES) t.ok(passwords.needsRehash(hash), of)
})

t.test(
  'once a hash that needs a rehash was met, every failure takes as long as the slowest of them',
  async (t) => {
    let now = 0
    const waits: number[] = []
    const clock = {
      now: () => now,
      wait: async (ms: number) => {
        waits.push(ms)
      },
    }
    const [, , bcrypt = ''] = FOREIGN_HASHES[0] ?? []
    const [, , scrypt = ''] = FOREIGN_HASHES.at(-1) ?? []
    const own = randomHash(CHEAP)
    const cost: Record<string, number> = { [own]: 40, [bcrypt]: 250, [scrypt]: 90 }
    let is_right = false
    const engine: Argon2 = {
      hash: async () => own,
      verify: async (hash) => {
        now += cost[hash] ?? 20
        return is_right
      },
    }
    const passwords = new Passwords({ settings, argon2: engine, clock })
    /** How long each takes: with the own hash, without one, and with those of other systems. */
    const times = async (...hashes: (string | undefined)[]) => {
      const taken: number[] = []
      for (const hash of hashes) {
        const before = now
        waits.length = 0
        t.equal(await passwords.verify('x', hash), is_right)
        taken.push(now - before + waits.reduce((sum, ms) => sum + ms, 0))
      }
      return taken
    }
    t.strictSame(await times(own, undefined, own), [40, 20, 40], 'nothing is held back before')
    t.strictSame(await times(scrypt, own, undefined, 'malformed'), [90, 90, 90, 90])
    t.strictSame(await times(bcrypt, own, undefined, scrypt, bcrypt), [250, 250, 250, 250, 250])
    is_right = true
    t.strictSame(await times(own, scrypt), [40, 90], 'a success is not held back')
    is_right = false
    cost[bcrypt] = 60_000
    t.strictSame(await times(bcrypt, own), [60_000, 5000], 'a stalled machine does not count')
  },
)

t.test('beyond the limits of running and waiting hashes, requests get 503', async (t) => {
  const { seen, passwords } = watch()
  const outcomes: string[] = []
  const storm = Array.from({ length: 150 }, (_, index) =>
    (index % 2 === 0 ? passwords.verify('x', undefined) : passwords.hash('x')).then(
      () => outcomes.push('done'),
      (error: unknown) => {
        if (!(error instanceof OAuthError)) throw error
        outcomes.push(`${error.code} ${error.status} ${Number(error.headers['retry-after']) > 0}`)
      },
    ),
  )
  const refused = 150 - WAITING.all - settings.argon2_concurrency
  await until('all requests beyond the limit are refused', () => outcomes.length === refused)
  t.strictSame([...new Set(outcomes)], ['temporarily_unavailable 503 true'])
  t.equal(seen.calls, settings.argon2_concurrency)
  t.equal(passwords.waiting, WAITING.all)
  while (outcomes.length < 150) {
    await turnOfTheLoop()
    for (const resolve of seen.open.splice(0)) resolve()
  }
  await Promise.all(storm)
  t.equal(seen.most, settings.argon2_concurrency)
  t.equal(passwords.waiting, 0)
  t.equal(seen.calls, WAITING.all + settings.argon2_concurrency)
  t.equal(outcomes.filter((outcome) => outcome === 'done').length, WAITING.all + settings.argon2_concurrency)
})

t.test('a later request does not take the place of a waiting one', async (t) => {
  const { seen, passwords } = watch()
  const done: Promise<unknown>[] = []
  for (let round = 0; round < 20; round += 1) {
    for (let comers = 0; comers < 4; comers += 1) done.push(passwords.verify('x', undefined))
    await turnOfTheLoop()
    seen.open.shift()?.()
    await turnOfTheLoop()
  }
  while (seen.calls < 80 || seen.running > 0) {
    seen.open.shift()?.()
    await turnOfTheLoop()
  }
  await Promise.all(done)
  t.equal(seen.most, settings.argon2_concurrency)
})

t.test('a failed hash frees its place', async (t) => {
  const engine: Argon2 = {
    hash: async () => {
      throw new Error('out of memory')
    },
    verify: async () => true,
  }
  const passwords = new Passwords({ settings, argon2: engine })
  for (let attempt = 0; attempt < 5; attempt += 1) await t.rejects(passwords.hash('x'), /out of memory/)
  t.equal(await passwords.verify('x', randomHash(CHEAP)), true)
})
