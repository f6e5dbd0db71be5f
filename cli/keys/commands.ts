import type { Command } from 'commander'
import { instant } from '../../src/core/instant.ts'
import { parseSigningKeys, type SigningKeyRecord } from '../../src/keys/key-record.ts'
import { rotateSigningKeys, rotationEvent } from '../../src/keys/rotate.ts'
import { StoredKeyError, unwrapPrivateKey } from '../../src/keys/wrap.ts'
import type { SharedHash } from '../../src/storage/shared-hash.ts'
import { addCommand } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import { type Report, table } from '../output.ts'
import type { CommandContext, CommandRun } from '../run.ts'

/** `redmint keys …` */
export function addKeyCommands(program: Command, run: CommandRun): void {
  const keys = program.command('keys').description('signing keys of all servers')

  addCommand(keys, 'list', 'Lists the signing keys; private parts are never shown.', [
    'redmint keys list',
  ]).action((flags: { json?: true }) => run.execute(flags, ({ storage }) => listKeys(storage.signing_keys)))

  addCommand(
    keys,
    'rotate',
    'Makes the next keys current and publishes new next keys. Servers do this by themselves every KEY_ROTATION_DAYS. Use the same KEY_ENCRYPTION_KEY as the servers.',
    ['redmint keys rotate'],
  ).action((flags: { json?: true }) => run.execute(flags, rotateKeys))
}

const NO_KEYS = 'There are no signing keys yet: the first server that starts creates them.'

async function listKeys(store: SharedHash): Promise<Report> {
  const keys = parseSigningKeys(await store.read())
  return keys.length === 0 ? { text: NO_KEYS, json: { keys } } : reportKeys([], keys)
}

async function rotateKeys({ storage, config, report }: CommandContext): Promise<Report> {
  const { signing_keys: store } = storage
  const { settings } = config
  const records = parseSigningKeys(await store.read())
  if (records.length === 0) throw new Refusal(NO_KEYS)
  await assertSameWrapping(records, settings.key_encryption_key)
  const now = await store.now()
  const result = await rotateSigningKeys(store, settings, new Date(now))
  if (result.outcome === 'too_soon') {
    throw new Refusal(
      `It is too soon: the next keys can sign from ${instant(result.usable_at, now)}. Until then, a server or cache may not have their public keys and would refuse their tokens.`,
    )
  }
  report(rotationEvent(result.keys, 'operator'))
  return reportKeys(
    ['The keys are rotated: servers sign with the current keys within 30 seconds.', ''],
    result.keys,
  )
}

// Otherwise the ring would get a key that the servers cannot unwrap, or an unencrypted private key.
async function assertSameWrapping(
  records: readonly SigningKeyRecord[],
  key: Uint8Array | undefined,
): Promise<void> {
  try {
    for (const record of records) await unwrapPrivateKey(record, key)
  } catch (error) {
    if (error instanceof StoredKeyError) throw new UsageError(error.message)
    throw error
  }
}

function reportKeys(lines: readonly string[], records: readonly SigningKeyRecord[]): Report {
  const keys = records.map(describeKey).sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1))
  const rows = keys.map((key) => [
    key.kid,
    key.alg,
    key.status,
    key.created_at,
    key.usable_at,
    key.current_since ?? '',
    key.published_until ?? '',
  ])
  const head = ['KID', 'ALG', 'STATUS', 'CREATED', 'USABLE FROM', 'CURRENT SINCE', 'PUBLISHED UNTIL']
  return { text: [...lines, table(head, rows)].join('\n'), json: { keys } }
}

type KeyDescription = Omit<SigningKeyRecord, 'public_jwk' | 'private_jwk' | 'private_jwe'> & {
  wrapped: boolean
}

function describeKey(record: SigningKeyRecord): KeyDescription {
  const { public_jwk: _public, private_jwk: _private, private_jwe, ...shown } = record
  return { ...shown, wrapped: private_jwe !== undefined }
}

function sortName({ alg, created_at, kid }: KeyDescription): string {
  return `${alg} ${created_at} ${kid}`
}
