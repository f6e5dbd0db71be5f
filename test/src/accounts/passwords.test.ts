// Suite: unit
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import * as argon2 from '@node-rs/argon2'
import t from 'tap'
import { isPasswordHash, randomHash } from '../../../src/accounts/password-hash.ts'
import { MAX_PASSWORD_BYTES, preparePassword } from '../../../src/accounts/password-text.ts'
import { type Argon2, MAX_WAITING, Passwords } from '../../../src/accounts/passwords.ts'
import { OAuthError } from '../../../src/core/errors.ts'
import { until } from '../../support/until.ts'

const CHEAP = { argon2_memory: 8192, argon2_iterations: 1, argon2_parallelism: 1 }
const settings = { ...CHEAP, argon2_concurrency: 2 }

/** argon2 that counts, and goes on only when it is let. */
function watch() {
  const seen = { running: 0, most: 0, calls: 0, open: [] as (() => void)[] }
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    seen.calls += 1
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    await new Promise<void>((resolve) => seen.open.push(resolve))
    seen.running -= 1
    return work()
  }
  const engine: Argon2 = {
    hash: () => counted(async () => 'a hash'),
    verify: () => counted(async () => true),
  }
  return { seen, passwords: new Passwords({ settings, argon2: engine }) }
}

t.test('a password is the one that was hashed, and no other one is', async (t) => {
  const passwords = new Passwords({ settings })
  const hash = await passwords.hash('Grüße an alle')
  t.match(hash, /^\$argon2id\$v=19\$m=8192,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  t.not(await passwords.hash('Grüße an alle'), hash, 'each hash has a salt of its own')
  t.ok(await passwords.verify('Grüße an alle', hash))
  t.ok(await passwords.verify('Gru\u0308ße\u00A0an\u3000alle', hash), 'spelled otherwise')
  for (const wrong of ['', 'grüße an alle', 'Grüße an alle ', 'Grüße  an alle', 'Grüße an alle\0']) {
    t.notOk(await passwords.verify(wrong, hash), JSON.stringify(wrong))
  }
})

t.test('what is prepared, and what is no password', (t) => {
  t.equal(preparePassword('e\u0301\u2003x'), '\u00E9 x')
  t.equal(preparePassword('ﬁ'), 'ﬁ', 'a ligature is not two letters')
  t.equal(preparePassword('x'.repeat(MAX_PASSWORD_BYTES))?.length, MAX_PASSWORD_BYTES)
  t.equal(preparePassword('x'.repeat(MAX_PASSWORD_BYTES + 1)), undefined)
  t.equal(preparePassword('ä'.repeat(MAX_PASSWORD_BYTES / 2 + 1)), undefined, 'bytes are counted')
  // U+1D15E is one character, and two in NFC.
  t.equal(preparePassword('\u{1D15E}'.repeat(100)), '\u{1D157}\u{1D165}'.repeat(100))
  t.equal(preparePassword('\u{1D15E}'.repeat(200)), undefined, 'counted again after normalizing')
  for (const none of ['', 'tab\t', 'nul\0', 'c1\u0085', '\uD800']) {
    t.equal(preparePassword(none), undefined, JSON.stringify(none))
  }
  t.end()
})

t.test('a hash that cannot be: false, and one hash is computed all the same', async (t) => {
  const calls: string[] = []
  const engine: Argon2 = {
    hash: argon2.hash,
    verify: (hash, password, ...rest) => {
      calls.push(String(hash))
      return argon2.verify(hash, password, ...rest)
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
    good.replace('t=1', 't=101'),
    good.replace('p=1', 'p=17'),
    good.replace(salt, 'c2FsdA'),
    good.replace(sum, 'aGFzaA'),
    '$2b$10$abcdefghijklmnopqrstuv',
  ]
  for (const hash of [undefined, ...bad]) {
    if (hash !== undefined) t.notOk(isPasswordHash(hash), hash)
    calls.length = 0
    t.notOk(await passwords.verify('right', hash), String(hash))
    t.match(calls, [/^\$argon2id\$v=19\$m=8192,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/], 'of the present cost')
    t.not(calls[0], good)
  }
  for (const none of ['', 'x'.repeat(100_000)]) {
    calls.length = 0
    t.notOk(await passwords.verify(none, good))
    t.strictSame(calls, [good])
  }
  // Whoever knew what stands for no password must not get in by it.
  t.notOk(await passwords.verify('', await passwords.hash('no password')))
  await t.rejects(passwords.hash(''), TypeError)
})

t.test('a hash of another cost is to be made anew', async (t) => {
  const passwords = new Passwords({ settings })
  t.notOk(passwords.needsRehash(await passwords.hash('right')))
  t.notOk(passwords.needsRehash(randomHash(CHEAP)))
  for (const other of [{ argon2_memory: 16_384 }, { argon2_iterations: 2 }, { argon2_parallelism: 2 }]) {
    t.ok(passwords.needsRehash(randomHash({ ...CHEAP, ...other })), JSON.stringify(other))
  }
  const short = await argon2.hash('right', { memoryCost: 8192, timeCost: 1, parallelism: 1, outputLen: 24 })
  t.ok(isPasswordHash(short))
  t.ok(passwords.needsRehash(short), 'a shorter one')
})

t.test('in a storm so many are hashed at once, so many wait, and the others hear 503', async (t) => {
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
  const refused = 150 - MAX_WAITING - settings.argon2_concurrency
  await until('all are refused for whom there is no room', () => outcomes.length === refused)
  t.strictSame([...new Set(outcomes)], ['temporarily_unavailable 503 true'])
  t.equal(seen.calls, settings.argon2_concurrency)
  while (outcomes.length < 150) {
    await turnOfTheLoop()
    for (const resolve of seen.open.splice(0)) resolve()
  }
  await Promise.all(storm)
  t.equal(seen.most, settings.argon2_concurrency)
  t.equal(seen.calls, MAX_WAITING + settings.argon2_concurrency)
  t.equal(outcomes.filter((outcome) => outcome === 'done').length, MAX_WAITING + settings.argon2_concurrency)
})

t.test('whoever comes while others wait gets no turn that is theirs', async (t) => {
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

t.test('a fault gives its turn back', async (t) => {
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

t.test('one thread of the pool stays free, whatever the configuration says', async (t) => {
  const before = process.env.UV_THREADPOOL_SIZE
  t.teardown(() => {
    if (before === undefined) delete process.env.UV_THREADPOOL_SIZE
    else process.env.UV_THREADPOOL_SIZE = before
  })
  for (const [size, at_once] of [
    [undefined, 3],
    ['16', 15],
    ['1', 1],
  ] as const) {
    if (size === undefined) delete process.env.UV_THREADPOOL_SIZE
    else process.env.UV_THREADPOOL_SIZE = size
    let running = 0
    const engine: Argon2 = {
      hash: () => {
        running += 1
        return new Promise(() => {})
      },
      verify: async () => false,
    }
    const passwords = new Passwords({ settings: { ...CHEAP, argon2_concurrency: 64 }, argon2: engine })
    for (let number = 0; number < 30; number += 1) void passwords.hash('x')
    await turnOfTheLoop()
    t.equal(running, at_once, `a pool of ${size}`)
  }
})
