import { actorsOf, parseActor } from '../../core/actor.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { TokenOrigin } from '../../storage/derivation.ts'
import type { TokenFamilies } from '../../storage/families.ts'
import type { TokenExplanation } from './explanation.ts'

/**
 * Returns what an exchanged token depends on, and why it ended with that; nothing of a token that was not exchanged.
 * @param token the token, or the jti of a JWT
 * @throws StorageUnavailable
 */
export async function explainOrigins(
  families: Pick<TokenFamilies, 'readOrigins'>,
  token: string,
  record: Hash,
): Promise<OriginsExplained> {
  if (record.derived_from === undefined) return { reasons: [], facts: {} }
  const { origins, actor_tokens } = await families.readOrigins(token, record)
  const actors = actorsOf(record.act === undefined ? undefined : parseActor(record.act))
  return {
    reasons: [
      ...origins
        .filter(hasEnded)
        .map((origin) => `a token that it was exchanged for${ofClient(origin)} ended`),
      ...actor_tokens.filter(hasEnded).map(() => 'the token that proved its actor ended'),
    ],
    facts: { origins, ...(actors.length > 0 && { actors }) },
  }
}

/** As TokenExplanation, of what was exchanged alone. */
interface OriginsExplained {
  readonly reasons: readonly string[]
  readonly facts: Pick<TokenExplanation['facts'], 'actors' | 'origins'>
}

const hasEnded = ({ state }: TokenOrigin) => state !== 'live'
const ofClient = ({ client_id }: TokenOrigin) =>
  client_id === undefined ? '' : `, of the client "${client_id}",`
