import { sealedSecret } from '../../src/admin/providers/providers.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { LastingKeyContext } from '../../src/keys/lasting-key.ts'
import { openClientSecret } from '../../src/providers/client-secret.ts'
import { PROVIDER, parseProvider } from '../../src/providers/provider-record.ts'
import type { CommandContext } from '../command-context.ts'
import { type Content, differingFields, type MovedKind, recordProblem } from './kind.ts'
import { plainKind } from './plain-kind.ts'

const plain = plainKind({
  name: 'provider',
  kind: PROVIDER,
  eventsOf: (_context, provider) => ({ events: [{ event: 'provider_changed', provider }] }),
})

/** Providers, with the secrets that they gave redmint. */
export const MOVED_PROVIDER: MovedKind = {
  ...plain,
  async *all(context, left_out) {
    for await (const { id, content } of plain.all(context, left_out)) {
      try {
        yield { id, content: await opened(context, id, content.fields) }
      } catch (error) {
        left_out('provider', id, recordProblem(error))
      }
    }
  },
  async read(context, id) {
    const content = await plain.read(context, id)
    return content && opened(context, id, content.fields)
  },
  create: async (context, id, content) =>
    plain.create(context, id, { fields: await withSecret(context, id, content) }),
  async replace(context, id, content, stored) {
    const present = await plain.read(context, id)
    if (present === undefined) return false
    if (differingFields(await opened(context, id, present.fields), stored).length > 0) return false
    return plain.replace(context, id, { fields: await withSecret(context, id, content) }, present)
  },
}

const SEALED = 'client_secret_sealed'

/** @throws Error if the secret cannot be opened: without it nobody could sign in by the provider */
async function opened(context: CommandContext, id: string, hash: Hash): Promise<Content> {
  const { [SEALED]: sealed, ...fields } = hash
  const parsed = parseProvider(id, hash)
  if (sealed === undefined || !parsed.ok) return { fields }
  const secret = await openClientSecret(keyContext(context), parsed.record)
  if (secret === undefined)
    throw new Error('its secret cannot be opened here: redmint provider secret sets it anew')
  return { fields, secret }
}

async function withSecret(context: CommandContext, id: string, { fields, secret }: Content): Promise<Hash> {
  if (secret === undefined) return fields
  return { ...fields, ...(await sealedSecret(keyContext(context), { id, hash: fields }, secret)) }
}

/** What sealing needs of the command. */
const keyContext = ({ storage, config }: CommandContext): LastingKeyContext => ({
  storage,
  settings: config.settings,
})
