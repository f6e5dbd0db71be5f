// Asks the user of an MCP server before something is written: CIBA, by polling.
import { setTimeout as sleep } from 'node:timers/promises'

const CIBA = 'urn:openid:params:grant-type:ciba'

/** @param client the issuer, and the id and the secret of a client with `asks_people` */
export function approvals({ issuer, client_id, client_secret }) {
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  const send = async (path, form) => {
    const body = new URLSearchParams(form)
    const response = await fetch(issuer + path, { method: 'POST', headers: { authorization }, body })
    return response.json()
  }

  /** Waits for the answer, and returns a token for what was asked. @throws if it is no, or none came in time */
  async function answerTo({ auth_req_id, interval }) {
    for (let pause = interval; ; ) {
      await sleep(pause * 1000)
      const { access_token, error, error_description } = await send('/oauth2/token', {
        grant_type: CIBA,
        auth_req_id,
      })
      if (access_token !== undefined) return access_token
      if (error === 'slow_down') pause += 5
      else if (error === 'access_denied') throw new Error('The user said no.')
      else if (error !== 'authorization_pending') throw new Error(error_description)
    }
  }

  return {
    /**
     * Asks for one act, and returns a token for it.
     * @param user the `sub` of the user @param resource the API that does it @param scope what it needs there @param detail what it does
     * @param show is called once the question is there: nothing waits for people before
     */
    async ask({ user, resource, scope, detail }, show) {
      const authorization_details = JSON.stringify([detail])
      const form = { login_hint: user, resource, scope, authorization_details }
      const asked = await send('/oauth2/bc-authorize', form)
      if (asked.auth_req_id === undefined) throw new Error(`Nobody was asked: ${asked.error_description}`)
      await show()
      return answerTo(asked)
    },
  }
}
