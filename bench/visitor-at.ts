// A browser without a screen, over the network.
import { Visitor } from '../test/support/visitor.ts'

/** A browser at a server of this machine. */
export function visitorAt(origin: string): Visitor {
  return new Visitor(async ({ method, url, headers, body }) => {
    const answer = await fetch(origin + url, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const cookies = answer.headers.getSetCookie()
    return {
      status: answer.status,
      headers: { ...Object.fromEntries(answer.headers), 'set-cookie': cookies },
      text: await answer.text(),
    }
  }, origin)
}
