import type { AdminDoorContext } from '../admin/door/answer-operation.ts'
import { AdminError, PROBLEMS, type ProblemCode } from '../admin/operation/problem.ts'
import type { OperationName } from '../admin/operations.ts'
import { hasScope } from '../core/admin-scopes.ts'
import { randomText } from '../core/token-string.ts'
import { useOnce } from '../interaction/use-once.ts'
import type { Html } from '../pages/html.ts'
import type { ConsoleSection } from '../service/section.ts'
import { csrfToken, sameText } from '../sessions/browser.ts'
import { CONSOLE_TTL } from './client.ts'
import { type Desk, deskOf, operationOf } from './desk.ts'
import { beginExport, type ConsoleExport } from './export.ts'
import { type Failing, failingOf } from './failing.ts'
import { findKeptForm, KEPT, keepable, keepForm, ownerOf, ownerToken } from './kept-form.ts'
import { addressOf, entryOfRequest, readNotice } from './notice.ts'
import { questionPage, resultLine, type Trouble } from './pages/question.ts'
import {
  alreadySentPage,
  foreignFormPage,
  type KeptAt,
  noRightsPage,
  refusedPage,
  signedOutPage,
  unconfirmedPage,
} from './pages/refused.ts'
import type { ConsoleAction, ConsolePage, ConsoleRequest, ShownPage } from './rows.ts'
import { endConsoleSession, findOperator, type OperatorContext } from './session.ts'
import type { ConsolePurpose } from './sign-in.ts'

export type ConsoleContext = AdminDoorContext &
  OperatorContext & { readonly sections: readonly ConsoleSection[] }

/** A request for a page or an action of the console. */
export interface ConsoleVisit extends ConsoleRequest {
  /** The cookie of the session; undefined: there is none. */
  readonly cookie: string | undefined
  /** The path of the console. */
  readonly base: string
  /** The path and query of the page below the console. */
  readonly place: string
  /** As in the audit trail. */
  readonly request_id: string
}

/** What the console answers. */
export type ConsoleAnswer =
  | {
      readonly show: ShownPage
      /** Absent: nobody is signed in. */
      readonly desk?: Desk
      /** What was done just now. */
      readonly result?: Html | undefined
      /** How many things fail, by sections. */
      readonly failing?: Failing
      /** Why the request was refused, for the log. */
      readonly refusal?: AdminError
    }
  | { readonly sign_in: ConsolePurpose }
  /** Another page: a path below the console. */
  | { readonly go: string }
  /** A file of CSV. */
  | { readonly file: AsyncGenerator<string> }

const KEY_BYTES = 16
const FORMS = 'console'

/** After these the form comes again, with what was typed. */
const MENDABLE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  ...(['invalid_field', 'unknown_field', 'invalid_request', 'exists', 'conflict', 'stale'] as const),
  ...(['lacks_right', 'last_administrator', 'too_many_requests'] as const),
])

/** Answers a request for a page. @throws StorageUnavailable */
export async function visitPage(
  context: ConsoleContext,
  page: ConsolePage,
  visit: ConsoleVisit,
): Promise<ConsoleAnswer> {
  const desk = await deskFor(context, visit)
  if (desk === undefined) return { sign_in: { to: visit.place } }
  return guarded(desk, async () => {
    if (page.operation !== undefined) demand(desk, page.operation)
    if (page.scope !== undefined) demandScope(desk, page.scope)
    const shown = await page.show(desk, visit)
    if ('to' in shown) return { go: shown.to }
    const { cookie = '', query } = visit
    const told = readNotice(context, cookie, query)
    const keys = { base: desk.base, csrf: csrfOf(cookie), key: randomText(KEY_BYTES) }
    return { show: shown, desk, result: told && resultLine(told, keys) }
  })
}

/** Answers a request for a list as a file. @throws StorageUnavailable */
export async function visitExport(
  context: ConsoleContext,
  list: ConsoleExport,
  visit: ConsoleVisit,
): Promise<ConsoleAnswer> {
  const desk = await deskFor(context, visit)
  if (desk === undefined) return { sign_in: { to: visit.place } }
  return guarded(desk, async () => ({ file: await beginExport(desk, list, visit.query) }))
}

/** Answers a request for the page of an action: who it is has to be confirmed before. @throws StorageUnavailable */
export async function visitAction(
  context: ConsoleContext,
  action: ConsoleAction,
  visit: ConsoleVisit,
): Promise<ConsoleAnswer> {
  const desk = await deskFor(context, visit)
  if (desk === undefined) return { sign_in: { to: visit.place } }
  return guarded(desk, async () => {
    if (action.operation !== undefined) demandPossible(desk, action.operation)
    if (!action.reads && !(await desk.operator.isConfirmed()))
      return { sign_in: { to: visit.place, confirms: desk.operator.caller.id } }
    const kept = await keptFor(context, desk, visit)
    const question = await action.ask(desk, kept === undefined ? visit : { ...visit, form: kept })
    return { show: questionPage(question, keysOf(context, desk, visit), kept && SIGNED_IN_AGAIN), desk }
  })
}

/** Nothing is done by coming back: what was typed is only shown again. */
const SIGNED_IN_AGAIN: Trouble = {
  status: 200,
  detail: 'You signed in again. Nothing was done yet: look at what you typed, and send it.',
}

async function keptFor(
  context: ConsoleContext,
  { operator: { caller } }: Desk,
  { query, place }: ConsoleVisit,
) {
  return query[KEPT] === undefined ? undefined : findKeptForm(context, caller.id, pathOf(place))
}

/**
 * Answers the form of an action: it must be of this session, and acts once.
 * @throws StorageUnavailable
 */
export async function takeAction(
  context: ConsoleContext,
  action: ConsoleAction,
  visit: ConsoleVisit,
): Promise<ConsoleAnswer> {
  const desk = await deskFor(context, visit)
  const { cookie = '', form, base } = visit
  const owner = ownerOf(context, form)
  if (desk === undefined)
    return {
      show: signedOutPage(base, owner === undefined ? undefined : await keptAt(context, owner, visit)),
    }
  const is_of_session = sameText(form.csrf ?? '', csrfOf(cookie))
  // The same operator signed in again since, such as for a form in another tab.
  if (!is_of_session && owner !== desk.operator.caller.id) return { show: foreignFormPage(base), desk }
  return guarded(desk, async () => {
    if (action.operation !== undefined) demandPossible(desk, action.operation)
    if (!action.reads && !(await desk.operator.isConfirmed())) {
      const kept = await keptAt(context, desk.operator.caller.id, visit)
      const { title } = await action.ask(desk, { ...visit, form: {} })
      return { show: unconfirmedPage({ ...kept, title, username: desk.operator.caller.id, base }), desk }
    }
    if (!is_of_session) {
      const question = await action.ask(desk, { ...visit, form: keepable(form) })
      return { show: questionPage(question, keysOf(context, desk, visit), SIGNED_IN_AGAIN), desk }
    }
    if (!action.reads && !(await useOnce(context, FORMS, `${cookie} ${form.key ?? ''}`, CONSOLE_TTL)))
      return { show: alreadySentPage(base), desk }
    return act(context, desk, action, visit)
  })
}

/** Keeps the form of a visit. Returns where it is shown again, and whether with what was typed. */
async function keptAt(
  context: ConsoleContext,
  owner: string,
  { form, place }: ConsoleVisit,
): Promise<KeptAt> {
  const is_kept = await keepForm(context, owner, pathOf(place), form)
  const [, query = ''] = place.split('?')
  const parameters = new URLSearchParams(query)
  if (is_kept) parameters.set(KEPT, '1')
  const text = parameters.toString()
  return { to: pathOf(place) + (text === '' ? '' : `?${text}`), is_kept }
}

const pathOf = (place: string) => place.split('?')[0] ?? ''

async function act(
  context: ConsoleContext,
  desk: Desk,
  action: ConsoleAction,
  visit: ConsoleVisit,
): Promise<ConsoleAnswer> {
  try {
    const outcome = await action.act(desk, visit)
    if ('body' in outcome) return { show: outcome, desk }
    if ('go' in outcome) return outcome
    if ('next' in outcome) return { show: questionPage(outcome.next, keysOf(context, desk, visit)), desk }
    const { cookie = '', request_id } = visit
    return { go: addressOf(context, cookie, outcome, await entryOfRequest(desk, request_id)) }
  } catch (error) {
    if (!(error instanceof AdminError) || !MENDABLE.has(error.code)) throw error
    const trouble: Trouble = {
      // RFC 9110 §15.5.10: the form conflicts with the state of the record; there was no If-Match header.
      status: error.code === 'stale' ? 409 : PROBLEMS[error.code].status,
      detail:
        error.code === 'stale'
          ? 'This was changed since you opened the form. Nothing was saved.'
          : error.message,
      ...(error.code === 'stale' && action.meanwhile && { meanwhile: await action.meanwhile(desk, visit) }),
    }
    const show = questionPage(await action.ask(desk, visit), keysOf(context, desk, visit), trouble)
    return { show, desk, refusal: error }
  }
}

async function deskFor(context: ConsoleContext, { cookie, base }: ConsoleVisit): Promise<Desk | undefined> {
  const operator = await findOperator(context, cookie)
  return operator && deskOf(context, operator, base)
}

async function guarded(desk: Desk, run: () => Promise<ConsoleAnswer>): Promise<ConsoleAnswer> {
  if (desk.operator.caller.scopes.size === 0) return { show: noRightsPage(desk.operator.caller.id) }
  const [answer, failing] = await Promise.all([answerOf(desk, run), failingOf(desk)])
  return 'show' in answer ? { ...answer, failing } : answer
}

async function answerOf(desk: Desk, run: () => Promise<ConsoleAnswer>): Promise<ConsoleAnswer> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    return { show: refusedPage(error, desk.base), desk, refusal: error }
  }
}

/** @throws AdminError `missing_scope` */
function demand(desk: Desk, name: OperationName): void {
  demandScope(desk, operationOf(name).scope)
}

/** @throws AdminError `missing_scope` */
function demandScope({ operator: { caller } }: Desk, scope: string): void {
  if (hasScope(caller.scopes, scope)) return
  throw new AdminError('missing_scope', `This takes the right ${scope}, which you do not have.`)
}

/**
 * A form that could never act is not shown.
 * @throws AdminError `missing_scope`; `conflict` if the server refuses it always
 */
function demandPossible(desk: Desk, name: OperationName): void {
  demand(desk, name)
  const why = desk.refusal(name)
  if (why !== undefined) throw new AdminError('conflict', why)
}

const csrfOf = (cookie: string) => csrfToken(cookie, FORMS)

function keysOf(context: ConsoleContext, { operator }: Desk, { cookie = '', base, place }: ConsoleVisit) {
  const owner = ownerToken(context, operator.caller.id)
  return { base, action: base + place, csrf: csrfOf(cookie), key: randomText(KEY_BYTES), owner }
}

/** Ends a session by its own form; false: the form is of another one. @throws StorageUnavailable */
export async function takeSignOut(context: ConsoleContext, { cookie, form }: ConsoleVisit): Promise<boolean> {
  if (cookie === undefined || !sameText(form.csrf ?? '', csrfOf(cookie))) return false
  await endConsoleSession(context, cookie)
  return true
}

/** Returns what binds a form to the session of a cookie. */
export const formTokenOf = csrfOf
