import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientAddress } from '../plugins/address.ts'
import { parseObject } from '../src/core/json.ts'
import { splitJws } from '../src/keys/compact-jws.ts'
import type { ShownToken } from '../src/pages/demo.ts'
import type { DemoAnswer, DemoCaller, DemoTokens } from '../src/service/demo-app.ts'

/** Sends requests of a demo client, from the address of the browser: it is that browser which asks. */
export function callerFor(fastify: FastifyInstance, request: FastifyRequest): DemoCaller {
  const remoteAddress = clientAddress(request)
  return {
    post: async (url, form) =>
      answerOf(await fastify.inject({ method: 'POST', url, remoteAddress, ...formBody(form) })),
    get: async (url, token) => {
      const headers = { authorization: `Bearer ${token}` }
      return answerOf(await fastify.inject({ method: 'GET', url, remoteAddress, headers }))
    },
  }
}

/** The tokens as a page of the demo shows them. */
export function shownTokens({ id_token, access_token, refresh_token, scope }: DemoTokens) {
  return {
    id_token: shown(id_token),
    access_token: shown(access_token),
    ...(refresh_token && { refresh_token: shown(refresh_token) }),
    scope,
  }
}

function shown(text: string): ShownToken {
  const [header, payload] = splitJws(text) ?? []
  const decoded = [header, payload]
    .map((part) => part && parseObject(part.toString()))
    .filter((part) => part !== undefined)
  return decoded.length === 0 ? { text } : { text, decoded }
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
