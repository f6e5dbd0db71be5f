import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../../plugins/address.ts'
import { ownCookie } from '../../plugins/own-cookie.ts'
import { parseObject } from '../../src/core/json.ts'
import { routePrefix } from '../../src/core/paths.ts'
import type { DemoAnswer, DemoCaller, DemoTokens } from '../../src/demo/demo-app.ts'
import type { ShownToken } from '../../src/demo/demo-page.ts'
import { decodeJwt } from '../../src/keys/jwt-reader.ts'
import type { SealPurpose } from '../../src/keys/sealer.ts'

/** What a demo client keeps in the browser, sealed in a cookie. */
export interface DemoCookie<Kept extends object> {
  /** Returns what is kept; empty if nothing is. */
  read(request: FastifyRequest): Partial<Kept>
  /** Keeps these members, and nothing else. @throws StorageUnavailable, as Sealer.seal */
  keep(reply: FastifyReply, kept: Partial<Kept>): FastifyReply
  clear(reply: FastifyReply): FastifyReply
}

/**
 * Makes the routes of a scope those of a demo client: none of its pages may be stored, because they show tokens.
 * @returns its cookie, which is sent to these pages alone
 */
export function keepInCookie<Kept extends object>(
  fastify: FastifyInstance,
  { path, purpose }: { readonly path: string; readonly purpose: SealPurpose },
): DemoCookie<Kept> {
  const { settings, sealer } = fastify.redmint
  const cookie = ownCookie(settings, purpose, path)
  const { name, options } = cookie
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8')
  })
  return {
    read(request) {
      const text = sealer.open(purpose, cookie.read(request) ?? '')
      return text === undefined ? {} : (JSON.parse(text) as Partial<Kept>)
    },
    keep: (reply, kept) => reply.setCookie(name, sealer.seal(purpose, JSON.stringify(kept)), options),
    clear: (reply) => reply.clearCookie(name, options),
  }
}

/** Sends requests of a demo client, from the address of the browser: it is that browser which asks. */
export function callerFor(fastify: FastifyInstance, request: FastifyRequest): DemoCaller {
  const remoteAddress = clientAddress(request)
  const prefix = routePrefix(fastify.redmint.settings)
  return {
    post: async (path, form) => {
      const sent = { method: 'POST', url: prefix + path, remoteAddress, ...formBody(form) } as const
      return answerOf(await fastify.inject(sent))
    },
    get: async (path, token) => {
      const headers = { authorization: `Bearer ${token}` }
      return answerOf(await fastify.inject({ method: 'GET', url: prefix + path, remoteAddress, headers }))
    },
  }
}

/** The tokens as a page of the demo shows them. */
export function shownTokens({ id_token, access_token, refresh_token, scope }: DemoTokens, now: number) {
  return {
    id_token: shown(id_token),
    access_token: shown(access_token),
    ...(refresh_token && { refresh_token: shown(refresh_token) }),
    scope,
    now,
  }
}

function shown(text: string): ShownToken {
  const jwt = decodeJwt(text)
  return jwt === undefined ? { text } : { text, decoded: [jwt.header, jwt.claims] }
}

function formBody(form: Readonly<Record<string, string>>) {
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  }
}

function answerOf({ statusCode, body }: { statusCode: number; body: string }): DemoAnswer {
  return { status: statusCode, json: parseObject(body) ?? null }
}
