import type { Transaction } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'

/** What the browser brings back from a page, or from another site. */
export interface Submission {
  readonly from: 'page' | 'site'
  /** The pending request that it names. */
  readonly transaction: Transaction | undefined
  /** Proves that it belongs to the browser, the pending request and the session. */
  readonly token: string
  readonly parameters: Parameters
  /** The address of redmint that another site sent the browser to, if it is one of its own. */
  readonly arrived_at?: string
  /** Where it comes from: an IPv4 address, or the network of an IPv6 address. */
  readonly address: string
  /** The header User-Agent. */
  readonly user_agent?: string | undefined
}

/** Who sends a submission. */
export type Sender = Pick<Submission, 'address' | 'user_agent'>

/** The form of a page. */
export function formSubmission(form: Parameters, { address, user_agent }: Sender): Submission {
  const { transaction, csrf = '' } = form
  return { from: 'page', transaction, token: csrf, parameters: form, address, user_agent }
}

/**
 * The parameters that another site sent back; `state` is `<transaction>.<token>`.
 * @param arrived_at absent: to the address of all
 */
export function siteSubmission(
  query: Parameters,
  { address, user_agent }: Sender,
  arrived_at?: string,
): Submission {
  const { state = '' } = query
  const end = state.lastIndexOf('.')
  const transaction = end === -1 ? undefined : state.slice(0, end)
  const token = state.slice(end + 1)
  const named = { from: 'site', transaction, token, parameters: query, address, user_agent } as const
  return arrived_at === undefined ? named : { ...named, arrived_at }
}
