import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import { openClientSecret } from './client-secret.ts'
import type { ExamineContext } from './examined.ts'
import type { Provider } from './provider-record.ts'
import { discover, type RelyingParty } from './relying-party.ts'

/** What it takes to speak with providers. */
export type PartyContext = Omit<ExamineContext, 'fetch'>

/** How long a discovery document is used, in milliseconds. */
const FRESH = 600_000
/** How long a provider that did not answer is left alone: many browsers ask at once. */
const PAUSE = 2_000
/** Records change seldom, and each change makes another entry. */
const MAX_KEPT = 50

interface Entry {
  readonly party: Promise<RelyingParty>
  ends_at: number
}

/**
 * redmint as the client of each provider. The discovery document is read once for all who come at the same time; keys are
 * read again where an id_token names one that is not known.
 */
export class RelyingParties {
  readonly fetch: GuardedFetch
  readonly #entries = new Map<string, Entry>()

  constructor(fetch: GuardedFetch) {
    this.fetch = fetch
  }

  /** @throws StorageUnavailable; any error of the fetch and of openid-client */
  async find(context: PartyContext, provider: Provider): Promise<RelyingParty> {
    const {
      issuer,
      client_id,
      client_secret_sealed = '',
      team_id,
      key_id,
      token_endpoint_auth_method,
    } = provider
    const id = JSON.stringify([
      provider.provider,
      provider.kind,
      issuer,
      client_id,
      client_secret_sealed,
      team_id,
      key_id,
      token_endpoint_auth_method,
    ])
    const known = this.#entries.get(id)
    if (known !== undefined && known.ends_at > context.now()) return known.party
    const secret = await openClientSecret(context, provider)
    const party = discover(this.fetch, provider, secret, context.now)
    const entry = { party, ends_at: context.now() + FRESH }
    party.catch(() => {
      entry.ends_at = context.now() + PAUSE
    })
    if (this.#entries.size >= MAX_KEPT) this.#entries.clear()
    this.#entries.set(id, entry)
    return party
  }
}
