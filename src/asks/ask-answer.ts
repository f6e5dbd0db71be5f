import { type Static, Type } from '@sinclair/typebox'

/** The body of the answer to a backchannel authentication request (CIBA §7.3). */
export const BackchannelAuthentication = Type.Object(
  {
    auth_req_id: Type.String({ description: 'What the client polls with' }),
    expires_in: Type.Integer({ description: 'For how many seconds the person can answer' }),
    interval: Type.Integer({ description: 'Seconds between two token requests' }),
  },
  { $id: 'redmint:BackchannelAuthentication', description: 'What names a question to a person' },
)
export type BackchannelAuthentication = Static<typeof BackchannelAuthentication>
