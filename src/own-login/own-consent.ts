import { authorizationFlow, type FlowContext } from '../authorize/authorization-flow.ts'
import type { Settings } from '../config/settings.ts'
import { parseObject } from '../core/json.ts'
import { type DeviceFlowContext, deviceFlow } from '../device/device-flow.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { Agreement, ConsentSite, SiteAnswer } from '../interaction/consent-site.ts'
import { askedBy, type ConsentStep, formatLeftOut, readLeftOut } from '../interaction/consent-step.ts'
import type { Flows } from '../interaction/flow.ts'
import { requestName } from '../interaction/pending-record.ts'
import type { Sealer } from '../keys/sealer.ts'
import { hasEnded, type Session } from '../sessions/session.ts'
import { useSessionFor } from '../sessions/session-store.ts'
import type { Storage } from '../storage/storage.ts'
import { type AccountContext, readAccount } from '../users/read-account.ts'
import type { User } from '../users/user-record.ts'
import {
  answerFirst,
  findVerifier,
  giveVerifier,
  isAnswered,
  isRefused,
  newVisit,
  type OpenVisit,
  type OwnVisit,
  openVisit,
  pageWith,
  REFUSED,
  readVisit,
  refuseVisit,
  verifierEvidence,
} from './visit.ts'

// No sign-in method has a space in its name.
const CONSENT = 'own consent'
const CONSENT_VERIFIER = 'consent_verifier'

/** What is kept of a visit to the page of an application that asks for consent. */
interface ConsentVisit extends OwnVisit {
  /** The id of the session of the person. */
  readonly session: string
  /** The account as it was then: each change of it ends the challenge. */
  readonly account_state: string
}

/** What it takes to ask for consent at the page of an application. */
export type OwnConsentContext = FlowContext &
  DeviceFlowContext &
  AccountContext & {
    readonly storage: Storage
    readonly sealer: Pick<Sealer, 'open'>
    readonly settings: Pick<Settings, 'issuer' | 'session_idle_ttl' | 'demo'>
    readonly now: () => number
  }

/** Consent at the page of an application. @param consent_url its address */
export function ownConsent(context: OwnConsentContext, consent_url: string): ConsentSite {
  // The code of a device was found before anybody is asked, so that no address is counted.
  const flows: Flows<unknown> = {
    authorization: authorizationFlow(context),
    device: deviceFlow(context, { address: () => '' }),
  }
  const stateOf = async (user: User) =>
    accountState(user, (await findFactors(context, user.username)).factors)
  return {
    name: CONSENT,
    async leave({ id: session, username }) {
      const user = await readAccount(context, username)
      return (
        user && {
          challenge: newVisit({ session, account_state: await stateOf(user) }),
          location: (state) => pageWith(consent_url, 'consent_challenge', state),
        }
      )
    },
    async comeBack({ pending }, session, step, answer): Promise<SiteAnswer> {
      const { round } = pending
      const visit = round?.method === CONSENT ? readVisit<ConsentVisit>(round.challenge) : undefined
      if (answer.error === REFUSED && visit !== undefined && (await isRefused(context, CONSENT, visit)))
        return { outcome: 'refused' }
      const verifier = answer[CONSENT_VERIFIER]
      if (visit === undefined || verifier === undefined) return over('NO_VERIFIER')
      const found = await findVerifier(context, verifier)
      const user = found && (await readAccount(context, session.username))
      if (found === undefined || user === undefined) return over('VERIFIER_NOT_KNOWN')
      if (found.kept.account !== session.username || visit.account_state !== (await stateOf(user)))
        return over('ACCOUNT_CHANGED')
      const { value } = found.kept
      const expected = verifierEvidence(CONSENT, visit, requestName(pending), value, visit.account_state)
      const agreed = { ...readAgreement(step, value), agreed_at: found.kept.created_at }
      return (await found.take(expected))
        ? { outcome: 'allowed', ...agreed }
        : over('VERIFIER_OF_ANOTHER_REQUEST')
    },
    async find(challenge) {
      const read_at = context.now()
      const open = openVisit<ConsentVisit>(context, CONSENT, challenge)
      const session = open && (await sessionOf(context, open))
      const user = session && (await readAccount(context, session.username))
      if (open === undefined || session === undefined || user === undefined) return undefined
      if (user.disabled || user.sub !== session.sub || hasEnded(session, user)) return undefined
      const { visit, pending, text } = open
      if (visit.account_state !== (await stateOf(user))) return undefined
      // What is due is found out anew, as when the browser comes back.
      const { parameters } = pending
      const due = await flows[pending.kind]?.({
        pending,
        parameters,
        session,
        transaction: text,
        browser: {},
        browser_id: '',
      })
      if (due?.due !== 'user' || due.step.step !== 'consent') return undefined
      const { step, destination } = due
      if (pending.asked !== askedBy(step)) return undefined
      return {
        ...{ pending, session, step, destination },
        isAnswered: () => isAnswered(context, open),
        async accept(agreement) {
          const value = formatAgreement(step, agreement)
          if (!(await answerFirst(context, open, value))) return { problem: 'answered' }
          const evidence = verifierEvidence(CONSENT, visit, requestName(pending), value, visit.account_state)
          return giveVerifier(context, open, CONSENT_VERIFIER, session.username, read_at, evidence)
        },
        refuse: () => refuseVisit(context, open),
      }
    },
  }
}

const over = (code: string) => ({ outcome: 'over', code }) as const

/** The session in which the person is asked; undefined: it ended. @throws StorageUnavailable */
async function sessionOf(
  { storage, settings }: OwnConsentContext,
  { visit, pending }: OpenVisit<ConsentVisit>,
): Promise<Session | undefined> {
  const { session: id } = visit
  const found = await useSessionFor(storage, id, settings.session_idle_ttl, pending.parameters.client_id)
  return found && { id, ...found }
}

function formatAgreement(step: ConsentStep, { left_out, remembers }: Agreement): string {
  return JSON.stringify({ left_out: formatLeftOut(step, left_out), remembers })
}

function readAgreement(step: ConsentStep, value: string): Agreement {
  const { left_out, remembers } = parseObject(value) ?? {}
  return {
    left_out: readLeftOut(step, typeof left_out === 'string' ? left_out : ''),
    remembers: remembers === true,
  }
}
