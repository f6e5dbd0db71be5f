import { inspect } from 'node:util'
import { ReplyError } from 'ioredis'
import t from 'tap'
import { StorageUnavailable } from '../../../../../../src/storage/errors.ts'
import {
  cleanError,
  OutcomeUnknown,
  reasonOf,
} from '../../../../../../src/storage/redis/connection/errors.ts'

const TOKEN = 'aaaaaaaaaaaaaaaa.secretsecretsecret'

function reply(message: string): Error {
  return Object.assign(new ReplyError(message), { command: { name: 'evalsha', args: [TOKEN] } })
}

t.test('a temporary error reply makes storage unavailable', async (t) => {
  for (const message of [
    'LOADING Redis is loading the dataset in memory',
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    'CLUSTERDOWN The cluster is down',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'NOREPLICAS Not enough good replicas to write.',
    'BUSY Redis is busy running a script.',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'NOSCRIPT No matching script. Please use EVAL.',
    'MISCONF Redis is configured to save RDB snapshots',
    'NOAUTH Authentication required.',
    'NOPERM this user has no permissions to run this command',
    'MOVED 1234 127.0.0.1:7000',
    'SOMETHING that a later Redis may say',
    'ERR Error running script (call to f_0): @user_script:3: @user_script: 3: -OOM command not allowed',
    "ERR Error running script (call to f_0): @user_script:3: -READONLY You can't write",
  ]) {
    t.ok(cleanError(reply(message)) instanceof StorageUnavailable, message)
  }
  t.equal(cleanError(reply('OOM command not allowed')).message, 'Redis answered OOM')
})

t.test('after a script was interrupted its outcome is unknown', async (t) => {
  for (const [message, reason] of [
    ['ERR Script attempted to access a non local key in a cluster node', 'a slot is being moved'],
    [
      'ERR Error running script (call to f_0): @user_script:3: Lua script attempted to access a non local key in a cluster node',
      'a slot is being moved',
    ],
    ['ERR Script attempted to execute a command while the cluster is down', 'Redis answered CLUSTERDOWN'],
    [
      'ERR Script attempted to execute a write command while the cluster is down and readonly',
      'Redis answered CLUSTERDOWN',
    ],
    [
      "ERR The user executing the script can't run this command or subcommand script: 08be, on @user_script:1.",
      'Redis answered NOPERM',
    ],
    [
      "ERR Error running script (call to f_0): @user_script:3: The user executing the script can't access at least one of the keys mentioned in the command arguments",
      'Redis answered NOPERM',
    ],
    [
      "ERR ACL failure in script: User redmint has no permissions to run the 'hset' command script: 08be, on @user_script:1.",
      'Redis answered NOPERM',
    ],
  ] as const) {
    const error = cleanError(reply(message))
    t.ok(error instanceof OutcomeUnknown, message)
    t.equal(error.message, reason)
  }
})

t.test('a permanent error reply is an ordinary error', async (t) => {
  for (const message of [
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    "CROSSSLOT Keys in request don't hash to the same slot",
    "ERR wrong number of arguments for 'hset' command",
    `ERR unknown command 'x', with args beginning with: '${TOKEN}'`,
    `${TOKEN} without a code`,
  ]) {
    const error = cleanError(reply(message))
    t.notOk(error instanceof StorageUnavailable, message)
    const advice = message.startsWith('WRONGTYPE')
      ? ': look at the key with TYPE, and remove it with DEL'
      : ''
    t.match(error.message, new RegExp(`^Redis answered (WRONGTYPE|CROSSSLOT|ERR)${advice}$`))
    const about = cleanError(reply(message), undefined, ['code', 'grant'])
    t.match(about.message, new RegExp(` about code, grant${advice}$`))
  }
})

t.test('the code of an error that Redis before 7 wraps is found', async (t) => {
  const wrapped =
    'ERR Error running script (call to f_6b1bf486c81ceb7edf3c093f4b48582e38c0e791): @user_script:3: @user_script: 3: WRONGTYPE Operation against a key holding the wrong kind of value'
  t.match(cleanError(reply(wrapped)), { message: 'Redis answered WRONGTYPE' })
})

t.test('connection problems make storage unavailable, with a readable message', async (t) => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
  const late = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })
  const all = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: refused })
  for (const [error, reason] of [
    [refused, 'no connection (ECONNREFUSED)'],
    [late, 'no answer in time'],
    [new Error('Command timed out'), 'no answer in time'],
    [new Error('Socket timeout. Expecting data.'), 'no answer in time'],
    [new Error('timeout'), 'no answer in time'],
    [new Error('Connection is closed.'), 'no connection'],
    [all, 'no connection (ECONNREFUSED)'],
    [
      new Error('Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys'),
      'a slot is being moved',
    ],
    [new StorageUnavailable('no Sentinel answers'), 'no Sentinel answers'],
    ['not even an error', 'it failed'],
  ] as const) {
    t.equal(reasonOf(error), reason)
    const clean = cleanError(error)
    t.ok(clean instanceof StorageUnavailable)
    t.equal(clean.message, reason)
  }
  t.equal(cleanError(refused, 'Redis answered WRONGPASS').message, 'Redis answered WRONGPASS', 'better known')
  const own = new StorageUnavailable('the storage is closed')
  t.equal(cleanError(own, 'trouble'), own)
})

t.test('no error shows an argument of a command', async (t) => {
  const timeout = Object.assign(new Error(`Command timed out ${TOKEN}`), { command: { args: [TOKEN] } })
  for (const error of [
    reply(`ERR ${TOKEN}`),
    reply(`OOM ${TOKEN}`),
    reply(TOKEN),
    timeout,
    new Error(TOKEN),
    TOKEN,
  ]) {
    const clean = cleanError(error)
    const shown = inspect(clean, { showHidden: true, depth: 9 }) + JSON.stringify(clean) + clean.stack
    t.notMatch(shown, 'secret')
    t.equal(clean.cause, undefined)
  }
})
