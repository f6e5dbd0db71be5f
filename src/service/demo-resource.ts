import { type Static, Type } from '@sinclair/typebox'

/** The answer of the protected demo resource. */
export const DemoResource = Type.Object(
  {
    message: Type.String(),
    subject: Type.String({ description: "The user; empty for a client's own token" }),
  },
  { $id: 'redmint:DemoResource', description: 'The protected demo resource' },
)
export type DemoResource = Static<typeof DemoResource>

/** The protected demo resource, as the subject of an access token gets it. */
export function demoResource(subject: string): DemoResource {
  return { message: 'This is a protected resource.', subject }
}
