// What the operations of sign-ins and of consents at a page of an application share.
import { Type } from '@sinclair/typebox'
import { AdminError } from '../operation/problem.ts'

// As long as a request line.
export const CHALLENGE = Type.Object({ challenge: Type.String({ minLength: 1, maxLength: 16_384 }) })

/** Where the browser goes on. */
export const Redirect = Type.Object(
  { redirect_to: Type.String({ description: 'Where you send the browser: it counts there, once' }) },
  { description: 'Where the request goes on' },
)

/** The application that waits. */
export const AskingClient = Type.Object(
  {
    client_id: Type.String(),
    client_name: Type.Optional(Type.String()),
    logo_uri: Type.Optional(Type.String()),
  },
  { description: 'The application that the person goes on to' },
)

/** @returns the error for a challenge that has its answer */
export const answeredBefore = () =>
  new AdminError('conflict', 'The challenge was answered before: the person has to start again.')
