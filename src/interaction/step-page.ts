import type { ScopeClaims } from '../config/scope-claims.ts'
import { type ScopeTexts, scopeTextsIn } from '../config/scope-texts.ts'
import type { Settings } from '../config/settings.ts'
import { withQuery } from '../core/uri.ts'
import { sentenceIn, shownDetail } from '../details/sentence.ts'
import type { Account } from '../pages/account.ts'
import { askConsentPage } from '../pages/ask-consent.ts'
import { confirmPage } from '../pages/confirm.ts'
import { consentPage, consentPageNeeds } from '../pages/consent.ts'
import type { Destination } from '../pages/destination.ts'
import { deviceConsentPage } from '../pages/device-consent.ts'
import type { PageForm } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import type { View } from '../pages/layout.ts'
import { type LoginProps, loginPage } from '../pages/login.ts'
import type { Language } from '../pages/messages/language.ts'
import { noAccessPage } from '../pages/no-access.ts'
import { PASSWORD_SOURCE } from '../pages/password-script.ts'
import { selectAccountPage } from '../pages/select-account.ts'
import { SEND_ONCE_SOURCE } from '../pages/send-once.ts'
import type { PageNeeds } from '../pages/theme.ts'
import { csrfOf } from './answer-token.ts'
import { asksForPassword } from './asks-for-password.ts'
import { consentName, detailName } from './consent.ts'
import { WRONG_CODE } from './consent-step.ts'
import type { Interaction, UserStep } from './interaction.ts'
import { reasonOfFailure, requestName } from './pending-record.ts'
import { type AskedPage, findMethod, methodNamed, type SignInMethods } from './sign-in-method.ts'

/** What the page of a step is made of. */
export interface StepPageProps {
  /** Where its form is posted to. */
  readonly action: string
  readonly interaction: Interaction
  readonly step: UserStep
  /** Undefined: a device, whose client the sign-in page does not know. */
  readonly destination: Destination | undefined
  /** The account that is signed in. */
  readonly account?: Account
  readonly methods: SignInMethods
  /** Whether the page asks to stay signed in. */
  readonly asks_to_stay: boolean
  /** Whether the username is asked for on a page of its own. */
  readonly username_first: Settings['username_first']
  readonly scope_texts: ScopeTexts
  readonly scope_claims: ScopeClaims
  /** The id of this request. */
  readonly request_id: string
  /** Milliseconds since 1970. */
  readonly now: number
}

const MAX_HINT = 255

/** A page that is rendered for the view of the request, and what its policy allows. */
interface StepPage {
  readonly render: (view: View) => string
  readonly needs: PageNeeds
}

/** The page of the step that is due. */
export function stepPage(props: StepPageProps): StepPage {
  const { action, interaction, step, destination, account } = props
  const { transaction, session } = interaction
  const hidden = { action, transaction, csrf: csrfOf(interaction) }
  const confirming = account && confirmingPage(props, account, hidden)
  if (confirming !== undefined) return confirming
  // Without an account there is nothing to choose and nobody to ask for consent.
  if (step.step === 'login' || session === undefined || account === undefined || destination === undefined) {
    const known = {
      destination,
      ...hidden,
      ...usernameIn(props),
      ...problemIn(props),
      ...refusedIn(props),
      ...stayIn(props),
      ...(step.step === 'login' && step.confirms && ({ confirms: true } as const)),
      ...(step.step === 'login' && step.is_for_rights && { is_for_rights: true as const }),
    }
    const { scripts, asks_name_first, asks } = signInOf(props)
    return {
      render: (view) => loginPage({ ...known, asks_name_first, ...asks(view.language) }, view),
      needs: { script_source: scripts.join(' ') },
    }
  }
  const form = { destination, ...hidden }
  if (step.step === 'select_account') {
    const accounts = [{ id: session.sid, ...account }]
    return {
      render: (view) => selectAccountPage({ accounts, ...form }, view),
      needs: { script_source: SEND_ONCE_SOURCE },
    }
  }
  if (step.step === 'no_access') {
    const { contacts } = step
    const refused = { request_id: props.request_id, at: props.now }
    return { render: (view) => noAccessPage({ account, contacts, refused, ...form }, view), needs: {} }
  }
  const { resources, details, described, device, ask } = step
  const { scope_claims, now } = props
  const is_wrong = reasonOfFailure(interaction.pending) === WRONG_CODE
  const not_scopes = [...resources.map(consentName), ...details.map(detailName)]
  const known = {
    scopes: step.names.filter((name) => !not_scopes.includes(name)),
    // With the path: several APIs may have one host.
    resources: resources.map(({ id, resource_name }) => resource_name ?? id.replace(/^https?:\/\//, '')),
    account,
    ...(described && { described }),
    ...form,
  }
  return {
    render: (view) => {
      const scope_texts = scopeTextsIn(props.scope_texts, view.language.tag)
      const shown = details.map(({ detail, type }) =>
        shownDetail(detail, sentenceIn(type.sentences, view.language.tag)),
      )
      const asked = { scope_texts, scope_claims, details: shown, ...known }
      if (ask !== undefined) return askConsentPage({ ask, now, ...asked }, view)
      return device === undefined
        ? consentPage(asked, view)
        : deviceConsentPage(
            { device, now, ...(is_wrong && { is_wrong, ...refusedIn(props) }), ...asked },
            view,
          )
    },
    needs: consentPageNeeds(destination),
  }
}

/** The page that asks for nothing but what counts; undefined: the one that everybody gets. */
function confirmingPage(props: StepPageProps, account: Account, hidden: PageForm): StepPage | undefined {
  const { step, methods } = props
  if (step.step !== 'login' || step.confirms !== 'by_passkey') return undefined
  const way = methods.find(({ confirms }) => confirms !== undefined)
  if (way === undefined) return undefined
  const problem = problemIn(props)
  const known = {
    ...{ account, ...hidden, ...refusedIn(props) },
    ...(step.next && { next: step.next }),
    ...(step.is_for_rights && { is_for_rights: true as const }),
    ...(step.is_step_up ? ({ problem: 'not_enough' } as const) : problem),
  }
  return {
    render: (view) =>
      confirmPage({ ...known, fields: way.confirms?.(askedOf(props, view.language)) ?? html`` }, view),
    needs: { script_source: way.script_source ?? '' },
  }
}

function usernameIn({ interaction, step }: StepPageProps): { username?: string } {
  const { pending, parameters, session } = interaction
  const is_another = pending.other_account === 'true' || (step.step === 'login' && step.as_another)
  const again = is_another ? undefined : session?.username
  const username = pending.username || parameters.login_hint?.slice(0, MAX_HINT) || again
  return username ? { username } : {}
}

// The page is the answer to the request after the refused one.
function refusedIn({ interaction: { pending }, now }: StepPageProps): Pick<LoginProps, 'refused'> {
  const { refused_by } = pending
  return refused_by === undefined ? {} : { refused: { request_id: refused_by, at: now } }
}

function stayIn({ interaction: { pending }, asks_to_stay }: StepPageProps): { stay?: boolean } {
  return asks_to_stay ? { stay: pending.stay === 'true' } : {}
}

function problemIn({ interaction: { pending }, now }: StepPageProps) {
  if (!pending.problem) return {}
  if (reasonOfFailure(pending) !== undefined) return { problem: 'failed' } as const
  const seconds = Math.ceil((Number(pending.problem) - now) / 1000)
  return seconds > 0 ? { problem: { retry_after_seconds: seconds } } : {}
}

/** What the methods of a page are asked with. */
function askedOf(props: StepPageProps, texts: Language): AskedPage {
  const { action, step, interaction } = props
  const { pending, transaction } = interaction
  const problem = reasonOfFailure(pending)
  return {
    language: texts.tag,
    texts,
    request: requestName(pending),
    addressOf: (way) => withQuery(action, { transaction, way }),
    ...usernameIn(props),
    ...stayIn(props),
    ...(problem !== undefined && { problem }),
    ...(step.step === 'login' && step.ways && { ways: step.ways }),
  }
}

/** What a sign-in page asks for, and the scripts that it may run: of the method that waits, or of the first page. */
function signInOf(props: StepPageProps) {
  const { interaction, methods } = props
  const { pending } = interaction
  const { round } = pending
  const waits = round?.from === 'page' && findMethod(methods, round.method) !== undefined
  const open = waits ? round : undefined
  const method = methodNamed(methods, open?.method)
  const others = open === undefined ? methods.filter((other) => other !== method) : []
  const asks_password = open === undefined && asksForPassword(method, pending)
  const asks_name_first = asks_password && asksNameFirst(props)
  const own = asks_password && !asks_name_first ? [PASSWORD_SOURCE] : [PASSWORD_SOURCE, SEND_ONCE_SOURCE]
  const scripts = [method, ...others].flatMap(({ script_source }) => script_source ?? [])
  return {
    scripts: [...new Set([...own, ...scripts])],
    asks_name_first,
    asks(texts: Language) {
      const problem = reasonOfFailure(pending)
      const asked = { ...askedOf(props, texts), ...(open && { challenge: open.challenge }) }
      const fields = method.fields?.(asked)
      const teller = others.find(({ name }) => problem?.startsWith(`${name}_`))
      const told = teller?.texts?.(asked)
      const said = told === undefined ? method.texts?.(asked) : { ...method.texts?.(asked), ...told }
      return {
        ...(fields && { fields }),
        ...(said && { texts: said }),
        offers: others.flatMap((other) => other.offer?.(asked) ?? []).filter(({ text }) => text !== ''),
        autofill: others.flatMap((other) => other.autofill ?? []).join(' '),
      }
    },
  }
}

/** A name that is known, or was tried in vain, need not be asked for before the rest. */
function asksNameFirst(props: StepPageProps): boolean {
  const { interaction, methods, username_first } = props
  if (username_first === 'off' || interaction.pending.problem !== undefined) return false
  if ('username' in usernameIn(props)) return false
  return username_first === 'on' || methods.some(({ leads_by_name = false }) => leads_by_name)
}
