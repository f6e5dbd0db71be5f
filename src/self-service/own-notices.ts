import { PUSH_SCRIPT_PATH, PUSH_WORKER_PATH } from '../asks/push/script.ts'
import {
  dropSubscription,
  keepSubscription,
  readSubscription,
  subscriptionsOf,
} from '../asks/push/subscriptions.ts'
import { readVapid } from '../asks/push/vapid.ts'
import { hasWebPush } from '../config/web-push-settings.ts'
import type { Parameters } from '../core/parameters.ts'
import { pathAt } from '../core/paths.ts'
import type { View } from '../pages/layout.ts'
import type { AccountPageContext } from './account-context.ts'
import type { ActionOutcome, PageActor } from './action.ts'
import { noticesPage } from './pages/notices.ts'

/** The page of the browsers that tell a person that somebody asks. @throws StorageUnavailable */
export async function noticesOf(
  context: AccountPageContext,
  actor: PageActor,
): Promise<(view: View) => string> {
  const { settings } = context
  const browsers = await subscriptionsOf(context, actor.user.username)
  const props = {
    ...actor,
    browsers,
    public_key: hasWebPush(settings) ? readVapid(settings)?.public_key : undefined,
    script: pathAt(settings, PUSH_SCRIPT_PATH),
    worker: pathAt(settings, PUSH_WORKER_PATH),
  }
  return (view) => noticesPage(props, view)
}

/** Lets a browser tell its person. @throws StorageUnavailable */
export async function addNotices(
  context: AccountPageContext,
  { user, browser, language }: PageActor,
  { subscription = '' }: Parameters,
): Promise<ActionOutcome> {
  const read = readSubscription(subscription)
  if (read === undefined) return { done: 'stale' }
  const added = { ...read, browser: browser.name, language, added_at: context.now() }
  await keepSubscription(context, user.username, added)
  return { done: 'notices' }
}

/** Keeps a browser from telling its person. @throws StorageUnavailable */
export async function removeNotices(
  context: AccountPageContext,
  { user }: PageActor,
  { browser = '' }: Parameters,
): Promise<ActionOutcome> {
  const is_gone = await dropSubscription(context, user.username, browser)
  return { done: is_gone ? 'no_notices' : 'stale' }
}
