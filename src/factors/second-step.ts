import { hash } from 'node:crypto'
import { hasPasskeys } from '../config/passkey-settings.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import type {
  Failure,
  MethodContext,
  NextRound,
  RoundResult,
  SignInMethod,
  SignInRound,
  Success,
} from '../interaction/sign-in-method.ts'
import { readWay } from '../pages/second-step.ts'
import { type CameFrom, cameFrom } from '../sessions/came-from.ts'
import type { User } from '../users/user-record.ts'
import { type AccountNow, readAccountNow, readAfterFactors } from './account-now.ts'
import { accountState } from './account-state.ts'
import { findFactors } from './change-factors.ts'
import { CODE_PROOF, checkSecondStep, MAX_GUESSES } from './check-second-step.ts'
import type { Factors } from './factors-record.ts'
import { recoveryAside } from './recovery-aside.ts'
import { secondStepFieldsOf, secondStepTexts } from './second-step-page.ts'
import { formatState, readState, type SecondStepState } from './second-step-state.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from './totp.ts'

/** The acr of a sign-in with a second step. */
const ACR = CODE_PROOF.acr

const DAY = 86_400

/**
 * Adds the second step to a method that it may follow. It is asked of users who have one, and of users who must have one:
 * they set it up then.
 */
export function withSecondStep(first: SignInMethod, parts: MethodParts): SignInMethod {
  const { first_step_amr: amr_of_first, variant, prepare } = first
  if (amr_of_first === undefined) return first
  return {
    ...first,
    acr_values: [...first.acr_values, ACR],
    // Wrong codes count for the account apart from its passwords, of which others guess.
    proven: ({ challenge }) =>
      readState(challenge)?.username ?? first.proven?.({ ...(challenge !== undefined && { challenge }) }),
    async authenticate(context, round) {
      const state = readState(round.challenge)
      if (state !== undefined)
        return takeAnswer(Object.assign({}, parts, context), state, round, amr_of_first)
      const read = new Map<string, Factors>()
      const beside = async (username: string) => {
        read.set(username, (await findFactors(parts, username)).factors)
      }
      const checkPassword: MethodContext['checkPassword'] = (asked) => context.checkPassword(asked, beside)
      const result = await first.authenticate(Object.assign({}, context, { checkPassword }), round)
      // Who had a second step elsewhere needs none here.
      if (result.outcome !== 'ok' || result.acr === ACR) return result
      const { username } = result.user
      // Not every method judges a password here.
      const factors = read.get(username) ?? (await findFactors(parts, username)).factors
      return afterPassword(Object.assign({}, parts, context), { ...result, factors }, round)
    },
    aside: recoveryAside(parts, first.name),
    turn(challenge, way) {
      const state = readState(challenge)
      return state?.step === 'code' ? formatState({ ...state, way: readWay(way) }) : undefined
    },
    fields: withFields(parts, first.fields),
    ...(prepare && {
      async prepare(last) {
        const { fields, ...prepared } = await prepare(last)
        return { ...prepared, ...(fields && { fields: withFields(parts, fields) }) }
      },
    }),
    ...(variant && {
      variant(name) {
        const found = variant(name)
        return found && withSecondStep(found, parts)
      },
    }),
    texts: (asked) => ({ ...first.texts?.(asked), ...secondStepTexts(asked) }),
    async resume(context, { username, amr, acr_values }) {
      if (amr !== amr_of_first || !demandsSecondStep(acr_values)) return undefined
      const [user, { factors }] = await Promise.all([
        context.findUser(username),
        findFactors(parts, username),
      ])
      if (user === undefined || factors.totp === undefined) return undefined
      return formatState(firstState(user, factors))
    },
  }
}

const withFields =
  (parts: MethodParts, fields: SignInMethod['fields']): NonNullable<SignInMethod['fields']> =>
  (asked) =>
    secondStepFieldsOf(parts, asked) ?? fields?.(asked)

type Context = MethodParts & MethodContext

/** Whether a password alone is not what the client wants, and a second step is. */
function demandsSecondStep(acr_values: readonly string[]): boolean {
  return acr_values.includes(ACR) && !acr_values.includes('1')
}

async function afterPassword(
  context: Context,
  { factors, ...proven }: Success & { readonly factors: Factors },
  round: SignInRound,
): Promise<RoundResult> {
  const { settings } = context
  const { user } = proven
  const is_demanded = demandsSecondStep(round.acr_values)
  if (factors.totp !== undefined) {
    const is_trusted = !is_demanded && settings.trusted_browser_days > 0
    if (is_trusted && round.remembered === trustIn(user, factors)) return proven
    return asks({ ...firstState(user, factors), ...firstStep(proven) })
  }
  const must = is_demanded || settings.second_factor === 'required' || user.second_factor === 'required'
  if (!must) return { ...proven, account_state: accountState(user, factors) }
  // Who knows the password alone must not get past a passkey by adding an app.
  if (factors.passkeys.size > 0 && hasPasskeys(settings)) return fails(user, 'use_passkey')
  const { begun } = await beginTotp(context, user.username)
  return asks({ ...firstState(user, factors), ...firstStep(proven), step: 'set_up', begun })
}

type FirstStep = Pick<SecondStepState, 'amr' | 'auth_time' | keyof CameFrom>

/** What the state keeps of the first step. */
function firstStep({ amr, auth_time, ...first }: FirstStep): FirstStep {
  return {
    ...(amr && { amr }),
    ...cameFrom(first),
    ...(auth_time !== undefined && { auth_time }),
  }
}

function firstState(user: User, factors: Factors): SecondStepState {
  return { step: 'code', username: user.username, account: accountState(user, factors), wrong: 0 }
}

async function takeAnswer(
  context: Context,
  state: SecondStepState,
  { answer }: SignInRound,
  amr_of_first: string,
): Promise<RoundResult> {
  const { username, wrong, step } = state
  const [user, { factors }] = await Promise.all([context.findUser(username), findFactors(context, username)])
  if (user === undefined || accountState(user, factors) !== state.account) return isOver(user)
  const amr = [...(state.amr ?? [amr_of_first]), ...CODE_PROOF.amr]
  const { account: account_state, auth_time } = state
  const proven = {
    ...({ outcome: 'ok', user, amr, acr: ACR, account_state } as const),
    ...cameFrom(state),
  }
  // Who adds an app proves nothing by it: only the first step was a proof, whenever that was.
  if (step === 'codes') return { ...proven, ...(auth_time !== undefined && { auth_time }) }
  if (wrong >= MAX_GUESSES) return { ...fails(user, 'too_many'), is_forgiven: true }
  const { code = '', recovery_code = '' } = answer
  const way = code === '' && recovery_code !== '' ? 'recovery' : state.way
  const asked = { ...state, ...(way && { way }) }
  const again = (problem?: string) => fails(user, problem, { ...asked, wrong: wrong + 1 })
  if (step === 'set_up') {
    const account = await readAccountNow(context, username)
    if (account === undefined || accountState(account.user, account.factors) !== state.account)
      return isOver(user)
    const result = await confirmTotp(context, username, state.begun ?? '', code, account)
    if (result === 'wrong') return again()
    return result === 'ended' ? isOver(user) : withCodes(context, account, state)
  }
  const result = await checkSecondStep(context, username, code === '' ? recovery_code : code, wrong)
  if (result === 'too_many') return again('limited')
  if (result !== 'right') return again()
  const is_trusted = answer.trust === 'yes' && context.settings.trusted_browser_days > 0
  const seconds = context.settings.trusted_browser_days * DAY
  const remember = is_trusted && { remember: { text: trustIn(user, factors), seconds } }
  return { ...proven, ...remember }
}

/** Shows the recovery codes of a new app. */
async function withCodes(context: Context, before: AccountNow, state: SecondStepState): Promise<RoundResult> {
  const { user } = before
  const { username } = state
  const with_app = await readAfterFactors(context, before)
  const codes = with_app && (await newRecoveryCodes(context, username, with_app))
  if (with_app === undefined || codes === undefined) return isOver(user)
  const { generation } = with_app.factors
  const account = accountState(user, { generation: generation + 1 })
  return asks({ step: 'codes', username, account, wrong: 0, codes, ...firstStep(state) })
}

/** What a trusted browser remembers: it ends with each change of the account and its factors. */
function trustIn(user: User, factors: Factors): string {
  return hash('sha256', `trusts ${user.username} ${accountState(user, factors)}`, 'base64url')
}

function asks(state: SecondStepState): NextRound {
  return { outcome: 'challenge', challenge: formatState(state) }
}

/** The account changed, or it took too long: nothing was guessed. */
function isOver(user: User | undefined): Failure {
  return { ...fails(user, 'over'), is_forgiven: true }
}

/** With a state the page asks again. */
function fails(user: User | undefined, problem = '', state?: SecondStepState): Failure {
  return {
    outcome: 'failed',
    reason: 'wrong_answer',
    problem,
    ...(user && { user }),
    ...(state && { challenge: formatState(state) }),
  }
}
