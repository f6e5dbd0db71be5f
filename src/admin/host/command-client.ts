import { Type } from '@sinclair/typebox'
import { registerCommandClient } from '../command-client.ts'
import { hostOperation } from './operation.ts'

/** Registers the client by which people sign in at the command, unless there is one. */
export const commandClient = hostOperation({
  why: 'The client of the command is registered on Redis only.',
  body: Type.Object({}),
  answer: Type.Object({}),
  async run(context) {
    await registerCommandClient(context)
    return { body: {} }
  },
})
