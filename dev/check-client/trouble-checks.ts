import { setTimeout as pause } from 'node:timers/promises'
import { PATHS } from '../../src/core/paths.ts'
import { type Check, type CheckTexts, found, type Outcome, PASSED, skipped } from '../report/report.ts'
import type { Meddling } from './meddler.ts'
import { inWords, type RelyingParty, type SignedIn } from './relying-party.ts'

/** How often a browser is led to the issuer before nobody waits any longer. */
const ROUNDS = 4

const UNAVAILABLE = {
  status: 503,
  type: 'application/json',
  body: '{"error":"temporarily_unavailable"}',
}

/**
 * A check that the client gets over a trouble of the token endpoint: it does not lead the browser round and round, and the
 * next sign-in works.
 */
function survives(
  texts: CheckTexts & { readonly meddling: () => Meddling; readonly is_brief?: true },
): Check<RelyingParty> {
  const { meddling, is_brief = false, ...check } = texts
  const run = async (party: RelyingParty): Promise<Outcome> => {
    const trouble = await throughTrouble(party, meddling(), is_brief)
    if (trouble === undefined)
      return found(`The client leads the browser to the issuer ${ROUNDS} times, and gives up never.`)
    const { browser, is_signed_in } = trouble
    if (is_signed_in)
      return is_brief ? PASSED : found('The client signs in although it got no tokens.', 'refuse')
    const { is_signed_in: is_in } = await party.signIn({ browser })
    return is_in
      ? PASSED
      : found('The next sign-in in the same browser fails, although the server is well again.')
  }
  return { ...check, run }
}

/** Signs in while there is trouble, as a browser that goes where it is led. Returns undefined if that has no end. */
async function throughTrouble(
  party: RelyingParty,
  meddling: Meddling,
  is_brief: boolean,
): Promise<SignedIn | undefined> {
  let attempt = await party.signIn({ meddling })
  for (let round = 1; round < ROUNDS; round++) {
    if (attempt.is_signed_in || attempt.landing.at === 'page') return attempt
    attempt = await party.signIn({ browser: attempt.browser, meddling: is_brief ? {} : meddling })
  }
  return undefined
}

/** A check that the client does not sign in by a changed answer of an endpoint. */
function refusesAnswer(
  texts: CheckTexts & { readonly found: string; readonly meddling: Meddling },
): Check<RelyingParty> {
  const { found: what, meddling, ...check } = texts
  return {
    ...check,
    run: async (party) => ((await party.signIn({ meddling })).is_signed_in ? found(what) : PASSED),
  }
}

/** Checks of the requests between the client and the issuer. */
export const TROUBLE_CHECKS: readonly Check<RelyingParty>[] = [
  refusesAnswer({
    id: 'id-token-absent',
    title: 'Does not sign in without an id_token',
    level: 'refuse',
    about:
      'The id_token says who signed in (OpenID Connect Core §3.1.3.3); an access token says only what may be done.',
    fix: 'Demand an id_token in the answer of the token endpoint.',
    fixes: {
      openid_client: 'idTokenExpected: true.',
      go_oidc: 'Look whether token.Extra("id_token") is there.',
    },
    found: 'The client signs in although there is no id_token.',
    meddling: { tokens: ({ id_token: _, ...others }) => others },
  }),
  refusesAnswer({
    id: 'token-type-unknown',
    title: 'Refuses a token of a type that it does not know',
    level: 'advice',
    about: 'A client must not use an access token of an unknown type (RFC 6749 §7.1).',
    fix: 'Demand token_type Bearer, in any case, or DPoP if proofs are sent.',
    found: 'The client signs in although token_type is unknown.',
    meddling: { tokens: (answer) => ({ ...answer, token_type: 'mac' }) },
  }),
  {
    id: 'token-type-case',
    title: 'Takes token_type in any case, and members that it does not know',
    level: 'survive',
    about: 'token_type has no case (RFC 6749 §5.1), and members that are not understood are to be ignored.',
    fix: 'Compare token_type without case, and ignore what you do not use.',
    run: async (party) => {
      const tokens: Meddling['tokens'] = (answer) => ({
        ...answer,
        token_type: String(answer.token_type).toLowerCase(),
        'x-new': { of: ['tomorrow'] },
      })
      const { is_signed_in } = await party.signIn({ meddling: { tokens } })
      return is_signed_in ? PASSED : found('The client refuses token_type bearer, or a member that is new.')
    },
  },
  {
    id: 'userinfo-of-another',
    title: 'Refuses user information of somebody else',
    level: 'refuse',
    about:
      'sub of the user information must be that of the id_token, or none of it be used (OpenID Connect Core §5.3.2).',
    fix: 'Compare sub before anything of it is used.',
    fixes: {
      openid_client: 'Give fetchUserInfo the sub of the id_token, not skipSubjectCheck.',
      go_oidc: 'Compare userInfo.Subject with idToken.Subject.',
      authlib: 'Compare sub of userinfo() with that of the id_token.',
    },
    run: async (party) => {
      const marker = 'mallory-of-the-user-information'
      const userinfo: Meddling['userinfo'] = (answer) => ({
        ...answer,
        ...{ sub: marker, name: marker, email: `${marker}@example.com`, preferred_username: marker },
      })
      const before = party.meddler.seen.length
      const { is_signed_in, browser } = await party.signIn({ meddling: { userinfo } })
      const asked = party.meddler.seen.slice(before).filter(({ path }) => path === PATHS.userinfo)
      if (asked.length === 0) return skipped('The client does not ask for user information.')
      if (!asked.some(({ is_changed }) => is_changed))
        return skipped('The client gets user information that is encrypted.')
      if (!is_signed_in) return PASSED
      const landing = await browser.open(party.options.signed_in)
      return landing.at === 'page' && landing.page.text.includes(marker)
        ? found('The client shows the name of somebody else.')
        : found('The client signs in all the same: make sure that it uses nothing of that answer.', 'advice')
    },
  },
  {
    id: 'token-endpoint-slow',
    title: 'Waits for a slow token endpoint',
    level: 'survive',
    about: 'A server that is busy, or far away, takes some seconds. Who gives up has spent the code.',
    fix: 'Wait for ten seconds at least.',
    fixes: {
      authlib: "client_kwargs={'timeout': 10}: httpx gives up after five seconds.",
      openid_client: 'Leave the timeout of 30 seconds as it is.',
      go_oidc: 'Give the http.Client of oidc.ClientContext a Timeout of ten seconds.',
    },
    run: async (party) => {
      const { is_signed_in } = await party.signIn({ meddling: { slow: party.options.slow } })
      return is_signed_in ? PASSED : found(`The client gives up within ${party.options.slow / 1000} seconds.`)
    },
  },
  survives({
    id: 'token-endpoint-unavailable',
    title: 'Survives a 503 of the token endpoint',
    level: 'survive',
    about: 'Servers are deployed and restarted: one request fails, the next one does not.',
    fix: 'Show that the sign-in failed, with a link to try again, and forget its state.',
    is_brief: true,
    meddling: () => ({ instead: (nth) => (nth === 1 ? UNAVAILABLE : undefined) }),
  }),
  survives({
    id: 'token-answer-broken',
    title: 'Survives an answer of the token endpoint that is cut off',
    level: 'survive',
    about: 'A proxy ends a connection in the middle of the JSON.',
    fix: 'Catch what parsing throws as a failed sign-in.',
    meddling: () => ({
      instead: () => ({ status: 200, type: 'application/json', body: '{"access_token":"abc","token_ty' }),
    }),
  }),
  survives({
    id: 'token-answer-html',
    title: 'Survives a page in place of an answer of the token endpoint',
    level: 'survive',
    about: 'Proxies and firewalls answer with pages of their own, with 200 too.',
    fix: 'Look at status and content type before the body is parsed.',
    meddling: () => ({
      instead: () => ({
        status: 200,
        type: 'text/html',
        body: '<!doctype html><title>Please wait</title>',
      }),
    }),
  }),
  {
    id: 'refresh-answer-lost',
    title: 'Survives that the answer to a refresh is lost',
    level: 'survive',
    about:
      'The server has changed the refresh token, and the client did not hear of it. redmint answers the same again for a while: the client need only ask again.',
    fix: 'After a failure of the network send the same refresh token again, and sign out only on invalid_grant.',
    run: async (party) => {
      const tokens: Meddling['tokens'] = (answer) => ({ ...answer, expires_in: 1 })
      const browser = party.newBrowser()
      const answer = await party.authorize(await party.start(browser))
      party.meddler.meddle({ tokens })
      await browser.deliver(answer)
      await pause(party.options.pause)
      party.meddler.meddle({ tokens, loses_refresh: true })
      await browser.open(party.options.signed_in)
      party.meddler.meddle({})
      if (party.meddler.tokenRequests('refresh_token').length === 0)
        return skipped('The client sends no refresh token when the access token has ended.')
      if (await party.isSignedIn(browser)) return PASSED
      const landing = await browser.open(party.options.signed_in)
      return landing.at === 'other_side'
        ? found('The person is signed out.', 'advice')
        : found(`The person is stuck: ${inWords(landing, party.options.signed_in)}.`)
    },
  },
]
