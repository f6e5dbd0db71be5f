import type { Facts, Reason } from './reasons.ts'
import { shellWord } from './shell-word.ts'

/** What is of others, and what sign-ins, clients or operators depend on. */
interface ThirdParty {
  /** In words, for operators. */
  readonly is: string
  /** Why requests are refused because of it; empty: no request waits for it. */
  readonly reasons: readonly Reason[]
  /** What says what is wrong with it; `NAME` stands for its name. */
  readonly advice: string
  /** Whether the start of the console and `redmint doctor` have its last fault. Absent: whoever names it could make one. */
  readonly is_noted?: true
  /** The check of `redmint doctor` that looks at it by itself. */
  readonly check?: string
  /** The alert that fires; absent: whoever names it could make it fire. */
  readonly alert?: string
}

const REFUSES = 'RedmintThirdPartyFails'

/**
 * The third parties: a fault of one is never told as a mistake of a person or a client, but by a reason that has the
 * party, the step and a code.
 */
export const THIRD_PARTIES = {
  provider: {
    is: 'provider',
    reasons: ['upstream_failed'],
    advice: 'redmint provider test NAME',
    is_noted: true,
    alert: REFUSES,
  },
  directory: {
    is: 'directory',
    reasons: ['directory_away'],
    advice: 'redmint directory test',
    is_noted: true,
    check: 'directory',
    alert: REFUSES,
  },
  own_page: {
    is: 'page of your application (LOGIN_URL, CONSENT_URL)',
    reasons: ['own_page_failed'],
    advice: 'redmint explain --last 20',
    check: 'own pages',
    alert: REFUSES,
  },
  client_keys: {
    is: 'keys of the client',
    reasons: ['client_keys_away'],
    advice: 'redmint client keys show NAME',
    is_noted: true,
    alert: REFUSES,
  },
  client_document: {
    is: 'metadata document of a client',
    reasons: ['client_document_away', 'client_document_unusable'],
    advice: 'redmint explain --last 20',
  },
  issuer_keys: {
    is: 'keys of the trusted issuer',
    reasons: ['issuer_keys_away'],
    advice: 'redmint issuer show NAME',
    is_noted: true,
    alert: REFUSES,
  },
  mail_server: {
    is: 'SMTP server',
    reasons: [],
    advice: 'redmint mail list',
    is_noted: true,
    check: 'SMTP server',
    alert: 'RedmintMailQueue',
  },
  audit_webhook: {
    is: 'AUDIT_WEBHOOK_URL',
    reasons: [],
    advice: 'redmint doctor',
    is_noted: true,
    check: 'audit webhook',
    alert: 'RedmintAuditWebhook',
  },
  logout_notices: {
    is: 'backchannel_logout_uri of the client',
    reasons: [],
    advice: 'redmint client show NAME',
    is_noted: true,
    check: 'logout notices',
    alert: 'RedmintLogoutQueue',
  },
  ask_pings: {
    is: 'backchannel_client_notification_endpoint of the client',
    reasons: [],
    advice: 'redmint client show NAME',
    is_noted: true,
  },
} as const satisfies Readonly<Record<string, ThirdParty>>

export type Party = keyof typeof THIRD_PARTIES

/** A fault of a third party. Nothing in it is a text of that party, or of a stranger. */
export interface PartyFault {
  readonly party: Party
  /** The name of its record here; absent: there is one such party. */
  readonly name?: string | undefined
  /** What was asked of it. */
  readonly step: string
  /** What came of that: a code of Node.js, `HTTP_503`, or of redmint. */
  readonly code: string
}

/** Returns what a refusal says of a fault. */
export function factsOf({ party, name, step, code }: PartyFault): Facts {
  return { party, ...(name !== undefined && { name }), step, code }
}

/** Returns the fault that facts of a refusal are about, if it is noted; undefined: they are about none. */
export function notedFault(reason: Reason, received: Facts = {}): PartyFault | undefined {
  const { party, name, step, code } = received
  const found = PARTIES.find((one) => one === party)
  if (found === undefined || !partyOf(found).reasons.includes(reason)) return undefined
  if (!partyOf(found).is_noted || typeof step !== 'string' || typeof code !== 'string') return undefined
  return { party: found, ...(typeof name === 'string' && { name }), step, code }
}

/** Whether a reason is a fault of a third party. */
export const isOfThirdParty = (reason: Reason): boolean => OF_THIRD_PARTIES.has(reason)

/** Returns what is known of a party. */
export const partyOf = (party: Party): ThirdParty => THIRD_PARTIES[party]

/** Returns what says what is wrong with a party. */
export const adviceOf = ({ party, name = '' }: Pick<PartyFault, 'party' | 'name'>): string =>
  partyOf(party).advice.replace('NAME', shellWord(name))

export const PARTIES = Object.keys(THIRD_PARTIES) as Party[]

const OF_THIRD_PARTIES: ReadonlySet<Reason> = new Set(PARTIES.flatMap((party) => partyOf(party).reasons))

const CODE = /^[A-Za-z_][A-Za-z0-9_]{1,63}$/

/** Returns a code of an error as redmint shows it: one that has another form may be a text of somebody else. */
export function codeFrom(...candidates: readonly unknown[]): string {
  return candidates.find((one): one is string => typeof one === 'string' && CODE.test(one)) ?? 'unknown'
}

/** Returns the code of an answer with another status than expected. */
export const statusCode = (status: number): string => `HTTP_${status}`
