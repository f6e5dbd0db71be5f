import { type Static, Type } from '../core/schema.ts'

/** The response of the protected demo resource. */
export const DemoResource = Type.Object(
  {
    message: Type.String(),
    subject: Type.String({ description: "The user; empty for a client's own token" }),
  },
  { $id: 'redmint:DemoResource', description: 'The protected demo resource' },
)
export type DemoResource = Static<typeof DemoResource>

/** Returns the protected demo resource for the subject of an access token. */
export function demoResource(subject: string): DemoResource {
  return { message: 'This is a protected resource.', subject }
}
