import { randomText } from '../core/token-string.ts'
import type { Kind } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** That somebody is getting a name at this moment: its id is the folded name, which may be in another slot than the user. */
const NAME_CLAIM: Kind<{ readonly by: string }> = {
  name: 'name-claim',
  by_operators: true,
  format: ({ by }) => ({ by }),
  parse: ({ by = '' }) => ({ ok: true, record: { by } }),
}

/** In seconds: longer than any write takes, its repetitions included. */
const CLAIM_TTL = 60

/**
 * Does what gives a user folded names, while nobody else gets one of them: what is found out about them in it stays so until
 * records and index are written. Of several at once, those that come later do nothing.
 * @param names folded
 * @returns `held`: somebody else is getting one of them
 * @throws StorageUnavailable; then the names may be held for a minute
 */
export async function holdingNames<T>(
  { records }: RecordStore,
  names: Iterable<string>,
  run: () => Promise<T>,
): Promise<T | 'held'> {
  const by = randomText(16)
  const held: string[] = []
  const release = () =>
    Promise.all(
      held.map((name) => records.change(NAME_CLAIM, name, { set: {}, unset: ['by'], expected: { by } })),
    )
  for (const name of names) {
    const claim = { kind: NAME_CLAIM, id: name, hash: NAME_CLAIM.format({ by }), ttl: CLAIM_TTL }
    if ((await records.create(claim)) === 'exists') {
      await release()
      return 'held'
    }
    held.push(name)
  }
  try {
    return await run()
  } finally {
    // They end by themselves, too.
    await release().catch(() => {})
  }
}
