import { Type } from '@sinclair/typebox'
import { scopeNames } from '../../src/core/scope.ts'
import { ControlError } from './control-error.ts'
import { userNamed } from './named.ts'
import { devOperation } from './operation.ts'
import { ANSWERS, answerWaiting, type WaitingAnswer } from './waiting.ts'

/** Answers what a client asks a person, as they do on the page of the question (OpenID Connect CIBA Core). */
export const ASK_ANSWERED = devOperation({
  summary: 'Answers for a person what a client asks them (CIBA), the newest question if there are several',
  method: 'POST',
  path: '/asks',
  call: "ask(client, 'allow' | 'deny', user)",
  input: Type.Object(
    {
      client: Type.String({ description: 'client_id' }),
      answer: Type.Unsafe<WaitingAnswer>(Type.String({ enum: [...ANSWERS] })),
      user: Type.String({ description: 'username' }),
    },
    { additionalProperties: false },
  ),
  async run(parts, { client, ...answering }) {
    const context = parts.fastify.redmint
    if (context.settings.ask_people === 'off')
      throw new ControlError('No client asks anybody here: start the server with ASK_PEOPLE=on.')
    // No other server needs it.
    const { ASKS } = await import('../../src/asks/ask-flow.ts')
    const { MAX_ASK_TTL } = await import('../../src/asks/ask-parameters.ts')
    const { asksOf, dropAsk } = await import('../../src/asks/inbox.ts')
    const { queuePing } = await import('../../src/asks/ping-queue.ts')
    const { sub } = await userNamed(parts, answering.user)
    const found = (await asksOf(context, sub)).find(({ asked }) => asked.client_id === client)
    if (found === undefined) throw nothingAsked(client, answering.user)
    const { name, id, asked } = found
    // As strongly as the client demands.
    const [acr] = scopeNames(asked.acr_values ?? '')
    const waiting = { of: ASKS, id, code: asked, lifetime: MAX_ASK_TTL }
    await queuePing(context, id, asked)
    const what = `The question of ${client}`
    const answered = await answerWaiting(parts, what, waiting, { ...answering, ...(acr && { way: { acr } }) })
    await dropAsk(context, sub, name)
    return answered
  },
})

const nothingAsked = (client: string, user: string) =>
  new ControlError(
    `Nothing of ${client} waits for ${user}: it did not ask, has its answer, or may not ask this person, who needs tokens of it or a group of its allowed_groups.`,
    404,
  )
